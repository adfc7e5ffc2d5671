// Checkers that travel: a play's way from stop to stop, each checker the same all along; who is hit
// goes to the bar once he is hit, and both who is hit and who enters wear a ring of their own.
/** @import { BoardDocument, PlayDocument, SideName } from "../types.js" */
/** @import { Board, Checker } from "../board.js" */
/** @import { Layout } from "../geometry.js" */
import { otherSide } from "../page.js";

const HOP_MS = 260;
const PAUSE_MS = 90;
/** @typedef {{ side: SideName, stops: number[], hits: number[] }} Way */
/** @typedef {{ checker: Checker, from: string, by: string[], after: number }} Trip */

/**
 * The ways of a play's checkers in White's sites, each stop on the dice; `hits` are the stops where
 * somebody was hit. Empty where the text is none of a play.
 * @param {Pick<PlayDocument, "text" | "side" | "roll">} play
 * @param {Layout} layout
 * @param {(side: SideName, site: number) => number} standing how many stood there before
 * @returns {Way[]}
 */
export function ways({ text, side, roll }, layout, standing) {
  /** @param {number} number */
  const site = (number) => (number < 1 || number > 24 ? number : layout.site(number, side));
  /** @param {number} number */
  const open = (number) => number > 0 && standing(otherSide(side), site(number)) < 2;
  const out = [];
  for (const part of (text || "").split(/\s+/)) {
    const found = /^([^()]+?)(?:\((\d)\))?(\*?)$/.exec(part);
    const words = found ? found[1].split("/") : [];
    if (!found || words.length < 2) continue;
    const numbers = words.map((word) =>
      word.startsWith("bar") ? 25 : word.startsWith("off") ? 0 : parseInt(word, 10),
    );
    if (numbers.some(Number.isNaN)) return [];
    const stops = [numbers[0]];
    for (let i = 1; i < numbers.length; i++) {
      stops.push(...between(stops[stops.length - 1], numbers[i], roll ?? [], open), numbers[i]);
    }
    const hits = numbers.filter((_, i) => words[i].endsWith("*"));
    if (found[3]) hits.push(numbers[numbers.length - 1]);
    for (let n = 0; n < Number(found[2] || 1); n++) {
      // Two that go the same way hit but once.
      out.push({ side, stops: stops.map(site), hits: n ? [] : [...new Set(hits)].map(site) });
    }
  }
  return out;
}

/**
 * Where a checker set foot between two of its own points, by the dice.
 * @param {number} from
 * @param {number} to
 * @param {number[]} roll
 * @param {(number: number) => boolean} open
 */
function between(from, to, roll, open) {
  const [high = 0, low = 0] = roll;
  const way = from - to;
  /** @type {number[]} */
  const out = [];
  if (!high || way <= high) return out;
  if (high === low) for (let at = from - high; at > to; at -= high) out.push(at);
  else if (way > high) out.push(open(from - high) ? from - high : from - low);
  return out.filter((number) => number > to);
}

/**
 * Lead the drawn checkers to where the play takes them, so that each stays the same; to be called
 * before the board is drawn anew. Empty where the board was drawn otherwise than the play begins.
 * @param {Board} board
 * @param {Way[]} way
 * @returns {Trip[]}
 */
export function lead(board, way) {
  for (const side of /** @type {SideName[]} */ (["white", "black"])) {
    for (const checker of board.checkers[side]) delete checker.node.dataset.was;
  }
  /** @param {SideName} side @param {number} site */
  const topOf = (side, site) =>
    board.checkers[side].filter((c) => c.site === site).sort((a, b) => b.i - a.i)[0];
  /** @type {Trip[]} */
  const trips = [];
  let after = 0;
  for (const { side, stops, hits } of way) {
    const checker = topOf(side, stops[0]);
    if (!checker) return trips;
    const trip = { checker, from: checker.place ?? "", by: /** @type {string[]} */ ([]), after };
    trips.push(trip);
    if (stops[0] === 25) checker.node.dataset.was = "entered";
    for (const [i, stop] of stops.entries()) {
      if (!i) continue;
      if (i < stops.length - 1) trip.by.push(placed(board, side, stop));
      const other = otherSide(side);
      const struck = hits.includes(stop) ? topOf(other, stop) : undefined;
      if (struck) {
        const hit = {
          checker: struck,
          from: struck.place ?? "",
          by: [],
          after: after + HOP_MS * i,
        };
        trips.push(hit);
        struck.node.dataset.was = "hit";
        struck.i = board.standing(other, 25);
        struck.site = 25;
      }
    }
    const to = stops[stops.length - 1];
    checker.i = board.standing(side, to);
    checker.site = to;
    after += HOP_MS * (stops.length - 1) + PAUSE_MS;
  }
  return trips;
}

/**
 * @param {Board} board
 * @param {SideName} side
 * @param {number} site
 */
function placed(board, side, site) {
  const n = board.standing(side, site);
  const { x, y } = board.layout.checker(side, site, n, n + 1);
  return `translate(${x}px, ${y}px)`;
}

/**
 * Show the trips of checkers that already stand where they end.
 * @param {Board} board
 * @param {Trip[]} trips
 */
export function travel(board, trips) {
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  for (const { checker, from, by, after } of trips) {
    if (!from || !checker.place) continue;
    board.layers.checkers.append(checker.node);
    const places = [from, ...by, checker.place];
    checker.node.animate(
      places.map((transform) => ({ transform, easing: "cubic-bezier(0.3, 0.1, 0.3, 1)" })),
      { duration: HOP_MS * (places.length - 1), delay: after, fill: "backwards" },
    );
  }
}

/**
 * The board before the ways were gone; null where they do not fit it.
 * @param {BoardDocument} board
 * @param {Way[]} way
 * @returns {BoardDocument | null}
 */
export function before(board, way) {
  const out = { ...board, white: [...board.white], black: [...board.black] };
  for (const { side, stops, hits } of [...way].reverse()) {
    out[side][stops[stops.length - 1]] -= 1;
    out[side][stops[0]] += 1;
    for (const site of hits) {
      out[otherSide(side)][25] -= 1;
      out[otherSide(side)][site] += 1;
    }
  }
  return [...out.white, ...out.black].some((n) => n < 0) ? null : out;
}
