// What is asked at the desk beside plays: cubes, ends of games, scores, names.
/** @import { AmendDocument, SideName } from "./types.js" */
import { nameOf } from "./amend_words.js";
import { el, valuesOf } from "./dom.js";
import { digits, openDialog, say, SIDES } from "./page.js";

/** @typedef {(said: Record<string, unknown>) => Promise<void>} Tell */

/**
 * A dialog of buttons, each of which says one thing.
 * @param {string} title
 * @param {[string, Record<string, unknown>][]} answers
 * @param {Tell} tell
 */
function ask(title, answers, tell) {
  openDialog((dialog) => [
    el("h2", {}, title),
    el(
      "div",
      { class: "options" },
      answers.map(([words, said]) =>
        el(
          "button",
          {
            type: "button",
            class: "option",
            onclick: () => {
              dialog.close();
              tell(said);
            },
          },
          words,
        ),
      ),
    ),
    el("p", {}, el("button", { type: "button", onclick: () => dialog.close() }, say("Back"))),
  ]);
}

/**
 * What happened with the cube after the play of a mark.
 * @param {AmendDocument} match
 * @param {SideName} side who may have doubled
 * @param {number} mark
 * @param {Tell} tell
 */
export function askCube(match, side, mark, tell) {
  const name = nameOf(match, side);
  const answer = (/** @type {string} */ word) => ({ what: "cube", mark, answer: word });
  ask(
    say("The cube before this play"),
    [
      [say("{name} doubled, it was taken", { name }), answer("take")],
      [say("{name} doubled, it was dropped", { name }), answer("drop")],
      [say("{name} doubled, it was beavered", { name }), answer("beaver")],
      [say("Nobody doubled"), answer("none")],
    ],
    tell,
  );
}

/**
 * How a game was given up after the play of a mark.
 * @param {AmendDocument} match
 * @param {number} mark
 * @param {Tell} tell
 */
export function askEnd(match, mark, tell) {
  const by = [
    (/** @type {string} */ name) => say("{name} wins a single game", { name }),
    (/** @type {string} */ name) => say("{name} wins a gammon", { name }),
    (/** @type {string} */ name) => say("{name} wins a backgammon", { name }),
  ];
  ask(
    say("The game was given up after this play"),
    SIDES.flatMap((winner) =>
      by.map((words, n) => {
        const said = { what: "ends", mark, winner, value: n + 1 };
        return /** @type {[string, Record<string, unknown>]} */ ([words(match[winner]), said]);
      }),
    ),
    tell,
  );
}

/**
 * A dialog with a form; `tell` gets what it says.
 * @param {string} title
 * @param {(HTMLElement | null)[]} fields
 * @param {(values: Record<string, string>) => Promise<void>} tell
 */
function fill(title, fields, tell) {
  openDialog((dialog) => {
    const form = el(
      "form",
      {
        class: "stack",
        onsubmit: (event) => {
          event.preventDefault();
          dialog.close();
          tell(valuesOf(form));
        },
      },
      ...fields,
      el(
        "p",
        { class: "row" },
        el("button", { type: "button", onclick: () => dialog.close() }, say("Back")),
        el("span", { class: "grow" }),
        el("button", { class: "primary" }, say("So it was")),
      ),
    );
    return [el("h2", {}, title), form];
  });
}

/**
 * @param {string} label
 * @param {string} name
 * @param {string | number} value
 * @param {Record<string, string | number | boolean>} more
 */
const field = (label, name, value, more) =>
  el("label", {}, label, el("input", { name, value, dir: "auto", ...more }));

/**
 * The score after the game of a mark.
 * @param {AmendDocument} match
 * @param {[number, number]} score
 * @param {number} mark
 * @param {Tell} tell
 */
export function askScore(match, score, mark, tell) {
  const number = { type: "number", min: 0, max: 999, required: true };
  fill(
    say("Score after its game"),
    [field(match.white, "white", score[0], number), field(match.black, "black", score[1], number)],
    (given) =>
      tell({ what: "score", mark, white: Number(given.white), black: Number(given.black) }),
  );
}

/**
 * Who played, to how many points.
 * @param {AmendDocument} match
 * @param {Tell} tell
 */
export function askNames(match, tell) {
  const name = { maxlength: 200 };
  fill(
    say("Names and length"),
    [
      field(say("White"), "white", match.white, name),
      field(say("Black"), "black", match.black, name),
      field(say("Points ({n}: a money session)", { n: digits(0) }), "length", match.length, {
        type: "number",
        min: 0,
        max: 999,
        required: true,
      }),
    ],
    (given) =>
      tell({
        what: "match",
        white: given.white,
        black: given.black,
        length: Number(given.length),
      }),
  );
}
