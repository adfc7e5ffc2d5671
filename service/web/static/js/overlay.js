// The overlay: what goes on the air over the camera's picture. It remembers nothing but the last
// document: every load draws all of it anew. What its address may say is in docs/broadcast.md.
/** @import { StateDocument } from "./types.js" */
import { Board, movesOf } from "./board.js";
import { format, left } from "./clock.js";
import { states } from "./demo.js";
import { byId, el, settle, show, write } from "./dom.js";
import { follow } from "./feed.js";
import { askFor, drawChances, errorTag } from "./overlay/chances.js";
import { dress, pictureOf, query, words } from "./overlay/look.js";
import { drawMoments, rehearse } from "./overlay/moments.js";
import { colourOf, lying, playsOf } from "./overlay/says.js";
import { drawScore } from "./overlay/score.js";
import { before, lead, travel, ways } from "./overlay/travel.js";
import { context, digits, say, SIDES } from "./page.js";
import { playText } from "./prompts.js";

const { plays, parts, seat, theme } = await dress();
const board = new Board(byId("board", SVGSVGElement));
/** @type {StateDocument | null} */
let state = null;
/** @type {number | null} */
let skew = null;
let replayed = 0;

/**
 * Draw a document. Whatever the data does not support is not there: no name, no box; no clock, no
 * clock.
 * @param {StateDocument} shown
 */
function draw(shown) {
  const last = state;
  state = shown;
  const match = shown.match || {};
  const on = Boolean(match.ruleset);
  show(byId("bug"), on && parts.includes("score"));
  show(byId("inset"), on && parts.includes("board") && Boolean(match.game));
  byId("air").classList.toggle("away", shown.connected === false);
  drawDelay(shown);
  if (!on) {
    for (const id of ["ticker", "moment", "card", "third", "chances"]) byId(id).hidden = true;
    return;
  }
  if (match.game && parts.includes("board")) drawBoard(shown, last);
  drawScore(shown, parts, board);
  tick();
  drawTicker(shown);
  drawMoments(shown, last);
  if (parts.includes("chances")) {
    drawChances(shown);
    askFor(shown, () => state && (drawChances(state), drawTicker(state)));
  }
  const note = shown.note;
  if (note?.replay && note.number !== last?.note?.number && last) replay();
}

/**
 * @param {StateDocument} shown
 * @param {StateDocument | null} earlier
 */
function drawBoard(shown, earlier) {
  const played = playsOf(shown).at(-1);
  const next = earlier && played && playsOf(earlier).length + 1 === playsOf(shown).length;
  const trips = next
    ? lead(
        board,
        ways(played, board.layout, (side, site) => board.standing(side, site)),
      )
    : [];
  board.draw(shown.board, {
    seat,
    dice: { ...shown.dice, seen: lying(shown.dice) },
    roller: shown.on_roll,
    cube: shown.cube,
    last: (layout) => (played ? movesOf(played.text, played.side, layout) : []),
  });
  travel(board, trips);
}

/** Show the last play once more; whatever happens meanwhile is drawn as it comes. */
function replay() {
  const shown = state;
  const played = shown && playsOf(shown).at(-1);
  if (!shown || !played || !parts.includes("board")) return;
  // Who is hit stands where he was hit before the play: the ways need no more than that.
  const way = ways(played, board.layout, () => 0);
  const earlier = before(shown.board, way);
  if (!earlier) return;
  const mine = ++replayed;
  byId("replay-tag").hidden = false;
  board.draw(earlier, { seat, dice: { roll: played.roll, seen: [] }, roller: played.side });
  setTimeout(() => {
    const trips = mine === replayed && state === shown ? lead(board, way) : [];
    if (state) drawBoard(state, null);
    travel(board, trips);
    byId("replay-tag").hidden = true;
  }, 900);
}

/**
 * Say how late this is; while a raised delay holds the feed, for how long.
 * @param {StateDocument} shown
 */
function drawDelay(shown) {
  const delay = shown.delay_s || 0;
  const n = format(delay);
  show(byId("late"), Boolean(delay));
  write(
    byId("late"),
    !delay
      ? ""
      : shown.held_s
        ? say("Delayed by {n}, held for {m}", { n, m: format(shown.held_s) })
        : say("Delayed by {n}", { n }),
  );
}

/** @param {StateDocument} shown */
function drawTicker(shown) {
  const newest = playsOf(shown).slice(-plays);
  show(byId("ticker"), Boolean(newest.length) && parts.includes("plays"));
  settle(
    byId("ticker"),
    ...newest.map((p) => {
      const dark = colourOf(shown, p.side) === "dark";
      return el(
        "span",
        { "data-key": String(p.seq) },
        el("i", { class: dark ? "set dark" : "set" }, dark ? "●" : "○"),
        " ",
        el("b", {}, (p.roll || []).join("") || "–"),
        " ",
        playText(shown, p.text, p.infraction),
        parts.includes("chances") ? errorTag(p) : null,
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
    const runs = Boolean(time) && state?.clock.running === side;
    write(node, time ? format(time.bank) : "");
    node.classList.toggle("running", runs);
    node.classList.toggle("hurry", Boolean(time && runs && time.bank < 10 && !time.delay));
    node.classList.toggle("flag", Boolean(time && (time.bank <= 0 || state?.clock[side]?.flags)));
  }
}

/** Show the camera's picture beneath, as late as all else: one source for OBS instead of two. */
function showPicture() {
  const picture = byId("picture", HTMLImageElement);
  picture.src = `/api/v1/tables/${encodeURIComponent(context.table)}/stream.mjpg?feed=overlay`;
  picture.hidden = false;
}

/** The sponsor's place and the event's sign, of what the theme or the address has. */
function drawSponsor() {
  const text = words("sponsor");
  const pictures = [theme.logo, theme.sponsor_picture].filter((f) => typeof f === "string");
  show(byId("sponsor"), Boolean(text || pictures.length));
  settle(
    byId("sponsor"),
    ...pictures.map((file) => el("img", { src: pictureOf(String(file)), alt: "" })),
    text ? el("span", { dir: "auto" }, text) : null,
  );
}

/**
 * Show every state that the overlay can show, one after the other, with no table at all.
 * @param {number} step show this one alone, from 1; 0 for all
 */
function demonstrate(step) {
  const list = states();
  let i = step ? step - 1 : 0;
  const next = () => {
    const at = i % list.length;
    const [name, found] = list[at];
    byId("demo-tag").hidden = false;
    byId("demo-tag").textContent =
      `${say("Demo")} ${digits(at + 1)}/${digits(list.length)} · ${name}`;
    draw(found);
    document.body.dataset.step = String(at + 1);
    i += 1;
  };
  next();
  if (!step) setInterval(next, 2500);
}

/** @param {StateDocument} found */
function drawNumbered(found) {
  draw(found);
  document.body.dataset.seq = String(found.seq);
}

/** The newest document, until it is drawn. @type {StateDocument | null} */
let newest = null;

/**
 * Draw a document in the next frame: of several that come before it, the newest alone.
 * @param {StateDocument} found
 */
function drawNext(found) {
  const asked = newest !== null;
  newest = found;
  if (asked) return;
  requestAnimationFrame(() => {
    if (newest) drawNumbered(newest);
    newest = null;
  });
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

drawSponsor();
rehearse();
byId("inset").addEventListener("click", replay);
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
      drawNext(found);
    },
    (up, found) => {
      if (found?.held_s) drawDelay(found);
    },
    "overlay",
  );
  setInterval(tick, 100);
  if (context.screen) setInterval(followDesk, 3000);
}
