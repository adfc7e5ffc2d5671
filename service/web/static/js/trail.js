// One entry of the journal in one line of words.
import { digits, say, sideName } from "./page.js";
import { diceProblem, diceText, matter, playText, sourceWords } from "./prompts.js";

const roll = (r) =>
  typeof r === "string"
    ? diceText([...r].map(Number))
    : Array.isArray(r)
      ? diceText(r)
      : r && typeof r === "object"
        ? diceText([r.high, r.low])
        : "";
const named = (side, state) => (side ? state?.match?.players?.[side]?.name || sideName(side) : "");

const PENALTIES = {
  warning: () => say("Warning"),
  time: () => say("Time"),
  points: () => say("Points"),
  game: () => say("The game"),
  match: () => say("The match"),
};
const AMENDED = {
  white: () => say("White"),
  black: () => say("Black"),
  length: () => say("Length"),
  score: () => say("Score"),
  seating: () => say("Seats"),
};
const WORDS = {
  table_opened: () => say("The record begins"),
  restarted: () => say("The table's program came back"),
  match_set: (b) =>
    say("Match set: {white} against {black}", {
      white: b.white || sideName("white"),
      black: b.black || sideName("black"),
    }),
  match_amended: (b) => say("Corrected: {what}", { what: (AMENDED[b.what] || (() => b.what))() }),
  set_up_verified: () => say("The start stands on the board"),
  game_started: (b) => say("Game {n} begins", { n: digits(b.number) }),
  position_set: () => say("The position was set by hand"),
  opening_thrown: (b) =>
    say("Opening roll {roll}", { roll: diceText([...(b.white || []), ...(b.black || [])]) }),
  rolled: (b, n) => say("{name} rolled {roll}", { name: n, roll: roll(b.roll) }),
  roll_withdrawn: () => say("The roll does not count"),
  neshast: (b, n) => say("{name} has no play", { name: n }),
  dice_called: (b) => diceProblem(b.problem),
  cube_offered: (b, n) => say("{name} doubles to {n}", { name: n, n: digits(b.value) }),
  cube_taken: (b, n) => say("{name} takes", { name: n }),
  cube_dropped: (b, n) => say("{name} drops", { name: n }),
  cube_beavered: (b, n) => say("{name} beavers", { name: n }),
  played: (b, n) =>
    `${say("{name} played {roll}", { name: n, roll: roll(b.roll) })} \u2066${playText(b.notation, b.infraction)}\u2069${b.standing ? ` (${say("illegal, and stands")})` : ""}`,
  handed_back: () => say("The turn was handed back"),
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
    say("{name} wins {n}", { name: named(b.winner, state), n: digits(b.points) }),
  match_ended: (b, n, state) =>
    b.winner
      ? say("{name} wins the match", { name: named(b.winner, state) })
      : say("The match is over"),
  corrected: (b) => say("Entry {n} was corrected", { n: digits(b.about) }),
  clock_started: (b, n) => say("The clock of {name} runs", { name: n }),
  clock_stopped: () => say("The clocks were stopped"),
  clock_adjusted: (b, n) => say("The time of {name} was corrected", { name: n }),
  flagged: (b, n) => say("The time of {name} ran out", { name: n }),
  director_called: () => say("The director is called"),
  frozen: () => say("The table is frozen"),
  unfrozen: () => say("The table goes on"),
  ruled: (b) => say("Ruling: {text}", { text: b.text }),
  penalised: (b, n) =>
    say("Penalty for {name}: {what}", {
      name: n,
      what:
        (PENALTIES[b.penalty] || (() => b.penalty))() + (b.amount ? ` ${digits(b.amount)}` : ""),
    }),
  appealed: () => say("The ruling is appealed"),
  appeal_closed: (b) => say("The appeal is closed: {text}", { text: b.decision }),
  alert_raised: (b) => say("Alert: {what}", { what: matter(b.matter) }),
  alert_acknowledged: () => say("An alert was acknowledged"),
  adjourned: () => say("The match was adjourned"),
  resumed: () => say("The match goes on"),
  source_lost: (b) => say("A sensor is lost: {text}", { text: sourceWords(b.reason) }),
  source_back: () => say("A sensor sees again"),
  noted: (b) => say("Noted: {text}", { text: b.text || b.matter }),
};

/** The entry in the page's language, with its reason where it has one. */
export function describe(entry, state) {
  const words = WORDS[entry.kind];
  const text = words
    ? words(entry.body, `\u2068${named(entry.body.side, state)}\u2069`, state)
    : entry.kind;
  return entry.body.reason &&
    !["pressed", "game_ended", "source_lost", "clock_started", "clock_stopped"].includes(entry.kind)
    ? `${text} · \u2068${entry.body.reason}\u2069`
    : text;
}
