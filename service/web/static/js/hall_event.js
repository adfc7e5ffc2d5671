// A tournament as everybody may see it: who plays where, one player's day, standings, the bracket.
/** @import { EventMatch, EventState } from "./types.js" */
import { byId, el, settle, show, write } from "./dom.js";
import {
  ASK_MS,
  EVENT,
  inALine,
  pairOf,
  progressWords,
  scoreOf,
  stageView,
  stateWords,
  timeOfDay,
} from "./event_words.js";
import { api, digits, say } from "./page.js";

const who = byId("who", HTMLInputElement);
who.value = new URLSearchParams(location.search).get("player") ?? "";
/** @type {EventState | null} */
let last = null;

/** @param {EventMatch} m */
const row = (m) =>
  el(
    "tr",
    { "data-key": m.id },
    el("td", { class: "num strong" }, m.table),
    el("td", {}, ...pairOf(m)),
    el("td", { class: "num" }, scoreOf(m)),
    el("td", {}, stateWords(m)),
  );

/** @param {EventState} state */
function draw(state) {
  last = state;
  show(byId("nothing"), !state.name);
  if (state.name) write(byId("name"), state.name);
  write(byId("progress"), progressWords(inALine(state)));
  const round = state.rounds.at(-1);
  show(byId("now"), Boolean(round));
  if (round) {
    write(byId("now-title"), say("Round {n}", { n: digits(round.number) }));
    settle(byId("matches"), ...round.matches.map(row));
  }
  const drawn = state.stages.filter((s) => s.drawn);
  show(byId("stands"), drawn.length > 0);
  settle(byId("stages"), ...drawn.map(stageView).reverse());
  show(byId("ended"), state.over);
  settle(
    byId("winners"),
    ...state.winners
      .slice(0, 16)
      .map((names) =>
        el(
          "li",
          {},
          ...names.map((name) =>
            el("bdi", { dir: "auto", class: "each" }, name, prizeOf(state, name)),
          ),
        ),
      ),
  );
  settle(byId("everybody"), ...state.entrants.map((x) => el("option", { value: x.name })));
  mine();
}

/**
 * @param {EventState} state
 * @param {string} name
 */
function prizeOf(state, name) {
  const prize = state.entrants.find((x) => x.name === name)?.prize ?? 0;
  return prize ? ` (${digits(prize)})` : "";
}

/** One player's day: where now, against whom, and what was played. */
function mine() {
  const name = who.value.trim();
  const state = last;
  const known = state?.entrants.find((x) => x.name.toLowerCase() === name.toLowerCase());
  if (!state || !known) {
    settle(
      byId("mine"),
      name ? el("p", { class: "muted" }, say("Nobody of that name plays here.")) : "",
    );
    return;
  }
  const own = state.rounds
    .flatMap((r) => r.matches)
    .filter((m) => [m.first, m.second].includes(known.name));
  const now = own.find((m) => ["waiting", "called", "playing"].includes(m.state));
  const lines = own.map((m) =>
    el(
      "li",
      { "data-key": m.id },
      el("b", {}, say("Round {n}", { n: digits(m.round) })),
      " ",
      ...pairOf(m),
      " ",
      scoreOf(m),
      " ",
      el("span", { class: "muted" }, stateWords(m)),
    ),
  );
  settle(
    byId("mine"),
    el("p", { class: "where-now" }, nowWords(state, known, now)),
    el("ul", { class: "stack small" }, ...lines),
  );
}

/**
 * @param {EventState} state
 * @param {{ name: string, left: boolean, joins: number }} player
 * @param {EventMatch | undefined} match
 */
function nowWords(state, player, match) {
  if (match) {
    const other = `\u2068${match.first === player.name ? match.second : match.first}\u2069`;
    const starts = state.rounds[match.round - 1]?.starts;
    if (!match.table) return say("Against {name}; the table is called soon.", { name: other });
    return starts && starts * 1000 > Date.now()
      ? say("Table {table}, against {name}, at {time}", {
          table: `\u2068${match.table}\u2069`,
          name: other,
          time: timeOfDay(starts),
        })
      : say("Table {table}, against {name}", { table: `\u2068${match.table}\u2069`, name: other });
  }
  if (player.left) return say("Plays no more.");
  return state.over ? say("The tournament is over") : say("Waits for the next round.");
}

who.addEventListener("input", () => {
  const address = new URL(location.href);
  if (who.value) address.searchParams.set("player", who.value);
  else address.searchParams.delete("player");
  history.replaceState(null, "", address);
  mine();
});

async function look() {
  try {
    draw(await api(EVENT));
  } catch {
    /* the next look may find it */
  }
}
await look();
setInterval(look, ASK_MS);
