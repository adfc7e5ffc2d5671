// A match on the desk: which play is shown, what is said of it, and what the keys mean.
/**
 * @import {
 *   AmendDocument, AmendPlays, AmendRow, BoardDocument, Placement, Roll, SideName
 * } from "./types.js"
 */
import { askCube, askEnd, askScore } from "./amend_dialogs.js";
import { apart, drawMatch, drawPictures, drawRows } from "./amend_list.js";
import { nameOf, playWords, rowWords, whyWords } from "./amend_words.js";
import { diceSelects } from "./dice_selects.js";
import { byId, el, show, write } from "./dom.js";
import { Editor, isSame } from "./editor.js";
import { api, complain, digits, otherSide, say, toast } from "./page.js";

/** The desk with one match on it. */
export class Amending {
  /**
   * @param {string} address of the match in the API
   * @param {AmendDocument} match
   */
  constructor(address, match) {
    this.address = address;
    this.match = match;
    this.at = 0;
    /** Whether a play that is missing before this row is being said. */
    this.missing = false;
    /** @type {Roll | null} */
    this.dice = null;
    /** A first die that waits for the second. @type {number | null} */
    this.die = null;
    /** @type {AmendPlays | null} */
    this.legal = null;
    /** @type {Editor | null} */
    this.editor = null;
    this.busy = false;
    /** Which question for legal plays is the newest. */
    this.asked = 0;
    this.take(match);
    this.choose(this.nextDoubtful(-1) ?? 0);
  }

  /** @returns {AmendRow | undefined} */
  get row() {
    return this.match.rows[this.at];
  }

  /** The mark of the play before the row that is shown, 0 where there is none. */
  get markBefore() {
    const rows = this.match.rows.slice(0, this.at);
    return rows.filter((row) => row.kind === "play").at(-1)?.mark ?? 0;
  }

  /**
   * Show the match as it is now.
   * @param {AmendDocument} match
   */
  take(match) {
    this.match = match;
    drawMatch(match);
    this.list();
  }

  /** Draw the list of rows. */
  list() {
    drawRows(this.match, this.at, (n) => this.choose(n));
  }

  /**
   * The next row that is doubtful after this one, then from the start; null where none is.
   * @param {number} from
   */
  nextDoubtful(from) {
    const doubtful = this.match.rows.map((row, n) => (row.doubtful ? n : -1)).filter((n) => n >= 0);
    return doubtful.find((n) => n > from) ?? doubtful[0] ?? null;
  }

  /**
   * Show another row.
   * @param {number} n
   */
  choose(n) {
    if (!this.match.rows.length) return;
    byId(`row-${this.at}`, HTMLElement)?.removeAttribute("aria-current");
    this.at = Math.min(Math.max(n, 0), this.match.rows.length - 1);
    this.missing = false;
    const item = document.getElementById(`row-${this.at}`);
    item?.setAttribute("aria-current", "true");
    item?.scrollIntoView({ block: "nearest" });
    this.dice = this.row?.dice ?? null;
    this.draw();
  }

  /** Draw the row that is shown: words, pictures, board, dice. */
  draw() {
    const row = this.row;
    if (!row) return;
    const side = this.side();
    const name = nameOf(this.match, side);
    write(
      byId("play-title"),
      this.missing
        ? say("The play of {name} that is missing", { name })
        : row.kind === "play"
          ? say("Game {game}: {name}", { game: digits(row.game), name })
          : rowWords(this.match, row),
    );
    write(byId("why"), this.missing ? "" : whyWords(row));
    show(byId("why"), !this.missing && row.doubtful);
    drawPictures(row);
    const { seating, facing } = this.match;
    const start = /** @type {BoardDocument} */ ({ ...row.before, seating, facing });
    const shown = { ...start, ...(this.missing ? row.before : row.after) };
    this.editor = new Editor(start, shown, side);
    this.editor.onchange = () => this.refresh();
    byId("board").replaceChildren(this.editor.node);
    this.legal = null;
    this.drawDice();
    this.load();
    const play = row.kind === "play";
    byId("gone", HTMLButtonElement).disabled = !play || row.added;
    byId("missed", HTMLButtonElement).disabled = !this.mayMiss;
    byId("keep", HTMLButtonElement).disabled = !this.missing && (!play || row.added);
    byId("cube", HTMLButtonElement).disabled = !play || row.added;
  }

  /** Whether a play can be missing here: before a play, or where the record breaks off. */
  get mayMiss() {
    const row = this.row;
    return row?.kind === "play" ? !row.added : row?.done === "open";
  }

  /** Whose play is shown. @returns {SideName} */
  side() {
    const row = this.row;
    if (this.missing && row?.kind !== "play") {
      const last = this.match.rows.slice(0, this.at).findLast((one) => one.kind === "play");
      return otherSide(last?.side ?? "black");
    }
    const side = row?.side ?? "white";
    return this.missing ? otherSide(side) : side;
  }

  /** The selects of the two dice. */
  drawDice() {
    const selects = diceSelects(this.dice ?? [this.die], (a, b) => {
      if (a && b) this.roll(a, b);
    });
    byId("dice").replaceChildren(el("span", {}, say("Dice")), ...selects);
  }

  /**
   * Other dice were thrown.
   * @param {number} a
   * @param {number} b
   */
  roll(a, b) {
    this.die = null;
    this.dice = [Math.max(a, b), Math.min(a, b)];
    this.drawDice();
    this.load(true);
  }

  /**
   * Ask for the legal plays; the one nearest to what was recorded is shown where the dice changed.
   * @param {boolean} [changed]
   */
  async load(changed = false) {
    const row = this.row;
    const asking = ++this.asked;
    this.legal = null;
    if (!row || !(this.missing || row.kind === "play") || !this.dice) {
      this.refresh();
      return;
    }
    this.refresh();
    write(byId("verdict"), say("Looking for the legal plays …"));
    const [high, low] = this.dice;
    const asked = new URLSearchParams({
      row: String(this.at),
      high: String(high),
      low: String(low),
      missed: String(this.missing),
    });
    try {
      /** @type {AmendPlays} */
      const legal = await api(`${this.address}/plays?${asked}`);
      if (asking !== this.asked) return;
      this.legal = legal;
      const wanted = this.missing ? null : row.after;
      if (wanted) legal.plays.sort((a, b) => apart(a.board, wanted) - apart(b.board, wanted));
      if ((changed || this.missing) && legal.plays[0]) this.editor?.set(legal.plays[0].board);
    } catch (error) {
      complain(error);
    }
    this.refresh();
  }

  /** Say what the board shows, and list the legal plays. */
  refresh() {
    const plays = this.legal?.plays ?? [];
    const chosen = this.chosen();
    byId("plays").replaceChildren(
      ...plays.slice(0, 200).map((play) =>
        el(
          "button",
          {
            type: "button",
            class: "option",
            "aria-pressed": String(play === chosen),
            onclick: () => this.put(play.board),
          },
          el("bdi", { dir: "ltr" }, playWords({ ...play, dice: null })),
        ),
      ),
    );
    byId("plays").querySelector("[aria-pressed=true]")?.scrollIntoView({ block: "nearest" });
    write(
      byId("verdict"),
      this.row?.kind !== "play" && !this.missing
        ? ""
        : chosen
          ? say("Legal: {play}", { play: playWords({ ...chosen, dice: null }) })
          : this.dice
            ? say("Not a legal play of this roll: kept so, it stands although illegal")
            : say("Say the two dice"),
    );
  }

  chosen() {
    const board = this.editor?.board;
    return board ? (this.legal?.plays.find((play) => isSame(play.board, board)) ?? null) : null;
  }

  /** @param {Placement} board */
  put(board) {
    this.editor?.set(board);
    this.refresh();
  }

  /**
   * Show the next legal play, or the one before.
   * @param {number} by
   */
  walk(by) {
    const plays = this.legal?.plays ?? [];
    if (!plays.length) return;
    const chosen = this.chosen();
    const now = chosen ? plays.indexOf(chosen) : -1;
    this.put(plays[(now + by + plays.length) % plays.length].board);
  }

  /**
   * Send something that was said; the match is shown as it is with it.
   * @param {Record<string, unknown> | null} said null: the last is taken back
   */
  async send(said) {
    if (this.busy) return;
    this.busy = true;
    write(byId("left"), say("Reading what follows again …"));
    const seen = this.match.edits.length;
    try {
      /** @type {AmendDocument} */
      const match = said
        ? await api(this.address, { seen, said })
        : await api(`${this.address}?seen=${seen}`, undefined, "DELETE");
      const mark = this.row?.mark ?? 0;
      this.take(match);
      const same = match.rows.findIndex((row) => row.mark === mark && row.kind === "play");
      const next = said ? this.nextDoubtful(this.at) : null;
      this.choose(next ?? (same >= 0 ? same : this.at));
    } catch (error) {
      drawMatch(this.match);
      complain(error);
    } finally {
      this.busy = false;
    }
  }

  /** What the board shows is what was played. */
  async keep() {
    const { row, editor, dice } = this;
    if (!row || !editor || (!this.missing && (row.kind !== "play" || row.added))) return;
    const { white, black } = editor.board;
    const board = { white, black };
    if (!this.missing) {
      await this.send({ what: "play", mark: row.mark, board, dice });
      return;
    }
    if (!dice) {
      toast(say("Say the two dice"), true);
      return;
    }
    const side = this.side();
    await this.send({
      ...{ what: "missed", mark: this.markBefore },
      ...(row.kind === "play" ? { upto: row.mark } : {}),
      ...{ board, dice, side },
    });
  }

  async gone() {
    const row = this.row;
    if (row?.kind !== "play" || row.added) return;
    await this.send({ what: "gone", mark: row.mark, before: row.before });
  }

  /** A play is missing before this one: its dice are asked first. */
  insert() {
    if (!this.mayMiss) return;
    this.missing = true;
    this.dice = null;
    this.draw();
  }

  cube() {
    const row = this.row;
    if (row?.kind !== "play" || row.added) return;
    askCube(this.match, this.side(), this.markBefore, (said) => this.send(said));
  }

  ends() {
    if (this.row) askEnd(this.match, this.row.mark, (said) => this.send(said));
  }

  score() {
    const row = this.row;
    if (!row) return;
    const last = this.match.rows.filter((one) => one.game === row.game).at(-1) ?? row;
    askScore(this.match, last.score, last.mark, (said) => this.send(said));
  }

  async seal() {
    try {
      this.take(await api(`${this.address}/seal`, { seen: this.match.edits.length }));
      toast(say("Sealed: the match's pages and files say it so from now on."));
    } catch (error) {
      complain(error);
    }
  }

  startOver() {
    const row = this.row;
    if (!row) return;
    this.dice = this.missing ? null : row.dice;
    this.draw();
  }

  /**
   * A key that was pressed; whether it meant something.
   * @param {string} key
   */
  press(key) {
    const acts = /** @type {Record<string, () => unknown>} */ ({
      ArrowDown: () => this.choose(this.at + 1),
      ArrowUp: () => this.choose(this.at - 1),
      ArrowRight: () => this.walk(1),
      ArrowLeft: () => this.walk(-1),
      n: () => this.choose(this.nextDoubtful(this.at) ?? this.at),
      Enter: () => this.keep(),
      0: () => this.startOver(),
      x: () => this.gone(),
      i: () => this.insert(),
      c: () => this.cube(),
      e: () => this.ends(),
      s: () => this.score(),
      u: () => this.match.edits.length && this.send(null),
    });
    const die = "123456".indexOf(key) + 1;
    if (key.length === 1 && die > 0) {
      if (this.die) this.roll(this.die, die);
      else {
        this.die = die;
        this.dice = null;
        this.drawDice();
      }
      return true;
    }
    const act = Object.hasOwn(acts, key) ? acts[key] : null;
    act?.();
    return Boolean(act);
  }
}
