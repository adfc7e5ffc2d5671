// Correction on a drawn board: the legal plays first, "stands although illegal" second; a reason is
// noted and the old evidence stays.
/**
 * @import {
 *   LegalPlay, LegalPlays, Placement, PlayDocument, Roll, SideName, StateDocument
 * } from "./types.js"
 */
import { el, messageOf } from "./dom.js";
import { diceSelects } from "./dice_selects.js";
import { copy, Editor, isSame } from "./editor.js";
import { api, context, may, openDialog, order, say, SIDES, toast } from "./page.js";
import { playText, who, why } from "./prompts.js";

/** So many legal plays are listed; the others are found by moving the checkers. */
const MOST_LISTED = 300;

/** An earlier play with the position that it led to. */
/** @typedef {PlayDocument & { placement: Placement }} EarlierPlay */

/**
 * Correct the turn in progress, or an earlier play of the record.
 * @param {StateDocument} state
 * @param {EarlierPlay | null} [entry]
 */
export function openCorrection(state, entry = null) {
  new Correction(state, entry).open();
}

/**
 * The roll that lies on the board, where both its dice were read; null where they were not.
 * @param {StateDocument} state
 * @returns {Roll | null}
 */
function seenRoll({ belief, dice }) {
  const guessed = belief?.options?.[0]?.roll;
  if (guessed) return [guessed[0], guessed[1]];
  const [a, b, more] = (dice.seen || []).filter((d) => !d.old && d.status === "flat");
  return a && b && !more ? [Math.max(a.value, b.value), Math.min(a.value, b.value)] : null;
}

/** @param {boolean} required */
const reasonField = (required) =>
  el("textarea", { rows: 2, maxlength: 400, dir: "auto", required });

/** The dialog that corrects one play. */
class Correction {
  /**
   * @param {StateDocument} state
   * @param {EarlierPlay | null} entry
   */
  constructor(state, entry) {
    this.state = state;
    this.entry = entry;
    /** @type {SideName} */
    this.side = entry ? entry.side : state.on_roll || "white";
    const base = entry ? { ...state.board, ...entry.placement } : state.board;
    const shown = !entry && state.illegal ? { ...state.board, ...state.illegal.placement } : base;
    this.editor = new Editor(base, shown, this.side);
    this.editor.onchange = () => this.refresh();
    /** Whether the position before an earlier play is known: starting over leads there. */
    this.known = false;
    /** @type {HTMLDialogElement | null} */
    this.dialog = null;
    /** @type {LegalPlay[]} */
    this.plays = [];
    /** @type {Roll | null} */
    this.roll = entry ? entry.roll : (state.dice.roll ?? seenRoll(state));
    /** @type {LegalPlay | null} */
    this.chosen = null;
    this.list = el("div", { class: "options", role: "group", "aria-label": say("Legal plays") });
    /** The button of each play in the list. @type {Map<LegalPlay, HTMLElement>} */
    this.buttons = new Map();
    this.verdict = el("p", { class: "prompt", "aria-live": "polite" });
    this.rollBox = el("div", { class: "row" });
    this.reason = reasonField(false);
    this.record = el(
      "button",
      { class: "primary", type: "button", onclick: () => this.finish() },
      say("Record this play"),
    );
    this.stands = el(
      "button",
      { class: "danger", type: "button", onclick: () => this.send("let_stand") },
      say("It stands although illegal"),
    );
  }

  /** Show the dialog, and ask for the legal plays. */
  open() {
    this.dialog = openDialog(() => {
      const name = who(this.state, this.side);
      return [
        el(
          "h2",
          {},
          this.entry
            ? say("Correct an earlier play of {name}", { name })
            : say("What did {name} play?", { name }),
        ),
        el("div", { class: "two" }, this.boardColumn(), this.wordColumn()),
      ];
    }, true);
    this.drawRoll();
    this.load();
  }

  boardColumn() {
    const startOver = () => {
      this.editor.reset();
      this.refresh();
    };
    return el(
      "div",
      { class: "stack" },
      el("div", { class: "board-box" }, this.editor.node),
      el("p", { class: "muted" }, say("Tap a checker, then where it goes.")),
      el("p", {}, el("button", { type: "button", onclick: startOver }, say("Start over"))),
    );
  }

  wordColumn() {
    const { illegal } = this.state;
    const close = () => this.dialog?.close();
    return el(
      "div",
      { class: "stack" },
      illegal && !this.entry ? el("p", { class: "banner bad" }, why(illegal.why)) : null,
      this.rollBox,
      el("h3", {}, say("Legal plays")),
      this.list,
      this.verdict,
      el("label", {}, say("Reason"), this.reason),
      el("p", { class: "row" }, this.record, this.stands),
      el("p", {}, el("button", { type: "button", onclick: close }, say("Back"))),
    );
  }

  /** Say what stands on the drawn board, and which buttons that allows. */
  refresh() {
    const { editor, entry } = this;
    const chosen = this.plays.find((p) => isSame(p.placement, editor.board)) || null;
    this.chosen = chosen;
    this.verdict.textContent = chosen
      ? say("Legal: {play}", { play: `\u2066${playText(this.state, chosen.text)}\u2069` })
      : editor.touched
        ? say("Not a legal play of this roll")
        : say("Choose a play, or move the checkers on the board");
    this.record.disabled = !(chosen || (entry && editor.touched));
    this.stands.hidden = Boolean(entry);
    this.stands.disabled = Boolean(chosen) || !may("let_stand");
    for (const [play, button] of this.buttons) {
      button.setAttribute("aria-pressed", String(play === chosen));
    }
  }

  /** Ask the table for the legal plays of this roll, and list them. */
  async load() {
    this.note(say("Looking for the legal plays …"));
    try {
      this.take(await this.ask());
    } catch (error) {
      this.plays = [];
      this.note(messageOf(error));
      this.refresh();
      return;
    }
    this.plays.sort((a, b) => this.rank(a) - this.rank(b));
    const [first] = this.plays;
    if (first && this.rank(first) < Infinity && !this.editor.touched) {
      this.editor.set(first.placement);
    }
    this.buttons = new Map(this.plays.slice(0, MOST_LISTED).map((p) => [p, this.option(p)]));
    this.list.replaceChildren(...this.buttons.values());
    if (!this.plays.length) this.note(say("There is no legal play."));
    this.refresh();
  }

  /**
   * How likely the table takes a play to be what stands there: 0 the most, Infinity not at all.
   * @param {LegalPlay} play
   */
  rank(play) {
    const options = this.entry ? [] : (this.state.belief?.options ?? []);
    const at = options.findIndex((o) => isSame(o.placement, play.placement));
    return at < 0 ? Infinity : at;
  }

  /** @returns {Promise<LegalPlays | null>} */
  async ask() {
    const query = new URLSearchParams();
    if (this.roll) {
      query.set("high", String(this.roll[0]));
      query.set("low", String(this.roll[1]));
    }
    if (this.entry) query.set("entry", String(this.entry.seq));
    const asked = String(query) ? `?${query}` : "";
    /** @type {{ result: LegalPlays | null }} */
    const answer = await api(`/api/v1/tables/${context.table}/legal-plays${asked}`);
    return answer.result;
  }

  /** @param {LegalPlays | null} answer */
  take(answer) {
    this.plays = answer?.plays || [];
    if (this.entry && answer?.before && !this.known) {
      this.known = true;
      this.editor.start = copy({ ...this.state.board, ...answer.before });
    }
  }

  /**
   * Say one thing in place of the list.
   * @param {string} text
   */
  note(text) {
    this.buttons = new Map();
    this.list.replaceChildren(el("p", { class: "muted" }, text));
  }

  /**
   * The button that chooses a play.
   * @param {LegalPlay} play
   */
  option(play) {
    const choose = () => {
      this.editor.set(play.placement);
      this.refresh();
    };
    return el(
      "button",
      { type: "button", class: "option", onclick: choose },
      this.roll ? null : el("b", { class: "num" }, play.roll?.join("")),
      el("bdi", { dir: "ltr" }, playText(this.state, play.text)),
    );
  }

  /** Draw the two selects of the roll; another roll has other legal plays. */
  drawRoll() {
    const selects = diceSelects(this.roll, (a, b) => {
      this.roll = a && b ? [Math.max(a, b), Math.min(a, b)] : null;
      this.load();
    });
    this.rollBox.replaceChildren(el("span", {}, say("Roll")), ...selects);
  }

  /** Record what stands on the drawn board. */
  finish() {
    if (this.entry) this.send("correct_play", { seq: this.entry.seq });
    else this.send("declare_play");
  }

  /**
   * Give the order, with a reason unless the turn is still in progress.
   * @param {string} name
   * @param {Record<string, unknown>} [extra]
   */
  async send(name, extra = {}) {
    const reason = this.reason.value.trim();
    if (!reason && name !== "declare_play") {
      this.reason.required = true;
      this.reason.focus();
      this.reason.reportValidity();
      return;
    }
    const { white, black } = this.editor.board;
    const roll = this.roll ? { roll: this.roll } : {};
    if (await order(name, { placement: { white, black }, ...roll, reason, ...extra })) {
      this.dialog?.close();
      toast(say("It is in the record."));
    }
  }
}

/**
 * Set the position by hand: what the director, or an annotator who was away, says stands on the
 * board.
 * @param {StateDocument} state
 */
export function openPosition(state) {
  const editor = new Editor(state.board, state.board, state.on_roll || "white");
  editor.free = true;
  const reason = reasonField(true);
  const side = el(
    "select",
    {},
    SIDES.map((s) => el("option", { value: s, selected: s === state.on_roll }, who(state, s))),
  );
  const set = async () => {
    const { in_use, value, owner } = state.cube;
    const done = await order("set_position", {
      placement: { white: editor.board.white, black: editor.board.black },
      on_roll: side.value,
      ...(in_use ? { cube: value } : {}),
      ...(in_use && owner !== "centre" ? { cube_owner: owner } : {}),
      reason: reason.value.trim(),
    });
    if (done) toast(say("It is in the record."));
    return done;
  };
  openDialog((dialog) => {
    const submit = async (/** @type {SubmitEvent} */ event) => {
      event.preventDefault();
      if (await set()) dialog.close();
    };
    return [
      el("h2", {}, say("Set the position")),
      el(
        "form",
        { class: "two", onsubmit: submit },
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
    ];
  }, true);
}
