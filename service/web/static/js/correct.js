// Correction on a drawn board: the legal plays first, "stands although illegal" second; a reason is noted and the old evidence stays.
import { Board, svg } from "./board.js";
import { FIELD, H, POINT_LENGTH, R, STEP } from "./geometry.js";
import {
  api,
  context,
  digits,
  el,
  may,
  openDialog,
  order,
  preference,
  say,
  sideName,
  toast,
} from "./page.js";
import { playText, who, why } from "./prompts.js";

const other = (side) => (side === "white" ? "black" : "white");
const copy = (board) => ({ ...board, white: [...board.white], black: [...board.black] });
const same = (a, b) =>
  ["white", "black"].every((side) => a[side].every((n, i) => n === b[side][i]));

/** Correct the turn in progress, or with `entry` an earlier play of the record. */
export function openCorrection(state, entry = null) {
  const side = entry ? entry.side : state.on_roll;
  const base = entry ? { ...state.board, ...entry.placement } : state.board;
  const editor = new Editor(
    base,
    entry ? base : state.illegal ? { ...state.board, ...state.illegal.placement } : base,
    side,
  );
  let plays = [];
  let roll = entry ? entry.roll : state.dice?.roll;
  const list = el("div", { class: "options", role: "group", "aria-label": say("Legal plays") });
  const verdict = el("p", { class: "prompt", "aria-live": "polite" });
  const rollBox = el("div", { class: "row" });
  const reason = el("textarea", { rows: 2, maxlength: 400, dir: "auto" });
  const record = el("button", { class: "primary", type: "button" }, say("Record this play"));
  const stands = el(
    "button",
    { class: "danger", type: "button" },
    say("It stands although illegal"),
  );
  let chosen = null;

  const refresh = () => {
    chosen = plays.find((p) => same(p.placement, editor.board)) || null;
    verdict.textContent = chosen
      ? say("Legal: {play}", { play: `\u2066${playText(chosen.text)}\u2069` })
      : editor.touched
        ? say("Not a legal play of this roll")
        : say("Choose a play, or move the checkers on the board");
    record.disabled = !(chosen || (entry && editor.touched));
    stands.hidden = Boolean(entry);
    stands.disabled = Boolean(chosen) || !may("let_stand");
    for (const node of list.children) node.setAttribute("aria-pressed", node.play === chosen);
  };
  const load = async () => {
    list.replaceChildren(el("p", { class: "muted" }, say("Looking for the legal plays …")));
    try {
      const query = roll ? `?high=${roll[0]}&low=${roll[1]}` : "";
      const answer = (
        await api(
          `/api/v1/tables/${context.table}/legal-plays${entry ? `${query || "?"}${query ? "&" : ""}entry=${entry.seq}` : query}`,
        )
      ).result;
      plays = answer?.plays || [];
      if (entry && answer?.before && !editor.known) {
        editor.known = true;
        editor.start = copy({ ...state.board, ...answer.before });
      }
    } catch (error) {
      plays = [];
      list.replaceChildren(el("p", { class: "muted" }, error.message));
      return refresh();
    }
    list.replaceChildren(
      ...plays.slice(0, 300).map((play) => {
        const node = el(
          "button",
          {
            type: "button",
            class: "option",
            onclick: () => {
              editor.set(play.placement);
              refresh();
            },
          },
          roll ? null : el("b", { class: "num" }, play.roll?.join("")),
          el("bdi", { dir: "ltr" }, playText(play.text)),
        );
        node.play = play;
        return node;
      }),
    );
    if (!plays.length)
      list.replaceChildren(el("p", { class: "muted" }, say("There is no legal play.")));
    refresh();
  };
  const drawRoll = () =>
    rollBox.replaceChildren(
      el("span", {}, say("Roll")),
      ...[0, 1].map((i) => {
        const select = el(
          "select",
          {
            class: "small",
            "aria-label": say("Die {n}", { n: digits(i + 1) }),
            onchange: () => {
              const faces = [...rollBox.querySelectorAll("select")].map((s) => Number(s.value));
              roll = faces.every(Boolean) ? [Math.max(...faces), Math.min(...faces)] : null;
              load();
            },
          },
          el("option", { value: "" }, "–"),
          [1, 2, 3, 4, 5, 6].map((n) => el("option", { value: n }, digits(n))),
        );
        select.value = roll ? roll[i] : "";
        return select;
      }),
    );
  const args = () => ({
    placement: { white: editor.board.white, black: editor.board.black },
    ...(roll ? { roll } : {}),
    reason: reason.value.trim(),
  });
  const finish = async (name, extra = {}) => {
    if (!reason.value.trim() && name !== "declare_play") {
      reason.required = true;
      reason.focus();
      reason.reportValidity();
      return;
    }
    if (await order(name, { ...args(), ...extra })) {
      dialog.close();
      toast(say("It is in the record."));
    }
  };
  record.onclick = () =>
    entry ? finish("correct_play", { seq: entry.seq }) : finish("declare_play");
  stands.onclick = () => finish("let_stand");

  const dialog = openDialog(
    (box) => [
      el(
        "h2",
        {},
        entry
          ? say("Correct an earlier play of {name}", { name: who(state, side) })
          : say("What did {name} play?", { name: who(state, side) }),
      ),
      el(
        "div",
        { class: "two" },
        el(
          "div",
          { class: "stack" },
          el("div", { class: "board-box" }, editor.node),
          el("p", { class: "muted" }, say("Tap a checker, then where it goes.")),
          el(
            "p",
            {},
            el(
              "button",
              {
                type: "button",
                onclick: () => {
                  editor.reset();
                  refresh();
                },
              },
              say("Start over"),
            ),
          ),
        ),
        el(
          "div",
          { class: "stack" },
          state.illegal && !entry ? el("p", { class: "banner bad" }, why(state.illegal.why)) : null,
          rollBox,
          el("h3", {}, say("Legal plays")),
          list,
          verdict,
          el("label", {}, say("Reason"), reason),
          el("p", { class: "row" }, record, stands),
          el("p", {}, el("button", { type: "button", onclick: () => box.close() }, say("Back"))),
        ),
      ),
    ],
    true,
  );
  editor.onchange = refresh;
  drawRoll();
  load();
}

/** Set the position by hand: what the director, or an annotator who was away, says stands on the board. */
export function openPosition(state) {
  const editor = new Editor(state.board, state.board, state.on_roll || "white");
  editor.free = true;
  const reason = el("textarea", { rows: 2, maxlength: 400, dir: "auto", required: true });
  const side = el(
    "select",
    {},
    ["white", "black"].map((s) =>
      el("option", { value: s, selected: s === state.on_roll }, who(state, s)),
    ),
  );
  openDialog(
    (dialog) => [
      el("h2", {}, say("Set the position")),
      el(
        "form",
        {
          class: "two",
          onsubmit: async (event) => {
            event.preventDefault();
            const cube = state.cube?.in_use
              ? {
                  cube: state.cube.value,
                  ...(state.cube.owner === "centre" ? {} : { cube_owner: state.cube.owner }),
                }
              : {};
            if (
              await order("set_position", {
                placement: { white: editor.board.white, black: editor.board.black },
                on_roll: side.value,
                ...cube,
                reason: reason.value.trim(),
              })
            ) {
              dialog.close();
              toast(say("It is in the record."));
            }
          },
        },
        el(
          "div",
          { class: "stack" },
          el("div", { class: "board-box" }, editor.node),
          el("p", { class: "muted" }, say("Tap a checker, then where it goes.")),
        ),
        el(
          "div",
          { class: "stack" },
          el("label", {}, say("On roll"), side),
          el("label", {}, say("Reason"), reason),
          el(
            "p",
            { class: "row" },
            el("button", { type: "button", onclick: () => editor.reset() }, say("Start over")),
            el("button", { type: "button", onclick: () => dialog.close() }, say("Back")),
            el("button", { class: "primary" }, say("Set the position")),
          ),
        ),
      ),
    ],
    true,
  );
}

/** A board whose checkers can be taken up and put down, by pointer and by keyboard. */
export class Editor {
  constructor(start, shown, side) {
    this.start = copy(start);
    this.side = side;
    this.node = svg("svg", { class: "drawn" });
    this.drawn = new Board(this.node);
    this.areas = svg("g");
    this.node.append(this.areas);
    this.board = copy(shown);
    this.touched = !same(start, shown);
    this.from = null;
    this.free = false; // nothing is hit: every checker goes where it is put
    this.onchange = () => {};
    this.draw();
    this.build();
  }

  set(placement) {
    this.board = copy({ ...this.board, ...placement });
    this.touched = true;
    this.from = null;
    this.draw();
  }
  reset() {
    this.board = copy(this.start);
    this.touched = false;
    this.from = null;
    this.draw();
  }
  draw() {
    this.drawn.draw(this.board, { seat: preference("seat") || "white" });
    for (const area of this.areas.children) {
      area.classList.toggle("from", area.site === this.from?.site);
      area.setAttribute("aria-label", this.name(area.site));
    }
  }

  name(site) {
    const parts = ["white", "black"]
      .filter((s) => this.board[s][site])
      .map((s) => `${digits(this.board[s][site])} ${sideName(s)}`);
    const where =
      site === 25
        ? say("bar")
        : site === 0
          ? say("tray")
          : say("point {n}", { n: digits(this.drawn.layout.number(site, this.side)) });
    return `${where}: ${parts.join(", ") || say("empty")}`;
  }

  build() {
    const layout = this.drawn.layout;
    const add = (site, x, y, width, height) => {
      const area = svg("rect", {
        class: "hit-area",
        x,
        y,
        width,
        height,
        rx: 8,
        tabindex: 0,
        role: "button",
      });
      area.site = site;
      area.setAttribute("aria-label", this.name(site));
      area.addEventListener("click", () => this.tap(site));
      area.addEventListener("keydown", (e) => {
        if (e.key === "Enter" || e.key === " ") {
          e.preventDefault();
          this.tap(site);
        }
      });
      this.areas.append(area);
    };
    for (let number = 24; number >= 1; number--) {
      const site = layout.site(number, this.side);
      const { x, top } = layout.point(site);
      add(
        site,
        x - STEP / 2,
        top ? FIELD.top : FIELD.bottom - POINT_LENGTH - 20,
        STEP,
        POINT_LENGTH + 20,
      );
    }
    add(25, FIELD.bar, FIELD.top, FIELD.barWidth, H - 2 * FIELD.top);
    const { x, top } = layout.tray(this.side);
    add(0, x - R, top ? FIELD.top : H / 2 + 20, 2 * R, H / 2 - 20 - FIELD.top);
  }

  tap(site) {
    if (!this.from) {
      const side = this.board[this.side][site]
        ? this.side
        : this.board[other(this.side)][site]
          ? other(this.side)
          : null;
      if (side) this.from = { site, side };
    } else {
      const { site: from, side } = this.from;
      this.from = null;
      if (from !== site) {
        this.board[side][from] -= 1;
        this.board[side][site] += 1;
        const them = other(side);
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
