// The live feed: a WebSocket that comes back by itself; server-sent events where sockets are not
// let through.
/** @import { StateDocument } from "./types.js" */
import { byId } from "./dom.js";
import { context, say } from "./page.js";

export const RETRY_MS = [250, 500, 1000, 2000, 4000];
/** The server speaks at least every five seconds: after three of them the line is dead. */
export const SILENT_MS = 15000;

/** @typedef {(state: StateDocument, skew: number) => unknown} OnState */
/** @typedef {(up: boolean, state: StateDocument | null) => unknown} OnLink */

/**
 * Call `onState(document, skew)` for every document; `skew` maps performance.now() in seconds to
 * table time: at = now + skew.
 * @param {OnState} onState
 * @param {OnLink} [onLink]
 * @param {string} [feed]
 */
export function follow(onState, onLink = () => {}, feed = "") {
  let tries = 0;
  let heard = performance.now();
  /** @type {WebSocket | null} */
  let socket = null;
  let opened = false;
  const path = `/api/v1/tables/${context.table}`;
  const query = feed ? `?feed=${feed}` : "";

  /** @param {string} text */
  const take = (text) => {
    heard = performance.now();
    tries = 0;
    opened = true;
    const state = JSON.parse(text);
    // The delay was raised: what is drawn stays until the feed goes on from there.
    if (!state.held_s) onState(state, state.at - heard / 1000);
    onLink(true, state);
  };
  const lose = () => {
    onLink(false, null);
    if (!opened && tries > 2) events();
    else setTimeout(open, RETRY_MS[Math.min(tries++, RETRY_MS.length - 1)]);
  };
  const open = () => {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    socket = new WebSocket(`${scheme}://${location.host}${path}/live${query}`);
    heard = performance.now();
    socket.onmessage = (event) => take(event.data);
    socket.onclose = lose;
  };
  const events = () => {
    const source = new EventSource(`${path}/events${query}`);
    source.onmessage = (event) => take(event.data);
    source.onerror = () => onLink(false, null);
  };
  open();
  setInterval(() => {
    const dead = performance.now() - heard > SILENT_MS;
    if (socket?.readyState === WebSocket.OPEN && dead) socket.close();
  }, 2000);
}

/**
 * Say beside the page's name how fresh it is.
 * @param {boolean} up
 * @param {StateDocument | null} state
 */
export function showLink(up, state) {
  const chip = byId("link");
  const delay = state?.delay_s || 0;
  chip.classList.toggle("bad", !up || !state?.connected);
  if (!up) chip.textContent = say("No connection: reconnecting");
  else if (!state?.connected) {
    chip.textContent = say("The table's program does not answer; its record is shown");
  } else if (state.held_s) {
    chip.textContent = say("Delayed by {n} s, held for {m} s", {
      n: Math.round(delay),
      m: state.held_s,
    });
  } else if (delay) chip.textContent = say("Delayed by {n} s", { n: Math.round(delay) });
  const hidden = Boolean(up && state?.connected && !delay);
  // Set anew, an attribute counts as changed even where it says the same.
  if (chip.hidden !== hidden) chip.hidden = hidden;
}
