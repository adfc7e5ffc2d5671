// What an arbiter decides: clocks, rulings, penalties, corrections, the end of a match.
/** @import { AlertDocument, StateDocument } from "../types.js" */
import { openCorrection, openPosition } from "../correct.js";
import { byId, el, settle } from "../dom.js";
import { askReason, digits, may, order, say } from "../page.js";
import { matter, why } from "../prompts.js";
import { adjustClock, changeClock } from "./clocks.js";
import { field, pick, sides } from "./fields.js";
import { note } from "./notes.js";

/** An order with the text of its button, what the button does, and how it looks. */
/** @typedef {[string, string, () => unknown, string?]} Act */

/** A group of orders: its name, and what may be done. @typedef {[string, Act[]]} Group */

/**
 * Draw a button for each order that may be given now; `moment` is the entry that evidence shows.
 * @param {StateDocument} state
 * @param {() => number | null} moment
 */
export function drawActs(state, moment) {
  settle(
    byId("acts"),
    ...groupsOf(state, moment).map(([name, acts]) => {
      const allowed = acts.filter((act) => may(act[0]));
      if (!allowed.length) return "";
      return el(
        "section",
        { "data-key": name, class: "act-group" },
        el("h3", {}, name),
        el(
          "div",
          { class: "acts" },
          allowed.map(([, text, act, kind]) =>
            el("button", { class: kind || "", onclick: act }, text),
          ),
        ),
      );
    }),
  );
}

/**
 * The orders that make sense now, whoever may give them, in the order of a call: hold everything,
 * put right what is wrong, decide, come to an end.
 * @param {StateDocument} state
 * @param {() => number | null} moment
 * @returns {Group[]}
 */
function groupsOf(state, moment) {
  const { match, phase, clock } = state;
  const ours = clock?.kind === "ours";
  const set = Boolean(match?.ruleset);
  /** @param {(Act | false | null | undefined)[]} acts */
  const those = (...acts) => acts.filter((act) => Array.isArray(act));
  return [
    [
      say("Now"),
      those(
        phase === "frozen"
          ? ["unfreeze", say("Go on with the match"), () => order("unfreeze"), "primary"]
          : set && ["freeze", say("Freeze the table"), freeze],
        ours &&
          phase !== "game-over" &&
          (clock.running
            ? ["stop_clocks", say("Stop the clocks"), () => order("stop_clocks")]
            : ["start_clocks", say("Start the clocks"), () => order("start_clocks")]),
        phase === "setting-up" &&
          !match?.game && ["call_match", say("Call the match"), () => order("call_match")],
      ),
    ],
    [
      say("Put right"),
      those(
        Boolean(state.on_roll) &&
          Boolean(match?.game) && [
            "declare_play",
            say("Correct the play"),
            () => openCorrection(state),
          ],
        Boolean(match?.game) && [
          "set_position",
          say("Set the position"),
          () => openPosition(state),
        ],
        ours && ["adjust_clock", say("Correct the time"), () => adjustClock(state)],
        set && ["amend", say("Names, length, score"), () => amend(state)],
        (phase === "setting-up" || phase === "game-over") && [
          "change_clock",
          say("Another clock"),
          changeClock,
        ],
      ),
    ],
    [
      say("Decide"),
      those(
        phase === "illegal" && ["let_stand", say("Let it stand"), () => letStand(state), "danger"],
        ["rule", say("Rule"), () => rule(moment())],
        ["penalise", say("Penalise"), () => penalise(state)],
        set && ["note", say("Note what was seen"), () => note(state)],
      ),
    ],
    [
      say("Finish"),
      those(
        set &&
          (phase === "adjourned"
            ? ["resume", say("Resume the match"), () => order("resume")]
            : ["adjourn", say("Adjourn"), adjourn]),
        set &&
          phase !== "match-over" && [
            "end_match",
            say("End the match"),
            () => endMatch(state),
            "danger",
          ],
      ),
    ],
  ];
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

/** A usual ruling: its words, and what the rules say. */
/** @typedef {{ text: string, paragraph: string }} Ruling */

/** @returns {Ruling[]} */
const usual = () => {
  const illegal = say(
    "An illegal play is put right when it is noticed before the opponent's next valid roll or " +
      "double; after that it stands, and is recorded as illegal.",
  );
  const dice = say(
    "A roll is valid when both dice lie flat on the board to the right of the bar, as the roller " +
      "sits. A cocked die, or one on a checker, is thrown again, with the other one.",
  );
  const early = say(
    "A roll before the other side's turn was over: the interrupted side chooses whether it stands.",
  );
  const call = say(
    "At a call both clocks stop and nobody moves a checker. Time, position and score can be " +
      "corrected; the old values stay on record.",
  );
  return [
    { text: say("The play is put right. No penalty."), paragraph: illegal },
    { text: say("The play stands."), paragraph: illegal },
    { text: say("The roll is valid and stands."), paragraph: dice },
    { text: say("The roll is not valid. Both dice are thrown again."), paragraph: dice },
    { text: say("The early roll stands."), paragraph: early },
    { text: say("The early roll is thrown again."), paragraph: early },
    { text: say("Position and clocks are set as both players agree."), paragraph: call },
    { text: say("Play on as it stands. No fault on either side."), paragraph: call },
  ];
};

/** @param {number | null} moment the entry that the ruling is about */
function rule(moment) {
  const about = moment ? { about: moment } : {};
  const text = moment
    ? say("About entry {n}. The appeal window opens at once.", { n: digits(moment) })
    : say("The appeal window opens at once.");
  const rulings = usual();
  const paragraph = el("p", { class: "banner calm", hidden: true });
  /** @type {[string, string][]} */
  const options = [["", say("In your own words")]];
  const choices = pick("usual", say("Usual rulings"), [
    ...options,
    ...rulings.map((r, i) => /** @type {[string, string]} */ ([String(i), r.text])),
  ]);
  choices.addEventListener("change", ({ target }) => {
    if (!(target instanceof HTMLSelectElement)) return;
    const chosen = target.value === "" ? null : rulings[Number(target.value)];
    paragraph.textContent = chosen?.paragraph ?? "";
    paragraph.hidden = !chosen;
    const words = target.form?.elements.namedItem("reason");
    if (chosen && words instanceof HTMLTextAreaElement) words.value = chosen.text;
  });
  const told = el("input", { type: "checkbox", name: "told" });
  askReason(
    say("Rule"),
    say("Enter the ruling"),
    (reason) => {
      const words = told.checked ? `${reason} ${say("Both players were told.")}` : reason;
      return order("rule", { text: words, ...about });
    },
    {
      before: [
        el("p", { class: "muted" }, text),
        choices,
        paragraph,
        el("label", { class: "inline" }, told, " ", say("Both players were told")),
      ],
    },
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
    .find((a) => !a.acknowledged_by && !a.earlier && GIVEN.includes(String(a.facts.penalty)));

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
