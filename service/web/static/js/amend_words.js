// What the rows of the desk say, in the visitor's language.
/** @import { AmendDocument, AmendRow, SideName } from "./types.js" */
import { digits, say } from "./page.js";

/**
 * A side's player.
 * @param {AmendDocument} match
 * @param {SideName | null} side
 */
export const nameOf = (match, side) => (side === null ? "" : match[side]);

/** @type {Record<string, () => string>} */
const WHY = {
  unsure: () => say("What was seen fits another play nearly as well."),
  dice_unread: () => say("The dice of this play were not read."),
  unseen: () => say("This play passed unseen and was explained afterwards."),
  illegal: () => say("This play breaks a rule and stands."),
  follows: () =>
    say("What was recorded does not follow from the play that was put right: look at it."),
  cube_unsure: () => say("What was done with the cube is not sure."),
  end_unsure: () => say("Who gave this game up, and at what price, is not sure."),
  open: () => say("Nobody said how this game ended."),
};

/**
 * Why a row is doubtful.
 * @param {AmendRow} row
 */
export const whyWords = (row) => row.why.map((code) => WHY[code]?.() ?? code).join(" ");

/**
 * A score, White's first as the language reads.
 * @param {[number, number]} score
 */
export const scoreWords = ([white, black]) => `${digits(white)} : ${digits(black)}`;

/** @type {Record<string, (values: Record<string, string | number>) => string>} */
const DONE = {
  double: (v) => say("{name} doubles to {value}", v),
  take: (v) => say("{name} takes", v),
  drop: (v) => say("{name} drops", v),
  beaver: (v) => say("{name} beavers", v),
};

/**
 * A row in words.
 * @param {AmendDocument} match
 * @param {AmendRow} row
 */
export function rowWords(match, row) {
  const name = nameOf(match, row.side);
  if (row.kind === "play") {
    const dice = row.dice ? row.dice.map(digits).join("-") : "–";
    return `\u2066${dice}\u2069 ${playWords(row)}`;
  }
  if (row.kind === "score") return say("Score {score}", { score: scoreWords(row.score) });
  if (row.done === "open") return say("How did this game end?");
  if (row.kind === "end") {
    return say("{name} wins the game; score {score}", { name, score: scoreWords(row.score) });
  }
  return DONE[row.done]?.({ name, value: digits(row.value) }) ?? row.done;
}

/**
 * A play in words.
 * @param {Pick<AmendRow, "text" | "dice">} row
 */
export function playWords({ text, dice }) {
  if (text && text !== "no play") return `\u2066${text}\u2069`;
  return text || !dice ? say("no play") : say("illegal play");
}
