// Chances and errors on the air: asked of the table's page where the event lets its audience see
// them, shown only where they are of the very moment that is on the screen.
/** @import { Analysis, StateDocument } from "../types.js" */
import { byId, el, settle, show } from "../dom.js";
import { context, digits, otherSide, percent, playerName, say, SIDES } from "../page.js";

/** @type {Analysis | null} */
let known = null;
let asked = -1;
/** A table whose event shows no analysis is asked again this much later. */
const AGAIN_MS = 30000;
/** While an engine is at work. */
const SOON_MS = 1500;

/**
 * Ask for what is known of the moment that is shown, once for each; `then` draws it.
 * @param {StateDocument} shown
 * @param {() => void} then
 */
export async function askFor(shown, then) {
  if (asked === shown.seq) return;
  asked = shown.seq;
  const path = `/api/v1/tables/${encodeURIComponent(context.table)}/analysis?feed=overlay`;
  const answer = await fetch(path).catch(() => null);
  known = answer?.ok ? await answer.json() : null;
  const wait = !known ? AGAIN_MS : known.pending || known.seq !== shown.seq ? SOON_MS : 0;
  if (wait) setTimeout(() => asked === shown.seq && ((asked = -1), askFor(shown, then)), wait);
  then();
}

/**
 * The bar of chances: of the position on the screen, or not at all.
 * @param {StateDocument} shown
 */
export function drawChances(shown) {
  const now = known && known.seq === shown.seq && known.side ? known : null;
  const node = byId("chances");
  show(node, Boolean(now?.chances.length));
  if (!now?.chances.length || !now.side) return;
  const [win, gammon, , lost] = now.chances;
  const mine = now.side;
  const of = { [mine]: [win, gammon], [otherSide(mine)]: [1 - win, lost] };
  settle(
    node,
    ...SIDES.toReversed().map((side) => {
      const [wins, gammons] = of[side];
      const part = el(
        "span",
        { class: `chance ${side}`, title: playerName(shown, side) },
        el("b", { class: "num" }, percent(wins)),
        el("i", {}, say("gammon {p}", { p: percent(gammons) })),
      );
      part.style.flexGrow = String(Math.max(0.12, Math.min(0.88, wins)));
      return part;
    }),
  );
}

/**
 * What a play cost, for its line in the list; null where it cost little or nobody knows.
 * @param {{ game: number, number: number }} play
 */
export function errorTag({ game, number }) {
  const found = known?.game === game ? known.turns[number - 1] : null;
  const cost = found?.cost ?? 0;
  if (cost < 0.02) return null;
  const name = cost >= 0.08 ? say("blunder") : say("error");
  return el(
    "em",
    { class: cost >= 0.08 ? "cost much" : "cost" },
    name,
    " ",
    el("span", { class: "num" }, digits(cost.toFixed(3))),
  );
}
