// A board whose checkers can be moved by hand.
/** @import { BoardDocument, Placement, SideName } from "./types.js" */
import { Board } from "./board.js";
import { svg } from "./dom.js";
import { FIELD, H, POINT_LENGTH, R, STEP } from "./geometry.js";
import { digits, otherSide, preference, say, sideName, SIDES } from "./page.js";

/**
 * A board document with checkers of its own.
 * @param {BoardDocument} board
 * @returns {BoardDocument}
 */
export const copy = (board) => ({ ...board, white: [...board.white], black: [...board.black] });

/**
 * Whether the same checkers stand on the same sites.
 * @param {Placement} a
 * @param {Placement} b
 */
export const isSame = (a, b) => SIDES.every((side) => a[side].every((n, i) => n === b[side][i]));

/** A board whose checkers can be taken up and put down, by pointer and by keyboard. */
export class Editor {
  /**
   * @param {BoardDocument} start where starting over leads
   * @param {BoardDocument} shown
   * @param {SideName} side whose own numbers the points have
   */
  constructor(start, shown, side) {
    this.start = copy(start);
    this.side = side;
    this.node = svg("svg", { class: "drawn" });
    this.drawn = new Board(this.node);
    /** What is tapped at each site. @type {Map<number, SVGElement>} */
    this.areas = new Map();
    this.layer = svg("g");
    this.node.append(this.layer);
    this.board = copy(shown);
    this.touched = !isSame(start, shown);
    /** The checker that was taken up. @type {{ site: number, side: SideName } | null} */
    this.from = null;
    /** Whether nothing is hit: every checker goes where it is put. */
    this.free = false;
    this.onchange = () => {};
    this.draw();
    this.build();
  }

  /**
   * Show a placement as if it had been made by hand.
   * @param {Placement} placement
   */
  set(placement) {
    this.board = copy({ ...this.board, ...placement });
    this.touched = true;
    this.from = null;
    this.draw();
  }

  /** Start over. */
  reset() {
    this.board = copy(this.start);
    this.touched = false;
    this.from = null;
    this.draw();
  }

  /** Draw board and areas anew. */
  draw() {
    this.drawn.draw(this.board, { seat: preference("seat") || "white" });
    for (const [site, area] of this.areas) {
      area.classList.toggle("from", site === this.from?.site);
      area.setAttribute("aria-label", this.name(site));
    }
  }

  /**
   * A site and what stands there, in words.
   * @param {number} site
   */
  name(site) {
    const parts = SIDES.filter((s) => this.board[s][site]).map(
      (s) => `${digits(this.board[s][site])} ${sideName(s)}`,
    );
    const where =
      site === 25
        ? say("bar")
        : site === 0
          ? say("tray")
          : say("point {n}", { n: digits(this.drawn.layout.number(site, this.side)) });
    return `${where}: ${parts.join(", ") || say("empty")}`;
  }

  /** Lay an area to tap over every site, in the order in which a keyboard walks them. */
  build() {
    const layout = this.drawn.layout;
    /**
     * @param {number} site
     * @param {Record<"x" | "y" | "width" | "height", number>} box
     */
    const add = (site, box) => {
      const area = svg("rect", {
        class: "hit-area",
        ...box,
        rx: 8,
        tabindex: 0,
        role: "button",
      });
      area.setAttribute("aria-label", this.name(site));
      area.addEventListener("click", () => this.tap(site));
      area.addEventListener("keydown", (e) => {
        if (e.key === "Enter" || e.key === " ") {
          e.preventDefault();
          this.tap(site);
        }
      });
      this.areas.set(site, area);
      this.layer.append(area);
    };
    for (let number = 24; number >= 1; number--) {
      const site = layout.site(number, this.side);
      const { x, top } = layout.point(site);
      const height = POINT_LENGTH + 20;
      const y = top ? FIELD.top : FIELD.bottom - height;
      add(site, { x: x - STEP / 2, y, width: STEP, height });
    }
    const bar = { x: FIELD.bar, y: FIELD.top, width: FIELD.barWidth, height: H - 2 * FIELD.top };
    add(25, bar);
    const { x, top } = layout.tray(this.side);
    const y = top ? FIELD.top : H / 2 + 20;
    add(0, { x: x - R, y, width: 2 * R, height: H / 2 - 20 - FIELD.top });
  }

  /**
   * Take a checker up from a site, or put the one that was taken up down there.
   * @param {number} site
   */
  tap(site) {
    if (!this.from) {
      const side = [this.side, otherSide(this.side)].find((s) => this.board[s][site]);
      if (side) this.from = { site, side };
    } else {
      const { site: from, side } = this.from;
      this.from = null;
      if (from !== site) {
        this.board[side][from] -= 1;
        this.board[side][site] += 1;
        const them = otherSide(side);
        // A lone checker that is landed on goes to the bar; it can be moved on from there by hand.
        if (!this.free && site > 0 && site < 25 && this.board[them][site] === 1) {
          this.board[them][site] = 0;
          this.board[them][25] += 1;
        }
        this.touched = true;
      }
    }
    this.draw();
    this.onchange();
  }
}
