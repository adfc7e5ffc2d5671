// The director's wall: every table small but readable, those that need somebody first, and only they with words that say why.
import { Board } from "./board.js";
import { format, left } from "./clock.js";
import { context, digits, el, preference, say, sideName } from "./page.js";
import { cardWords, fit, matterWords } from "./hall_words.js";

const $ = (id) => document.getElementById(id);
const RETRY_MS = [250, 500, 1000, 2000, 4000];
const SILENT_MS = 15000;
const grid = $("tables");
const tiles = new Map();
let skew = 0; // the hall's own time = performance.now() / 1000 + skew
let tries = 0;
let heard = 0;
let socket = null;
let about = {};
const told = new Map();

class Tile {
  constructor(name) {
    this.name = name;
    this.svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    this.svg.setAttribute("aria-hidden", "true");
    this.title = el(
      "a",
      {
        href: `${context.me.view === "staff" ? "/arbiter" : "/table"}?table=${encodeURIComponent(name)}`,
      },
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
        el("div", { class: "board-box mini" }, this.svg),
        el("div", { class: "times" }, this.clocks.black, this.cube, this.clocks.white),
      ),
      this.lines.white,
    );
    this.board = null;
  }

  draw(card) {
    this.card = card;
    const on = Boolean(card.white),
      set = Boolean(card.game || card.names[0] || card.names[1]);
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
    for (const [i, side] of [
      [0, "white"],
      [1, "black"],
    ]) {
      this.lines[side].hidden = !set;
      const turn =
        card.on_roll === side &&
        ["to-roll", "moving", "pressed", "doubled", "illegal", "differs"].includes(card.phase);
      this.lines[side].classList.toggle("turn", turn);
      this.lines[side].replaceChildren(
        el("span", {
          class: `dot ${(card.seating.white || "light") === "light" ? side : side === "white" ? "black" : "white"}`,
          "aria-hidden": "true",
        }),
        el("bdi", { class: "name", dir: "auto" }, card.names[i] || sideName(side)),
        turn ? el("span", { class: "hidden-text" }, say("to play")) : "",
        el("span", { class: "points num" }, card.game ? digits(card.score[i]) : ""),
      );
    }
    const cube = card.cube || [1, null];
    this.cube.textContent = cube[0] > 1 ? digits(cube[0]) : "";
    this.cube.className = `cubed num${cube[1] ? ` of-${cube[1]}` : ""}`;
    this.svg.parentNode.hidden = !on;
    if (on) {
      this.board ||= new Board(this.svg);
      this.board.draw(
        { white: card.white, black: card.black, seating: card.seating, facing: card.facing },
        {
          seat: preference("seat") || "white",
          dice: { roll: card.roll, seen: [] },
          roller: card.on_roll,
        },
      );
    }
    this.tick();
  }

  tick() {
    const card = this.card;
    const now = card.clock.as_of + (card.silent ? 0 : performance.now() / 1000 + skew - card.made);
    for (const side of ["white", "black"]) {
      const time = left(card.clock, side, now);
      const text = time ? format(time.bank) : "";
      if (this.clocks[side].textContent !== text) this.clocks[side].textContent = text;
      this.clocks[side].classList.toggle(
        "running",
        Boolean(time) && card.clock.running === side && !card.silent,
      );
      this.clocks[side].classList.toggle("low", Boolean(time) && time.bank < 60);
    }
  }
}

const natural = new Intl.Collator("en", { numeric: true });
const order = (a, b) => b.card.need - a.card.need || natural.compare(a.name, b.name);

function arrange() {
  const wanted = [...tiles.values()].sort(order);
  const focused = document.activeElement;
  wanted.forEach((tile, i) => {
    if (grid.children[i] !== tile.node) grid.insertBefore(tile.node, grid.children[i] || null);
  });
  if (focused && focused !== document.activeElement) focused.focus({ preventScroll: true });
  fit(grid, wanted.length);
}

function took(frame) {
  skew = frame.now - performance.now() / 1000;
  about = frame.hall;
  for (const card of frame.cards) {
    if (!tiles.has(card.table)) tiles.set(card.table, new Tile(card.table));
    tiles.get(card.table).draw(card);
  }
  if (frame.cards.length) arrange();
  announce(frame.cards);
  summary();
  document.body.dataset.frame = frame.frame;
}

/** Say aloud what is new and urgent; nothing is said twice. */
function announce(cards) {
  const fresh = [];
  for (const card of cards) {
    const now = (card.matters || [])
      .filter((m) => m.need > 2)
      .map((m) => m.code)
      .join();
    if (now && now !== told.get(card.table) && told.size >= tiles.size)
      fresh.push(`${say("Table")} ${card.table}: ${matterWords(card.matters[0], card)}`);
    told.set(card.table, now);
  }
  if (fresh.length) $("say").textContent = fresh.join(". ");
}

function summary() {
  const cards = [...tiles.values()].map((t) => t.card);
  const need = cards.filter((c) => c.need > 0).length,
    away = cards.filter((c) => c.silent).length;
  const parts = [say("{n} tables", { n: digits(cards.length) })];
  if (context.me.view === "staff")
    parts.push(need ? say("{n} need somebody", { n: digits(need) }) : say("nobody needs help"));
  if (away) parts.push(say("{n} not heard", { n: digits(away) }));
  $("summary").textContent = parts.join(" · ");
  $("nobody").hidden = cards.length > 0;
  const problem = about.problem
    ? say(
        "The hall does not follow its tables now: what is shown may be older. They play on, and nothing is lost.",
      )
    : about.behind > 200
      ? say("The hall is catching up: {n} messages to read.", { n: digits(about.behind) })
      : "";
  $("hall-problem").hidden = !problem;
  $("hall-problem").textContent = problem
    ? [problem, about.problem && context.language === "en" ? `(${about.problem})` : ""].join(" ")
    : "";
}

function link(up) {
  const chip = $("link");
  chip.classList.add("bad");
  chip.textContent = up ? "" : say("No connection: reconnecting");
  chip.hidden = up;
}

function open() {
  socket = new WebSocket(
    `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/v1/hall/live`,
  );
  heard = performance.now();
  socket.onmessage = (event) => {
    heard = performance.now();
    tries = 0;
    link(true);
    took(JSON.parse(event.data));
  };
  socket.onclose = () => {
    link(false);
    setTimeout(open, RETRY_MS[Math.min(tries++, RETRY_MS.length - 1)]);
  };
}
open();
setInterval(() => {
  if (socket?.readyState === WebSocket.OPEN && performance.now() - heard > SILENT_MS)
    socket.close();
}, 2000);
setInterval(() => {
  for (const tile of tiles.values()) if (tile.card.clock.running) tile.tick();
}, 500);
addEventListener("resize", () => fit(grid, tiles.size));
document.addEventListener("look", () => {
  for (const tile of tiles.values()) tile.draw(tile.card);
});
