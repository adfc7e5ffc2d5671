// The commentator's page: pips, the game's plays, and what gnubg says of them where it is
// installed. Staff only.
/** @import { Child, Commentary, StateDocument } from "./types.js" */
import { Board, lastMoves } from "./board.js";
import { byId, el, messageOf } from "./dom.js";
import { follow, showLink } from "./feed.js";
import {
  api,
  context,
  digits,
  fillTables,
  percent,
  playerName,
  preference,
  say,
  SIDES,
} from "./page.js";
import { playText, prompt, who } from "./prompts.js";

const board = new Board(byId("board", SVGSVGElement));
/** @type {StateDocument | null} */
let state = null;
/** @type {Commentary | null} */
let commentary = null;

const TROUBLE = {
  absent: () =>
    say(
      "gnubg is not installed on this machine: pips and plays are shown, equity and luck are not.",
    ),
  hung: () =>
    say("gnubg did not answer in time and was ended. It is asked again in half a minute."),
  broken: () => say("gnubg does not run on this machine. Ask whoever looks after it."),
};
/**
 * A number with its sign, a dash for none.
 * @param {number | null | undefined} value
 */
const signed = (value) =>
  el(
    "bdi",
    { dir: "ltr", class: "num" },
    value === null || value === undefined
      ? "–"
      : digits(`${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(3)}`),
  );
/** @param {string} text */
const ltr = (text) => el("bdi", { dir: "ltr" }, text);
/**
 * @param {string} name
 * @param {...Child} value
 */
const line = (name, ...value) => [el("dt", {}, name), el("dd", {}, ...value)];

/** @param {StateDocument} shown */
function draw(shown) {
  board.draw(shown.board, {
    seat: preference("seat") || "white",
    dice: shown.dice,
    roller: shown.on_roll,
    cube: shown.cube,
    last: (layout) => lastMoves(shown, layout),
  });
  byId("prompt").textContent = prompt(shown)[0];
  if (commentary) drawCommentary(shown, commentary);
}

/**
 * Draw what is known of the game, and what gnubg says of it.
 * @param {StateDocument} shown
 * @param {Commentary} found
 */
function drawCommentary(shown, found) {
  const { pips, luck, trouble } = found;
  const lead = pips ? pips.white - pips.black : 0;
  byId("counts").replaceChildren(
    ...(pips
      ? SIDES.flatMap((side) => {
          const ahead = side === "white" ? -lead : lead;
          return line(
            who(shown, side),
            say("{n} pips", { n: digits(pips[side]) }),
            ahead > 0 ? ` · ${say("leads by {n}", { n: digits(ahead) })}` : "",
            luck ? [` · ${say("Luck")} `, signed(luck[side])] : "",
          );
        })
      : []),
  );
  byId("trouble").hidden = found.judged && !trouble;
  byId("trouble").textContent = trouble
    ? TROUBLE[trouble.code]()
    : found.game && !found.judged
      ? say("gnubg does not know these rules: pips and plays are shown.")
      : say("Nothing has happened yet.");
  const [win, gammon, backgammon, lost, lostTwice] = found.chances;
  byId("equity").replaceChildren(
    ...(found.equity === null
      ? []
      : [
          line(say("Equity of {name}", { name: who(shown, found.side) }), signed(found.equity)),
          line(say("Wins"), percent(win)),
          line(say("Gammons, won and lost"), `${percent(gammon)} · ${percent(lost)}`),
          line(say("Backgammons, won and lost"), `${percent(backgammon)} · ${percent(lostTwice)}`),
        ].flat()),
  );
  byId("best-title").hidden = !found.best.length;
  byId("best").replaceChildren(
    ...found.best.map((play) => el("li", {}, ltr(play.text), " ", signed(play.equity))),
  );
  byId("turns").replaceChildren(
    ...found.turns
      .map((turn, i) =>
        el(
          "tr",
          {},
          el("td", { class: "num" }, digits(i + 1)),
          el("td", {}, el("bdi", { dir: "auto" }, playerName(shown, turn.side))),
          el("td", {}, ltr(turn.roll)),
          el("td", {}, ltr(playText(shown, turn.text, turn.roll && !turn.text))),
          el("td", {}, signed(turn.luck)),
        ),
      )
      .reverse(),
  );
}

let asking = false;
let again = false;
/** Ask for the commentary; once more where something happened meanwhile or gnubg is not done. */
async function ask() {
  if (asking) {
    again = true;
    return;
  }
  asking = true;
  let wait = 0;
  try {
    /** @type {Commentary} */
    const found = await api(`/api/v1/tables/${context.table}/commentary`);
    commentary = found;
    if (found.pending > 0 || found.trouble?.code === "hung") wait = found.trouble ? 31000 : 1000;
    if (state) drawCommentary(state, found);
  } catch (error) {
    byId("trouble").hidden = false;
    byId("trouble").textContent = messageOf(error);
  }
  asking = false;
  if (again) wait = 200;
  again = false;
  if (wait) setTimeout(ask, wait);
}

fillTables(
  (table) => `/commentator?table=${encodeURIComponent(table)}`,
  (table) => table,
);
document.addEventListener("look", () => state && draw(state));
follow((found) => {
  const before = state?.seq;
  state = found;
  draw(found);
  if (found.seq !== before) ask();
}, showLink);
