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

/**
 * The entries of the record from the match's first play on; none where they cannot be read.
 * @param {StateDocument} state
 * @returns {Promise<Entry[]>}
 */
async function entriesOf(state) {
  const first = Math.min(state.seq, ...(state.plays ?? []).map((play) => play.seq));
  const text = await get(`entries?since=${Math.max(0, first - 1)}`).then(
    (r) => (r.ok ? r.text() : ""),
    () => "",
  );
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

/** What is done with the cube, by the kind of its entry. @type {Record<string, () => string>} */
const CUBE = {
  cube_offered: () => say("double"),
  cube_taken: () => say("take"),
  cube_beavered: () => say("Beaver"),
  cube_dropped: () => say("drop"),
};

/**
 * Where an act of the cube comes among the plays: a double that was told only later before the
 * last turn of its side.
 * @param {Entry[]} entries
 * @param {Entry} act
 * @param {SideName} doubler
 */
function placeOf(entries, act, doubler) {
  if (act.body.source !== "seen_later") return act.seq;
  const turns = entries.filter(
    ({ kind, seq, body }) =>
      (kind === "rolled" || kind === "played") && seq < act.seq && body.side === doubler,
  );
  return (turns.at(-1)?.seq ?? act.seq) - 0.5;
}

/**
 * What was done with the cube, and stood, each with its place among the plays.
 * @param {Entry[]} entries
 */
function cubeActs(entries) {
  const undone = new Set(
    entries.filter(({ kind }) => kind === "turn_reopened").map(({ body }) => body.about),
  );
  let offered = 0;
  for (const { kind, seq } of entries) {
    if (kind === "cube_offered") offered = seq;
    if (kind === "cube_withdrawn") undone.add(offered);
  }
  return entries
    .filter(({ kind, seq }) => kind in CUBE && !undone.has(seq))
    .map((act) => {
      const side = /** @type {SideName} */ (act.body.side);
      const doubler = act.kind === "cube_taken" ? (side === "white" ? "black" : "white") : side;
      return { ...act, place: placeOf(entries, act, doubler) };
    });
}

/**
 * What stands above the games: who, by which rules, when, and how it stands.
 * @param {StateDocument} state
 * @param {number} [wall] when the match began; today where nothing was played
 */
function heads(state, wall = Date.now() / 1000) {
  const { match } = state;
  const { white, black } = match.players;
  const rules = match.title?.[context.language] || match.title?.en || match.ruleset || "";
  const length =
    match.length === 1
      ? say("1 point")
      : match.length
        ? say("{n} points", { n: digits(match.length) })
        : "";
  const date = new Date(wall * 1000).toLocaleDateString(context.language, { dateStyle: "long" });
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
  const entries = await entriesOf(state);
  const entry = entries.at(-1);
  const cube = cubeActs(entries);
  const count = Math.max(match.game || 1, ...(state.plays || []).map((p) => p.game));
  return [
    el(
      "h1",
      {},
      say("Score sheet"),
      match.event?.name ? [" · ", el("bdi", { dir: "auto" }, match.event.name)] : "",
    ),
    heads(state, entries[0]?.wall),
    ...Array.from({ length: count }, (_, i) => gameTable(state, i + 1, cube)),
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
 * One game: its plays in rows, with what was done with the cube, and how it ended.
 * @param {StateDocument} state
 * @param {number} game
 * @param {(Entry & { place: number })[]} cube
 */
function gameTable(state, game, cube) {
  const plays = (state.plays || []).filter((p) => p.game === game);
  const after = (state.games || []).filter((g) => g.game < game).map((g) => g.seq);
  const before = (state.games || []).filter((g) => g.game >= game).map((g) => g.seq);
  const [begun, over] = [Math.max(0, ...after), Math.min(Infinity, ...before)];
  const acts = cube.filter(({ seq }) => seq > begun && seq < over);
  const told = [
    ...plays.map((play) => ({ seq: play.seq, side: play.side, nodes: playNodes(state, play) })),
    ...acts.map(({ place, kind, body }) => ({
      seq: place,
      side: /** @type {SideName} */ (body.side),
      nodes: [CUBE[kind](), kind === "cube_dropped" ? "" : ` ${digits(Number(body.value))}`],
    })),
  ].sort((a, b) => a.seq - b.seq);
  /** @type {Partial<Record<SideName, (Node | string)[]>>[]} */
  const rows = [];
  /** @type {Partial<Record<SideName, (Node | string)[]>> | null} */
  let row = null;
  for (const { side, nodes } of told) {
    if (!row || side === "white" || row.black) rows.push((row = {}));
    row[side] = nodes;
  }
  const ended = (state.games || []).find((g) => g.game === game);
  const cell = (/** @type {(Node | string)[] | undefined} */ nodes) => el("td", {}, nodes ?? []);
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

/**
 * A play as its cell has it.
 * @param {StateDocument} state
 * @param {PlayDocument} play
 * @returns {(Node | string)[]}
 */
function playNodes(state, play) {
  return [
    el("b", {}, play.roll ? play.roll.join("") : "–", ": "),
    playText(state, play.text, play.infraction),
    play.standing ? el("div", { class: "mark" }, "⚑ ", standingWords(play.standing)) : "",
    play.amended ? el("div", { class: "mark" }, "✎ ", say("corrected")) : "",
  ];
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
