// What the wall says of a table, in words, and how its tiles fit on the screen.
/** @import { Card, Matter } from "./types.js" */
import { digits, say, sideName } from "./page.js";
import { matter } from "./prompts.js";
import { awaitedWords } from "./sensor_words.js";

/** @param {number} seconds */
const minutes = (seconds) =>
  seconds < 90
    ? say("{n} s", { n: digits(Math.round(seconds)) })
    : say("{n} min", { n: digits(Math.round(seconds / 60)) });

/** @type {Record<string, (m: Matter) => string>} */
const HALL = {
  silent: (m) =>
    m.seconds
      ? say("Not heard for {time}: what is shown is as old", { time: minutes(m.seconds) })
      : say("Not heard yet: what is shown is what was last known"),
  stopped: () => say("The table's program has stopped; its record is shown"),
  source_awaited: awaitedWords,
  orphan: () => say("No sensor sees this board"),
  unreadable: () => say("This table runs a later version: update the hall"),
  refused: (m) => REFUSED[m.reason ?? ""]?.() ?? say("Entries came that cannot be believed"),
  anew: () => say("The table's record was begun anew"),
  behind: (m) => say("{n} entries have not arrived yet", { n: digits(m.count ?? "") }),
  slow_play: (m) =>
    m.seconds
      ? say("Slow play: {time} for this turn", { time: minutes(m.seconds) })
      : say("Slow play"),
  date: () => say("This table's date differs from the hall's"),
};
/** @type {Record<string, () => string>} */
const REFUSED = {
  forged: () => say("Forged entries came and were refused"),
  foreign: () => say("Another board spoke for this table and was refused"),
  retired: () => say("The board that was replaced spoke and was refused"),
  replayed: () => say("Old entries came again and were refused"),
};

/**
 * One matter in words, with whose it is.
 * @param {Matter} m
 * @param {Card} card
 */
export function matterWords(m, card) {
  const text = (HALL[m.code] || (() => matter(m.code)))(m);
  const who = m.side ? card.names[m.side === "white" ? 0 : 1] || sideName(m.side) : "";
  return who ? `${text} · \u2068${who}\u2069` : text;
}

/**
 * What stands beside a table's name: never an alarm.
 * @param {Card} c
 */
export function cardWords(c) {
  if (c.phase === "match-over") return say("Match over");
  if (!c.game && !c.length) return c.silent ? say("not connected") : say("no match");
  const parts = [c.length ? say("to {n}", { n: digits(c.length) }) : say("money session")];
  if (c.crawford) parts.push(say("Crawford game"));
  else if (c.game) parts.push(say("game {n}", { n: digits(c.game) }));
  if (c.phase === "adjourned") parts.push(say("adjourned"));
  return parts.join(" · ");
}

const BOARD = 1028 / 714; // as wide as high
const GAP = 6.4;
const SMALLEST = 212; // a tile that can be read from a chair
const SMALLEST_ON_A_WALL = 176;
const SMALLEST_WITHOUT_A_BOARD = 136;
/** How high a tile without a board is: two lines of what is wrong, two players. */
const LOWEST = 82;
/** A screen that is narrower is a phone's: it lies under a finger, and its page scrolls. */
const WIDER_THAN_A_PHONE = 700;

/**
 * Choose so many columns that all tiles are on the screen and their boards as large as they can be;
 * where these would be too small to read, tiles go without them, and where that is not enough
 * either, or on a phone, the page scrolls.
 * @param {HTMLElement} grid
 * @param {number} count
 */
export function fit(grid, count) {
  const box = grid.getBoundingClientRect();
  const height = innerHeight - box.top - scrollY - 10;
  const rowsOf = (/** @type {number} */ columns) => Math.ceil(count / columns);
  const widthOf = (/** @type {number} */ columns) => (box.width - GAP * (columns - 1)) / columns;
  const rowOf = (/** @type {number} */ columns) =>
    (height - GAP * (rowsOf(columns) - 1)) / rowsOf(columns);
  /** The fewest columns in which every tile has its lines; 0 where there are none such. */
  const columnsWithoutBoards = () => {
    for (let c = 1; widthOf(c) >= SMALLEST_WITHOUT_A_BOARD; c++) if (rowOf(c) >= LOWEST) return c;
    return 0;
  };
  const shareOf = (/** @type {number} */ tile) => Math.min(0.74, 1 - 62 / tile);
  /** How wide a board can be: words take what they need (alarms of their own tile alone), it has
   * what is left of its row. */
  const board = (/** @type {number} */ columns) => {
    const tile = widthOf(columns);
    return Math.min((rowOf(columns) - 52 - 0.09 * tile) * BOARD, tile * shareOf(tile));
  };
  const phone = innerWidth < WIDER_THAN_A_PHONE;
  const most = Math.floor(box.width / (phone ? SMALLEST : SMALLEST_ON_A_WALL));
  let columns = 1;
  for (let c = 2; c <= Math.min(most, count); c++) if (board(c) > board(columns)) columns = c;
  const boards = board(columns) > 84;
  if (!boards) columns = phone ? 0 : columnsWithoutBoards();
  const fits = columns > 0;
  if (!fits) columns = Math.max(1, Math.floor(box.width / SMALLEST));
  grid.classList.toggle("fits", fits);
  grid.classList.toggle("boardless", fits && !boards);
  grid.style.setProperty("--columns", String(columns));
  grid.style.setProperty("--height", `${height}px`);
  const tile = widthOf(columns);
  const share = fits ? board(columns) / tile : columns > 1 ? 0.52 : 0.66;
  grid.style.setProperty("--board", `${Math.max(44, 100 * share)}cqi`);
}
