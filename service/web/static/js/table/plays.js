// The list of plays, one game at a time.
/** @import { PlayDocument, SideName, StateDocument } from "../types.js" */
import { byId, el, settle, show } from "../dom.js";
import { context, digits, playerName, say, SIDES } from "../page.js";
import { showPlay } from "../play.js";
import { headWords, playText, resultWords, standingWords, wonWords } from "../prompts.js";

/** A wall asks for what spectators see, whoever opened it. */
const feedOfPage = () => (document.body.classList.contains("wall") ? "feed=public" : "");

/** One line of the list: a play of either side, and its number. */
/** @typedef {{ n: number } & Partial<Record<SideName, PlayDocument>>} Row */

/** The game that was chosen; null follows the newest. @type {number | null} */
let chosen = null;
/**
 * Plays of earlier games, which the live feed does not hold.
 * @type {Map<number, PlayDocument[]>}
 */
const earlier = new Map();

/**
 * The game that is being played, by its newest play.
 * @param {StateDocument} state
 */
const currentGame = (state) => state.plays?.at(-1)?.game ?? state.match?.game;

/**
 * Draw the plays of the game that is shown; `open` where a play leads to its evidence.
 * @param {StateDocument} state
 * @param {boolean} open
 */
export function drawPlays(state, open) {
  const current = currentGame(state) ?? 1;
  const game = chosen ?? current;
  fillGames(current, game);
  const here = (state.plays || []).filter((p) => p.game === game);
  const plays = here.length ? here : (earlier.get(game) ?? here);
  const amended = plays.map((p) => p.amended);
  const ended = (state.games || []).at(-1);
  const key = JSON.stringify([game, plays.length, plays.at(-1), amended, ended]);
  const box = byId("plays");
  if (box.dataset.key === key) return;
  const atEnd = box.scrollHeight - box.scrollTop - box.clientHeight < 60;
  box.dataset.key = key;
  settle(box, playsTable(state, game, plays, open));
  if (atEnd || game !== chosen) box.scrollTop = box.scrollHeight;
}

/**
 * Offer every game so far; hidden where there is but one.
 * @param {number} count
 * @param {number} game
 */
function fillGames(count, game) {
  const select = byId("game", HTMLSelectElement);
  show(select, count > 1);
  if (select.options.length !== count) {
    const games = Array.from({ length: count }, (_, i) => i + 1);
    select.replaceChildren(
      ...games.map((g) => el("option", { value: g }, say("Game {n}", { n: digits(g) }))),
    );
  }
  if (select.value !== String(game)) select.value = String(game);
}

/**
 * The plays two by two, White's first.
 * @param {PlayDocument[]} plays
 */
function rowsOf(plays) {
  /** @type {Row[]} */
  const rows = [];
  for (const play of plays) {
    const row = rows.at(-1);
    if (!row || play.side === "white" || row.black) rows.push({ n: rows.length + 1 });
    rows[rows.length - 1][play.side] = play;
  }
  return rows;
}

/**
 * @param {StateDocument} state
 * @param {number} game
 * @param {PlayDocument[]} plays
 * @param {boolean} open
 */
function playsTable(state, game, plays, open) {
  const newest = plays.at(-1)?.seq;
  const result = (state.games || []).find((g) => g.game === game);
  const heads = SIDES.map((side) =>
    el("th", { scope: "col" }, el("bdi", { dir: "auto" }, playerName(state, side))),
  );
  /** @param {PlayDocument} [play] */
  const cell = (play) => el("td", {}, play ? ply(state, play, play.seq === newest, open) : "");
  return el(
    "table",
    {},
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "#"), heads)),
    el(
      "tbody",
      {},
      rowsOf(plays).map((row) =>
        el(
          "tr",
          {},
          el("td", { class: "n" }, digits(row.n)),
          SIDES.map((side) => cell(row[side])),
        ),
      ),
      result
        ? el(
            "tr",
            { class: "note" },
            el(
              "td",
              { colspan: 3, dir: document.documentElement.dir },
              wonWords(state, result),
              result.result && result.result !== "single" && ` · ${resultWords(result.result)}`,
              el("small", {}, headWords(result)),
            ),
          )
        : "",
    ),
  );
}

/**
 * One play with what is remarkable about it.
 * @param {StateDocument} state
 * @param {PlayDocument} play
 * @param {boolean} last
 * @param {boolean} open
 */
function ply(state, play, last, open) {
  /** @param {...string} words */
  const flag = (...words) => el("span", { class: "flag" }, words);
  const body = [
    el("span", { class: "roll" }, play.roll ? play.roll.join("") : "–", ":"),
    el("bdi", { dir: "ltr" }, playText(state, play.text, play.infraction)),
    play.standing && el("span", { class: "flag bad" }, "⚑ ", standingWords(play.standing)),
    play.amended && flag("✎ ", say("corrected")),
    play.origin === "inferred" && flag("≈ ", say("dice inferred")),
    play.by_hand && flag("✎ ", say("entered by hand")),
  ];
  const name = `ply${last ? " last" : ""}`;
  return open
    ? el("button", { class: name, onclick: () => showPlay(state, play) }, body)
    : el("div", { class: name }, body);
}

/**
 * Show another game; its plays are fetched where the live feed does not hold them.
 * @param {StateDocument} state
 * @param {number} game
 */
export async function chooseGame(state, game) {
  chosen = game;
  if (!(state.plays || []).some((p) => p.game === game)) {
    /** @type {StateDocument} */
    const whole = await fetch(`/api/v1/tables/${context.table}/state?${feedOfPage()}`).then((r) =>
      r.json(),
    );
    for (const play of whole.plays || []) {
      const kept = earlier.get(play.game) || [];
      if (!kept.some((p) => p.seq === play.seq)) earlier.set(play.game, [...kept, play]);
    }
  }
  if (chosen === currentGame(state)) chosen = null;
}
