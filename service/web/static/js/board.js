// The drawn board: one SVG, redrawn from a document; checkers keep their identity so that they
// glide from where they stood.
/**
 * @import {
 *   BoardDocument, Colour, CubeDocument, DiceDocument, DrawOptions, Lights, Move, Point, SideName,
 *   StateDocument
 * } from "./types.js"
 */
import { settle, svg } from "./dom.js";
import { BAR, FIELD, FRAME, H, Layout, POINT_LENGTH, R, STEP, TRAY, W } from "./geometry.js";
import { digits, SIDES } from "./page.js";

/** A checker that is drawn, and the site where it stands as the i-th. */
/** @typedef {{ node: SVGGElement, site: number, i: number, place?: string }} Checker */

/** Where the pips of a face lie, in thirds of it. @type {Record<number, [number, number][]>} */
// prettier-ignore
const PIPS = {
  1: [[0, 0]],
  2: [[-1, -1], [1, 1]],
  3: [[-1, -1], [0, 0], [1, 1]],
  4: [[-1, -1], [1, -1], [-1, 1], [1, 1]],
  5: [[-1, -1], [1, -1], [0, 0], [-1, 1], [1, 1]],
  6: [[-1, -1], [-1, 0], [-1, 1], [1, -1], [1, 0], [1, 1]],
};

/**
 * A text of the drawing.
 * @param {string} text
 * @param {Record<string, string | number>} attributes
 */
const label = (text, attributes) => Object.assign(svg("text", attributes), { textContent: text });

/** One drawn board in an `svg` element. */
export class Board {
  /** @param {SVGSVGElement} node */
  constructor(node) {
    this.node = node;
    /** @type {Record<SideName, Checker[]>} */
    this.checkers = { white: [], black: [] };
    /** @type {Record<SideName, Colour>} */
    this.colours = { white: "light", black: "dark" };
    this.layout = new Layout(null, "white");
    node.setAttribute("viewBox", `0 0 ${W} ${H}`);
    this.layers = {
      ground: svg("g"),
      marks: svg("g"),
      checkers: svg("g"),
      dice: svg("g"),
      lamps: svg("g"),
      front: svg("g"),
    };
    node.append(...Object.values(this.layers));
    this.key = "";
  }

  /**
   * Draw a board, and what lies on it.
   * @param {BoardDocument} board
   * @param {DrawOptions} [options]
   */
  draw(board, options = {}) {
    const seat = options.seat || "white";
    this.layout = new Layout(board, seat);
    const key = [this.layout.home, this.layout.facing, seat].join();
    if (key !== this.key) this.ground(seat);
    this.key = key;
    const white = board.seating?.white || "light";
    this.colours = { white, black: white === "dark" ? "light" : "dark" };
    for (const side of SIDES) this.stand(side, board[side] || []);
    this.counts(board);
    this.marks(options.last?.(this.layout) ?? [], options.wrong, options.changed);
    this.lie(options);
    this.lamps(options.lights);
  }

  /**
   * Draw what no play changes: frame, field, trays, bar, points and their numbers.
   * @param {string} seat
   */
  ground(seat) {
    const halves = [FIELD.left, FIELD.bar + BAR].map((x) =>
      svg("rect", {
        class: "field",
        x,
        y: FIELD.top,
        width: FIELD.half,
        height: H - 2 * FRAME,
        rx: 3,
      }),
    );
    const trays = [FRAME, W - FRAME - TRAY].flatMap((x) =>
      [FIELD.top, H / 2 + 20].map((y) =>
        svg("rect", { class: "tray", x, y, width: TRAY, height: H / 2 - 20 - FRAME, rx: 6 }),
      ),
    );
    const g = this.layers.ground;
    g.replaceChildren(
      svg("rect", { class: "frame", width: W, height: H, rx: 14 }),
      ...halves,
      ...trays,
      svg("rect", { class: "bar-strip", x: FIELD.bar, y: 0, width: BAR, height: H }),
      svg("line", { class: "frame-edge", x1: W / 2, x2: W / 2, y1: 0, y2: H }),
    );
    for (let site = 1; site <= 24; site++) {
      const { x, top, column } = this.layout.point(site);
      const y = top ? FIELD.top : FIELD.bottom;
      const tip = top ? y + POINT_LENGTH : y - POINT_LENGTH;
      g.append(
        svg("path", {
          class: `pt ${(column + (top ? 1 : 0)) % 2 ? "a" : "b"}`,
          d: `M${x - STEP / 2 + 2} ${y}L${x} ${tip}L${x + STEP / 2 - 2} ${y}z`,
        }),
        label(digits(this.layout.number(site, seat)), {
          class: "num-edge",
          x,
          y: top ? FRAME / 2 + 1 : H - FRAME / 2 + 1,
        }),
      );
    }
  }

  /**
   * Move the side's checkers to where they stand: those already there stay, the rest glide.
   * @param {SideName} side
   * @param {number[]} counts
   */
  stand(side, counts) {
    const own = this.checkers[side];
    const wanted = counts.flatMap((n, site) =>
      Array.from({ length: n }, (_, i) => ({ site, i, n })),
    );
    while (own.length > wanted.length) own.pop()?.node.remove();
    const free = new Set(own);
    const open = [];
    for (const want of wanted) {
      const same = own.find((c) => free.has(c) && c.site === want.site && c.i === want.i);
      if (same) {
        free.delete(same);
        this.put(same, side, want);
      } else open.push(want);
    }
    for (const want of open) {
      let checker = free.values().next().value;
      if (checker) free.delete(checker);
      else {
        checker = { node: this.disc(), site: want.site, i: want.i };
        own.push(checker);
        this.layers.checkers.append(checker.node);
      }
      this.put(checker, side, want);
    }
  }

  /** A checker with its shadow, ring and mark, of no colour yet. */
  disc() {
    return svg(
      "g",
      { class: "ck" },
      svg("ellipse", { class: "sh", cx: 1.5, cy: 3, rx: R, ry: R }),
      svg("circle", { class: "d", r: R - 1 }),
      svg("circle", { class: "r", r: R - 9 }),
      svg("path", { class: "m", d: "M0-8L8 0 0 8-8 0z" }),
    );
  }

  /**
   * Put a checker where it stands, the i-th of n.
   * @param {Checker} checker
   * @param {SideName} side
   * @param {{ site: number, i: number, n: number }} where
   */
  put(checker, side, { site, i, n }) {
    const { x, y, flat } = this.layout.checker(side, site, i, n);
    checker.site = site;
    checker.i = i;
    const dress = `ck ${this.colours[side]}`;
    const place = `translate(${x}px, ${y}px)${flat ? " scale(0.8, 0.26)" : ""}`;
    if (checker.node.getAttribute("class") !== dress) checker.node.setAttribute("class", dress);
    if (checker.place === place) return;
    checker.place = place;
    checker.node.style.transform = place;
  }

  /**
   * Write the number on every stack too tall to count.
   * @param {BoardDocument} board
   */
  counts(board) {
    /** @type {SVGElement[]} */
    const out = [];
    for (const side of SIDES) {
      (board[side] || []).forEach((n, site) => {
        const many = site === 0 ? n > 0 : site === 25 ? n > 4 : n > 5;
        if (!many) return;
        const colour = this.colours[side];
        const own = this.layout.checker(side, site, site === 0 ? 0 : Math.min(n, 5) - 1, n);
        const x = own.x;
        const y = site === 0 ? H / 2 + (this.layout.tray(side).top ? -42 : 42) : own.y;
        out.push(
          svg("circle", { class: `count-bg ${colour}`, cx: x, cy: y, r: 18 }),
          label(digits(n), { class: `count ${colour}`, x, y: y + 1 }),
        );
      });
    }
    settle(this.layers.front, ...out);
  }

  /**
   * Rings where the last play came from and went to; dashed boxes where board and record differ.
   * @param {Move[]} last
   * @param {number[]} [wrong]
   * @param {number[]} [changed]
   */
  marks(last, wrong = [], changed = []) {
    const out = [];
    for (const { side, from, to } of last) {
      const there = this.standing(side, to);
      const here = this.standing(side, from);
      const target = this.layout.checker(side, to, Math.max(0, there - 1), there);
      const source = this.layout.checker(side, from, here, here + 1);
      if (from !== 25 && !target.flat) {
        out.push(svg("circle", { class: "left", cx: source.x, cy: source.y, r: R - 5 }));
      }
      if (!target.flat) {
        out.push(svg("circle", { class: "moved", cx: target.x, cy: target.y, r: R + 1 }));
      }
    }
    for (const site of [...wrong, ...changed]) {
      if (site < 1 || site > 24) continue;
      const { x, top } = this.layout.point(site);
      out.push(
        svg("rect", {
          class: wrong.includes(site) ? "site-mark" : "site-mark calm",
          x: x - STEP / 2 + 2,
          y: top ? FIELD.top + 2 : FIELD.bottom - POINT_LENGTH - 24,
          width: STEP - 4,
          height: POINT_LENGTH + 22,
          rx: 8,
        }),
      );
    }
    settle(this.layers.marks, ...out);
  }

  /**
   * How many checkers of a side are drawn at a site.
   * @param {SideName} side
   * @param {number} site
   */
  standing(side, site) {
    return this.checkers[side].filter((c) => c.site === site).length;
  }

  /**
   * Draw what lies on the board beside checkers: dice and cube.
   * @param {Pick<DrawOptions, "dice" | "roller" | "cube">} options
   */
  lie({ dice, roller, cube }) {
    settle(this.layers.dice, ...this.dice(dice, roller), ...this.cube(cube));
  }

  /**
   * The dice as they lie, or the roll at the roller's right.
   * @param {DiceDocument | null} [dice]
   * @param {SideName | null} [roller]
   */
  dice(dice, roller) {
    const seen = (dice?.seen || []).filter((d) => Array.isArray(d.where));
    const x = this.rightOf(roller || "white");
    const shown = seen.length
      ? seen.map((die) => {
          const problem = die.status && die.status !== "flat" ? die.status : "";
          return this.die(die.value, this.layout.spot(die.where), problem);
        })
      : (dice?.roll || []).map((value, i) => this.die(value, { x: x - 42 + i * 84, y: H / 2 }, ""));
    return shown;
  }

  /**
   * The middle of the half to the right of the bar as a side sits.
   * @param {SideName} side
   */
  rightOf(side) {
    return (this.layout.bottom(side) ? FIELD.bar + BAR : FIELD.left) + FIELD.half / 2;
  }

  /**
   * A die with its face; a problem tilts and marks it.
   * @param {number} value
   * @param {Point} centre
   * @param {string} problem
   */
  die(value, { x, y }, problem) {
    const g = svg(
      "g",
      {
        class: `die${problem ? " off" : ""}`,
        transform: `translate(${x} ${y}) rotate(${problem ? 17 : 0})`,
      },
      svg("rect", { class: "sh", x: -26, y: -23, width: 56, height: 54, rx: 11 }),
      svg("rect", { x: -28, y: -28, width: 56, height: 56, rx: 11 }),
    );
    for (const [dx, dy] of PIPS[value] || []) {
      g.append(svg("circle", { class: "pip", cx: dx * 15, cy: dy * 15, r: 5.6 }));
    }
    if (problem) {
      g.append(
        svg("circle", { class: "why", cx: 28, cy: -28, r: 15 }),
        label("!", { class: "why", x: 28, y: -27 }),
      );
    }
    return g;
  }

  /**
   * The cube where it is in use: in the centre, with its owner, or on its way to the other.
   * @param {CubeDocument | null} [cube]
   */
  cube(cube) {
    if (!cube?.in_use) return [];
    const offered = cube.offered_by;
    const at = { x: W / 2, y: H / 2 };
    if (offered) at.x = this.rightOf(offered);
    else if (cube.owner !== "centre") at.y = this.layout.bottom(cube.owner) ? H - 36 : 36;
    const shown = cube.value === 1 ? 64 : cube.value;
    const value = offered ? (cube.offered_value ?? cube.value * 2) : shown;
    const where = { class: "cube", transform: `translate(${at.x} ${at.y})` };
    if (offered) where.class += " offered";
    const box = svg("rect", { x: -26, y: -26, width: 52, height: 52, rx: 8 });
    return [svg("g", where, box, label(digits(value), { y: 1 }))];
  }

  /**
   * Draw the lamps that are lit.
   * @param {Lights | null} [lights]
   */
  lamps(lights) {
    const out = [];
    for (const [site, list] of Object.entries(lights || {})) {
      for (const { colour, pattern, side } of list) {
        for (const { x, y } of this.layout.lamps(Number(site), side)) {
          out.push(svg("circle", { class: `lampdot ${colour} ${pattern}`, cx: x, cy: y, r: 8 }));
        }
      }
    }
    settle(this.layers.lamps, ...out);
  }

  /**
   * A picture of one checker beside a player's name.
   * @param {Colour} colour
   */
  discOf(colour) {
    const g = this.disc();
    g.setAttribute("class", `ck ${colour}`);
    return svg("svg", { class: "disc", viewBox: "-32 -32 64 64", "aria-hidden": "true" }, g);
  }
}

/**
 * The newest play of the game on the board: the last game's belongs to another board.
 * @param {StateDocument} state
 */
export const lastPlay = (state) =>
  (state.plays || []).filter((play) => play.game === state.match?.game).at(-1);

/**
 * The moves of the newest play of the game on the board; none where there is none.
 * @param {StateDocument} state
 * @param {Layout} layout
 */
export function lastMoves(state, layout) {
  const last = lastPlay(state);
  return last ? movesOf(last.text, last.side, layout) : [];
}

/**
 * The moves of a play's text in White's sites: "13/8*(2) bar/24" read by the side that made it.
 * @param {string} text
 * @param {SideName} side
 * @param {Layout} layout
 */
export function movesOf(text, side, layout) {
  /** @param {string} word */
  const own = (word) =>
    word === "bar" ? 25 : word === "off" ? 0 : layout.site(Number(word), side);
  /** @type {Move[]} */
  const out = [];
  for (const part of (text || "").split(/\s+/)) {
    const stops = part
      .replace(/\(\d+\)/, "")
      .replace(/\*/g, "")
      .split("/");
    if (stops.length < 2 || stops.some((s) => !/^(\d{1,2}|bar|off)$/.test(s))) continue;
    out.push({ side, from: own(stops[0]), to: own(stops[stops.length - 1]) });
  }
  return out;
}
