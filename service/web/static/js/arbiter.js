// The arbiter's page: alerts, evidence, decisions, records. One table now; the list at the top
// holds as many as the machine serves.
/** @import { StateDocument } from "./types.js" */
import { openAir, sayConsent } from "./air.js";
import { drawAlerts } from "./arbiter/alerts.js";
import { drawActs } from "./arbiter/decide.js";
import { readTrail, shownMoment, takeDocument } from "./arbiter/evidence.js";
import { Board, lastMoves } from "./board.js";
import { format, left, timeAt } from "./clock.js";
import { byId, el, findById, settle, write } from "./dom.js";
import { follow, showLink } from "./feed.js";
import {
  askReason,
  context,
  digits,
  fillTables,
  may,
  order,
  preference,
  say,
  SIDES,
} from "./page.js";
import { openPairing, openPeople } from "./people.js";
import { prompt, who } from "./prompts.js";
import { soundOf } from "./sounds.js";

const board = new Board(byId("board", SVGSVGElement));
/** @type {StateDocument | null} */
let state = null;
let skew = 0;
let reading = false;
/** The number of the document up to which the trail was read; -1 before that. */
let readTo = -1;

/** @param {StateDocument} shown */
const tableNow = (shown) => timeAt(shown, skew);

/** @param {StateDocument} shown */
function draw(shown) {
  takeDocument(shown);
  board.draw(shown.board, {
    seat: preference("seat") || "white",
    dice: shown.dice,
    roller: shown.on_roll,
    cube: shown.cube,
    last: (layout) => lastMoves(shown, layout),
    wrong: shown.differs?.sites,
  });
  const [text, hint] = prompt(shown);
  write(byId("prompt"), text);
  write(byId("hint"), hint);
  drawAlerts(shown);
  drawStanding(shown);
  drawActs(shown, shownMoment);
  drawRulings(shown);
}

/**
 * Draw how each side stands: score, illegal plays, time, flags.
 * @param {StateDocument} shown
 */
function drawStanding(shown) {
  settle(
    byId("standing"),
    ...SIDES.flatMap((side) => {
      const player = shown.match?.players?.[side];
      const time = left(shown.clock, side, tableNow(shown));
      const flags = shown.clock?.[side]?.flags;
      const facts = [
        say("score {n}", { n: digits(player?.score ?? 0) }),
        say("illegal plays: {n}", { n: digits(player?.illegal ?? 0) }),
        time ? format(time.bank) : "",
        flags ? say("flags: {n}", { n: digits(flags) }) : "",
      ];
      return [el("dt", {}, who(shown, side)), el("dd", {}, facts.filter(Boolean).join(" · "))];
    }),
  );
}

/**
 * Draw the rulings, each with its appeal while that may be made.
 * @param {StateDocument} shown
 */
function drawRulings(shown) {
  const now = tableNow(shown);
  settle(
    byId("rulings"),
    ...(shown.rulings || []).map(({ seq, text, until, appealed }) => {
      const rest = (until ?? 0) - now;
      const appeal = () =>
        askReason(say("Appeal"), say("Appeal"), (reason) =>
          order("appeal", { ruling: seq, reason }),
        );
      const close = () =>
        askReason(say("Close the appeal"), say("Close"), (decision) =>
          order("close_appeal", { ruling: seq, decision }),
        );
      return el(
        "div",
        { class: "banner calm" },
        el("p", { dir: "auto" }, text),
        appealed
          ? el("b", {}, say("Appealed to the committee"))
          : rest > 0
            ? el("p", {}, say("appeal within {time}", { time: format(rest) }))
            : "",
        el(
          "p",
          { class: "row" },
          !appealed && rest > 0 && may("appeal")
            ? el("button", { onclick: appeal }, say("Appeal"))
            : "",
          may("close_appeal") && (appealed || rest <= 0)
            ? el("button", { onclick: close }, say(appealed ? "Close the appeal" : "Close"))
            : "",
        ),
      );
    }),
  );
}

findById("pair", HTMLElement)?.addEventListener("click", openPairing);
findById("people", HTMLElement)?.addEventListener("click", openPeople);
findById("air", HTMLElement)?.addEventListener("click", openAir);
sayConsent(byId("sharing"));
fillTables(
  (table) => `/arbiter?table=${encodeURIComponent(table)}`,
  (table) => say("Table {n}", { n: table }),
);
document.addEventListener("look", () => state && draw(state));

/** Read the trail up to the newest document, and to those that come meanwhile. */
async function readOn() {
  if (reading || !state || state.seq === readTo) return;
  reading = true;
  try {
    while (state.seq !== readTo) {
      const wanted = state.seq;
      // What could not be read is tried again a second later.
      if (!(await readTrail())) break;
      readTo = wanted;
    }
  } finally {
    reading = false;
  }
  drawAlerts(state);
}

follow((found, offset) => {
  state = found;
  skew = offset;
  draw(found);
  soundOf(found);
  readOn();
}, showLink);
setInterval(() => {
  if (!state) return;
  drawStanding(state);
  drawRulings(state);
  readOn();
}, 1000);
if (context.hall) {
  const { drawSent } = await import("./hall_desk.js");
  const sent = () => drawSent(byId("sent"), context.table).catch(() => {});
  sent();
  setInterval(sent, 3000);
}
