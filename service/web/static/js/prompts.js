// What the table waits for, and what it says, in words.
/**
 * @import { SideName, StateDocument, WaitArguments, Words } from "./types.js"
 * @import { Layout } from "./geometry.js"
 */
import { context, digits, lengthWords, say, sideName, SIDES } from "./page.js";

/**
 * A side's name for a sentence: isolated, so that its direction does not turn the sentence's.
 * @param {StateDocument | null} state
 * @param {SideName} side
 */
export const who = (state, side) => {
  const name = state?.match?.players?.[side]?.name;
  return name ? `\u2068${name}\u2069` : sideName(side);
};
/**
 * A roll in words, empty for none.
 * @param {readonly number[] | null | undefined} roll
 */
export const diceText = (roll) => (roll ? `\u2066${roll.map(digits).join("-")}\u2069` : "");

/** Prompt and hint; no hint for those who can do nothing. */
/** @typedef {[string, string | false]} Asked */

/**
 * Whether the visitor may do what a side is asked to: a spectator may not.
 * @param {SideName} side
 */
const mine = (side) =>
  context.me.view !== "public" && (!context.me.side || context.me.side === side);
/**
 * Whether there is a clock to press: without one of the table's own, the lifted dice end a turn.
 * @param {StateDocument} state
 */
const pressable = (state) => state.clock?.kind === "ours";

/**
 * What the table waits for, by code: prompt and hint.
 * @type {Record<string, (s: StateDocument, a: WaitArguments, side: SideName) => Asked>}
 */
const PROMPTS = {
  match: () =>
    context.orders.includes("set_match")
      ? [say("Set up a match"), say("Who plays, to how many points, by which rules.")]
      : [say("No match is being played"), ""],
  confirm_match: (s, a, side) => [
    s.waits_for.side
      ? say("{name}: are you there?", { name: who(s, side) })
      : say("Both players: are you there?"),
    agreedWords(s),
  ],
  set_up_board: () => [
    say("Put the checkers at the start"),
    say("The game begins when the board stands right."),
  ],
  opening_roll: (s, a) => [say("Opening roll"), openingHint(a)],
  opening_again: (s, a) => [
    say("Equal dice {roll}: throw again", { roll: diceText(a.thrown) }),
    openingHint(a),
  ],
  roll: (s, a, side) => [say("{name} rolls", { name: who(s, side) }), ""],
  roll_or_double: (s, a, side) => [
    say("{name} rolls, or doubles first", { name: who(s, side) }),
    "",
  ],
  answer_double: (s, a, side) => [
    say("{name}: take or drop?", { name: who(s, side) }),
    say("The cube would stand at {n}.", { n: digits(a.value ?? "") }),
  ],
  play: (s, a, side) => [
    say("{name} plays {roll}", { name: who(s, side), roll: diceText(s.dice?.roll) }),
    mine(side) && pressable(s)
      ? say("Press the clock when the play is complete.")
      : mine(side) && say("The turn ends when the dice are lifted."),
  ],
  press_no_play: (s, a, side) => [
    noPlayWords(s, who(s, side)),
    mine(side) && pressable(s)
      ? say("Press the clock to pass the turn.")
      : mine(side) && say("Lift the dice to pass the turn."),
  ],
  judging: () => [say("The table is looking"), say("Keep hands away from the board for a moment.")],
  say_opening: () => [
    say("Which opening roll was it?"),
    say("The dice were not read. Say what they show, or play on: the first play tells."),
  ],
  say_roll: (s, a, side) => [
    say("Which roll did {name} throw?", { name: who(s, side) }),
    say("The dice were not read, and the play alone does not tell."),
  ],
  choose_play: () => [
    say("Which of these was played?"),
    say("The checkers fit more than one play."),
  ],
  other_roll: (s, a) => [
    say("The dice read {read}, but the checkers say {roll}. Which was it?", {
      read: diceText(a.read),
      roll: diceText(a.roll),
    }),
    say("Put the play right on the board, or say below what happened."),
  ],
  correct_play: (s, a, side) => [
    say("{name}: this play is not legal", { name: who(s, side) }),
    say("Put it right on the board. The opponent's next roll or double lets it stand."),
  ],
  explain: () => [
    say("Board and record differ"),
    say("Put the board right, or say below what happened. The clock is safe."),
  ],
  premature_choice: (s, a, side) => [
    say("{name}: does the early roll {roll} stand?", {
      name: who(s, side),
      roll: diceText(a.roll),
    }),
    say("It was thrown before the turn was over."),
  ],
  answer_resignation: (s, a, side) => [
    say("{name}: accept the resignation?", { name: who(s, side) }),
    resultWords(s.match?.resignations?.find((r) => r.level === a.level)?.result),
  ],
  director: () => [
    say("The director is deciding"),
    say("Nobody moves a checker. Both clocks are stopped."),
  ],
  resume: () => [
    say("The match is adjourned"),
    say("It goes on at this score, position and clocks."),
  ],
  next_game: () => [say("The game is over"), say("Set the checkers up for the next game.")],
  nothing: () => [say("The match is over"), ""],
};
/**
 * What both players agree to before the first game: how far, and by which clock.
 * @param {StateDocument} state
 */
function agreedWords({ match, clock }) {
  const length = match.length
    ? say("Match to {n}.", { n: digits(match.length) })
    : say("Money session.");
  const bank = clock.white?.bank;
  const time =
    clock.kind === "ours" && bank !== undefined
      ? say("Each side has {n} minutes and {d} s for each play.", {
          n: digits(Math.round(bank / 6) / 10),
          d: digits(clock.delay ?? 0),
        })
      : clock.kind === "external"
        ? say("The club's own clock.")
        : say("No clock.");
  return `${length} ${time} ${say("Confirm with your own clock button, or here.")}`;
}
/** How a game can be lost. @type {Record<string, () => string>} */
const RESULTS = {
  single: () => say("A single game"),
  gammon: () => say("A gammon"),
  backgammon: () => say("A backgammon"),
  mars: () => say("A mars"),
  super_mars: () => say("A super-mars"),
  left_in_home: () => say("A double game"),
  left_in_home_or_bar: () => say("A double game"),
  aziz: () => say("Aziz"),
};
/**
 * How a game is lost, in words; empty for none.
 * @param {string | undefined} result
 */
export const resultWords = (result) => RESULTS[result ?? ""]?.() ?? "";

/**
 * Who won a game, and how much.
 * @param {StateDocument} state
 * @param {{ winner: SideName, points: number }} ended
 */
export const wonWords = (state, { winner, points }) =>
  say("{name} wins {n}", { name: who(state, winner), n: digits(points) });

/**
 * What stands for the record up to a game's end, to be noted elsewhere; empty where none is known.
 * @param {{ seq: number, head?: string }} ended
 */
export const headWords = ({ seq, head }) =>
  head
    ? say("Record: entry {n}, head {head}", {
        n: digits(seq),
        head: `\u2066${head.replace(/.{4}(?=.)/g, "$& ")}\u2069`,
      })
    : "";

/**
 * What each side throws in the opening.
 * @param {WaitArguments} args
 */
function openingHint(args) {
  if (args.each !== 2) return say("Each side throws one die.");
  return args.shish_besh
    ? say("Each side throws both dice; the first 6-5 starts at once, else the higher sum.")
    : say("Each side throws both dice; the higher sum starts.");
}

/**
 * [prompt, hint] for a document.
 * @param {StateDocument} state
 * @returns {[string, string]}
 */
export function prompt(state) {
  if (state.film?.state === "over") {
    return [say("That was the recording"), say("Open any play to see why the table believed it.")];
  }
  const waits = state.waits_for;
  // What cannot be answered yet is not asked yet.
  const early = waits?.code === "choose_play" && !choices(state).length;
  const words = PROMPTS[early ? "judging" : waits?.code];
  if (!words) return [say("Waiting for the table …"), ""];
  const [text, hint] = words(state, waits.args || {}, waits.side || state.on_roll || "white");
  return [text, hint || ""];
}

/**
 * The plays that are asked about, or the causes that would explain a board that differs.
 * @param {StateDocument} state
 */
export const choices = (state) =>
  state.differs?.options?.length
    ? state.differs.options
    : (state.question?.answers || []).map((o) => o.text);

/**
 * What is played, for the top of the page: event, ruleset, length.
 * @param {StateDocument} state
 */
export function matchWords({ match }) {
  return [match?.event?.name, why(match?.title), lengthWords(match)].filter(Boolean).join(" · ");
}

/**
 * A play as it is said aloud.
 * @param {StateDocument} state
 * @param {{ side: SideName, text: string, infraction?: unknown }} play
 */
export function playedWords(state, { side, text, infraction }) {
  const name = who(state, side);
  if (!text || text === "no play") {
    return infraction ? say("{name} made an illegal play", { name }) : noPlayWords(state, name);
  }
  const play = `\u2066${text.replaceAll("*", "")}\u2069`;
  return text.includes("*")
    ? say("{name} played {play} and hit", { name, play })
    : say("{name} played {play}", { name, play });
}

/**
 * That a side cannot play: players of nard call it neshast.
 * @param {StateDocument | null} state
 * @param {string} name
 */
export const noPlayWords = (state, name) =>
  state?.match?.nard
    ? say("Neshast: {name} has no play", { name })
    : say("{name} has no play", { name });

/** What is wrong with dice. @type {Record<string, () => string>} */
const DICE = {
  cocked: () => say("Cocked dice: roll again"),
  on_checker: () => say("A die lies on a checker: throw again"),
  on_bar: () => say("A die lies on the bar: throw again"),
  off_board: () => say("A die left the board: throw again"),
  wrong_half: () => say("A die lies in the wrong half: throw again"),
  other_half: () => say("The dice lie in the other side's half"),
  missing: () => say("One die is missing"),
  one_again: () => say("Both dice are thrown again, not one"),
  premature: () => say("Rolled before the turn was over"),
  // The prompt itself says that equal dice are thrown again.
  equal: () => "",
};
/**
 * What is wrong with the dice in words, empty for nothing.
 * @param {string | null | undefined} problem
 */
export const diceProblem = (problem) =>
  problem ? (DICE[problem] || (() => say("The dice are no valid roll")))() : "";

/** Where a roll is known from. @type {Record<string, () => string>} */
export const ORIGINS = {
  read: () => say("dice read"),
  inferred: () => say("dice inferred"),
  entered: () => say("dice entered"),
  unknown: () => say("dice unknown"),
};
/** Why an illegal play stands. @type {Record<string, () => string>} */
const STANDING = {
  "next-roll": () => say("stands: the opponent rolled on"),
  accepted: () => say("stands: it was accepted"),
  ruled: () => say("stands: so ruled"),
  unresolved: () => say("unresolved: the dice say another roll than the checkers"),
};
/**
 * Why an illegal play stands, in words.
 * @param {string} standing
 */
export const standingWords = (standing) => (STANDING[standing] || STANDING.accepted)();

/** What an alert is about. @type {Record<string, () => string>} */
const MATTERS = {
  illegal: () => say("Illegal play"),
  cannot_stand: () => say("Illegal play"),
  appeal: () => say("Appeal"),
  director_called: () => say("The director is called"),
  hit_checker: () => say("The hit checker is not on the bar"),
  say_roll: () => say("Which roll was it?"),
  choose_play: () => say("Which play was it?"),
  other_roll: () => say("The dice say one roll, the checkers another"),
  unanswered: () => say("Nobody said which play it was"),
  denied: () => say("The board reads otherwise than the record"),
  set_up_anew: () => say("Nobody said who won"),
  dice: () => say("Dice"),
  flag: () => say("Time is up"),
  source_lost: () => say("A sensor is lost"),
  slow_play: () => say("Slow play"),
  missed_press: () => say("The clock was not pressed"),
  differs: () => say("Board and record differ"),
  illegal_limit: () => say("Too many illegal plays"),
  cube_out_of_turn: () => say("The cube"),
  roll_said: () => say("A roll was said"),
  late_start: () => say("Late start"),
  wrong_setup: () => say("The set-up"),
  touch_move: () => say("A touched checker"),
  release_is_final: () => say("A checker that was set down was moved again"),
  record: () => say("The record's file was damaged"),
};
/**
 * What an alert is about, in words.
 * @param {string} kind
 */
export const matter = (kind) => (MATTERS[kind] || (() => say("Look at the table")))();

/**
 * The reason in the page's language, from {en, fa}; empty for none.
 * @param {Words | null | undefined} texts
 */
export const why = (texts) => (texts && (texts[context.language] || texts.en)) || "";

/**
 * The play a person reads: its notation, or that there was none, which nard calls neshast.
 * @param {StateDocument | null} state
 * @param {string | undefined} text
 * @param {unknown} [infraction]
 */
export function playText(state, text, infraction) {
  if (text && text !== "no play") return text;
  if (infraction) return say("illegal play");
  return state?.match?.nard ? say("neshast") : say("no play");
}

/**
 * The position in words: a list a screen reader can walk.
 * @param {StateDocument} state
 * @param {Layout} layout
 */
export function positionWords(state, layout) {
  const lines = [];
  for (const side of SIDES) {
    const counts = state.board?.[side] || [];
    const parts = [];
    for (let number = 24; number >= 1; number--) {
      const n = counts[layout.site(number, side)];
      if (n) parts.push(say("{n} on {point}", { n: digits(n), point: digits(number) }));
    }
    if (counts[25]) parts.push(say("{n} on the bar", { n: digits(counts[25]) }));
    if (counts[0]) parts.push(say("{n} borne off", { n: digits(counts[0]) }));
    lines.push(
      say("{name}, by its own points: {list}", {
        name: sideName(side),
        list: parts.join(say(", ")) || "–",
      }),
    );
  }
  const last = (state.plays || []).at(-1);
  if (last)
    lines.push(
      say("Last play: {name} {roll} {play}", {
        name: sideName(last.side),
        roll: diceText(last.roll),
        play: `\u2066${playText(state, last.text)}\u2069`,
      }),
    );
  const cube = state.cube;
  if (cube?.in_use)
    lines.push(
      cube.owner === "centre"
        ? say("The cube is in the centre.")
        : say("{name} owns the cube at {n}.", {
            name: sideName(cube.owner),
            n: digits(cube.value),
          }),
    );
  return lines;
}
