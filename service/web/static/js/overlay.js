// The overlay: what goes on the air over the camera's picture. It remembers nothing: every load, and every document, draws all of it anew.
// ?table= ?bg=green|magenta|blue ?theme=paper ?show=score,board,plays,picture ?seat=black ?at=SECONDS ?demo
import { Board, movesOf, svg } from "./board.js";
import { format, left } from "./clock.js";
import { follow } from "./feed.js";
import { context, digits, el, say, sideName } from "./page.js";
import { states } from "./demo.js";

const $ = (id) => document.getElementById(id);
const query = new URLSearchParams(location.search);
const root = document.documentElement;
if (query.get("bg")) root.dataset.bg = query.get("bg");
root.dataset.theme = query.get("theme") === "paper" ? "paper" : "glass";
const shows = (query.get("show") || "score,board,plays").split(",");
const seat = query.get("seat") === "black" ? "black" : "white";
const board = new Board($("board"));
let state = null;
let skew = null;

/** Draw a document. Whatever the data does not support is not there: no name, no box; no clock, no clock. */
function draw() {
  const match = state?.match || {};
  const on = Boolean(match.ruleset);
  $("bug").hidden = !on || !shows.includes("score");
  $("inset").hidden = !on || !shows.includes("board") || !match.game;
  $("air").classList.toggle("away", state?.connected === false);
  late(state);
  if (!on) {
    $("ticker").hidden = true;
    return;
  }
  $("event").textContent =
    match.event?.name || match.title?.[context.language] || match.title?.en || "";
  $("length").textContent = [
    match.length ? say("to {n} points", { n: digits(match.length) }) : say("money session"),
    match.crawford ? say("Crawford game") : "",
  ]
    .filter(Boolean)
    .join(" · ");
  if (match.game) {
    board.draw(state.board, { seat, dice: null, cube: state.cube, roller: state.on_roll });
    const last = plays().at(-1);
    board.marks(last ? movesOf(last.text, last.side, board.layout) : [], []);
    board.dice({ roll: state.dice?.roll, seen: lying(state.dice) }, state.on_roll);
    board.cube(state.cube);
  }
  for (const side of ["white", "black"]) line(side);
  foot();
  ticker();
}

/** How late this is; while a raised delay holds the feed, for how long. */
function late(told) {
  const delay = told?.delay_s || 0;
  $("late").hidden = !delay;
  $("late").textContent = !delay
    ? ""
    : told.held_s
      ? say("Delayed by {n}, held for {m}", { n: format(delay), m: format(told.held_s) })
      : say("Delayed by {n}", { n: format(delay) });
}

function line(side) {
  const player = state.match.players?.[side] || {};
  const turn =
    state.on_roll === side &&
    ["to-roll", "moving", "pressed", "doubled", "illegal", "differs"].includes(state.phase);
  const owns = state.cube?.in_use && state.cube.owner === side;
  const node = $(`line-${side}`);
  node.className = `line${turn ? " turn" : ""}`;
  const disc = svg("svg", { class: "disc", viewBox: "-32 -32 64 64", "aria-hidden": "true" });
  const g = board.disc();
  g.setAttribute("class", `ck ${player.colour || (side === "white" ? "light" : "dark")}`);
  disc.append(g);
  node.replaceChildren(
    disc,
    el("bdi", { class: "name", dir: "auto" }, player.name || sideName(side)),
    owns ? el("span", { class: "cubed num" }, digits(state.cube.value)) : el("span"),
    el("span", { class: "time num", "data-side": side }),
    el("span", { class: "points num" }, digits(player.score ?? 0)),
  );
  tick();
}

const WORDS = {
  doubled: (s) =>
    say("{name} doubles to {n}", {
      name: nameOf(s.cube?.offered_by),
      n: digits(s.cube?.offered_value ?? ""),
    }),
  "game-over": (s) => {
    const last = (s.games || []).at(-1);
    return last
      ? say("{name} wins {n}", { name: nameOf(last.winner), n: digits(last.points) })
      : say("The game is over");
  },
  "match-over": (s) => {
    const last = (s.games || []).at(-1);
    return last
      ? say("{name} wins the match", { name: nameOf(last.winner) })
      : say("The match is over");
  },
  frozen: () => say("The director is deciding"),
  adjourned: () => say("The match is adjourned"),
  opening: () => say("Opening roll"),
  "setting-up": () => say("The game is about to begin"),
};
const nameOf = (side) => state.match.players?.[side]?.name || sideName(side);

/** The dice as they lie, where they are seen to be the roll; else none, and the roll is drawn beside the bar. */
function lying(dice) {
  const seen = (dice?.seen || []).filter((die) => !die.old && die.status === "flat");
  const faces = (values) => [...values].sort().join();
  return dice?.roll && seen.length === 2 && faces(seen.map((die) => die.value)) === faces(dice.roll)
    ? seen
    : [];
}

function foot() {
  const roll = state.dice?.roll;
  const words = WORDS[state.phase]?.(state) || "";
  const faces = (roll || []).map((value) =>
    svg(
      "svg",
      { class: "face-die", viewBox: "-30 -30 60 60", "aria-hidden": "true" },
      board.die(value, { x: 0, y: 0 }, ""),
    ),
  );
  $("foot").replaceChildren(
    ...(words ? [el("span", { dir: "auto" }, words)] : []),
    ...(faces.length
      ? [el("span", { class: "faces", role: "img", "aria-label": roll.join("-") }, faces)]
      : []),
  );
}

/** The plays of this game: the last game's belong to another board. */
const plays = () => (state.plays || []).filter((play) => play.game === state.match.game);

const dark = (side) =>
  (state.match.players?.[side]?.colour || (side === "white" ? "light" : "dark")) === "dark";

function ticker() {
  const newest = plays().slice(-4);
  $("ticker").hidden = !newest.length || !shows.includes("plays");
  $("ticker").replaceChildren(
    ...newest.map((p) =>
      el(
        "span",
        {},
        el("i", { class: dark(p.side) ? "set dark" : "set" }, dark(p.side) ? "●" : "○"),
        " ",
        el("b", {}, (p.roll || []).join("") || "–"),
        " ",
        p.text === "no play" ? say("no play") : p.text || "…",
        el("br"),
      ),
    ),
  );
}

function tick() {
  const now = skew === null ? (state?.at ?? 0) : performance.now() / 1000 + skew;
  for (const node of document.querySelectorAll(".time")) {
    const time = left(state?.clock, node.dataset.side, now);
    node.textContent = time ? format(time.bank) : "";
    node.classList.toggle("running", Boolean(time) && state.clock.running === node.dataset.side);
  }
}

if (shows.includes("picture") && !query.has("at") && !query.has("demo")) {
  // The camera's own picture beneath, as late as all else: one source for OBS instead of two.
  const look = () => {
    $("picture").src =
      `/api/v1/tables/${encodeURIComponent(context.table)}/stream.mjpg?feed=overlay`;
    $("picture").hidden = false;
  };
  // A stream never ends: begun any sooner, the page would count as loading for ever.
  if (document.readyState === "complete") look();
  else addEventListener("load", look);
}

if (query.has("demo")) {
  // Every state the overlay can show, one after the other, with no table at all.
  const list = states();
  const step = Number(query.get("demo")) || 0;
  let i = step ? step - 1 : 0;
  const show = () => {
    const [name, document_] = list[i % list.length];
    state = document_;
    $("demo-tag").hidden = false;
    $("demo-tag").textContent =
      `${say("Demo")} ${digits((i % list.length) + 1)}/${digits(list.length)} · ${name}`;
    draw();
    document.body.dataset.step = (i % list.length) + 1;
    i += 1;
  };
  show();
  if (!step) setInterval(show, 2500);
} else if (query.has("at")) {
  state = await fetch(
    `/overlay.json?table=${encodeURIComponent(context.table)}&at=${encodeURIComponent(query.get("at"))}`,
  ).then((r) => r.json());
  draw();
  document.body.dataset.seq = state.seq;
} else {
  follow(
    (found, offset) => {
      state = found;
      skew = offset;
      draw();
      document.body.dataset.seq = found.seq;
    },
    (up, told) => {
      if (told?.held_s) late(told);
    },
    "overlay",
  );
  setInterval(tick, 200);
  // A hall's screen keeps its address; which table it shows, the hall's desk says.
  if (context.screen)
    setInterval(async () => {
      const found = await fetch(
        `/api/v1/hall/overlays?screen=${encodeURIComponent(context.screen)}`,
      ).then(
        (r) => (r.ok ? r.json() : null),
        () => null,
      );
      if (found && found.table !== context.shown) location.reload();
    }, 3000);
}
