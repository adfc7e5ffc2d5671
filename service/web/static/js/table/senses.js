// What the table senses, believes and shows: sources, belief, lamps and clock face.
/** @import { Layout } from "../geometry.js" */
/** @import { SideFace, SideName, StateDocument } from "../types.js" */
import { byId, el, findById, settle, show, write } from "../dom.js";
import { context, digits, percent, say, sideName } from "../page.js";
import { isAwaited, sourceWords } from "../sensor_words.js";

/** @typedef {Record<string, () => string>} Names */

/** How a source is. @type {Names} */
const SENSES = {
  ok: () => say("sees"),
  waiting: () => say("waiting"),
  awaited: () => say("awaited"),
};
/** What is believed of the board. @type {Names} */
const VERDICTS = {
  pending: () => say("looking"),
  agreed: () => say("agreed"),
  ambiguous: () => say("not sure"),
  illegal: () => say("not legal"),
  blind: () => say("sees nothing"),
  differs: () => say("differs"),
};
/** @type {Names} */
const PATTERNS = {
  steady: () => say("steady"),
  blink: () => say("blinking"),
  fast: () => say("blinking fast"),
  double: () => say("flashing twice"),
};
/** @type {Names} */
const COLOURS = {
  white: () => say("white"),
  sky: () => say("sky blue"),
  green: () => say("green"),
  yellow: () => say("yellow"),
  blue: () => say("blue"),
  vermilion: () => say("red"),
  purple: () => say("purple"),
  orange: () => say("orange"),
};

const dot = () => el("span", { class: "dot", "aria-hidden": "true" });

/**
 * Draw every source that this table has and how it is, and the table's own troubles.
 * @param {StateDocument} state
 */
export function drawSources(state) {
  const sources = Object.entries(state.sources || {}).filter(([, s]) => s.state !== "absent");
  const troubles = state.trouble || [];
  show(byId("sources-card"), sources.length + troubles.length > 0);
  settle(
    byId("sources"),
    ...sources.map(([name, { state: sense, reason }]) =>
      el(
        "li",
        { class: sense === "ok" ? "" : isAwaited(reason) ? "none" : "bad" },
        dot(),
        el(
          "span",
          {},
          context.sources[name] ?? name,
          ": ",
          SENSES[isAwaited(reason) ? "awaited" : sense]?.() ?? say("does not see"),
          reason
            ? el("span", { class: "muted" }, " · ", el("bdi", { dir: "auto" }, sourceWords(reason)))
            : "",
        ),
      ),
    ),
    ...troubles.map((line) => el("li", { class: "bad" }, dot(), el("span", { dir: "auto" }, line))),
  );
}

/**
 * Draw what staff alone may see: the belief, and lamps and clock face where there is a board.
 * @param {StateDocument} state
 * @param {Layout} layout
 * @param {SideName} seat
 */
export function drawWorks(state, layout, seat) {
  const { verdict, probability } = state.belief || {};
  const sure = typeof probability === "number" ? ` · ${percent(probability)}` : "";
  write(byId("belief"), verdict ? `${VERDICTS[verdict]?.() ?? verdict}${sure}` : "");
  const lights = Object.entries(state.scene?.lights || {}).flatMap(([site, list]) =>
    list.map((light) => ({ site: Number(site), ...light })),
  );
  const { north, south } = state.scene?.clock_face || {};
  const faces = (layout.flip ? [south, north] : [north, south]).filter((f) => f !== undefined);
  show(byId("lights-card"), hasBoard(state) && (lights.length > 0 || Boolean(south)));
  show(byId("face"), Boolean(south));
  settle(byId("face"), ...faces.map((face) => el("span", { class: face.lamp }, faceText(face))));
  settle(
    byId("lights"),
    ...lights.map(({ site, side, colour, pattern }) =>
      el(
        "li",
        {},
        el("i", { class: colour, "aria-hidden": "true" }),
        lampName(site, side, layout.number(site, seat)),
        ": ",
        [COLOURS[colour]?.() ?? colour, PATTERNS[pattern]?.() ?? pattern].join(say(", ")),
      ),
    ),
  );
}

/**
 * Whether the table has a board of its own, with lamps.
 * @param {StateDocument} state
 */
const hasBoard = (state) => (state.sources?.board?.state ?? "absent") !== "absent";

/**
 * What the four digits show; an unlit display shows nothing.
 * @param {SideFace} face
 */
function faceText(face) {
  const text = face.text.trim() ? face.text : "----";
  return face.colon ? `${text.slice(0, -2)}:${text.slice(-2)}` : text;
}

/**
 * Where a lamp is, in words; a point by the number that it has for the seat.
 * @param {number} site
 * @param {SideName | null} side
 * @param {number} number
 */
function lampName(site, side, number) {
  if (site === 0) return say("tray");
  if (site !== 25) return say("point {n}", { n: digits(number) });
  return side ? say("bar, before {name}", { name: sideName(side) }) : say("bar");
}

/** Milliseconds between two pictures, and at most between two tries where none comes. */
const PICTURE_MS = 1000;
const LONGEST_MS = 60000;

/**
 * Show the camera's picture once a second while the page is looked at and there is a camera; where
 * none comes, ask ever more seldom, until the camera's state changes.
 * @param {() => string} sense
 * @param {() => SideName} seat
 */
export function followCamera(sense, seat) {
  const card = findById("camera-card", HTMLElement);
  if (!card) return;
  const image = byId("camera", HTMLImageElement);
  let [waiting, pause, due, before] = [false, PICTURE_MS, 0, ""];
  /** @param {boolean} there */
  const done = (there) => {
    show(card, there);
    waiting = false;
    pause = there ? PICTURE_MS : Math.min(2 * pause, LONGEST_MS);
    due = performance.now() + pause - PICTURE_MS / 2;
  };
  image.onload = () => done(true);
  image.onerror = () => done(false);
  const next = () => {
    const now = sense();
    if (now !== before) due = 0;
    before = now;
    if (now === "absent") show(card, false);
    if (waiting || document.hidden || now === "absent" || performance.now() < due) return;
    waiting = true;
    image.src = `/api/v1/tables/${context.table}/camera.jpg?seat=${seat()}&t=${Date.now()}`;
  };
  next();
  setInterval(next, PICTURE_MS);
}
