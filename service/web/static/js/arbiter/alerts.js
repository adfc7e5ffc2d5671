// The alerts: those that nobody has seen first, newest on top.
/** @import { AlertDocument, StateDocument } from "../types.js" */
import { byId, el, settle, show, write } from "../dom.js";
import { digits, may, order, say } from "../page.js";
import { matter, who, why } from "../prompts.js";
import { awaitedWords, isAwaited, sourceWords } from "../sensor_words.js";
import { entryOf, showMoment, timeOf } from "./evidence.js";

/** Matters that want somebody at once. */
const URGENT = ["illegal", "flag", "differs", "illegal_limit"];

/**
 * Draw the open alerts, and the last three that were seen.
 * @param {StateDocument} state
 */
export function drawAlerts(state) {
  const all = state.alerts || [];
  const open = all.filter((a) => !a.acknowledged_by && !a.settled);
  show(byId("open-alerts"), open.length > 0);
  write(byId("open-alerts"), say("{n} open", { n: digits(open.length) }));
  const seen = all.filter((a) => a.acknowledged_by).slice(-3);
  const shown = [...open.reverse(), ...seen.reverse()];
  const none = el("p", { class: "nothing" }, say("Nothing needs you."));
  settle(byId("alerts"), ...(shown.length ? shown.map((a) => alertCard(state, a)) : [none]));
}

/**
 * @param {StateDocument} state
 * @param {AlertDocument} alert
 */
function alertCard(state, alert) {
  const seen = alert.acknowledged_by;
  const urgent = URGENT.includes(alert.kind);
  const entry = entryOf(alert.seq);
  const words = why(alert.why);
  const ofSource = alert.kind === "source_lost";
  return el(
    "article",
    { "data-key": alert.id, class: `alert${seen ? " seen" : urgent ? " red" : ""}` },
    el(
      "header",
      {},
      el("span", { "aria-hidden": "true" }, seen ? "✓" : urgent ? "⚑" : "●"),
      ofSource && isAwaited(words) ? awaitedWords() : matter(alert.kind),
      alert.side ? [" · ", who(state, alert.side)] : "",
      alert.earlier ? [" · ", say("match before")] : "",
      el("span", { class: "when num" }, entry ? timeOf(entry) : ""),
    ),
    words ? el("p", { dir: "auto" }, ofSource ? sourceWords(words) : words) : "",
    el(
      "p",
      { class: "row" },
      el("button", { onclick: () => showMoment(alert.seq) }, say("Evidence")),
      seen
        ? el("span", { class: "muted" }, say("seen by {name}", { name: seen }))
        : may("acknowledge") &&
            el(
              "button",
              { class: "primary", onclick: () => order("acknowledge", { alert: alert.id }) },
              say("I have seen it"),
            ),
    ),
  );
}
