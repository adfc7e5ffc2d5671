// The buttons under the prompt: what may be done now, by whoever this device is.
/** @import { Child, SideName, StateDocument } from "./types.js" */
import { openCorrection } from "./correct.js";
import { el } from "./dom.js";
import { askReason, context, may, openDialog, order, say, SIDES } from "./page.js";
import { opening, sayRoll, unreadOpening } from "./say_dice.js";
import { choices, diceText, resultWords, who } from "./prompts.js";

/** Phases in which a game is under way. */
const PLAYING = ["to-roll", "moving", "pressed", "illegal", "differs", "doubled", "opening"];
/** Prompts that ask for the roll by themselves. */
const ROLL_ASKED = ["say_roll", "say_opening", "opening_roll", "opening_again"];

/**
 * @param {string} text
 * @param {(event: MouseEvent) => unknown} onclick
 */
const button = (text, onclick, kind = "") => el("button", { class: kind, onclick }, text);
/**
 * @param {string} name
 * @param {Record<string, unknown>} [args]
 */
const give =
  (name, args = {}) =>
  () =>
    order(name, args);
/**
 * @param {string} href
 * @param {string} text
 * @param {string} right
 */
const linkTo = (href, text, right, kind = "primary") =>
  may(right) && el("a", { class: `button ${kind}`, href: `${href}?table=${context.table}` }, text);

/** The buttons that answer a prompt. */
/** @typedef {(state: StateDocument, side: SideName) => Child} Answer */

/** What answers each prompt, for the side whose move it is. @type {Record<string, Answer>} */
const ANSWERS = {
  match: () => linkTo("/setup", say("Set up a match"), "start_game"),
  confirm_match: (state) => [
    ...SIDES.filter((side) => isMine(side) && (state.waits_for.side ?? side) === side).map(
      (side) =>
        may("confirm") &&
        button(
          say("{name} is here and agrees", { name: who(state, side) }),
          give("confirm", { side }),
          "primary",
        ),
    ),
    linkTo("/setup", say("Match settings"), "set_match", ""),
  ],
  set_up_board: () => [
    may("start_game") &&
      button(say("The checkers stand right: begin"), give("start_game"), "primary"),
    linkTo("/setup", say("Match settings"), "set_match", ""),
  ],
  roll_or_double: (_, side) =>
    isMine(side) && may("offer") && button(say("Double"), give("offer", { side }), "primary"),
  answer_double: (state, side) =>
    isMine(side) &&
    may("take") && [
      button(say("Take"), give("take", { side }), "primary"),
      button(say("Drop"), () => confirmDrop(side), "danger"),
      state.match?.beavers &&
        state.cube?.offered_by === state.on_roll &&
        button(say("Beaver"), give("beaver", { side })),
    ],
  press_no_play: (_, side) =>
    isMine(side) &&
    may("press") &&
    button(say("Press the clock"), give("press", { side }), "primary"),
  play: (state, side) =>
    isMine(side) &&
    may("press") &&
    state.clock?.kind !== "ours" &&
    button(say("The play is complete"), give("press", { side })),
  opening_roll: opening,
  opening_again: opening,
  say_opening: unreadOpening,
  say_roll: (_, side) =>
    may("declare_roll") && button(say("Say the roll"), () => sayRoll(side), "primary"),
  choose_play: (state) => questionAnswers(state),
  other_roll: (state) => questionAnswers(state),
  explain: (state) => explanations(state),
  answer_resignation: (_, side) =>
    isMine(side) &&
    may("accept_resignation") && [
      button(say("Accept"), give("accept_resignation", { side }), "primary"),
      button(say("Refuse"), give("refuse_resignation", { side })),
    ],
  premature_choice: (_, side) =>
    isMine(side) &&
    may("premature_stands") && [
      button(say("It stands"), give("premature_stands", { side }), "primary"),
      button(say("Roll again"), give("premature_again", { side })),
    ],
  director: () =>
    may("unfreeze") && button(say("Go on with the match"), give("unfreeze"), "primary"),
  resume: () => may("resume") && button(say("Resume the match"), give("resume"), "primary"),
  next_game: () => may("next_game") && button(say("Next game"), give("next_game"), "primary"),
  nothing: () => [
    linkTo("/setup", say("Set up a match"), "start_game"),
    el("a", { class: "button", href: `/sheet/${context.table}` }, say("Score sheet")),
    el("a", { class: "button", href: `/matches/${context.table}` }, say("Finished matches")),
  ],
};

/**
 * Whether this device may speak for a side: its own, or any where it has none.
 * @param {SideName} side
 */
const isMine = (side) => !context.me.side || context.me.side === side;

/**
 * The buttons that answer what the table waits for.
 * @param {StateDocument} state
 * @returns {Child}
 */
export function answers(state) {
  const side = state.waits_for?.side || state.on_roll || "white";
  return ANSWERS[state.waits_for?.code]?.(state, side);
}

/**
 * The buttons that stand in their place for as long as a game goes on.
 * @param {StateDocument} state
 * @returns {Child[]}
 */
export function actions(state) {
  const side = state.waits_for?.side || state.on_roll || "white";
  const playing = PLAYING.includes(state.phase);
  const more = rest(state, side);
  return [
    playing && clockActs(state),
    playing &&
      may("declare_play") &&
      state.phase !== "doubled" &&
      button(say("Correct"), () => openCorrection(state)),
    playing && may("call_director") && button(say("Call the director"), callDirector),
    more.length > 0 && context.me.role !== "guest" && button(say("More"), () => openMenu(more)),
  ];
}

/**
 * A clock that rests is started again by the players; after a roll that came too early the side
 * whose turn it interrupted may let it rest.
 * @param {StateDocument} state
 * @returns {Child[]}
 */
function clockActs({ clock, early }) {
  const interrupted = early && (early.side === "white" ? "black" : "white");
  return [
    clock?.paused &&
      may("start_clocks") &&
      button(say("Start the clocks"), give("start_clocks"), "primary"),
    clock?.running &&
      early?.choices.includes("pause") &&
      interrupted &&
      isMine(interrupted) &&
      may("stop_clocks") &&
      button(say("Stop the clocks"), give("stop_clocks")),
  ];
}

/**
 * What is offered behind the button for more: [text, what it does].
 * @param {StateDocument} state
 * @param {SideName} side
 */
function rest(state, side) {
  const playing = PLAYING.includes(state.phase);
  /** @type {[string, () => unknown][]} */
  const more = [];
  const { clock } = state;
  // One that nobody started: behind *More*, since a first press makes the offer go away again.
  const unstarted = clock?.kind === "ours" && !clock.running && !clock.paused;
  if (playing && unstarted && state.phase !== "opening" && may("start_clocks")) {
    more.push([say("Start the clocks"), give("start_clocks")]);
  }
  if (playing && may("resign")) more.push([say("Resign"), () => resign(state)]);
  if (playing && may("declare_roll") && !ROLL_ASKED.includes(state.waits_for?.code)) {
    more.push([say("Say the roll"), () => sayRoll(side)]);
  }
  const ruled = (state.rulings || []).find((ruling) => !ruling.appealed);
  if (ruled && may("appeal")) more.push([say("Appeal"), () => appeal(ruled.seq)]);
  if (playing && may("adjourn")) more.push([say("Adjourn"), adjourn]);
  if (state.match?.ruleset) {
    more.push([say("Score sheet"), () => location.assign(`/sheet/${context.table}`)]);
    more.push([say("Finished matches"), () => location.assign(`/matches/${context.table}`)]);
  }
  return more;
}

/** @param {[string, () => unknown][]} entries */
function openMenu(entries) {
  openDialog((dialog) => [
    el("h2", {}, say("More")),
    el(
      "div",
      { class: "stack" },
      entries.map(([text, act]) =>
        button(text, () => {
          dialog.close();
          act();
        }),
      ),
      button(say("Back"), () => dialog.close()),
    ),
  ]);
}

/** @param {SideName} side */
function confirmDrop(side) {
  openDialog((dialog) => [
    el("h2", {}, say("Drop the double?")),
    el("p", {}, say("The game ends here, at the value before the double.")),
    el(
      "p",
      { class: "row" },
      button(say("Back"), () => dialog.close()),
      el("span", { class: "grow" }),
      button(
        say("Drop"),
        async () => {
          if (await order("drop", { side })) dialog.close();
        },
        "danger",
      ),
    ),
  ]);
}

function callDirector() {
  askReason(
    say("Call the director"),
    say("Call"),
    (reason) => order("call_director", { side: context.me.side, reason }),
    {
      needed: false,
      before: [el("p", {}, say("Both clocks stop. Leave the checkers as they are."))],
    },
  );
}

/** @param {number} ruling */
function appeal(ruling) {
  askReason(say("Appeal"), say("Appeal"), (reason) => order("appeal", { ruling, reason }), {
    needed: false,
  });
}

function adjourn() {
  askReason(say("Adjourn the match"), say("Adjourn"), (reason) => order("adjourn", { reason }), {
    needed: false,
  });
}

/** @param {StateDocument} state */
function resign(state) {
  const sides = context.me.side ? [context.me.side] : SIDES;
  openDialog((dialog) => [
    el("h2", {}, say("Resign")),
    ...sides.map((side) =>
      el(
        "fieldset",
        {},
        el("legend", {}, who(state, side)),
        el(
          "div",
          { class: "choices" },
          (state.match?.resignations || []).map(({ level, result }) =>
            button(resultWords(result), async () => {
              if (await order("resign", { side, level })) dialog.close();
            }),
          ),
        ),
      ),
    ),
    el(
      "p",
      {},
      button(say("Back"), () => dialog.close()),
    ),
  ]);
}

/**
 * A button for each answer to the question of the turn that was ended, and one for none of them.
 * @param {StateDocument} state
 */
function questionAnswers({ question }) {
  if (!question || !may("choose_explanation")) return [];
  /** @param {{ text: string, roll: number[] | null }} answer */
  const words = ({ text, roll }) =>
    question.code === "other_roll"
      ? [say("The roll was {roll}: put it right", { roll: diceText(roll) })]
      : [el("bdi", { dir: "ltr" }, text), roll ? ` (${diceText(roll)})` : ""];
  return [
    question.answers.map((answer, index) =>
      el("button", { onclick: give("choose_explanation", { index }) }, words(answer)),
    ),
    question.code === "other_roll" &&
      may("let_stand") &&
      button(
        say("It was {roll}; the play stands", { roll: diceText(question.read) }),
        give("let_stand"),
      ),
    may("not_so") && button(say("The board is not so"), give("not_so")),
  ];
}

/**
 * A button for each cause that would explain a board that differs.
 * @param {StateDocument} state
 */
function explanations(state) {
  if (!may("choose_explanation")) return [];
  return choices(state).map((text, index) =>
    el(
      "button",
      { onclick: give("choose_explanation", { index }) },
      el("bdi", { dir: "ltr" }, text),
    ),
  );
}
