// The record on the desk as a list, and what is said of the whole match.
/** @import { AmendDocument, AmendRow, Placement } from "./types.js" */
import { nameOf, rowWords, scoreWords } from "./amend_words.js";
import { byId, el, show, write } from "./dom.js";
import { context, digits, say, SIDES } from "./page.js";

/**
 * How many checkers stand otherwise.
 * @param {Placement} a
 * @param {Placement} b
 */
export function apart(a, b) {
  let sum = 0;
  for (const side of SIDES) {
    a[side].forEach((n, site) => {
      sum += Math.abs(n - b[side][site]);
    });
  }
  return sum;
}

/**
 * Show what is said of the whole match.
 * @param {AmendDocument} match
 */
export function drawMatch(match) {
  const last = match.rows.at(-1);
  write(byId("white"), match.white);
  write(byId("black"), match.black);
  write(byId("final"), last ? scoreWords(last.score) : "");
  const left = match.rows.filter((row) => row.doubtful).length;
  write(
    byId("left"),
    left ? say("{n} doubtful", { n: digits(left) }) : say("Nothing is doubtful any more."),
  );
  byId("undo", HTMLButtonElement).disabled = !match.edits.length;
  const { sealed } = match;
  const date = (/** @type {number} */ at) =>
    new Date(at * 1000).toLocaleString(context.language, {
      dateStyle: "medium",
      timeStyle: "short",
    });
  write(
    byId("sealed"),
    sealed
      ? say("Sealed as amended by {name}, {date}", { name: sealed.by, date: date(sealed.at) })
      : "",
  );
  show(byId("remarks"), match.remarks.length > 0);
  byId("remarks")
    .querySelector("ul")
    ?.replaceChildren(...match.remarks.map((text) => el("li", { dir: "ltr", lang: "en" }, text)));
}

/**
 * Draw the list of rows.
 * @param {AmendDocument} match
 * @param {number} at which row is shown
 * @param {(n: number) => void} choose
 */
export function drawRows(match, at, choose) {
  const first = byId("only", HTMLInputElement).checked;
  const order = match.rows.map((_, n) => n);
  if (first) {
    const key = (/** @type {number} */ n) => (match.rows[n].doubtful ? 0 : 1);
    order.sort((a, b) => key(a) - key(b) || a - b);
  }
  let game = 0;
  /** @type {HTMLElement[]} */
  const items = [];
  for (const n of order) {
    const row = match.rows[n];
    if (!first && row.game !== game) {
      game = row.game;
      items.push(el("li", { class: "game" }, say("Game {number}", { number: digits(game) })));
    }
    items.push(item(match, row, n, at, choose));
  }
  byId("rows").replaceChildren(...items);
}

/**
 * One line of the list.
 * @param {AmendDocument} match
 * @param {AmendRow} row
 * @param {number} n
 * @param {number} at
 * @param {(n: number) => void} choose
 */
function item(match, row, n, at, choose) {
  const [mark, words] = row.doubtful
    ? ["?", say("doubtful")]
    : row.said
      ? ["✓", say("said by hand")]
      : ["", ""];
  return el(
    "li",
    {
      id: `row-${n}`,
      "aria-current": n === at ? "true" : null,
      onclick: () => choose(n),
    },
    el("span", { class: "mark" }, mark, words ? el("span", { class: "hidden-text" }, words) : null),
    row.kind === "play" ? el("span", {}, el("bdi", {}, nameOf(match, row.side)), ":") : null,
    el("span", {}, rowWords(match, row)),
  );
}

/**
 * Show the pictures of a row, where they were kept.
 * @param {AmendRow} row
 */
export function drawPictures(row) {
  for (const [n, id] of ["before", "after"].entries()) {
    const image = byId(id, HTMLImageElement);
    const source = row.pictures[n];
    if (source && image.getAttribute("src") !== source) image.src = source;
    show(image, Boolean(source));
    show(/** @type {HTMLElement} */ (image.closest("figure")), Boolean(source));
  }
  show(byId("no-pictures"), !row.pictures.some(Boolean));
  show(
    /** @type {HTMLElement} */ (document.querySelector(".amend-pictures")),
    row.pictures.some(Boolean),
  );
}
