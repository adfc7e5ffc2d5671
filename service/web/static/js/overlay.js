// The overlay: what goes on the air over the camera's picture. It remembers nothing: every load,
// and every document, draws all of it anew.
// ?table= ?bg=green|magenta|blue ?theme=paper ?show=score,board,plays,picture ?seat=black
// ?at=SECONDS ?demo
/** @import { DiceDocument, SideName, StateDocument } from "./types.js" */
import { Board, movesOf } from "./board.js";
import { format, left } from "./clock.js";
import { states } from "./demo.js";
import { byId, el, svg } from "./dom.js";
import { follow } from "./feed.js";
import { context, digits, playerName, say, SIDES } from "./page.js";
import { headWords, playText } from "./prompts.js";

const query = new URLSearchParams(location.search);
const root = document.documentElement;
const background = query.get("bg");
if (background) root.dataset.bg = background;
root.dataset.theme = query.get("theme") === "paper" ? "paper" : "glass";
const parts = (query.get("show") || "score,board,plays").split(",");
const seat = query.get("seat") === "black" ? "black" : "white";
const board = new Board(byId("board", SVGSVGElement));
/** @type {StateDocument | null} */
let state = null;
/** @type {number | null} */
let skew = null;

/**
 * Draw a document. Whatever the data does not support is not there: no name, no box; no clock, no
 * clock.
 * @param {StateDocument} shown
 */
function draw(shown) {
  state = shown;
  const match = shown.match || {};
  const on = Boolean(match.ruleset);
  byId("bug").hidden = !on || !parts.includes("score");
  byId("inset").hidden = !on || !parts.includes("board") || !match.game;
  byId("air").classList.toggle("away", shown.connected === false);
  drawDelay(shown);
  if (!on) {
    byId("ticker").hidden = true;
    return;
  }
  byId("event").textContent =
    match.event?.name || match.title?.[context.language] || match.title?.en || "";
  byId("length").textContent = [
    match.length ? say("to {n} points", { n: digits(match.length) }) : say("money session"),
    match.crawford ? say("Crawford game") : "",
  ]
    .filter(Boolean)
    .join(" · ");
  if (match.game) drawBoard(shown);
  for (const side of SIDES) drawLine(shown, side);
  drawFoot(shown);
  drawTicker(shown);
}

/** @param {StateDocument} shown */
function drawBoard(shown) {
  const last = playsOf(shown).at(-1);
  board.draw(shown.board, {
    seat,
    dice: { ...shown.dice, seen: lying(shown.dice) },
    roller: shown.on_roll,
    cube: shown.cube,
    last: (layout) => (last ? movesOf(last.text, last.side, layout) : []),
  });
}

/**
 * Say how late this is; while a raised delay holds the feed, for how long.
 * @param {StateDocument} shown
 */
function drawDelay(shown) {
  const delay = shown.delay_s || 0;
  const n = format(delay);
  byId("late").hidden = !delay;
  byId("late").textContent = !delay
    ? ""
    : shown.held_s
      ? say("Delayed by {n}, held for {m}", { n, m: format(shown.held_s) })
      : say("Delayed by {n}", { n });
}

/** Phases in which somebody is on turn. */
const TURNS = ["to-roll", "moving", "pressed", "doubled", "illegal", "differs"];

/**
 * The colour of a side's checkers; the usual one where none is said.
 * @param {StateDocument} shown
 * @param {SideName} side
 */
const colourOf = (shown, side) =>
  shown.match.players?.[side]?.colour || (side === "white" ? "light" : "dark");

/**
 * Draw a player's line: name, cube, time, points.
 * @param {StateDocument} shown
 * @param {SideName} side
 */
function drawLine(shown, side) {
  const turn = shown.on_roll === side && TURNS.includes(shown.phase);
  const owns = shown.cube?.in_use && shown.cube.owner === side;
  const node = byId(`line-${side}`);
  node.className = `line${turn ? " turn" : ""}`;
  node.replaceChildren(
    board.discOf(colourOf(shown, side)),
    el("bdi", { class: "name", dir: "auto" }, playerName(shown, side)),
    owns ? el("span", { class: "cubed num" }, digits(shown.cube.value)) : el("span"),
    el("span", { class: "time num", "data-side": side }),
    el("span", { class: "points num" }, digits(shown.match.players?.[side]?.score ?? 0)),
  );
  tick();
}

/** What is said of a phase beside the dice. @type {Record<string, (s: StateDocument) => string>} */
const WORDS = {
  doubled: (s) =>
    say("{name} doubles to {n}", {
      name: playerName(s, s.cube?.offered_by ?? "white"),
      n: digits(s.cube?.offered_value ?? ""),
    }),
  "game-over": (s) => {
    const last = (s.games || []).at(-1);
    if (!last) return say("The game is over");
    return say("{name} wins {n}", { name: playerName(s, last.winner), n: digits(last.points) });
  },
  "match-over": (s) => {
    const last = (s.games || []).at(-1);
    if (!last) return say("The match is over");
    return say("{name} wins the match", { name: playerName(s, last.winner) });
  },
  frozen: () => say("The director is deciding"),
  adjourned: () => say("The match is adjourned"),
  opening: () => say("Opening roll"),
  "setting-up": () => say("The game is about to begin"),
};

/**
 * The dice as they lie, where they are seen to be the roll; else none, and the roll is drawn beside
 * the bar.
 * @param {DiceDocument} dice
 */
function lying(dice) {
  const seen = (dice?.seen || []).filter((die) => !die.old && die.status === "flat");
  /** @param {number[]} values */
  const faces = (values) => [...values].sort().join();
  const same = dice?.roll && faces(seen.map((die) => die.value)) === faces(dice.roll);
  return same && seen.length === 2 ? seen : [];
}

/** @param {StateDocument} shown */
function drawFoot(shown) {
  const roll = shown.dice?.roll;
  const words = WORDS[shown.phase]?.(shown) || "";
  const last = (shown.games || []).at(-1);
  const head = last && shown.phase.endsWith("-over") ? headWords(last) : "";
  const faces = (roll || []).map((value) =>
    svg(
      "svg",
      { class: "face-die", viewBox: "-30 -30 60 60", "aria-hidden": "true" },
      board.die(value, { x: 0, y: 0 }, ""),
    ),
  );
  const name = { class: "faces", role: "img", "aria-label": roll?.join("-") };
  byId("foot").replaceChildren(
    ...(words ? [el("span", { dir: "auto" }, words, el("small", {}, head))] : []),
    ...(faces.length ? [el("span", name, faces)] : []),
  );
}

/**
 * The plays of this game: the last game's belong to another board.
 * @param {StateDocument} shown
 */
const playsOf = (shown) => (shown.plays || []).filter((play) => play.game === shown.match.game);

/** @param {StateDocument} shown */
function drawTicker(shown) {
  const newest = playsOf(shown).slice(-4);
  byId("ticker").hidden = !newest.length || !parts.includes("plays");
  byId("ticker").replaceChildren(
    ...newest.map((p) => {
      const dark = colourOf(shown, p.side) === "dark";
      return el(
        "span",
        {},
        el("i", { class: dark ? "set dark" : "set" }, dark ? "●" : "○"),
        " ",
        el("b", {}, (p.roll || []).join("") || "–"),
        " ",
        playText(shown, p.text, p.infraction),
        el("br"),
      );
    }),
  );
}

function tick() {
  const now = skew === null ? (state?.at ?? 0) : performance.now() / 1000 + skew;
  for (const side of SIDES) {
    const node = byId(`line-${side}`).querySelector(".time");
    if (!node) continue;
    const time = left(state?.clock, side, now);
    node.textContent = time ? format(time.bank) : "";
    node.classList.toggle("running", Boolean(time) && state?.clock.running === side);
  }
}

/** Show the camera's picture beneath, as late as all else: one source for OBS instead of two. */
function showPicture() {
  const picture = byId("picture", HTMLImageElement);
  picture.src = `/api/v1/tables/${encodeURIComponent(context.table)}/stream.mjpg?feed=overlay`;
  picture.hidden = false;
}

/**
 * Show every state that the overlay can show, one after the other, with no table at all.
 * @param {number} step show this one alone, from 1; 0 for all
 */
function demonstrate(step) {
  const list = states();
  let i = step ? step - 1 : 0;
  const show = () => {
    const at = i % list.length;
    const [name, found] = list[at];
    byId("demo-tag").hidden = false;
    byId("demo-tag").textContent =
      `${say("Demo")} ${digits(at + 1)}/${digits(list.length)} · ${name}`;
    draw(found);
    document.body.dataset.step = String(at + 1);
    i += 1;
  };
  show();
  if (!step) setInterval(show, 2500);
}

/** @param {StateDocument} found */
function drawNumbered(found) {
  draw(found);
  document.body.dataset.seq = String(found.seq);
}

/** A hall's screen keeps its address; which table it shows, the hall's desk says. */
async function followDesk() {
  const path = `/api/v1/hall/overlays?screen=${encodeURIComponent(context.screen ?? "")}`;
  const found = await fetch(path).then(
    (r) => (r.ok ? r.json() : null),
    () => null,
  );
  if (found && found.table !== context.shown) location.reload();
}

const at = query.get("at");
if (parts.includes("picture") && at === null && !query.has("demo")) {
  // A stream never ends: begun any sooner, the page would count as loading for ever.
  if (document.readyState === "complete") showPicture();
  else addEventListener("load", showPicture);
}
if (query.has("demo")) demonstrate(Number(query.get("demo")) || 0);
else if (at !== null) {
  const table = encodeURIComponent(context.table);
  const path = `/overlay.json?table=${table}&at=${encodeURIComponent(at)}`;
  drawNumbered(await fetch(path).then((r) => r.json()));
} else {
  follow(
    (found, offset) => {
      skew = offset;
      drawNumbered(found);
    },
    (up, found) => {
      if (found?.held_s) drawDelay(found);
    },
    "overlay",
  );
  setInterval(tick, 200);
  if (context.screen) setInterval(followDesk, 3000);
}
