// Dice that were not read, said by tapping faces.
/** @import { Child, SideName, StateDocument } from "./types.js" */
import { el } from "./dom.js";
import { digits, may, openDialog, order, say, SIDES } from "./page.js";
import { who } from "./prompts.js";

/**
 * @param {string} text
 * @param {(event: MouseEvent) => unknown} onclick
 */
const button = (text, onclick, kind = "") => el("button", { class: kind, onclick }, text);

/**
 * The button to say an opening throw with.
 * @param {StateDocument} state
 */
export const opening = (state) =>
  may("declare_roll") && button(say("Say the roll"), () => sayOpening(state));

/**
 * The throws that opening dice may show, to be tapped, and any other to be said.
 * @param {StateDocument} state
 */
export const unreadOpening = (state) =>
  may("declare_roll") && [
    ...(state.waits_for.args.likely || []).map(({ white, black }) =>
      button(
        SIDES.map((side) => {
          const faces = side === "white" ? white : black;
          return `${who(state, side)} ${digits(faces.join("-"))}`;
        }).join(" · "),
        () => order("declare_roll", { white, black }),
        "primary",
      ),
    ),
    button(say("Another roll"), () => sayOpening(state)),
  ];

/**
 * A row of six for each die: tap them all. `names` says whose they are; `then` is called with the
 * faces, one a row.
 * @param {string} title
 * @param {string[]} names
 * @param {(faces: number[]) => Promise<boolean>} then
 * @param {(close: () => void) => Child} [instead] what may be said without tapping every die
 */
function tapDice(title, names, then, instead) {
  const chosen = names.map(() => 0);
  openDialog((dialog) => {
    /** @param {HTMLElement} row @param {number} i */
    const fill = (row, i) => {
      const faces = [1, 2, 3, 4, 5, 6].map((value) => {
        const face = button(
          digits(value),
          async () => {
            chosen[i] = value;
            for (const b of faces) b.setAttribute("aria-current", String(b === face));
            if (chosen.every(Boolean) && (await then([...chosen]))) dialog.close();
          },
          "choice",
        );
        return face;
      });
      row.append(...faces);
      return row;
    };
    return [
      el("h2", {}, title),
      el(
        "div",
        { class: "stack" },
        names.map((name, i) => [
          el("p", { class: "muted" }, name),
          fill(el("div", { class: "choices", role: "group", "aria-label": name }), i),
        ]),
        instead?.(() => dialog.close()),
        button(say("Back"), () => dialog.close()),
      ),
    ];
  });
}

/**
 * Asks for the roll of a side.
 * @param {SideName} side
 */
export const sayRoll = (side) =>
  tapDice(
    say("Say the roll"),
    [1, 2].map((n) => say("Die {n}", { n: digits(n) })),
    (faces) => order("declare_roll", { side, roll: [Math.max(...faces), Math.min(...faces)] }),
  );
/** @param {StateDocument} state */
function sayOpening(state) {
  const { each, shish_besh: first } = state.waits_for.args;
  if (each !== 2) {
    tapDice(
      say("Opening roll"),
      SIDES.map((side) => who(state, side)),
      ([white, black]) => order("declare_roll", { white: [white], black: [black] }),
    );
    return;
  }
  tapDice(
    say("Opening roll"),
    SIDES.flatMap((side) => [1, 2].map((n) => `${who(state, side)} · ${digits(n)}`)),
    ([w1, w2, b1, b2]) => order("declare_roll", { white: [w1, w2], black: [b1, b2] }),
    (close) =>
      first &&
      SIDES.map((side) =>
        button(say("{name} threw 6-5 first", { name: who(state, side) }), async () => {
          const none = { white: [], black: [] };
          if (await order("declare_roll", { ...none, [side]: [6, 5] })) close();
        }),
      ),
  );
}
