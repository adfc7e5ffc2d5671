// A tournament in words and tables: what the director's desk and everybody's page have in common.
/** @import { Bout, EventMatch, EventStage, EventState, EventLine, WallEvent } from "./types.js" */
import { el } from "./dom.js";
import { context, digits, say } from "./page.js";

/** @type {Record<string, () => string>} */
export const SYSTEMS = {
  swiss: () => say("Swiss"),
  halves: () => say("Swiss, upper half against lower"),
  round_robin: () => say("Everybody against everybody"),
  groups: () => say("Groups"),
  single: () => say("Knock-out"),
  double: () => say("Double elimination"),
  consolation: () => say("Knock-out with consolation"),
};
/** @type {Record<string, () => string>} */
const PARTS = {
  main: () => say("Main draw"),
  winners: () => say("Unbeaten"),
  losers: () => say("Second chance"),
  final: () => say("Final"),
  consolation: () => say("Consolation"),
  "last chance": () => say("Last chance"),
};
/** @type {Record<string, () => string>} */
const STATES = {
  bye: () => say("bye"),
  waiting: () => say("waits for a table"),
  called: () => say("called"),
  playing: () => say("playing"),
  over: () => say("finished"),
};

/**
 * The time of day, without seconds, of a moment in unix seconds.
 * @param {number} at
 */
export const timeOfDay = (at) =>
  digits(new Date(at * 1000).toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" }));

/**
 * How far the last round has got.
 * @param {Omit<WallEvent, "name">} event
 */
export function progressWords({ round, finished, matches, over, starts }) {
  if (over) return say("The tournament is over");
  if (!round) return starts ? say("Begins at {time}", { time: timeOfDay(starts) }) : "";
  const parts = [
    say("Round {n}", { n: digits(round) }),
    say("{n} of {m} finished", { n: digits(finished), m: digits(matches) }),
  ];
  if (starts) parts.push(say("next round {time}", { time: timeOfDay(starts) }));
  return parts.join(" · ");
}

/**
 * The event in a line, from its whole state.
 * @param {EventState} state
 */
export function inALine(state) {
  const coming = state.rounds.at(-1)?.starts ?? null;
  return {
    ...state,
    round: state.rounds.length,
    starts: coming && coming * 1000 > Date.now() ? coming : null,
  };
}

/** @param {EventMatch} match */
export const stateWords = (match) =>
  match.walkover
    ? say("without play")
    : match.ending === "drawn"
      ? say("drawn")
      : (STATES[match.state] || STATES.waiting)();

/**
 * The two of a match, the winner marked; a bye has one.
 * @param {EventMatch} m
 */
export function pairOf(m) {
  const name = (/** @type {string} */ text, /** @type {boolean} */ won) =>
    el("bdi", { dir: "auto", class: won ? "won" : null }, text, won ? " ✓" : "");
  if (!m.second) return [name(m.first, false)];
  return [
    name(m.first, m.ending === "first"),
    el("span", { class: "muted" }, " – "),
    name(m.second, m.ending === "second"),
    m.bout ? el("span", { class: "muted small" }, " ", boutWords(m.bout)) : "",
  ];
}

/** @param {string} bout its name, such as "winners 2.1" */
export function boutWords(bout) {
  const [, part, round] = /^(.*) (\d+)\.\d+$/.exec(bout) ?? [null, bout, "1"];
  const said = (PARTS[part] || (() => part))();
  const whole = say("{part}, round {n}", { part: said, n: digits(round) });
  return part === "final" ? `(${said})` : `(${whole})`;
}

/**
 * The points; none where a match was awarded without a game.
 * @param {EventMatch} m
 */
export const scoreOf = (m) =>
  m.score && (m.state !== "over" || m.score[0] + m.score[1])
    ? el("bdi", { dir: "ltr" }, digits(`${m.score[0]}-${m.score[1]}`))
    : "";

/**
 * A stage's standings or bracket.
 * @param {EventStage} stage
 * @param {number} at
 */
export function stageView(stage, at) {
  const title = el("h3", {}, (SYSTEMS[stage.system] || SYSTEMS.swiss)());
  if (!stage.drawn) {
    return el(
      "div",
      { "data-key": `stage ${at}` },
      title,
      el("p", { class: "muted" }, planWords(stage)),
    );
  }
  const views = stage.tables.map((lines, group) =>
    standingsView(lines, group, stage.tables.length),
  );
  return el(
    "div",
    { class: "stack", "data-key": `stage ${at}` },
    title,
    ...views,
    stage.bouts.length ? bracketView(stage.bouts) : "",
  );
}

/** @param {EventStage} stage */
export const planWords = (stage) =>
  stage.take
    ? say("The best {n} of the stage before", { n: digits(stage.take) })
    : stage.rounds
      ? say("{n} rounds", { n: digits(stage.rounds) })
      : say("Not drawn yet");

/**
 * @param {EventLine[]} lines
 * @param {number} group
 * @param {number} groups
 */
function standingsView(lines, group, groups) {
  const rounds = lines[0]?.cells.length ?? 0;
  const heads = Array.from({ length: rounds }, (_, i) =>
    el("th", { scope: "col", class: "num" }, digits(i + 1)),
  );
  const rows = lines.map((line) =>
    el(
      "tr",
      { class: line.left ? "gone" : null, "data-key": line.name },
      el("td", { class: "num" }, digits(line.place)),
      el("th", { scope: "row" }, el("bdi", { dir: "auto" }, line.name)),
      el("td", { class: "num strong" }, digits(line.points)),
      ...line.cells.map((cell) =>
        el("td", { class: "num cell" }, el("bdi", { dir: "ltr" }, digits(cell))),
      ),
      ...line.breaks.slice(0, 2).map((value) => el("td", { class: "num muted" }, digits(value))),
    ),
  );
  return el(
    "div",
    {
      class: "scroll",
      tabindex: 0,
      role: "group",
      "aria-label": say("Standings"),
      "data-key": `group ${group}`,
    },
    groups > 1 ? el("h4", {}, say("Group {n}", { n: digits(group + 1) })) : "",
    el(
      "table",
      { class: "audit standings" },
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          el("th", { scope: "col" }, say("Place")),
          el("th", { scope: "col" }, say("Name")),
          el("th", { scope: "col" }, say("Points")),
          ...heads,
          el("th", { scope: "col" }, say("Opponents")),
          el("th", { scope: "col" }, say("Beaten")),
        ),
      ),
      el("tbody", {}, ...rows),
    ),
  );
}

/** @param {Bout[]} bouts */
function bracketView(bouts) {
  const parts = [...new Set(bouts.map((b) => b.part))];
  return el(
    "div",
    { class: "stack" },
    ...parts.map((part) => {
      const own = bouts.filter((b) => b.part === part);
      const rounds = [...new Set(own.map((b) => b.round))];
      return el(
        "div",
        { "data-key": part },
        el("h4", {}, (PARTS[part] || (() => part))()),
        el(
          "div",
          {
            class: "scroll bracket",
            tabindex: 0,
            role: "group",
            "aria-label": (PARTS[part] || (() => part))(),
          },
          ...rounds.map((n) =>
            el(
              "ol",
              { class: "bouts", "data-key": String(n) },
              ...own.filter((b) => b.round === n).map(boutView),
            ),
          ),
        ),
      );
    }),
  );
}

/** @param {Bout} bout */
const boutView = (bout) =>
  el(
    "li",
    { class: "bout", "data-key": bout.bout },
    ...bout.seats.map((seat) =>
      el(
        "p",
        { class: bout.winner && bout.winner === seat.name ? "won" : null },
        seat.state === "sits"
          ? el("bdi", { dir: "auto" }, seat.name, bout.winner === seat.name ? " ✓" : "")
          : el("span", { class: "muted" }, seat.state === "nobody" ? say("bye") : "…"),
      ),
    ),
  );

/** How often pages of a tournament ask anew. */
export const ASK_MS = 3000;

/** The tournament's address. */
export const EVENT = "/api/v1/hall/tournament";

/** @param {number} seconds */
export const clockTime = (seconds) => new Date(seconds * 1000).toLocaleTimeString(context.language);
