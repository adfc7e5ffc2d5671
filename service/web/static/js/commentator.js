// The commentator's page: pips, the game's plays, and what gnubg says of them where it is
// installed. Staff only.
/** @import { Child, Commentary, SideName, StateDocument } from "./types.js" */
import { Board, lastMoves, movesOf } from "./board.js";
import { byId, el, messageOf, settle, svg, valuesOf } from "./dom.js";
import { H } from "./geometry.js";
import { follow, showLink } from "./feed.js";
import {
  api,
  complain,
  context,
  digits,
  fillTables,
  percent,
  playerName,
  preference,
  say,
  SIDES,
  toast,
} from "./page.js";
import { playText, prompt, who } from "./prompts.js";

const board = new Board(byId("board", SVGSVGElement));
/** @type {StateDocument | null} */
let state = null;
/** @type {Commentary | null} */
let commentary = null;

const TROUBLE = {
  absent: () =>
    say(
      "gnubg is not installed on this machine: pips and plays are shown, equity and luck are not.",
    ),
  hung: () =>
    say("gnubg did not answer in time and was ended. It is asked again in half a minute."),
  broken: () => say("gnubg does not run on this machine. Ask whoever looks after it."),
};
/**
 * A number with its sign, a dash for none.
 * @param {number | null | undefined} value
 */
const signed = (value) =>
  el(
    "bdi",
    { dir: "ltr", class: "num" },
    value === null || value === undefined
      ? "–"
      : digits(`${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(3)}`),
  );
/** @param {string} text */
const ltr = (text) => el("bdi", { dir: "ltr" }, text);
/**
 * @param {string} name
 * @param {...Child} value
 */
const line = (name, ...value) => [el("dt", {}, name), el("dd", {}, ...value)];

/** @param {StateDocument} shown */
function draw(shown) {
  board.draw(shown.board, {
    seat: preference("seat") || "white",
    dice: shown.dice,
    roller: shown.on_roll,
    cube: shown.cube,
    last: (layout) => lastMoves(shown, layout),
  });
  byId("prompt").textContent = prompt(shown)[0];
  if (commentary) drawCommentary(shown, commentary);
  drawArrows(shown);
}

/**
 * The best play of this roll as arrows, for as long as it stands on the board's roll.
 * @param {StateDocument} shown
 */
function drawArrows(shown) {
  const best = shown.dice?.roll && commentary?.seq === shown.seq && commentary.best[0];
  const moves = best && shown.on_roll ? movesOf(best.text, shown.on_roll, board.layout) : [];
  settle(
    board.layers.lamps,
    ...moves.flatMap(({ side, from, to }) => {
      const n = board.standing(side, from);
      const a = board.layout.checker(side, from, Math.max(0, n - 1), n);
      const there = board.standing(side, to);
      const b = board.layout.checker(side, to, there, there + 1);
      const middle = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 + (a.y < H / 2 ? 60 : -60) };
      return [
        svg("path", {
          class: "arrow",
          d: `M${a.x} ${a.y}Q${middle.x} ${middle.y} ${b.x} ${b.y}`,
        }),
        svg("circle", { class: "arrow-head", cx: b.x, cy: b.y, r: 13 }),
      ];
    }),
  );
}

/**
 * White's chances of the match before each roll, as a line; games apart. Whose half is whose, and
 * how it stands now, is said at its edges.
 * @param {StateDocument} shown
 * @param {Commentary["course"]} course
 */
function drawCourse(shown, course) {
  const now = course.at(-1)?.white;
  /** @param {SideName} side @param {number} y @param {number | undefined} chances */
  const label = (side, y, chances) =>
    Object.assign(svg("text", { class: "side", x: 0, y }), {
      textContent:
        chances === undefined ? "" : `\u2068${playerName(shown, side)}\u2069 ${percent(chances)}`,
    });
  const step = 600 / Math.max(1, course.length - 1);
  const points = course.map(({ white }, i) => `${(i * step).toFixed(1)},${120 - 120 * white}`);
  settle(
    byId("course", SVGSVGElement),
    svg("line", { class: "half", x1: 0, x2: 600, y1: 60, y2: 60 }),
    ...course.flatMap(({ game }, i) =>
      i && course[i - 1].game !== game
        ? [svg("line", { class: "game", x1: i * step, x2: i * step, y1: 0, y2: 120 })]
        : [],
    ),
    svg("polyline", { class: "line", points: points.join(" ") }),
    label("white", 10, now),
    label("black", 118, now === undefined ? now : 1 - now),
  );
}

/**
 * What is right with the cube before this roll.
 * @param {Commentary["cube"]} cube
 */
const cubeWords = (cube) =>
  !cube
    ? ""
    : !cube.double
      ? say("No double, take")
      : cube.takes
        ? say("Double, take")
        : say("Double, drop");

/**
 * A race as players count it.
 * @param {Commentary["race"]} race
 */
function raceLines(race) {
  if (!race) return [];
  /** @param {{ double: boolean, take: boolean }} says */
  const advice = ({ double, take }) =>
    !double ? say("No double, take") : take ? say("Double, take") : say("Double, drop");
  /** @param {(number | null)[]} counts */
  const pair = (counts) =>
    el("bdi", { dir: "ltr", class: "num" }, counts.map((n) => digits(n ?? "–")).join(" : "));
  return [
    line(say("Keith's count"), pair(race.keith), " · ", advice(race.keith_says)),
    line(say("Ward's count"), pair(race.ward), " · ", advice(race.ward_says)),
    line(say("Effective pips"), pair(race.effective)),
  ].flat();
}

/**
 * Draw what is known of the game, and what gnubg says of it.
 * @param {StateDocument} shown
 * @param {Commentary} found
 */
function drawCommentary(shown, found) {
  const { pips, luck, trouble } = found;
  const lead = pips ? pips.white - pips.black : 0;
  byId("counts").replaceChildren(
    ...(pips
      ? SIDES.flatMap((side) => {
          const ahead = side === "white" ? -lead : lead;
          return line(
            who(shown, side),
            say("{n} pips", { n: digits(pips[side]) }),
            ahead > 0 ? ` · ${say("leads by {n}", { n: digits(ahead) })}` : "",
            luck ? [` · ${say("Luck")} `, signed(luck[side])] : "",
          );
        })
      : []),
  );
  byId("trouble").hidden = found.judged && !trouble;
  byId("trouble").textContent = trouble
    ? TROUBLE[trouble.code]()
    : found.game && !found.judged
      ? say("gnubg does not know these rules: pips and plays are shown.")
      : say("Nothing has happened yet.");
  const [win, gammon, backgammon, lost, lostTwice] = found.chances;
  byId("equity").replaceChildren(
    ...(found.equity === null
      ? []
      : [
          line(say("Equity of {name}", { name: who(shown, found.side) }), signed(found.equity)),
          line(say("Wins"), percent(win)),
          line(say("Gammons, won and lost"), `${percent(gammon)} · ${percent(lost)}`),
          line(say("Backgammons, won and lost"), `${percent(backgammon)} · ${percent(lostTwice)}`),
        ].flat()),
  );
  byId("cube-words").hidden = !found.cube;
  byId("cube-words").textContent = cubeWords(found.cube);
  settle(byId("race"), ...raceLines(found.race));
  drawCourse(shown, found.course);
  byId("best-title").hidden = !found.best.length;
  byId("best").replaceChildren(
    ...found.best.map((play) => el("li", {}, ltr(play.text), " ", signed(play.equity))),
  );
  byId("turns").replaceChildren(
    ...found.turns
      .map((turn, i) =>
        el(
          "tr",
          {},
          el("td", { class: "num" }, digits(i + 1)),
          el("td", {}, el("bdi", { dir: "auto" }, playerName(shown, turn.side))),
          el("td", {}, ltr(turn.roll)),
          el("td", {}, ltr(playText(shown, turn.text, turn.roll && !turn.text))),
          el(
            "td",
            { class: (turn.cost ?? 0) >= 0.08 ? "blunder" : "", title: turn.better },
            turn.cost ? signed(-turn.cost) : turn.cost === null ? "–" : "",
          ),
          el("td", {}, signed(turn.luck)),
        ),
      )
      .reverse(),
  );
}

let asking = false;
let again = false;
/** Ask for the commentary; once more where something happened meanwhile or gnubg is not done. */
async function ask() {
  if (asking) {
    again = true;
    return;
  }
  asking = true;
  let wait = 0;
  try {
    /** @type {Commentary} */
    const found = await api(`/api/v1/tables/${context.table}/commentary`);
    commentary = found;
    if (found.pending > 0 || found.trouble?.code === "hung") wait = found.trouble ? 31000 : 1000;
    if (state) draw(state);
  } catch (error) {
    byId("trouble").hidden = false;
    byId("trouble").textContent = messageOf(error);
  }
  asking = false;
  if (again) wait = 200;
  again = false;
  if (wait) setTimeout(ask, wait);
}

/**
 * Send something to the overlay; true where it was taken.
 * @param {{ text?: string, replay?: boolean }} note
 */
async function send(note) {
  try {
    await api(`/api/v1/tables/${context.table}/note`, note);
    toast(say("Sent: the overlay shows it when its delay has passed."));
    return true;
  } catch (error) {
    complain(error);
    return false;
  }
}

const form = byId("note", HTMLFormElement);
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (await send({ text: valuesOf(form).text })) form.reset();
});
byId("replay").addEventListener("click", () => send({ replay: true }));
byId("clear").addEventListener("click", () => send({ text: "" }));
fillTables(
  (table) => `/commentator?table=${encodeURIComponent(table)}`,
  (table) => table,
);
document.addEventListener("look", () => state && draw(state));
follow((found) => {
  const before = state?.seq;
  state = found;
  draw(found);
  if (found.seq !== before) ask();
}, showLink);
