// One entry of the journal in one line of words.
/** @import { Entry, EntryBody, RollInEntry, SideName, StateDocument } from "./types.js" */
import { digits, playerName, say, sideName } from "./page.js";
import { diceProblem, diceText, matter, noPlayWords, playText, why } from "./prompts.js";
import { awaitedWords, isAwaited, sourceWords } from "./sensor_words.js";

/**
 * Both faces of a roll as an entry writes it; null for none.
 * @param {RollInEntry} [roll]
 */
export function facesOf(roll) {
  if (typeof roll === "string") return [...roll].map(Number);
  if (Array.isArray(roll)) return roll;
  return roll ? [roll.high, roll.low] : null;
}

/** @param {RollInEntry} [roll] */
const rollWords = (roll) => diceText(facesOf(roll));
/**
 * @param {SideName | null | undefined} side
 * @param {StateDocument | null} state
 */
const named = (side, state) => (side ? playerName(state, side) : "");

/** @type {Record<string, () => string>} */
const PENALTIES = {
  warning: () => say("Warning"),
  time: () => say("Time"),
  points: () => say("Points"),
  game: () => say("The game"),
  match: () => say("The match"),
};
/** @type {Record<string, () => string>} */
const AMENDED = {
  white: () => say("White"),
  black: () => say("Black"),
  length: () => say("Length"),
  score: () => say("Score"),
  seating: () => say("Seats"),
  crawford: () => say("The Crawford game"),
  clock: () => say("Clock"),
};
/**
 * Each kind of entry in words; `n` is the name of the side that it is about.
 * @type {Record<string, (b: EntryBody, n: string, state: StateDocument | null) => string>}
 */
const WORDS = {
  table_opened: () => say("The record begins"),
  restarted: () => say("The table's program came back"),
  match_set: (b) =>
    say("Match set: {white} against {black}", {
      white: String(b.white || sideName("white")),
      black: String(b.black || sideName("black")),
    }),
  match_called: () => say("The match is called"),
  event_chosen: () => say("The event was chosen"),
  confirmed: (b, n) => say("{name} is here and agrees", { name: n }),
  match_amended: (b) =>
    say("Corrected: {what}", { what: AMENDED[b.what ?? ""]?.() ?? String(b.what) }),
  set_up_verified: () => say("The start stands on the board"),
  game_started: (b) => say("Game {n} begins", { n: digits(b.number ?? "") }),
  position_set: () => say("The position was set by hand"),
  opening_thrown: (b) =>
    say("Opening roll {roll}", {
      roll: diceText([...(b.white || []), ...(b.black || [])].map(Number)),
    }),
  rolled: (b, n) => say("{name} rolled {roll}", { name: n, roll: rollWords(b.roll) }),
  roll_withdrawn: () => say("The roll does not count"),
  neshast: (b, n, state) => noPlayWords(state, n),
  dice_called: (b) => diceProblem(b.problem),
  cube_offered: (b, n) => say("{name} doubles to {n}", { name: n, n: digits(b.value ?? "") }),
  cube_taken: (b, n) => say("{name} takes", { name: n }),
  cube_withdrawn: () => say("The cube was laid back: no double"),
  cube_dropped: (b, n) => say("{name} drops", { name: n }),
  cube_beavered: (b, n) => say("{name} beavers", { name: n }),
  played: (b, n, state) => {
    const played = say("{name} played {roll}", { name: n, roll: rollWords(b.roll) });
    const standing = b.standing ? ` (${say("illegal, and stands")})` : "";
    return `${played} \u2066${playText(state, b.notation, b.infraction)}\u2069${standing}`;
  },
  handed_back: () => say("The turn was handed back"),
  turn_reopened: () => say("The turn was handed back"),
  game_reopened: (b) => say("The end of game {n} was taken back", { n: digits(b.number ?? "") }),
  phone_pressed: () => say("A press on the clock's phone"),
  pressed: (b, n) => say("{name} pressed the clock", { name: n }),
  illegal_noticed: (b, n) => say("Illegal play of {name} noticed", { name: n }),
  illegal_corrected: () => say("The illegal play was put right"),
  illegal_stood: () => say("The illegal play stands"),
  differs: () => say("Board and record differ"),
  recovered: () => say("Board and record agree again"),
  resigned: (b, n) =>
    b.answer === "accepted"
      ? say("The resignation was accepted")
      : b.answer === "refused"
        ? say("The resignation was refused")
        : say("{name} offers to resign", { name: n }),
  game_ended: (b, n, state) =>
    b.reason === "drawn"
      ? say("The game is drawn")
      : say("{name} wins {n}", { name: named(b.winner, state), n: digits(b.points ?? "") }),
  match_ended: (b, n, state) =>
    b.winner
      ? say("{name} wins the match", { name: named(b.winner, state) })
      : say("The match is over"),
  corrected: (b) => say("Entry {n} was corrected", { n: digits(b.about ?? "") }),
  clock_started: (b, n) => say("The clock of {name} runs", { name: n }),
  clock_stopped: () => say("The clocks were stopped"),
  clock_adjusted: (b, n) => say("The time of {name} was corrected", { name: n }),
  flagged: (b, n) => say("The time of {name} ran out", { name: n }),
  director_called: () => say("The director is called"),
  frozen: () => say("The table is frozen"),
  unfrozen: () => say("The table goes on"),
  ruled: (b) => say("Ruling: {text}", { text: b.text ?? "" }),
  penalised: (b, n) =>
    say("Penalty for {name}: {what}", {
      name: n,
      what:
        (PENALTIES[b.penalty ?? ""]?.() ?? b.penalty) + (b.amount ? ` ${digits(b.amount)}` : ""),
    }),
  appealed: () => say("The ruling is appealed"),
  appeal_closed: (b) => say("The appeal is closed: {text}", { text: b.decision ?? "" }),
  alert_raised: (b) => {
    const awaited = b.matter === "source_lost" && isAwaited(b.facts?.reason);
    return say("Alert: {what}", { what: awaited ? awaitedWords() : matter(b.matter ?? "") });
  },
  alert_acknowledged: () => say("An alert was acknowledged"),
  adjourned: () => say("The match was adjourned"),
  resumed: () => say("The match goes on"),
  source_lost: (b) => {
    const text = sourceWords(b.reason);
    return isAwaited(b.reason)
      ? say("A sensor is awaited: {text}", { text })
      : say("A sensor is lost: {text}", { text });
  },
  source_back: () => say("A sensor sees again"),
  noted: () => say("Noted"),
  names_erased: () => say("A person's name was taken out of the record"),
};

/** Kinds whose reason is a word of the machine, or stands in the text already. */
const REASON_HIDDEN = [
  "pressed",
  "game_ended",
  "match_ended",
  "differs",
  "source_lost",
  "clock_started",
  "clock_stopped",
];
/** Reasons that the table gives: what happened stands in the text. */
const OWN_REASONS = [
  "misread",
  "thrown_again",
  "premature",
  "laid_back",
  "agreed",
  "chosen",
  "played_on",
  "read_so",
  "unresolved",
  "flag_fell",
  "overtime",
];
/** Who noted in words of his own before a note said so; what the table adds is for programs. */
const NOTES = ["director", "arbiter", "annotator"];

/**
 * The entry in the page's language, with its reason where it has one.
 * @param {Entry} entry
 * @param {StateDocument | null} state
 */
export function describe(entry, state) {
  const words = WORDS[entry.kind];
  const name = named(entry.body.side, state);
  const text = words ? words(entry.body, `\u2068${name}\u2069`, state) : say("Entry");
  if (entry.kind === "noted") return noted(entry, text, name);
  const { reason } = entry.body;
  return reason && !REASON_HIDDEN.includes(entry.kind) && !OWN_REASONS.includes(reason)
    ? `${text} · \u2068${reason}\u2069`
    : text;
}

/**
 * What was noted, of whom, and the own words of whoever noted it.
 * @param {Entry} entry
 * @param {string} head
 * @param {string} name
 */
function noted({ body, by, why: words }, head, name) {
  const own = (body.by_hand ?? NOTES.includes(by?.role ?? "")) ? body.text : "";
  return [head, why(words), name, own]
    .filter(Boolean)
    .map((text) => `\u2068${text}\u2069`)
    .join(" · ");
}
