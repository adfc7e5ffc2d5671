// What wants attention beside the prompt: dice, illegal plays, differences, alerts, rulings.
/** @import { AlertDocument, Child, StateDocument } from "../types.js" */
import { format } from "../clock.js";
import { byId, el } from "../dom.js";
import { digits, say } from "../page.js";
import { diceProblem, matter, sourceWords, why } from "../prompts.js";

/** Alerts that a banner of their own shows already. */
const SHOWN = ["illegal", "differs", "dice"];

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
  const banners = [...problems(state), ...alerts(state), ...rulings(state, now)];
  const box = byId("banners");
  const text = banners.map((n) => n.textContent).join("|");
  if (box.dataset.text === text) return;
  box.dataset.text = text;
  box.replaceChildren(...banners);
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

/** @param {StateDocument} state */
function alerts(state) {
  const open = (state.alerts || []).filter(
    (a) => !a.acknowledged_by && !a.earlier && !SHOWN.includes(a.kind),
  );
  return open.map((alert) => {
    const words = alertWords(alert);
    return banner("calm", el("b", {}, matter(alert.kind)), words ? ` · ${words}` : "");
  });
}

/** @param {AlertDocument} alert */
function alertWords(alert) {
  const words = why(alert.why);
  return alert.kind === "source_lost" ? sourceWords(words) : words;
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
