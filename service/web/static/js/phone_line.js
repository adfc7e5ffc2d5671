// A phone's line to the table: a socket that comes back by itself, and the phone's own clock.
import { RETRY_MS } from "./feed.js";
import { context } from "./page.js";

/** What the table says on such a line. */
/** @typedef {{ t?: string, n?: number, used?: boolean, aim?: Aim }} Said */
/** Where the board lies in the picture, and one thing that would help. */
/** @typedef {{ outline: [number, number][], advice: string }} Aim */

/** Milliseconds of this device's own clock, which does not begin anew with the page. */
export const ownMs = (now = performance.now()) => performance.timeOrigin + now;

/** The mark of this device, the same for as long as its storage lasts. */
export function deviceMark() {
  const key = "takhte-device";
  const made = [...crypto.getRandomValues(new Uint8Array(8))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
  try {
    const kept = localStorage.getItem(key);
    if (kept) return kept;
    localStorage.setItem(key, made);
  } catch {
    /* not kept: a new mark with each page */
  }
  return made;
}

/**
 * Keep a line open: `opened` with a function that sends, `heard` with what came, `closed` when it
 * is gone; `code` says why where the table closed it.
 * @param {string} path
 * @param {(send: (message: object | ArrayBuffer | Blob) => void) => void} opened
 * @param {(said: Said) => void} heard
 * @param {(code: number) => boolean | void} closed answers false where nothing more is to be tried
 */
export function keepLine(path, opened, heard, closed) {
  let tries = 0;
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const address = `${scheme}://${location.host}/api/v1/tables/${context.table}/${path}`;
  const open = () => {
    const socket = new WebSocket(`${address}?device=${deviceMark()}`);
    let last = performance.now();
    // The table asks at least once a second: three times as long without a word, and it is gone.
    const watch = setInterval(() => {
      if (performance.now() - last > 4000) socket.close();
    }, 1000);
    socket.onopen = () =>
      opened((message) => {
        if (socket.readyState !== WebSocket.OPEN) return;
        const raw = message instanceof ArrayBuffer || message instanceof Blob;
        socket.send(raw ? message : JSON.stringify(message));
      });
    socket.onmessage = ({ data }) => {
      [last, tries] = [performance.now(), 0];
      heard(JSON.parse(data));
    };
    socket.onclose = ({ code }) => {
      clearInterval(watch);
      if (closed(code) === false) return;
      setTimeout(open, RETRY_MS[Math.min(tries++, RETRY_MS.length - 1)]);
    };
  };
  open();
}

/** Keep the screen awake while this page is seen, where the browser can. */
export function stayAwake() {
  const hold = () => {
    if (document.visibilityState === "visible") {
      navigator.wakeLock?.request("screen").catch(() => {});
    }
  };
  document.addEventListener("visibilitychange", hold);
  hold();
}

/**
 * Keep this page and its parts on the device, where the browser lets it: with the table's seal
 * known, or on this machine. Without, it works all the same while it is open.
 */
export async function keepPage() {
  try {
    await navigator.serviceWorker.register("/worker.js");
    const parts = performance.getEntriesByType("resource").map(({ name }) => new URL(name));
    const own = parts.filter((part) => part.origin === location.origin);
    const kept = own.filter(({ pathname }) => !pathname.startsWith("/api/"));
    const cache = await caches.open("takhte-pages");
    await cache.addAll([...new Set([location.href, ...kept.map(String)])]);
  } catch {
    /* not kept: the page is fetched anew each time */
  }
}
