// What an arbiter decides: clocks, rulings, penalties, corrections, the end of a match.
/** @import { AlertDocument, AttributeValue, ClockPreset, StateDocument } from "../types.js" */
import { openCorrection, openPosition } from "../correct.js";
import { byId, el } from "../dom.js";
import { clockName } from "../clock.js";
import { api, askReason, digits, may, order, say, SIDES } from "../page.js";
import { matter, who, why } from "../prompts.js";

/** An order with the text of its button, what the button does, and how it looks. */
/** @typedef {[string, string, () => unknown, string?]} Act */

/**
 * @param {string} name
 * @param {string} label
 * @param {Record<string, AttributeValue>} [attributes]
 */
const field = (name, label, attributes = {}) =>
  el("label", {}, label, el("input", { name, ...attributes }));
/**
 * @param {string} name
 * @param {string} label
 * @param {[string, string][]} options value and text of each
 */
const pick = (name, label, options) =>
  el(
    "label",
    {},
    label,
    el(
      "select",
      { name },
      options.map(([value, text]) => el("option", { value }, text)),
    ),
  );
/**
 * @param {StateDocument} state
 * @returns {[string, string][]}
 */
const sides = (state) => SIDES.map((side) => [side, who(state, side)]);

/**
 * Draw a button for each order that may be given now; `moment` is the entry that evidence shows.
 * @param {StateDocument} state
 * @param {() => number | null} moment
 */
export function drawActs(state, moment) {
  const acts = actsOf(state, moment).filter((act) => may(act[0]));
  const key = JSON.stringify(acts.map((act) => act[0]));
  const box = byId("acts");
  if (box.dataset.key === key) return;
  box.dataset.key = key;
  box.replaceChildren(
    ...acts.map(([, text, act, kind]) => el("button", { class: kind || "", onclick: act }, text)),
  );
}

/**
 * The orders that make sense now, whoever may give them.
 * @param {StateDocument} state
 * @param {() => number | null} moment
 * @returns {Act[]}
 */
function actsOf(state, moment) {
  const { match, phase, clock } = state;
  const ours = clock?.kind === "ours";
  /** @type {(Act | false | null | "")[]} */
  const acts = [
    clock?.running
      ? ["stop_clocks", say("Stop the clocks"), () => order("stop_clocks"), "primary"]
      : ours && ["start_clocks", say("Start the clocks"), () => order("start_clocks")],
    phase === "frozen"
      ? ["unfreeze", say("Go on with the match"), () => order("unfreeze"), "primary"]
      : match?.ruleset && ["freeze", say("Freeze the table"), freeze],
    phase === "setting-up" &&
      !match?.game && ["call_match", say("Call the match"), () => order("call_match")],
    ["rule", say("Rule"), () => rule(moment())],
    phase === "illegal" && ["let_stand", say("Let it stand"), () => letStand(state), "danger"],
    ["penalise", say("Penalise"), () => penalise(state)],
    ours && ["adjust_clock", say("Correct the time"), () => adjustClock(state)],
    state.on_roll && ["declare_play", say("Correct the play"), () => openCorrection(state)],
    match?.game ? ["set_position", say("Set the position"), () => openPosition(state)] : null,
    match?.ruleset && ["amend", say("Names, length, score"), () => amend(state)],
    (phase === "setting-up" || phase === "game-over") && [
      "change_clock",
      say("Another clock"),
      changeClock,
    ],
    match?.ruleset &&
      (phase === "adjourned"
        ? ["resume", say("Resume the match"), () => order("resume")]
        : ["adjourn", say("Adjourn"), adjourn]),
    match?.ruleset &&
      phase !== "match-over" && ["end_match", say("End the match"), () => endMatch(state)],
  ];
  return acts.filter((act) => Array.isArray(act));
}

function freeze() {
  const text = say("Freeze the table");
  askReason(text, text, (reason) => order("freeze", { reason }), { needed: false });
}

function adjourn() {
  const give = (/** @type {string} */ reason) => order("adjourn", { reason });
  askReason(say("Adjourn the match"), say("Adjourn"), give, { needed: false });
}

/** @param {StateDocument} state */
function letStand(state) {
  askReason(
    say("Let the illegal play stand"),
    say("Let it stand"),
    (reason) => order("let_stand", { reason }),
    { danger: true, before: [el("p", {}, why(state.illegal?.why))] },
  );
}

/** @param {number | null} moment the entry that the ruling is about */
function rule(moment) {
  const about = moment ? { about: moment } : {};
  const text = moment
    ? say("About entry {n}. The appeal window opens at once.", { n: digits(moment) })
    : say("The appeal window opens at once.");
  askReason(
    say("Rule"),
    say("Enter the ruling"),
    (reason) => order("rule", { text: reason, ...about }),
    { before: [el("p", { class: "muted" }, text)] },
  );
}

/**
 * What a select or a field of the form begins with.
 * @param {HTMLElement} label
 * @param {string | number | undefined} value
 */
function preset(label, value) {
  const input = label.querySelector("select, input");
  if (
    value !== undefined &&
    (input instanceof HTMLSelectElement || input instanceof HTMLInputElement)
  )
    input.value = String(value);
  return label;
}

/**
 * Penalise; `due` is the alert whose facts name what the event's ladder says.
 * @param {StateDocument} state
 * @param {AlertDocument} [due]
 */
export function penalise(state, due = dueOf(state)) {
  /** @type {[string, string][]} */
  const kinds = [
    ["warning", say("Warning")],
    ["time", say("Time, in seconds")],
    ["points", say("Points")],
    ["game", say("The game")],
    ["match", say("The match")],
  ];
  askReason(
    say("Penalise"),
    say("Penalise"),
    (reason, data) => {
      const amount = Number(data.get("amount"));
      return order("penalise", {
        side: data.get("side"),
        penalty: data.get("penalty"),
        ...(amount ? { amount } : {}),
        reason,
      });
    },
    {
      danger: true,
      before: [
        due && el("p", { class: "muted" }, matter(due.kind), " · ", why(due.why)),
        preset(pick("side", say("Player"), sides(state)), due?.side ?? undefined),
        preset(pick("penalty", say("Penalty"), kinds), due && String(due.facts.penalty)),
        preset(
          field("amount", say("Seconds or points"), {
            type: "number",
            min: 0,
            max: 36000,
            value: 0,
          }),
          due && String(due.facts.amount ?? 0),
        ),
      ],
    },
  );
}

/** Penalties that a form can hold. */
const GIVEN = ["warning", "time", "points", "game", "match"];
/**
 * The newest open alert that names a penalty.
 * @param {StateDocument} state
 */
const dueOf = ({ alerts }) =>
  [...(alerts || [])]
    .reverse()
    .find((a) => !a.acknowledged_by && GIVEN.includes(String(a.facts.penalty)));

/** @param {StateDocument} state */
function adjustClock(state) {
  askReason(
    say("Correct the time"),
    say("Set the time"),
    (reason, data) =>
      order("adjust_clock", {
        side: data.get("side"),
        bank: Number(data.get("minutes")) * 60 + Number(data.get("seconds")),
        reason,
      }),
    {
      before: [
        pick("side", say("Player"), sides(state)),
        el(
          "div",
          { class: "grid" },
          field("minutes", say("Minutes"), { type: "number", min: 0, max: 600, required: true }),
          field("seconds", say("Seconds"), {
            type: "number",
            min: 0,
            max: 59,
            value: 0,
            required: true,
          }),
        ),
      ],
    },
  );
}

async function changeClock() {
  /** @type {{ clocks: ClockPreset[] }} */
  const { clocks } = await api("/api/v1/rulesets");
  askReason(
    say("Another clock"),
    say("Play on with it"),
    (reason, data) => {
      const chosen = String(data.get("clock"));
      const minutes = Number(data.get("minutes"));
      return order("change_clock", {
        ...(chosen === "none" || chosen === "external"
          ? { clock: chosen }
          : { clock: "ours", preset: chosen, ...(minutes ? { bank: minutes * 60 } : {}) }),
        reason,
      });
    },
    {
      needed: false,
      before: [
        pick("clock", say("Clock"), [
          ["none", say("No clock")],
          ["external", say("The club's own clock")],
          ...clocks.map(({ name }) => /** @type {[string, string]} */ ([name, clockName(name)])),
        ]),
        field("minutes", say("Minutes a side, where they are others"), {
          type: "number",
          min: 0,
          max: 600,
        }),
      ],
    },
  );
}

/** @param {StateDocument} state */
function amend({ match }) {
  const { white, black } = match.players;
  const name = { maxlength: 80, dir: "auto" };
  const number = { type: "number" };
  askReason(
    say("Names, length, score"),
    say("Correct"),
    async (reason, data) => {
      /** @type {[string, unknown, unknown][]} */
      const wanted = [
        ["white", data.get("white"), white.name],
        ["black", data.get("black"), black.name],
        ["length", Number(data.get("length")) || null, match.length],
        ["score", [Number(data.get("sw")), Number(data.get("sb"))], [white.score, black.score]],
      ];
      if (data.get("crawford")) wanted.push(["crawford", data.get("crawford") === "yes", null]);
      for (const [what, value, before] of wanted) {
        if (JSON.stringify(value) === JSON.stringify(before)) continue;
        if (!(await order("amend", { what, value, reason }))) return false;
      }
      return true;
    },
    {
      before: [
        el(
          "div",
          { class: "grid" },
          field("white", say("White"), { value: white.name, ...name }),
          field("black", say("Black"), { value: black.name, ...name }),
          field("length", say("Length"), { ...number, min: 0, max: 999, value: match.length ?? 0 }),
          field("sw", say("Score so far: White"), { ...number, value: white.score }),
          field("sb", say("Score so far: Black"), { ...number, value: black.score }),
          pick("crawford", say("The Crawford game"), [
            ["", say("As it is")],
            ["yes", say("It was played already")],
            ["no", say("It is still to come")],
          ]),
        ),
      ],
    },
  );
}

/** @param {StateDocument} state */
function endMatch(state) {
  askReason(
    say("End the match"),
    say("End the match"),
    (reason, data) => {
      const winner = data.get("winner");
      return order("end_match", { ...(winner ? { winner } : {}), reason });
    },
    {
      danger: true,
      before: [pick("winner", say("Winner"), [["", say("Nobody")], ...sides(state)])],
    },
  );
}
