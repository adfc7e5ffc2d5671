// The buttons under the prompt: what may be done now, by whoever this device is.
import { openCorrection } from "./correct.js";
import { askReason, context, digits, el, may, openDialog, order, say } from "./page.js";
import { LEVELS, who } from "./prompts.js";

const button = (text, onclick, kind = "") => el("button", { class: kind, onclick }, text);
const give =
  (name, args = {}) =>
  () =>
    order(name, args);

/** Buttons for a document, the wanted ones first. */
export function actions(state) {
  const waits = state.waits_for || {};
  const side = waits.side || state.on_roll || "white";
  const mine = !context.me.side || context.me.side === side;
  const out = [];
  const first = {
    match: () => [linkTo("/setup", say("Set up a match"), "start_game")],
    set_up_board: () => [linkTo("/setup", say("Match settings"), "set_match")],
    roll_or_double: () => [
      mine && may("offer") && button(say("Double"), give("offer", { side }), "primary"),
    ],
    answer_double: () =>
      mine &&
      may("take") && [
        button(say("Take"), give("take", { side }), "primary"),
        button(say("Drop"), () => confirmDrop(side), "danger"),
        state.match?.options?.beavers || state.match?.event?.beavers
          ? button(say("Beaver"), give("beaver", { side }))
          : null,
      ],
    press_no_play: () => [
      mine && may("press") && button(say("Press the clock"), give("press", { side }), "primary"),
    ],
    play: () => [
      mine &&
        may("press") &&
        state.clock?.kind !== "ours" &&
        button(say("The play is complete"), give("press", { side }), "primary"),
    ],
    opening_roll: () => [
      may("declare_roll") && button(say("Say the roll"), () => sayOpening(state)),
    ],
    opening_again: () => [
      may("declare_roll") && button(say("Say the roll"), () => sayOpening(state)),
    ],
    say_roll: () => [
      may("declare_roll") && button(say("Say the roll"), () => sayRoll(side), "primary"),
    ],
    choose_play: () => options(state),
    explain: () => options(state),
    answer_resignation: () =>
      mine &&
      may("accept_resignation") && [
        button(say("Accept"), give("accept_resignation", { side }), "primary"),
        button(say("Refuse"), give("refuse_resignation", { side })),
      ],
    premature_choice: () =>
      mine &&
      may("premature_stands") && [
        button(say("It stands"), give("premature_stands", { side }), "primary"),
        button(say("Roll again"), give("premature_again", { side })),
      ],
    director: () => [
      may("unfreeze") && button(say("Go on with the match"), give("unfreeze"), "primary"),
    ],
    resume: () => [may("resume") && button(say("Resume the match"), give("resume"), "primary")],
    next_game: () => [may("next_game") && button(say("Next game"), give("next_game"), "primary")],
    nothing: () => [
      linkTo("/setup", say("Set up a match"), "start_game"),
      el("a", { class: "button", href: `/sheet/${context.table}` }, say("Score sheet")),
    ],
  }[waits.code];
  out.push(...((first && first()) || []));
  const playing = [
    "to-roll",
    "moving",
    "pressed",
    "illegal",
    "differs",
    "doubled",
    "opening",
  ].includes(state.phase);
  if (playing && may("declare_play") && state.phase !== "doubled")
    out.push(button(say("Correct"), () => openCorrection(state)));
  if (playing && may("call_director")) out.push(button(say("Call the director"), callDirector));
  const more = [];
  if (playing && may("resign")) more.push([say("Resign"), () => resign(state)]);
  if (
    playing &&
    may("declare_roll") &&
    !["say_roll", "opening_roll", "opening_again"].includes(waits.code)
  )
    more.push([say("Say the roll"), () => sayRoll(side)]);
  if (playing && may("adjourn")) more.push([say("Adjourn"), adjourn]);
  if (state.match?.ruleset)
    more.push([say("Score sheet"), () => location.assign(`/sheet/${context.table}`)]);
  if (more.length && context.me.role !== "guest") out.push(button(say("More"), () => menu(more)));
  return out.filter(Boolean);
}

const linkTo = (href, text, right) =>
  may(right) && el("a", { class: "button primary", href: `${href}?table=${context.table}` }, text);

function menu(entries) {
  openDialog((dialog) => [
    el("h2", {}, say("More")),
    el(
      "div",
      { class: "stack" },
      entries.map(([text, act]) =>
        button(text, () => {
          dialog.close();
          act();
        }),
      ),
      button(say("Back"), () => dialog.close()),
    ),
  ]);
}

function confirmDrop(side) {
  openDialog((dialog) => [
    el("h2", {}, say("Drop the double?")),
    el("p", {}, say("The game ends here, at the value before the double.")),
    el(
      "p",
      { class: "row" },
      button(say("Back"), () => dialog.close()),
      el("span", { class: "grow" }),
      button(
        say("Drop"),
        async () => {
          if (await order("drop", { side })) dialog.close();
        },
        "danger",
      ),
    ),
  ]);
}

function callDirector() {
  askReason(
    say("Call the director"),
    say("Call"),
    (reason) => order("call_director", { side: context.me.side, reason }),
    {
      needed: false,
      before: [el("p", {}, say("Both clocks stop. Leave the checkers as they are."))],
    },
  );
}

function adjourn() {
  askReason(say("Adjourn the match"), say("Adjourn"), (reason) => order("adjourn", { reason }), {
    needed: false,
  });
}

function resign(state) {
  const sides = context.me.side ? [context.me.side] : ["white", "black"];
  openDialog((dialog) => [
    el("h2", {}, say("Resign")),
    ...sides.map((side) =>
      el(
        "fieldset",
        {},
        el("legend", {}, who(state, side)),
        el(
          "div",
          { class: "choices" },
          [1, 2, 3].map((level) =>
            button(LEVELS[level](), async () => {
              if (await order("resign", { side, level })) dialog.close();
            }),
          ),
        ),
      ),
    ),
    el(
      "p",
      {},
      button(say("Back"), () => dialog.close()),
    ),
  ]);
}

/** Two rows of six: tap both dice. `names` says whose they are; `then` is called with both faces. */
function tapDice(title, names, then) {
  const chosen = [null, null];
  openDialog((dialog) => {
    const rows = names.map((name, i) =>
      el(
        "div",
        { class: "choices", role: "group", "aria-label": name },
        [1, 2, 3, 4, 5, 6].map((value) =>
          button(
            digits(value),
            async (event) => {
              chosen[i] = value;
              for (const b of rows[i].children) b.setAttribute("aria-current", b === event.target);
              if (chosen[0] && chosen[1] && (await then(chosen))) dialog.close();
            },
            "choice",
          ),
        ),
      ),
    );
    return [
      el("h2", {}, title),
      el(
        "div",
        { class: "stack" },
        rows.flatMap((row, i) => [el("p", { class: "muted" }, names[i]), row]),
        button(say("Back"), () => dialog.close()),
      ),
    ];
  });
}

const sayRoll = (side) =>
  tapDice(
    say("Say the roll"),
    [1, 2].map((n) => say("Die {n}", { n: digits(n) })),
    (faces) => order("declare_roll", { side, roll: [Math.max(...faces), Math.min(...faces)] }),
  );
const sayOpening = (state) =>
  tapDice(
    say("Opening roll"),
    ["white", "black"].map((side) => who(state, side)),
    ([white, black]) => order("declare_roll", { white: [white], black: [black] }),
  );

function options(state) {
  if (!may("choose_explanation")) return [];
  const list = state.differs?.options?.length
    ? state.differs.options
    : (state.belief?.options || []).map((o) => o.text);
  return list.map((text, index) =>
    el(
      "button",
      { onclick: give("choose_explanation", { index }) },
      el("bdi", { dir: "ltr" }, text),
    ),
  );
}
