// The director's wall: every table small but readable, those that need somebody first, and only
// they with words that say why.
/** @import { Card, SideName, WallFrame } from "./types.js" */
import { alarmButton, ring } from "./alarm.js";
import { Board } from "./board.js";
import { format, left } from "./clock.js";
import { byId, el, svg } from "./dom.js";
import { RETRY_MS, SILENT_MS } from "./feed.js";
import { progressWords } from "./event_words.js";
import { cardWords, fit, matterWords } from "./hall_words.js";
import { context, digits, otherSide, preference, say, sideName, SIDES } from "./page.js";

/** Phases in which somebody is on turn. */
const TURNS = ["to-roll", "moving", "pressed", "doubled", "illegal", "differs"];
const grid = byId("tables");
/** @type {Map<string, Tile>} */
const tiles = new Map();
let skew = 0; // the hall's own time = performance.now() / 1000 + skew
let tries = 0;
let heard = 0;
/** @type {WebSocket | null} */
let socket = null;
/** @type {WallFrame["hall"]} */
let hall = {};
/** The urgent matters of each table that were said aloud. @type {Map<string, string>} */
const announced = new Map();

/** One table on the wall. */
class Tile {
  /** @param {Card} card */
  constructor(card) {
    const name = card.table;
    const page = context.me.view === "staff" ? "/arbiter" : "/table";
    this.name = name;
    this.card = card;
    this.svg = svg("svg", { "aria-hidden": "true" });
    this.box = el("div", { class: "board-box mini" }, this.svg);
    this.title = el(
      "a",
      { href: `${page}?table=${encodeURIComponent(name)}` },
      el("span", { class: "hidden-text" }, say("Table"), " "),
      el("bdi", {}, name),
    );
    this.sub = el("span", { class: "sub" });
    this.matters = el("ul", { class: "matters" });
    this.lines = { black: el("p", { class: "line" }), white: el("p", { class: "line" }) };
    this.clocks = {
      black: el("span", { class: "time num" }),
      white: el("span", { class: "time num" }),
    };
    this.cube = el("span", { class: "cubed num" });
    this.node = el(
      "li",
      { class: "tile" },
      el("h2", {}, this.title, this.sub),
      this.matters,
      this.lines.black,
      el(
        "div",
        { class: "middle" },
        this.box,
        el("div", { class: "times" }, this.clocks.black, this.cube, this.clocks.white),
      ),
      this.lines.white,
    );
    /** @type {Board | null} */
    this.board = null;
  }

  /**
   * Draw what is known of the table now.
   * @param {Card} card
   */
  draw(card) {
    this.card = card;
    const set = Boolean(card.game || card.names[0] || card.names[1]);
    this.node.className = `tile need-${card.need}${card.silent ? " away" : ""}`;
    this.sub.textContent = cardWords(card);
    const list = (card.matters || []).map((m) =>
      el(
        "li",
        {},
        el("span", { "aria-hidden": "true" }, card.need > 2 ? "⚑ " : "● "),
        matterWords(m, card),
      ),
    );
    this.matters.replaceChildren(...list);
    this.matters.hidden = !list.length;
    SIDES.forEach((side, i) => this.drawLine(side, i, set));
    const cube = card.cube || [1, null];
    this.cube.textContent = cube[0] > 1 ? digits(cube[0]) : "";
    this.cube.className = `cubed num${cube[1] ? ` of-${cube[1]}` : ""}`;
    const { white, black, seating, facing } = card;
    this.box.hidden = !white;
    if (white && black) {
      this.board ||= new Board(this.svg);
      this.board.draw(
        { white, black, seating, facing },
        {
          seat: preference("seat") || "white",
          dice: { roll: card.roll, seen: [] },
          roller: card.on_roll,
        },
      );
    }
    this.tick();
  }

  /**
   * Draw a player's line: checkers, name, points.
   * @param {SideName} side
   * @param {number} i
   * @param {boolean} set whether there is a match to speak of
   */
  drawLine(side, i, set) {
    const { card } = this;
    const line = this.lines[side];
    const turn = card.on_roll === side && TURNS.includes(card.phase);
    const swapped = (card.seating.white || "light") !== "light";
    line.hidden = !set;
    line.classList.toggle("turn", turn);
    line.replaceChildren(
      el("span", {
        class: `dot ${swapped ? otherSide(side) : side}`,
        "aria-hidden": "true",
      }),
      el("bdi", { class: "name", dir: "auto" }, card.names[i] || sideName(side)),
      turn ? el("span", { class: "hidden-text" }, say("to play")) : "",
      el("span", { class: "points num" }, card.game ? digits(card.score[i]) : ""),
    );
  }

  /** Say what the clocks show now. */
  tick() {
    const card = this.card;
    const now = card.clock.as_of + (card.silent ? 0 : performance.now() / 1000 + skew - card.made);
    for (const side of SIDES) {
      const time = left(card.clock, side, now);
      const text = time ? format(time.bank) : "";
      if (this.clocks[side].textContent !== text) this.clocks[side].textContent = text;
      this.clocks[side].classList.toggle(
        "running",
        time !== null && card.clock.running === side && !card.silent,
      );
      this.clocks[side].classList.toggle("low", time !== null && time.bank < 60);
    }
  }
}

const natural = new Intl.Collator("en", { numeric: true });
/**
 * Who needs somebody sooner stands before; then by name.
 * @param {Tile} a
 * @param {Tile} b
 */
const order = (a, b) => b.card.need - a.card.need || natural.compare(a.name, b.name);

function arrange() {
  const wanted = [...tiles.values()].sort(order);
  const focused = document.activeElement;
  wanted.forEach((tile, i) => {
    if (grid.children[i] !== tile.node) grid.insertBefore(tile.node, grid.children[i] || null);
  });
  if (focused instanceof HTMLElement && focused !== document.activeElement)
    focused.focus({ preventScroll: true });
  fit(grid, tiles.size);
}

/** @param {WallFrame} frame */
function take(frame) {
  skew = frame.now - performance.now() / 1000;
  hall = frame.hall;
  for (const card of frame.cards) {
    const tile = tiles.get(card.table) || new Tile(card);
    tiles.set(card.table, tile);
    tile.draw(card);
  }
  if (frame.cards.length) arrange();
  announce(frame.cards);
  summary();
  document.body.dataset.frame = String(frame.frame);
}

/**
 * Say aloud what is new and urgent; nothing is said twice.
 * @param {Card[]} cards
 */
function announce(cards) {
  const fresh = [];
  for (const card of cards) {
    const matters = card.matters || [];
    const urgent = matters.filter((m) => m.need > 2);
    const now = urgent.map((m) => m.code).join();
    if (now && now !== announced.get(card.table) && announced.size >= tiles.size) {
      fresh.push(`${say("Table")} ${card.table}: ${matterWords(matters[0], card)}`);
    }
    announced.set(card.table, now);
  }
  if (!fresh.length) return;
  byId("say").textContent = fresh.join(". ");
  ring(fresh.join(". "));
}

if (context.me.view === "staff") byId("alarm").append(alarmButton());

function summary() {
  const cards = [...tiles.values()].map((t) => t.card);
  const need = cards.filter((c) => c.need > 0).length;
  const away = cards.filter((c) => c.silent).length;
  const told = hall.event ? progressWords(hall.event) : "";
  const parts = [
    told,
    cards.length === 1 ? say("1 table") : say("{n} tables", { n: digits(cards.length) }),
  ].filter(Boolean);
  if (context.me.view === "staff")
    parts.push(
      need > 1
        ? say("{n} need somebody", { n: digits(need) })
        : need
          ? say("1 needs somebody")
          : say("nobody needs help"),
    );
  if (away) parts.push(say("{n} not heard", { n: digits(away) }));
  byId("summary").textContent = parts.join(" · ");
  byId("nobody").hidden = cards.length > 0;
  const behind = hall.behind ?? 0;
  const problem = hall.problem
    ? say(
        "The hall does not follow its tables now: what is shown may be older. They play on, " +
          "and nothing is lost.",
      )
    : behind > 200
      ? say("The hall is catching up: {n} messages to read.", { n: digits(behind) })
      : "";
  byId("hall-problem").hidden = !problem;
  const detail = hall.problem && context.language === "en" ? `(${hall.problem})` : "";
  byId("hall-problem").textContent = problem ? `${problem} ${detail}` : "";
}

/** @param {boolean} up */
function link(up) {
  const chip = byId("link");
  chip.classList.add("bad");
  chip.textContent = up ? "" : say("No connection: reconnecting");
  chip.hidden = up;
}

function open() {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  socket = new WebSocket(`${scheme}://${location.host}/api/v1/hall/live`);
  heard = performance.now();
  socket.onmessage = (event) => {
    heard = performance.now();
    tries = 0;
    link(true);
    take(JSON.parse(event.data));
  };
  socket.onclose = () => {
    link(false);
    setTimeout(open, RETRY_MS[Math.min(tries++, RETRY_MS.length - 1)]);
  };
}
open();
setInterval(() => {
  const dead = performance.now() - heard > SILENT_MS;
  if (socket?.readyState === WebSocket.OPEN && dead) socket.close();
}, 2000);
setInterval(() => {
  for (const tile of tiles.values()) if (tile.card.clock.running) tile.tick();
}, 500);
addEventListener("resize", () => fit(grid, tiles.size));
document.addEventListener("look", () => {
  for (const tile of tiles.values()) tile.draw(tile.card);
});
