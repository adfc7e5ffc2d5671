// The score sheet: made from the record, to be read, printed and signed.
/**
 * @import { Entry, PlayDocument, SideName, StateDocument } from "./types.js"
 */
import { byId, el } from "./dom.js";
import { context, digits, playerName, say, SIDES } from "./page.js";
import { headWords, playText, resultWords, standingWords, who, wonWords } from "./prompts.js";

/** @param {string} path */
const get = (path) => fetch(`/api/v1/tables/${context.table}/${path}`);
/**
 * @param {string} name
 * @param {string} value
 */
const head = (name, value) =>
  el("div", {}, el("span", {}, `${name}:`), el("bdi", { dir: "auto" }, value));
/**
 * A number of each side, White's first.
 * @param {number} [white]
 * @param {number} [black]
 */
const pair = (white = 0, black = 0) => `\u2066${digits(white)} – ${digits(black)}\u2069`;
/** How a game ended. @type {Record<string, () => string>} */
const ENDS = {
  borne_off: () => say("borne off"),
  dropped: () => say("double dropped"),
  resigned: () => say("resigned"),
  ruled: () => say("so ruled"),
  drawn: () => say("drawn"),
  set_up_anew: () => say("the board was set up anew"),
};

/**
 * What the loser lost where it was more than the game, and how it ended.
 * @param {{ reason: string, result: string }} ended
 */
const endWords = ({ reason, result }) => {
  const lost = result !== "single" && result !== reason ? ` · ${resultWords(result)}` : "";
  const how = ENDS[reason]?.();
  return how ? `${lost} (${how})` : lost;
};

/** The last entry of the record as the sheet begins; null where there is none to be read. */
async function lastEntry(/** @type {StateDocument} */ state) {
  const text = await get(`entries?since=${Math.max(0, state.seq - 1)}`).then(
    (r) => r.text(),
    () => "",
  );
  const line = text.trim().split("\n").at(-1);
  /** @type {Entry | null} */
  const entry = line ? JSON.parse(line) : null;
  return entry;
}

/**
 * What stands above the games: who, by which rules, when, and how it stands.
 * @param {StateDocument} state
 */
function heads(state) {
  const { match } = state;
  const { white, black } = match.players;
  const rules = match.title?.[context.language] || match.title?.en || match.ruleset || "";
  const length = match.length ? say("{n} points", { n: digits(match.length) }) : "";
  const date = new Date().toLocaleDateString(context.language, { dateStyle: "long" });
  return el(
    "div",
    { class: "heads" },
    head(say("White"), who(state, "white")),
    head(say("Black"), who(state, "black")),
    head(say("Rules"), rules),
    head(say("Length"), length || say("Money session")),
    head(say("Table"), context.table),
    head(say("Date"), date),
    head(say("Score"), pair(white.score, black.score)),
    head(say("Illegal plays"), pair(white.illegal, black.illegal)),
  );
}

/**
 * The whole sheet of a match, as elements.
 * @param {StateDocument} state
 */
async function matchSheet(state) {
  const { match } = state;
  const entry = await lastEntry(state);
  const count = Math.max(match.game || 1, ...(state.plays || []).map((p) => p.game));
  return [
    el(
      "h1",
      {},
      say("Score sheet"),
      match.event?.name ? [" · ", el("bdi", { dir: "auto" }, match.event.name)] : "",
    ),
    heads(state),
    ...Array.from({ length: count }, (_, i) => gameTable(state, i + 1)),
    el(
      "div",
      { class: "sign" },
      el("p", {}, who(state, "white")),
      el("p", {}, who(state, "black")),
      el("p", {}, say("Arbiter")),
    ),
    entry?.hash
      ? el(
          "p",
          { class: "seal" },
          say("Seal of the record: {seal}", {
            seal: `\u2066takhte ${entry.seq} ${entry.hash}\u2069`,
          }),
        )
      : "",
  ];
}

/**
 * One game: its plays in rows, and how it ended.
 * @param {StateDocument} state
 * @param {number} game
 */
function gameTable(state, game) {
  /** @type {Partial<Record<SideName, PlayDocument>>[]} */
  const rows = [];
  /** @type {Partial<Record<SideName, PlayDocument>> | null} */
  let row = null;
  for (const play of (state.plays || []).filter((p) => p.game === game)) {
    if (!row || play.side === "white" || row.black) rows.push((row = {}));
    row[play.side] = play;
  }
  const ended = (state.games || []).find((g) => g.game === game);
  /** @param {PlayDocument} [play] */
  const cell = (play) =>
    play
      ? el(
          "td",
          {},
          el("b", {}, play.roll ? play.roll.join("") : "–", ": "),
          playText(state, play.text, play.infraction),
          play.standing ? el("div", { class: "mark" }, "⚑ ", standingWords(play.standing)) : "",
          play.amended ? el("div", { class: "mark" }, "✎ ", say("corrected")) : "",
        )
      : el("td", {});
  return el(
    "section",
    {},
    el("h2", {}, say("Game {n}", { n: digits(game) })),
    el(
      "table",
      { class: "moves" },
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          el("th", { scope: "col" }, "#"),
          SIDES.map((s) =>
            el("th", { scope: "col" }, el("bdi", { dir: "auto" }, playerName(state, s))),
          ),
        ),
      ),
      el(
        "tbody",
        {},
        rows.map((r, i) => el("tr", {}, el("td", {}, digits(i + 1)), cell(r.white), cell(r.black))),
      ),
    ),
    ended
      ? el(
          "p",
          {},
          wonWords(state, ended),
          `${endWords(ended)} · `,
          say("Score"),
          " ",
          pair(ended.score.white, ended.score.black),
          el("small", { class: "noted" }, headWords(ended)),
        )
      : "",
  );
}

byId("print").addEventListener("click", () => print());
/** @type {StateDocument | null} */
const found = await get("state").then(
  (r) => (r.ok ? r.json() : null),
  () => null,
);
byId("sheet").replaceChildren(
  ...(found?.match?.ruleset
    ? await matchSheet(found)
    : [el("p", {}, say("No match has been set up yet."))]),
);
document.body.dataset.ready = "true";
