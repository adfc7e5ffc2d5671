// What wants attention beside the prompt: dice, illegal plays, differences, alerts, rulings.
/** @import { AlertDocument, Child, StateDocument } from "../types.js" */
import { format } from "../clock.js";
import { byId, el, settle } from "../dom.js";
import { context, digits, say } from "../page.js";
import { diceProblem, matter, who, why } from "../prompts.js";
import { awaitedWords, isAwaited, sourceWords } from "../sensor_words.js";

/** Alerts that a banner of their own shows already. */
const SHOWN = ["illegal", "differs", "dice", "choose_play", "say_roll"];

/**
 * @param {string} kind
 * @param {...Child} children
 */
const banner = (kind, ...children) => el("div", { class: `banner ${kind}`.trim() }, children);

/**
 * Draw the banners at table time `now`.
 * @param {StateDocument} state
 * @param {number} now
 */
export function drawBanners(state, now) {
  settle(byId("banners"), ...problems(state), ...alerts(state), ...rulings(state, now));
}

/** @param {StateDocument} state */
function problems({ dice, illegal, differs, waits_for }) {
  const out = [];
  const problem = diceProblem(dice?.problem);
  if (problem) out.push(banner("", problem));
  if (illegal && waits_for?.code === "correct_play") out.push(banner("bad", why(illegal.why)));
  if (differs?.reason) {
    const list = (differs.sites || []).map(digits).join(say(", "));
    const words = list ? say("It differs at: {list}", { list }) : say("Nothing explains it alone.");
    out.push(banner("bad", words));
  }
  return out;
}

/**
 * The open alerts, what was said several times once.
 * @param {StateDocument} state
 */
function alerts(state) {
  /** @type {Map<string, AlertDocument[]>} */
  const alike = new Map();
  for (const alert of state.alerts || []) {
    if (alert.acknowledged_by || alert.settled || alert.earlier || SHOWN.includes(alert.kind))
      continue;
    const key = [alert.kind, alert.side, alertWords(alert)].join();
    alike.set(key, [...(alike.get(key) ?? []), alert]);
  }
  return [...alike.values()].map(([alert, ...more]) => {
    const name = alert.side ? who(state, alert.side) : "";
    const times = more.length ? say("{n} times", { n: digits(more.length + 1) }) : "";
    const words = [name, alertWords(alert), times].filter(Boolean);
    const awaited = alert.kind === "source_lost" && isAwaited(why(alert.why));
    const kind = alert.kind === "source_lost" && !awaited ? "" : "calm";
    return banner(
      kind,
      el("b", {}, awaited ? awaitedWords() : matter(alert.kind)),
      words.map((text) => ` · ${text}`),
    );
  });
}

/** @param {AlertDocument} alert */
function alertWords(alert) {
  const words = why(alert.why);
  if (alert.kind !== "source_lost") return words;
  const source = context.sources[alert.code];
  return [source, sourceWords(words)].filter(Boolean).join(": ");
}

/**
 * @param {StateDocument} state
 * @param {number} now
 */
function rulings(state, now) {
  return (state.rulings || []).flatMap(({ text, until }) =>
    until && until > now
      ? [
          banner(
            "calm",
            say("Ruling: {text}", { text }),
            " · ",
            say("appeal within {time}", { time: format(until - now) }),
          ),
        ]
      : [],
  );
}
