// The matches of a round on the director's desk: results by hand, taken back, another table.
/** @import { EventMatch } from "./types.js" */
import { el, inside } from "./dom.js";
import { pairOf, scoreOf, stateWords } from "./event_words.js";
import { askReason, openDialog, say } from "./page.js";

/** @typedef {(path: string, body?: unknown, method?: string) => Promise<boolean>} Act */

/**
 * A match of the round with its buttons.
 * @param {EventMatch} m
 * @param {Act} act
 * @param {string[]} free tables where it can be called
 */
export function matchRow(m, act, free) {
  const acts =
    m.state === "bye"
      ? ""
      : m.state === "over"
        ? el("button", { onclick: () => undo(m, act) }, say("Undo"))
        : [
            el("button", { onclick: () => result(m, act) }, say("Result")),
            el(
              "button",
              { class: "ghost", onclick: () => move(m, act, free) },
              m.table ? say("Move") : say("To a table"),
            ),
          ];
  return el(
    "tr",
    { "data-key": m.id, class: m.problem ? "trouble" : null },
    el("td", { class: "num strong" }, m.table),
    el(
      "td",
      {},
      ...pairOf(m),
      m.problem
        ? el(
            "p",
            { class: "error small" },
            say("The table could not be told: {why}", { why: m.problem }),
          )
        : "",
    ),
    el("td", { class: "num" }, scoreOf(m)),
    el(
      "td",
      {},
      stateWords(m),
      m.reported ? el("span", { class: "muted small" }, " ", say("by its table")) : "",
    ),
    el("td", { class: "acts" }, acts),
  );
}

/**
 * @param {EventMatch} m
 * @param {Act} act
 */
function result(m, act) {
  /**
   * @param {HTMLDialogElement} dialog
   * @param {string} ending
   * @param {boolean} [walkover]
   */
  const enter = (dialog, ending, walkover = false) => {
    const [a, b] = ["first", "second"].map((n) =>
      Number(inside(dialog, `[name=${n}]`, HTMLInputElement).value || NaN),
    );
    const score = Number.isInteger(a) && Number.isInteger(b) ? [a, b] : null;
    dialog.close();
    act(`/matches/${m.id}/result`, { ending, score, walkover });
  };
  openDialog((dialog) => [
    el("h2", {}, el("bdi", { dir: "auto" }, m.first), " – ", el("bdi", { dir: "auto" }, m.second)),
    el(
      "div",
      { class: "row" },
      ...["first", "second"].map((n, i) =>
        el(
          "label",
          { class: "grow" },
          el("bdi", { dir: "auto" }, i ? m.second : m.first),
          el("input", { name: n, inputmode: "numeric", maxlength: 3, dir: "ltr" }),
        ),
      ),
    ),
    el("p", { class: "muted" }, say("The points may stay empty.")),
    el(
      "div",
      { class: "stack" },
      el(
        "button",
        { class: "primary", onclick: () => enter(dialog, "first") },
        say("{name} won", { name: `\u2068${m.first}\u2069` }),
      ),
      el(
        "button",
        { class: "primary", onclick: () => enter(dialog, "second") },
        say("{name} won", { name: `\u2068${m.second}\u2069` }),
      ),
      m.bout ? "" : el("button", { onclick: () => enter(dialog, "drawn") }, say("Drawn")),
      el(
        "button",
        { onclick: () => enter(dialog, "first", true) },
        say("{name} won without play", { name: `\u2068${m.first}\u2069` }),
      ),
      el(
        "button",
        { onclick: () => enter(dialog, "second", true) },
        say("{name} won without play", { name: `\u2068${m.second}\u2069` }),
      ),
      el("button", { onclick: () => dialog.close() }, say("Back")),
    ),
  ]);
}

/**
 * @param {EventMatch} m
 * @param {Act} act
 */
function undo(m, act) {
  askReason(
    say("Take this result back?"),
    say("Take it back"),
    async (/** @type {string} */ reason) => {
      await act(`/matches/${m.id}/result`, { reason }, "DELETE");
    },
  );
}

/**
 * @param {EventMatch} m
 * @param {Act} act
 * @param {string[]} free
 */
function move(m, act, free) {
  openDialog((dialog) => [
    el("h2", {}, say("Which table?")),
    el(
      "div",
      { class: "choices" },
      ...free.map((table) =>
        el(
          "button",
          {
            onclick: () => {
              dialog.close();
              act(`/matches/${m.id}/seat`, { table });
            },
          },
          table,
        ),
      ),
    ),
    free.length ? "" : el("p", { class: "nothing" }, say("No table is free.")),
    el("p", { class: "row" }, el("button", { onclick: () => dialog.close() }, say("Back"))),
  ]);
}
