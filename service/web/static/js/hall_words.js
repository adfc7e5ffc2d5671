// What the wall says of a table, in words, and how its tiles fit on the screen.
/** @import { Card, Matter } from "./types.js" */
import { digits, say, sideName } from "./page.js";
import { matter } from "./prompts.js";

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

/**
 * Choose so many columns that all tiles are on the screen, as large as they can be; where they
 * would be too small to read, the page scrolls.
 * @param {HTMLElement} grid
 * @param {number} count
 */
export function fit(grid, count) {
  const box = grid.getBoundingClientRect();
  const width = box.width;
  const height = innerHeight - box.top - scrollY - 8;
  const smallest = 212;
  const most = Math.max(1, Math.floor(width / smallest));
  let columns = most;
  for (let c = Math.max(1, Math.min(2, most)); c <= most; c++) {
    if (Math.ceil(count / c) * (width / c) * 0.74 <= height) {
      columns = c;
      break;
    }
  }
  grid.style.setProperty("--columns", String(columns));
  // Words take what they need (and two lines of alarm in the first row), the board what is left of
  // its row.
  const rows = Math.ceil(count / columns);
  const tile = width / columns;
  const left = (height - 40) / rows - 88;
  const share =
    columns > 1 && left > 60 ? Math.min(66, (100 * left * 1.44) / tile) : columns > 1 ? 52 : 66;
  grid.style.setProperty("--board", `${Math.max(44, share)}cqi`);
}
