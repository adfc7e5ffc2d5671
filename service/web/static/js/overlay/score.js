// The overlay's score: who plays, pips, cube, time and points, and what the score means.
/** @import { SideName, StateDocument } from "../types.js" */
/** @import { Board } from "../board.js" */
import { byId, el, settle, svg, write } from "../dom.js";
import { context, digits, lengthWords, playerName, say, SIDES } from "../page.js";
import { headWords, who } from "../prompts.js";
import { colourOf, winner } from "./says.js";
import { person, pictureOf, words } from "./look.js";

/** Phases in which somebody is on turn. */
const TURNS = ["to-roll", "moving", "pressed", "doubled", "illegal", "differs"];

/**
 * Points that a side still needs; null in a session.
 * @param {StateDocument} shown
 * @param {SideName} side
 */
const away = (shown, side) =>
  shown.match.length ? Math.max(0, shown.match.length - shown.match.players[side].score) : null;

/**
 * How far a side is from having borne off.
 * @param {StateDocument} shown
 * @param {SideName} side
 */
export function pips({ board }, side) {
  /** @param {number} site */
  const number = (site) =>
    site < 1 || site > 24 || side === "white"
      ? site
      : board.facing === "rotate"
        ? ((site + 11) % 24) + 1
        : 25 - site;
  return (board[side] || []).reduce((sum, n, site) => sum + n * number(site), 0);
}

/**
 * The length of the match, and what is special about this game.
 * @param {StateDocument} shown
 */
function gameWords(shown) {
  const { match } = shown;
  const last = SIDES.every((side) => away(shown, side) === 1);
  const after = !match.crawford && SIDES.some((side) => away(shown, side) === 1);
  return [
    lengthWords(match),
    match.crawford ? say("Crawford game") : "",
    last ? say("Double match point") : after && shown.cube?.in_use ? say("After Crawford") : "",
  ]
    .filter(Boolean)
    .join(" · ");
}

/**
 * @param {StateDocument} shown
 * @param {string[]} parts
 * @param {Board} board
 */
export function drawScore(shown, parts, board) {
  const { match } = shown;
  const title = match.event?.name || match.title?.[context.language] || match.title?.en || "";
  write(byId("event"), String(title));
  const where = [
    words("round"),
    context.tables.length > 1 ? say("Table {name}", { name: context.table }) : "",
  ];
  write(byId("where"), where.filter(Boolean).join(" · "));
  write(byId("length"), gameWords(shown));
  for (const side of SIDES) {
    const name = playerName(shown, side);
    const turn = shown.on_roll === side && TURNS.includes(shown.phase);
    const owns = shown.cube?.in_use && shown.cube.owner === side;
    const left = away(shown, side);
    const node = byId(`line-${side}`);
    node.classList.toggle("turn", turn);
    settle(
      node,
      board.discOf(colourOf(shown, side)),
      whoIs(name),
      el("bdi", { class: "name", dir: "auto" }, name),
      el(
        "span",
        { class: "pips num", hidden: !parts.includes("pips") || !match.game },
        digits(pips(shown, side)),
      ),
      el("span", { class: "cubed num", hidden: !owns }, owns ? digits(shown.cube.value) : ""),
      // The clock's own hand writes here (`tick`): what is there stays.
      node.querySelector(".time") ?? el("span", { class: "time num", "data-side": side }),
      el(
        "span",
        { class: "needs", hidden: !left },
        left ? say("{n}-away", { n: digits(left) }) : "",
      ),
      el("span", { class: "points num" }, digits(match.players?.[side]?.score ?? 0)),
    );
  }
  drawFoot(shown, board);
}

/**
 * Country, picture and badge of a player, of what the theme has of them.
 * @param {string} name
 */
function whoIs(name) {
  const { country, picture, badge } = person(name);
  const pictures = [picture, badge].filter((file) => typeof file === "string" && file);
  return el(
    "span",
    { class: "who", hidden: !country && !pictures.length },
    pictures.map((file) => el("img", { src: pictureOf(String(file)), alt: "" })),
    country ? el("i", { class: "country" }, country) : null,
  );
}

/** What is said of a phase beside the dice. @type {Record<string, (s: StateDocument) => string>} */
const WORDS = {
  doubled: (s) =>
    say("{name} doubles to {n}", {
      name: who(s, s.cube?.offered_by ?? "white"),
      n: digits(s.cube?.offered_value ?? ""),
    }),
  "game-over": (s) => winner(s) || say("The game is over"),
  "match-over": (s) => {
    const last = (s.games || []).at(-1);
    if (!last) return say("The match is over");
    return say("{name} wins the match", { name: who(s, last.winner) });
  },
  frozen: () => say("The director is deciding"),
  adjourned: () => say("The match is adjourned"),
  opening: () => say("Opening roll"),
  "setting-up": () => say("The game is about to begin"),
};

/**
 * @param {StateDocument} shown
 * @param {Board} board
 */
function drawFoot(shown, board) {
  const roll = shown.dice?.roll;
  const said = WORDS[shown.phase]?.(shown) || "";
  const last = (shown.games || []).at(-1);
  const head = last && shown.phase.endsWith("-over") ? headWords(last) : "";
  const faces = (roll || []).map((value) =>
    svg(
      "svg",
      { class: "face-die", viewBox: "-30 -30 60 60", "aria-hidden": "true" },
      board.die(value, { x: 0, y: 0 }, ""),
    ),
  );
  settle(
    byId("foot"),
    el("span", { hidden: !said }, said, el("small", {}, head)),
    el(
      "span",
      { class: "faces", role: "img", "aria-label": roll?.join("-"), hidden: !faces.length },
      faces,
    ),
  );
}
