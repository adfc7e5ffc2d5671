// The live feed: a WebSocket that comes back by itself; server-sent events where sockets are not let through.
import { context, say } from "./page.js";

const RETRY_MS = [250, 500, 1000, 2000, 4000];
const SILENT_MS = 15000; // the server speaks at least every five seconds: after three, the line is dead

/** Calls onState(document, skew) for every document. `skew` maps performance.now() seconds to table time: at = now + skew. */
export function follow(onState, onLink = () => {}, feed = "") {
  let tries = 0;
  let heard = performance.now();
  let socket = null;
  let opened = false;

  const took = (text) => {
    heard = performance.now();
    tries = 0;
    opened = true;
    const state = JSON.parse(text);
    // The delay was raised: what is drawn stays until the feed goes on from there.
    if (state.held_s) return onLink(true, state);
    onState(state, state.at - heard / 1000);
    onLink(true, state);
  };
  const lost = () => {
    onLink(false, null);
    if (!opened && tries > 2) return events();
    setTimeout(open, RETRY_MS[Math.min(tries++, RETRY_MS.length - 1)]);
  };
  const open = () => {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    socket = new WebSocket(
      `${scheme}://${location.host}/api/v1/tables/${context.table}/live${feed ? `?feed=${feed}` : ""}`,
    );
    heard = performance.now();
    socket.onmessage = (event) => took(event.data);
    socket.onclose = lost;
  };
  const events = () => {
    const source = new EventSource(`/api/v1/tables/${context.table}/events`);
    source.onmessage = (event) => took(event.data);
    source.onerror = () => onLink(false, null);
  };
  open();
  setInterval(() => {
    if (socket?.readyState === WebSocket.OPEN && performance.now() - heard > SILENT_MS)
      socket.close();
  }, 2000);
}

/** Says beside the page's name how fresh it is. */
export function showLink(up, state) {
  const chip = document.getElementById("link");
  const delay = state?.delay_s || 0;
  chip.classList.toggle("bad", !up || (state && !state.connected));
  if (!up) chip.textContent = say("No connection: reconnecting");
  else if (!state.connected)
    chip.textContent = say("The table's program does not answer; its record is shown");
  else if (state.held_s)
    chip.textContent = say("Delayed by {n} s, held for {m} s", {
      n: Math.round(delay),
      m: state.held_s,
    });
  else if (delay) chip.textContent = say("Delayed by {n} s", { n: Math.round(delay) });
  chip.hidden = up && state.connected && !delay;
}
