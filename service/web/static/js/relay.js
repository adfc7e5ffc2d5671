// The public page of all tables: plain files of one web host, asked again and again; nothing of the
// club is asked. Whoever likes watches later than he could, or stops.
/** @import { RelayedMatch, SideName, StateDocument } from "./types.js" */
import { Board } from "./board.js";
import { format, left } from "./clock.js";
import { byId, el, svg, write } from "./dom.js";
import { digits, playerName, prefer, preference, say, SIDES } from "./page.js";
import { matchWords } from "./prompts.js";

const LOOK_MS = 2000;
/** What a viewer may go back to, in milliseconds, and a little more. */
const KEPT_MS = 630_000;
const grid = byId("tables");
const lag = byId("lag", HTMLInputElement);
/** @type {Map<string, Tile>} */
const tiles = new Map();
/** When the viewer stopped the picture, in ms of the page. @type {number | null} */
let stopped = null;

/** The moment that is looked at, in milliseconds of the page. */
const moment = () => stopped ?? performance.now() - Number(lag.value) * 1000;
const followed = () => preference("followed").split(" ").filter(Boolean);

/** One table, and what was heard of it. */
class Tile {
  /** @param {string} name */
  constructor(name) {
    this.name = name;
    this.version = 0;
    this.asked = 0;
    /** @type {RelayedMatch[]} */
    this.over = [];
    /** @type {{ heard: number, state: StateDocument }[]} */
    this.heard = [];
    /** @type {StateDocument | null} */
    this.drawn = null;
    this.svg = svg("svg", { role: "img", "aria-label": say("Board") });
    this.board = new Board(this.svg);
    this.sub = el("span", { class: "sub" });
    this.star = el("button", { type: "button", class: "ghost", onclick: () => this.follow() }, "☆");
    this.lines = { black: el("p", { class: "line" }), white: el("p", { class: "line" }) };
    this.clocks = {
      black: el("span", { class: "time num" }),
      white: el("span", { class: "time num" }),
    };
    this.node = el(
      "li",
      { class: "tile", "data-table": name },
      el("h2", {}, el("bdi", {}, name), this.sub, this.star),
      this.lines.black,
      el("div", { class: "middle" }, el("div", { class: "board-box mini" }, this.svg)),
      this.lines.white,
    );
    this.mark();
  }

  /** Follow this table, or no longer: those that are followed stand first. */
  follow() {
    const others = followed().filter((name) => name !== this.name);
    prefer("followed", (this.followed ? others : [...others, this.name]).join(" "));
    this.mark();
    arrange();
  }

  mark() {
    this.followed = followed().includes(this.name);
    this.star.setAttribute("aria-pressed", String(this.followed));
    this.star.setAttribute("aria-label", say("Follow table {name}", { name: this.name }));
    write(this.star, this.followed ? "★" : "☆");
  }

  /** @param {StateDocument} state */
  take(state) {
    const now = performance.now();
    this.heard.push({ heard: now, state });
    while (this.heard.length > 1 && this.heard[1].heard < now - KEPT_MS) this.heard.shift();
  }

  /** Draw what was known at the moment that is looked at. */
  draw() {
    const now = moment();
    const found = this.heard.findLast((each) => each.heard <= now) ?? this.heard[0];
    if (!found) return;
    const { state } = found;
    if (state !== this.drawn) {
      this.drawn = state;
      const { match } = state;
      write(this.sub, match.ruleset ? matchWords(state) : say("No match yet"));
      for (const side of SIDES) this.drawLine(side, state);
      this.board.draw(state.board, {
        seat: preference("seat") || "white",
        dice: { ...state.dice, seen: [] },
        roller: state.on_roll,
        cube: state.cube,
      });
    }
    const at = state.at + Math.max(0, now - found.heard) / 1000;
    for (const side of SIDES) {
      const time = left(state.clock, side, at);
      write(this.clocks[side], time ? format(time.bank) : "");
      this.clocks[side].classList.toggle("running", state.clock.running === side);
    }
  }

  /**
   * @param {SideName} side
   * @param {StateDocument} state
   */
  drawLine(side, state) {
    const line = this.lines[side];
    line.classList.toggle("turn", state.on_roll === side);
    line.replaceChildren(
      el("span", { class: `dot ${side}`, "aria-hidden": "true" }),
      el("bdi", { class: "name", dir: "auto" }, playerName(state, side)),
      this.clocks[side],
      el("span", { class: "points num" }, digits(state.match.players[side].score)),
    );
  }
}

const natural = new Intl.Collator("en", { numeric: true });

function arrange() {
  const wanted = [...tiles.values()].sort(
    (a, b) => Number(b.followed) - Number(a.followed) || natural.compare(a.name, b.name),
  );
  wanted.forEach((tile, i) => {
    if (grid.children[i] !== tile.node) grid.insertBefore(tile.node, grid.children[i] || null);
  });
  byId("nobody").hidden = wanted.length > 0;
  write(
    byId("summary"),
    wanted.length === 1 ? say("1 table") : say("{n} tables", { n: digits(wanted.length) }),
  );
}

/**
 * The newest of a file of this host.
 * @template T
 * @param {string} path
 * @returns {Promise<T>}
 */
const file = (path) =>
  fetch(path, { cache: "no-cache" }).then((r) => (r.ok ? r.json() : Promise.reject(r.status)));

async function look() {
  try {
    /** @type {{ tables: { name: string, version: number, matches: boolean }[] }} */
    const { tables } = await file("/tables.json");
    await Promise.all(tables.map(take));
    if (tables.length !== grid.children.length) arrange();
  } catch {
    // The host does not answer, or nothing is there yet: what is shown stays.
  }
  byId("nobody").hidden = tiles.size > 0;
  setTimeout(look, LOOK_MS);
}

/** @param {{ name: string, version: number, matches: boolean }} told */
async function take({ name, version, matches }) {
  const tile = tiles.get(name) ?? new Tile(name);
  tiles.set(name, tile);
  if (version !== tile.version) {
    tile.take(await file(`/tables/${name}.json?v=${version}`));
    tile.version = version;
  }
  if (matches && performance.now() > tile.asked) {
    tile.asked = performance.now() + 30_000;
    /** @type {{ matches: RelayedMatch[] }} */
    const over = await file(`/matches/${name}.json`);
    tile.over = over.matches;
    drawMatches();
  }
}

function drawMatches() {
  const rows = [...tiles.values()].flatMap((tile) =>
    tile.over.map((match) =>
      el(
        "li",
        {},
        el("bdi", {}, tile.name),
        " · ",
        el("bdi", {}, match.white || say("White")),
        ` ${digits(match.white_score)}–${digits(match.black_score)} `,
        el("bdi", {}, match.black || say("Black")),
        " · ",
        Object.entries(match.files).map(([kind, path]) => [
          el("a", { href: path, download: true, dir: "ltr" }, `.${kind}`),
          " ",
        ]),
      ),
    ),
  );
  byId("over").hidden = !rows.length;
  byId("matches").replaceChildren(...rows);
}

function drawAll() {
  const late = Math.round((performance.now() - moment()) / 1000);
  write(byId("late"), late ? say("{n} s", { n: digits(late) }) : say("As it comes"));
  for (const tile of tiles.values()) tile.draw();
}

byId("pause").addEventListener("click", () => {
  stopped = stopped === null ? moment() : null;
  byId("pause").setAttribute("aria-pressed", String(stopped !== null));
  write(byId("pause"), stopped === null ? say("Pause") : say("Go on"));
});
look();
setInterval(drawAll, 500);
