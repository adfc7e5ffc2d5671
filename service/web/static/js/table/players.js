// The two players' boxes: name, score, clock, whose turn it is.
/** @import { Board } from "../board.js" */
/** @import { SideName, StateDocument } from "../types.js" */
import { format, left, milestone, underTime } from "../clock.js";
import { byId, el, settle, show, write } from "../dom.js";
import { digits, lengthWords, otherSide, playerName, say, sideName, SIDES } from "../page.js";
import { who } from "../prompts.js";
import { sound } from "../sounds.js";

/** Phases in which nobody is on turn. */
const AT_REST = ["idle", "match-over", "game-over"];

/** Seconds that each side had when its time was last looked at. @type {Record<SideName, number>} */
const before = { white: Infinity, black: Infinity };
/** The clock of each side, kept so that a screen reader does not lose its place. */
const clocks = { white: clockNode("white"), black: clockNode("black") };

/** @param {SideName} side */
function clockNode(side) {
  const attributes = { class: "clock num", role: "timer", "aria-live": "off", "data-side": side };
  const time = el("span", { class: "time" });
  const delay = el("span", { class: "delay" });
  return { node: el("span", attributes, time, delay), time, delay };
}

/**
 * Draw both players' boxes, the near one of the seat at the bottom of the page.
 * @param {StateDocument} state
 * @param {Board} board
 * @param {SideName} seat
 */
export function drawPlayers(state, board, seat) {
  drawPlayer(state, board, "near", seat);
  drawPlayer(state, board, "far", otherSide(seat));
}

/**
 * @param {StateDocument} state
 * @param {Board} board
 * @param {string} id
 * @param {SideName} side
 */
function drawPlayer(state, board, id, side) {
  const match = state.match || {};
  const player = match.players?.[side];
  const turn = state.on_roll === side && !AT_REST.includes(state.phase);
  const score = digits(player?.score ?? 0);
  // What matters most first: a narrow page cuts the end off.
  const facts = [
    player?.name ? sideName(side) : "",
    match.crawford ? say("Crawford game") : "",
    player?.illegal ? say("illegal plays: {n}", { n: digits(player.illegal) }) : "",
    lengthWords(match),
  ];
  const node = byId(id);
  node.classList.toggle("turn", turn);
  settle(
    node,
    el("span", { class: "turn-mark", "aria-hidden": "true" }, turn ? "▶" : ""),
    board.discOf(player?.colour || (side === "white" ? "light" : "dark")),
    el(
      "span",
      {},
      el("bdi", { class: "name", dir: "auto" }, playerName(state, side)),
      el(
        "span",
        { class: "sub" },
        facts.filter(Boolean).join(" · "),
        turn && el("span", { class: "hidden-text" }, say("on roll")),
      ),
    ),
    el(
      "span",
      { class: "score num", "aria-label": say("score {n}", { n: score }), role: "img" },
      score,
    ),
    clocks[side].node,
  );
}

/**
 * Draw the clocks as they are at table time `now`, and say aloud when little is left.
 * @param {StateDocument} state
 * @param {number} now
 */
export function drawClocks(state, now) {
  for (const side of SIDES) {
    const { clock } = state;
    const time = left(clock, side, now);
    const { node, ...lines } = clocks[side];
    show(node, Boolean(time));
    if (!time) continue;
    const running = clock.running === side;
    node.classList.toggle("running", running);
    node.classList.toggle("low", time.bank < 10);
    write(lines.time, format(time.bank));
    const under = underTime(clock, side, time);
    show(lines.delay, Boolean(under));
    write(lines.delay, under);
    const mark = milestone(before[side], time.bank);
    if (mark && running) {
      if (mark === 10) sound("clock");
      byId("say").textContent = say("{name}: {n} seconds left", {
        name: who(state, side),
        n: digits(mark),
      });
    }
    before[side] = time.bank;
  }
}
