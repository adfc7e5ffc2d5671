// The moments of a match: the cube across the screen, the card of a game and of the match, and what
// the commentator sends.
/** @import { SideName, StateDocument } from "../types.js" */
import { byId, el, settle, show } from "../dom.js";
import { digits, lengthWords, otherSide, playerName, say, SIDES } from "../page.js";
import { resultWords, who } from "../prompts.js";
import { winner } from "./says.js";
import { words as fixed } from "./look.js";

/** How long an answer to the cube stays across the screen. */
const ANSWER_MS = 5000;
/** @type {ReturnType<typeof setTimeout> | undefined} */
let answered;
/** Who offered the cube that is across the screen; empty for nobody. */
let offered = "";

/**
 * Lay out, unseen, the letters and sizes of the great moments, so that the frame in which one comes
 * is no longer than others.
 */
export function rehearse() {
  const said = ["{name} doubles", "{name} wins the match"].map((text) => say(text)).join(" ");
  const text = `${said} \u2066${digits("0123456789")}\u2069`;
  settle(byId("moment"), el("b", { class: "cube" }, text), el("bdi", {}, text));
  const rows = ["won", ""].map((name) => el("li", { class: name }, text, el("b", {}, text)));
  settle(byId("card"), el("h2", {}, text), el("p", {}, text), el("ol", {}, rows));
  for (const node of [byId("moment"), byId("card")]) {
    node.style.visibility = "hidden";
    node.hidden = false;
    node.getBoundingClientRect();
    node.hidden = true;
    node.style.visibility = "";
  }
}

/**
 * @param {StateDocument} shown
 * @param {StateDocument | null} before
 */
export function drawMoments(shown, before) {
  drawCube(shown, before);
  drawCard(shown);
  drawThird(shown);
}

/**
 * The cube's moment: offered, taken, dropped.
 * @param {StateDocument} shown
 * @param {StateDocument | null} before
 */
function drawCube(shown, before) {
  const banner = byId("moment");
  const doubler = shown.cube?.offered_by;
  if (shown.phase === "doubled" && doubler) {
    clearTimeout(answered);
    offered = doubler;
    const value = shown.cube.offered_value ?? shown.cube.value * 2;
    across(banner, value, say("{name} doubles", { name: who(shown, doubler) }), "offer");
    return;
  }
  const taker = otherSide(/** @type {SideName} */ (offered || "white"));
  const was = before?.phase === "doubled" && offered;
  offered = "";
  if (was && shown.cube?.owner === taker && shown.phase !== "game-over") {
    across(banner, shown.cube.value, say("{name} takes", { name: who(shown, taker) }), "take");
  } else if (was && lastReason(shown) === "dropped") {
    across(
      banner,
      before?.cube.value ?? 1,
      say("{name} drops", { name: who(shown, taker) }),
      "drop",
    );
  } else if (was || banner.dataset.what === "offer") {
    banner.hidden = true;
    return;
  } else return;
  answered = setTimeout(() => (banner.hidden = true), ANSWER_MS);
}

/** @param {StateDocument} shown */
const lastReason = (shown) =>
  ["game-over", "match-over"].includes(shown.phase) ? (shown.games || []).at(-1)?.reason : "";

/**
 * Say something across the screen, with the cube.
 * @param {HTMLElement} banner
 * @param {number} value
 * @param {string} words
 * @param {string} what
 */
function across(banner, value, words, what) {
  banner.hidden = false;
  banner.dataset.what = what;
  settle(banner, el("b", { class: "cube num" }, digits(value)), el("span", { class: "by" }, words));
}

/** @param {number} n */
const gamesWords = (n) => (n === 1 ? say("1 game") : say("{n} games", { n: digits(n) }));

/**
 * The card of a game that is over, or of the match.
 * @param {StateDocument} shown
 */
function drawCard(shown) {
  const card = byId("card");
  const last = (shown.games || []).at(-1);
  const over = ["game-over", "match-over"].includes(shown.phase) && last;
  show(card, Boolean(over));
  if (!over) return;
  const match = shown.phase === "match-over";
  settle(
    card,
    el(
      "h2",
      {},
      match ? say("{name} wins the match", { name: who(shown, last.winner) }) : winner(shown),
    ),
    el(
      "p",
      { class: "how" },
      last.reason === "dropped" ? say("The cube was dropped") : resultWords(last.result),
    ),
    el(
      "ol",
      {},
      SIDES.map((side) =>
        el(
          "li",
          { class: side === last.winner ? "won" : "" },
          el("bdi", { dir: "auto" }, playerName(shown, side)),
          el("b", { class: "num" }, digits(shown.match.players[side].score)),
        ),
      ),
    ),
    el("p", { class: "after" }, match ? gamesWords(shown.games.length) : lengthWords(shown.match)),
  );
}

/**
 * The lower third: the commentator's note while there is one, else the address' or theme's words.
 * @param {StateDocument} shown
 */
function drawThird(shown) {
  const text = shown.note?.text || fixed("third");
  const node = byId("third");
  show(node, Boolean(text));
  settle(node, el("bdi", { dir: "auto" }, text));
}
