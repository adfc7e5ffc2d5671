// Where things lie on the drawn board. Geometric points as in the data: 1 = south-east,
// 12 = south-west, 13 = north-west, 24 = north-east.
/** @import { BoardDocument, Point, SideName } from "./types.js" */

export const W = 1028;
export const H = 714;
export const R = 30;
export const FRAME = 26;
export const BAR = 60;
export const TRAY = 62;
export const STEP = 64;
export const POINT_LENGTH = 282;
const HALF = 384;
const GAP = 12;
const LEFT = FRAME + TRAY + GAP; // left edge of the field
export const FIELD = {
  left: LEFT,
  right: LEFT + 2 * HALF + BAR,
  top: FRAME,
  bottom: H - FRAME,
  bar: LEFT + HALF,
  barWidth: BAR,
  half: HALF,
};

/**
 * The geometric point of White's site number (each seating is its own inverse).
 * @param {number} site
 * @param {string} home
 */
export function geometric(site, home) {
  switch (home) {
    case "south-west":
      return site <= 12 ? 13 - site : 37 - site;
    case "north-west":
      return ((site + 11) % 24) + 1;
    case "north-east":
      return 25 - site;
    default:
      return site;
  }
}

/**
 * The same point as seen from the other side of the table.
 * @param {number} g
 */
const turned = (g) => ((g + 11) % 24) + 1;

/** Where sites, checkers, trays and lamps lie for one seating, seen from one seat. */
export class Layout {
  /**
   * @param {Partial<BoardDocument> | null | undefined} board
   * @param {string} seat who sits at the bottom of the page: "white" or "black"
   */
  constructor(board, seat) {
    /** @type {string} */
    this.home = board?.seating?.home || "south-east";
    this.facing = board?.facing || "mirror";
    // White sits where White's home is: in the south unless the home corner is a northern one.
    const whiteSouth = this.home.startsWith("south");
    this.flip = (seat === "white") !== whiteSouth;
  }

  /**
   * The geometric point where a site is drawn.
   * @param {number} site
   */
  place(site) {
    const g = geometric(site, this.home);
    return this.flip ? turned(g) : g;
  }

  /**
   * Centre x of a point, whether it hangs from the top, and its column from the left.
   * @param {number} site
   */
  point(site) {
    const g = this.place(site);
    const top = g > 12;
    const column = top ? g - 13 : 12 - g; // 0 = leftmost
    return { x: FIELD.left + STEP / 2 + column * STEP + (column > 5 ? BAR : 0), top, column };
  }

  /**
   * Whether a side sits at the bottom of the page.
   * @param {SideName} side
   */
  bottom(side) {
    const whiteBottom = this.home.startsWith("south") !== this.flip;
    return (side === "white") === whiteBottom;
  }

  /**
   * A side's own number of one of White's points.
   * @param {number} site
   * @param {string} side
   */
  number(site, side) {
    if (side === "white") return site;
    return this.facing === "rotate" ? ((site + 11) % 24) + 1 : 25 - site;
  }

  /**
   * White's number of a side's own point.
   * @param {number} number
   * @param {SideName} side
   */
  site(number, side) {
    return this.number(number, side); // both maps are their own inverse
  }

  /**
   * Centre of a checker, the i-th of n at a site of a side; `flat` where it lies in a tray.
   * @param {SideName} side
   * @param {number} site
   * @param {number} i
   * @param {number} n
   * @returns {Point & { flat?: boolean }}
   */
  checker(side, site, i, n) {
    if (site === 25) {
      const x = FIELD.bar + BAR / 2;
      const up = this.bottom(side); // a hit checker waits on the side where it enters
      const step = n > 4 ? 150 / (n - 1) : 2 * R + 2;
      return up ? { x, y: H / 2 - 62 - i * step } : { x, y: H / 2 + 62 + i * step };
    }
    if (site === 0) {
      const { x, top } = this.tray(side);
      return { x, y: top ? FIELD.top + 12 + i * 18 : FIELD.bottom - 12 - i * 18, flat: true };
    }
    const { x, top } = this.point(site);
    const away = R + 1 + Math.min(i, 4) * (2 * R - 4);
    return { x, y: top ? FIELD.top + away : FIELD.bottom - away };
  }

  /**
   * The tray where a side's borne-off checkers lie: beside its own 1-point.
   * @param {SideName} side
   */
  tray(side) {
    const { column, top } = this.point(this.site(1, side));
    return { x: column > 5 ? W - FRAME - TRAY / 2 : FRAME + TRAY / 2, top };
  }

  /**
   * Where a site's lamps sit: a point's at its edge, the bar's in the half before each side, the
   * trays' beside both.
   * @param {number} site
   * @param {SideName | null} side
   * @returns {Point[]}
   */
  lamps(site, side) {
    if (site === 25) {
      /** @type {SideName[]} */
      const sides = side ? [side] : ["white", "black"];
      return sides.map((s) => ({ x: W / 2, y: this.bottom(s) ? H - 13 : 13 }));
    }
    if (site === 0) {
      const x = FRAME + TRAY / 2;
      return [
        { x, y: H / 2 },
        { x: W - x, y: H / 2 },
      ];
    }
    const { x, top } = this.point(site);
    return [{ x, y: top ? FIELD.top + 3 : FIELD.bottom - 3 }];
  }

  /**
   * The place on the page of fractions of the camera's upright board picture.
   * @param {readonly [number, number]} where
   * @returns {Point}
   */
  spot([u, v]) {
    const [x, y] = this.flip ? [1 - u, 1 - v] : [u, v];
    return {
      x: FIELD.left + x * (FIELD.right - FIELD.left),
      y: FIELD.top + y * (FIELD.bottom - FIELD.top),
    };
  }
}
