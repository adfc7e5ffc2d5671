// The drawn board: one SVG, redrawn from a document; checkers keep their identity so that they glide from where they stood.
import { BAR, FIELD, FRAME, H, Layout, POINT_LENGTH, R, STEP, TRAY, W } from "./geometry.js";
import { digits } from "./page.js";

const NS = "http://www.w3.org/2000/svg";
export function svg(name, attributes = {}, ...children) {
  const node = document.createElementNS(NS, name);
  for (const [key, value] of Object.entries(attributes))
    if (value !== null && value !== undefined) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

const PIPS = {
  1: [[0, 0]],
  2: [
    [-1, -1],
    [1, 1],
  ],
  3: [
    [-1, -1],
    [0, 0],
    [1, 1],
  ],
  4: [
    [-1, -1],
    [1, -1],
    [-1, 1],
    [1, 1],
  ],
  5: [
    [-1, -1],
    [1, -1],
    [0, 0],
    [-1, 1],
    [1, 1],
  ],
  6: [
    [-1, -1],
    [-1, 0],
    [-1, 1],
    [1, -1],
    [1, 0],
    [1, 1],
  ],
};

export class Board {
  constructor(node) {
    this.node = node;
    this.checkers = { white: [], black: [] };
    node.setAttribute("viewBox", `0 0 ${W} ${H}`);
    this.layers = {};
    for (const name of ["ground", "marks", "checkers", "dice", "lamps", "front"])
      node.append((this.layers[name] = svg("g")));
    this.key = "";
  }

  /** board: {white, black, seating, facing}; options: seat, dice, cube, last (moves of the last play), lights, wrong (sites that differ). */
  draw(board, options = {}) {
    const seat = options.seat || "white";
    this.layout = new Layout(board, seat);
    const key = [this.layout.home, this.layout.facing, seat].join();
    if (key !== this.key) this.ground(seat);
    this.key = key;
    this.colours = {
      white: board.seating?.white || "light",
      black: board.seating?.white === "dark" ? "light" : "dark",
    };
    for (const side of ["white", "black"]) this.stand(side, board[side] || []);
    this.counts(board);
    this.marks(options.last, options.wrong);
    this.dice(options.dice, options.roller);
    this.cube(options.cube);
    this.lamps(options.lights);
  }

  ground(seat) {
    const g = this.layers.ground;
    g.replaceChildren(
      svg("rect", { class: "frame", width: W, height: H, rx: 14 }),
      ...[FIELD.left, FIELD.bar + BAR].map((x) =>
        svg("rect", {
          class: "field",
          x,
          y: FIELD.top,
          width: FIELD.half,
          height: H - 2 * FRAME,
          rx: 3,
        }),
      ),
      ...[FRAME, W - FRAME - TRAY].flatMap((x) =>
        [FIELD.top, H / 2 + 20].map((y) =>
          svg("rect", { class: "tray", x, y, width: TRAY, height: H / 2 - 20 - FRAME, rx: 6 }),
        ),
      ),
      svg("rect", { class: "bar-strip", x: FIELD.bar, y: 0, width: BAR, height: H }),
      svg("line", { class: "frame-edge", x1: W / 2, x2: W / 2, y1: 0, y2: H }),
    );
    for (let site = 1; site <= 24; site++) {
      const { x, top, column } = this.layout.point(site);
      const y = top ? FIELD.top : FIELD.bottom,
        tip = top ? y + POINT_LENGTH : y - POINT_LENGTH;
      g.append(
        svg("path", {
          class: `pt ${(column + (top ? 1 : 0)) % 2 ? "a" : "b"}`,
          d: `M${x - STEP / 2 + 2} ${y}L${x} ${tip}L${x + STEP / 2 - 2} ${y}z`,
        }),
        Object.assign(
          svg("text", { class: "num-edge", x, y: top ? FRAME / 2 + 1 : H - FRAME / 2 + 1 }),
          { textContent: digits(this.layout.number(site, seat)) },
        ),
      );
    }
  }

  /** Move the side's checkers to where they stand: those already there stay, the rest glide. */
  stand(side, counts) {
    const own = this.checkers[side];
    const wanted = [];
    counts.forEach((n, site) => {
      for (let i = 0; i < n; i++) wanted.push({ site, i, n });
    });
    while (own.length > wanted.length) own.pop().node.remove();
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
        checker = { node: this.disc() };
        own.push(checker);
        this.layers.checkers.append(checker.node);
      }
      this.put(checker, side, want);
    }
  }

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

  put(checker, side, { site, i, n }) {
    const { x, y, flat } = this.layout.checker(side, site, i, n);
    checker.site = site;
    checker.i = i;
    checker.node.setAttribute("class", `ck ${this.colours[side]}`);
    checker.node.style.transform = `translate(${x}px,${y}px)${flat ? " scale(.8,.26)" : ""}`;
  }

  counts(board) {
    const out = [];
    for (const side of ["white", "black"]) {
      (board[side] || []).forEach((n, site) => {
        const many = site === 0 ? n > 0 : site === 25 ? n > 4 : n > 5;
        if (!many) return;
        const colour = this.colours[side];
        const own = this.layout.checker(side, site, site === 0 ? 0 : Math.min(n, 5) - 1, n);
        const x = own.x;
        const y = site === 0 ? H / 2 + (this.layout.tray(side).top ? -42 : 42) : own.y;
        out.push(
          svg("circle", { class: `count-bg ${colour}`, cx: x, cy: y, r: 18 }),
          Object.assign(svg("text", { class: `count ${colour}`, x, y: y + 1 }), {
            textContent: digits(n),
          }),
        );
      });
    }
    this.layers.front.replaceChildren(...out);
  }

  /** Rings where the last play came from and went to; dashed boxes where board and record differ. */
  marks(last, wrong) {
    const out = [];
    for (const { side, from, to } of last || []) {
      const target = this.layout.checker(
        side,
        to,
        Math.max(0, this.standing(side, to) - 1),
        this.standing(side, to),
      );
      const source = this.layout.checker(
        side,
        from,
        this.standing(side, from),
        this.standing(side, from) + 1,
      );
      if (from !== 25 && !target.flat)
        out.push(svg("circle", { class: "left", cx: source.x, cy: source.y, r: R - 5 }));
      if (!target.flat)
        out.push(svg("circle", { class: "moved", cx: target.x, cy: target.y, r: R + 1 }));
    }
    for (const site of wrong || []) {
      if (site < 1 || site > 24) continue;
      const { x, top } = this.layout.point(site);
      out.push(
        svg("rect", {
          class: "site-mark",
          x: x - STEP / 2 + 2,
          y: top ? FIELD.top + 2 : FIELD.bottom - POINT_LENGTH - 24,
          width: STEP - 4,
          height: POINT_LENGTH + 22,
          rx: 8,
        }),
      );
    }
    this.layers.marks.replaceChildren(...out);
  }

  standing(side, site) {
    return this.checkers[side].filter((c) => c.site === site).length;
  }

  dice(dice, roller) {
    const out = [];
    const seen = (dice?.seen || []).filter((d) => Array.isArray(d.where));
    if (seen.length)
      for (const die of seen)
        out.push(
          this.die(
            die.value,
            this.layout.spot(die.where),
            die.status && die.status !== "flat" ? die.status : "",
          ),
        );
    else if (dice?.roll) {
      // To the right of the bar as the roller sits.
      const right = this.layout.bottom(roller || "white");
      const x = right ? FIELD.bar + BAR + FIELD.half / 2 : FIELD.left + FIELD.half / 2;
      dice.roll.forEach((value, i) =>
        out.push(this.die(value, { x: x - 42 + i * 84, y: H / 2 }, "")),
      );
    }
    this.layers.dice.replaceChildren(...out);
  }

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
    for (const [dx, dy] of PIPS[value] || [])
      g.append(svg("circle", { class: "pip", cx: dx * 15, cy: dy * 15, r: 5.6 }));
    if (problem)
      g.append(
        svg("circle", { class: "why", cx: 28, cy: -28, r: 15 }),
        Object.assign(svg("text", { class: "why", x: 28, y: -27, style: null }), {
          textContent: "!",
        }),
      );
    return g;
  }

  cube(cube) {
    if (!cube?.in_use) return;
    const x = W / 2;
    const offered = cube.offered_by;
    const at = offered
      ? {
          x: this.layout.bottom(offered)
            ? FIELD.bar + BAR + FIELD.half / 2
            : FIELD.left + FIELD.half / 2,
          y: H / 2,
        }
      : { x, y: cube.owner === "centre" ? H / 2 : this.layout.bottom(cube.owner) ? H - 36 : 36 };
    const value = offered
      ? (cube.offered_value ?? cube.value * 2)
      : cube.value === 1
        ? 64
        : cube.value;
    this.layers.dice.append(
      svg(
        "g",
        { class: `cube${offered ? " offered" : ""}`, transform: `translate(${at.x} ${at.y})` },
        svg("rect", { x: -26, y: -26, width: 52, height: 52, rx: 8 }),
        Object.assign(svg("text", { y: 1 }), { textContent: digits(value) }),
      ),
    );
  }

  lamps(lights) {
    const out = [];
    for (const [site, list] of Object.entries(lights || {})) {
      for (const { colour, pattern, side } of list)
        for (const { x, y } of this.layout.lamps(Number(site), side))
          out.push(svg("circle", { class: `lampdot ${colour} ${pattern}`, cx: x, cy: y, r: 8 }));
    }
    this.layers.lamps.replaceChildren(...out);
  }
}

/** The newest play of the game on the board: the last game's belongs to another board. */
export const lastPlay = (state) =>
  (state.plays || []).filter((play) => play.game === state.match?.game).at(-1);

/** The moves of a play's text as {side, from, to} in White's sites: "13/8*(2) bar/24" read by the side that made it. */
export function movesOf(text, side, layout) {
  const own = (word) =>
    word === "bar" ? 25 : word === "off" ? 0 : layout.site(Number(word), side);
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
