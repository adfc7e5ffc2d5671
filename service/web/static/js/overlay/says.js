// What several parts of the overlay read from a document.
/** @import { DiceDocument, SideName, StateDocument } from "../types.js" */
import { digits, say } from "../page.js";
import { who } from "../prompts.js";

/**
 * The colour of a side's checkers; the usual one where none is said.
 * @param {StateDocument} shown
 * @param {SideName} side
 */
export const colourOf = (shown, side) =>
  shown.match.players?.[side]?.colour || (side === "white" ? "light" : "dark");

/**
 * The plays of this game: the last game's belong to another board.
 * @param {StateDocument} shown
 */
export const playsOf = (shown) =>
  (shown.plays || []).filter((play) => play.game === shown.match.game);

/**
 * Who won the last game and how much; empty where none is over.
 * @param {StateDocument} shown
 */
export function winner(shown) {
  const last = (shown.games || []).at(-1);
  if (!last) return "";
  return say("{name} wins {n}", {
    name: who(shown, last.winner),
    n: digits(last.points),
  });
}

/**
 * The dice as they lie, where they are seen to be the roll; else none, and the roll is drawn beside
 * the bar.
 * @param {DiceDocument} dice
 */
export function lying(dice) {
  const seen = (dice?.seen || []).filter((die) => !die.old && die.status === "flat");
  /** @param {number[]} values */
  const faces = (values) => [...values].sort().join();
  const same = dice?.roll && faces(seen.map((die) => die.value)) === faces(dice.roll);
  return same && seen.length === 2 ? seen : [];
}
