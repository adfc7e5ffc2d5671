// Every state that the overlay can show, for setting a scene up before anybody plays.
/** @import { PlayDocument, StateDocument } from "./types.js" */
import { context, say } from "./page.js";

const NAMES = { white: say("Mahsa Rahimi"), black: say("Jan de Vries") };
/** @type {StateDocument["dice"]} */
const NO_DICE = {
  roll: null,
  origin: null,
  problem: null,
  opening: [],
  no_play: false,
  seen: [],
};
const START = {
  white: counts({ 24: 2, 13: 5, 8: 3, 6: 5 }),
  black: counts({ 1: 2, 12: 5, 17: 3, 19: 5 }),
};

/**
 * Checkers by site, from those sites that have any.
 * @param {Record<number, number>} points
 */
function counts(points) {
  return Array.from({ length: 26 }, (_, site) => points[site] || 0);
}

/** What differs from a match just begun; of the match, too, only what differs. */
/** @typedef {Partial<StateDocument["match"]>} MatchChange */
/** @typedef {Partial<Omit<StateDocument, "match">> & { match?: MatchChange }} Change */

/**
 * [name, document] of each state, in the order in which a match meets them.
 * @returns {[string, StateDocument][]}
 */
export function states() {
  /** @type {StateDocument} */
  const base = {
    schema: "takhte-state/1",
    waits_for: { code: "roll", side: "white", args: {} },
    table: context.table,
    seq: 1,
    at: 100,
    phase: "to-roll",
    on_roll: "white",
    connected: true,
    delay_s: 0,
    view: "public",
    early: null,
    match: {
      length: 7,
      ruleset: "backgammon",
      title: { en: "Backgammon", fa: "تخته‌نرد" },
      game: 1,
      crawford: false,
      options: {},
      event: {},
      beavers: false,
      nard: false,
      resignations: [],
      result: null,
      players: {
        white: { name: NAMES.white, score: 0, colour: "light" },
        black: { name: NAMES.black, score: 0, colour: "dark" },
      },
    },
    board: {
      ...START,
      seating: { white: "light", home: "south-east" },
      facing: "mirror",
      checkers: 15,
    },
    dice: NO_DICE,
    cube: { in_use: true, value: 1, owner: "centre", offered_by: null, offered_value: null },
    clock: {
      kind: "ours",
      mode: "simple",
      white: { bank: 840, delay: 12, flags: 0 },
      black: { bank: 840, delay: 12, flags: 0 },
      running: null,
      as_of: 100,
    },
    plays: [],
    games: [],
    alerts: [],
    rulings: [],
    sources: {},
    illegal: null,
    differs: null,
    question: null,
    premature: null,
    resigning: null,
    scene: { lights: {}, clock_face: {} },
  };
  /** @type {PlayDocument} */
  const play = {
    game: 1,
    number: 1,
    side: "white",
    roll: [3, 1],
    text: "8/5 6/5",
    seq: 5,
    origin: "read",
    infraction: null,
    standing: null,
    by_hand: false,
    amended: null,
  };
  const after = { ...base.board, white: counts({ 24: 2, 13: 5, 8: 2, 6: 4, 5: 2 }) };
  /**
   * @param {string} name
   * @param {Change} change
   * @returns {[string, StateDocument]}
   */
  const make = (name, change) => [
    name,
    { ...base, ...change, match: { ...base.match, ...(change.match || {}) } },
  ];
  /**
   * @param {number} white
   * @param {number} black
   */
  const scored = (white, black) => ({
    players: {
      white: { ...base.match.players.white, score: white },
      black: { ...base.match.players.black, score: black },
    },
  });
  /** @type {NonNullable<StateDocument["games"]>[number]} */
  const one = {
    game: 1,
    winner: "white",
    points: 2,
    reason: "borne_off",
    result: "gammon",
    seq: 9,
    score: { white: 2, black: 0 },
  };
  return [
    make("nothing set", { phase: "idle", match: { ruleset: null } }),
    make("setting up", { phase: "setting-up", on_roll: null }),
    make("opening roll", { phase: "opening", on_roll: null }),
    make("to roll", { clock: { ...base.clock, running: null } }),
    make("rolled", { phase: "moving", dice: { ...NO_DICE, roll: [3, 1], origin: "read" } }),
    make("played", { phase: "to-roll", on_roll: "black", board: after, plays: [play] }),
    make("doubled", {
      phase: "doubled",
      on_roll: "black",
      board: after,
      plays: [play],
      cube: { ...base.cube, offered_by: "black", offered_value: 2 },
    }),
    make("cube owned", {
      board: after,
      plays: [play],
      cube: { ...base.cube, value: 2, owner: "white" },
    }),
    make("checkers on the bar and off", {
      board: {
        ...after,
        white: counts({ 25: 1, 6: 4, 5: 4, 0: 6 }),
        black: counts({ 25: 2, 19: 5, 20: 4, 0: 4 }),
      },
      plays: [play],
    }),
    make("tall stacks", {
      board: { ...after, white: counts({ 1: 9, 6: 6 }), black: counts({ 24: 15 }) },
    }),
    make("no clock, no names", {
      clock: { kind: "none", mode: null, running: null, as_of: 0, white: null, black: null },
      match: {
        players: {
          white: { name: "", score: 0, colour: "light" },
          black: { name: "", score: 0, colour: "dark" },
        },
      },
    }),
    make("no cube", { cube: { ...base.cube, in_use: false } }),
    make("Crawford game", {
      match: { crawford: true, game: 4, ...scored(6, 3) },
      cube: { ...base.cube, in_use: false },
    }),
    make("money session", { match: { length: null } }),
    make("long names", {
      match: {
        event: { name: "The Nineteenth International Open Championship" },
        players: {
          white: { name: "Alexandra Konstantinopoulou-Papadimitriou", score: 24, colour: "light" },
          black: { name: "محمدحسین طباطبایی شیرازی", score: 23, colour: "dark" },
        },
      },
    }),
    make("the director decides", { phase: "frozen" }),
    make("adjourned", { phase: "adjourned" }),
    make("game over", { phase: "game-over", games: [one], match: scored(2, 0) }),
    make("match over", {
      phase: "match-over",
      games: [{ ...one, score: { white: 7, black: 5 } }],
      match: scored(7, 5),
    }),
    make("delayed", { delay_s: 300 }),
    make("the table is away", { connected: false }),
  ];
}
