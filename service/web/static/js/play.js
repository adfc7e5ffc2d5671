// One play and everything that is known about it.
/**
 * @import {
 *   Child, Entry, EntryBody, Evidence, Explanation, Placement, PlayDocument, PlayLike,
 *   StateDocument
 * } from "./types.js"
 */
import { Board } from "./board.js";
import { openCorrection } from "./correct.js";
import { el, svg } from "./dom.js";
import {
  api,
  context,
  digits,
  doneRow,
  may,
  openDialog,
  percent,
  playerName,
  preference,
  say,
  SIDES,
} from "./page.js";
import { diceText, ORIGINS, playText, standingWords, why } from "./prompts.js";

/** @param {string} rest */
const path = (rest) => `/api/v1/tables/${context.table}/${rest}`;

/**
 * Open a play's evidence: what it rests on in sentences, the board before and after, pictures.
 * @param {StateDocument} state
 * @param {PlayDocument} play
 */
export async function showPlay(state, play) {
  const [entry, before] = await Promise.all([
    api(path(`entries/${play.seq}`)).then(
      (/** @type {{ result: Entry }} */ answer) => answer.result,
      () => null,
    ),
    placementBefore(play.seq),
  ]);
  openDialog((dialog) => {
    const correct = () => {
      dialog.close();
      const placement = entry?.body?.placement || state.board;
      openCorrection(state, { ...play, placement });
    };
    return [
      el(
        "h2",
        {},
        el("bdi", { dir: "auto" }, playerName(state, play.side)),
        ": ",
        diceText(play.roll),
        " ",
        el("bdi", { dir: "ltr" }, playText(state, play.text, play.infraction)),
      ),
      evidence(play, entry, state, before),
      doneRow(
        dialog,
        may("correct_play") && el("button", { onclick: correct }, say("Correct this play")),
      ),
    ];
  }, true);
}

/**
 * What stood before an earlier play; null where nobody can say.
 * @param {number} seq
 * @returns {Promise<Placement | null>}
 */
export async function placementBefore(seq) {
  /** @type {{ result: { before: Placement } | null }} */
  const { result } = await api(path(`legal-plays?entry=${seq}`)).catch(() => ({ result: null }));
  return result?.before?.white ? result.before : null;
}

/**
 * What stands behind an entry, as an element: sentences first, numbers for who asks.
 * @param {PlayLike} play
 * @param {Entry | null} entry
 * @param {StateDocument | null} state
 * @param {Placement | null} before what stood before it, where that is known
 */
export function evidence(play, entry, state, before) {
  /** @type {EntryBody} */
  const body = entry?.body || {};
  const author = entry?.by?.role === "referee" ? say("the table") : entry?.by?.name || "";
  const certain = play.probability ?? body.probability;
  const facts = el(
    "dl",
    { class: "kv" },
    ...fact(
      say("How sure"),
      typeof certain === "number" ? percent(certain) : body.by_hand ? say("said by a person") : "–",
    ),
    ...(play.origin ? fact(say("Dice"), (ORIGINS[play.origin] || ORIGINS.unknown)()) : []),
    ...fact(
      say("Entry"),
      entry
        ? say("number {n}, by {who}", {
            n: digits(entry.seq),
            who: `\u2068${author}\u2069`,
          })
        : digits(play.seq),
    ),
    ...fact(
      say("When"),
      entry ? new Date(entry.wall * 1000).toLocaleString(context.language) : "–",
    ),
  );
  const said = rules(play, body, entry?.why, entry?.kind);
  return el(
    "div",
    { class: "stack" },
    el("p", { class: "sure" }, sureWords(play, entry).join(" ")),
    said && el("p", { class: play.infraction || body.code ? "banner bad" : "muted" }, said),
    state && before && body.placement ? boards(state, before, body.placement) : null,
    pictures(play.pictures?.length ? play.pictures : body.pictures, body.evidence, state),
    el(
      "details",
      {},
      el("summary", {}, say("In numbers")),
      el("div", { class: "stack" }, facts, sources(body.evidence), rows(body.evidence)),
    ),
  );
}

/**
 * How an entry came to be believed, a sentence each.
 * @param {PlayLike} play
 * @param {Entry | null} entry
 */
export function sureWords(play, entry) {
  const body = entry?.body || {};
  if (body.by_hand) return [say("A person entered it.")];
  const [first, second] = Object.keys(body.evidence?.sources || {}).map(
    (name) => context.sources[name] ?? name,
  );
  const seen = second
    ? say("Seen by: {one} and {other}.", { one: first, other: second })
    : first && say("Seen by: {one}.", { one: first });
  const p = play.probability ?? body.probability;
  const sure =
    typeof p !== "number"
      ? ""
      : p >= 0.999
        ? say("Nothing else fits.")
        : say("It is {p} sure.", { p: percent(p) });
  return [seen, sure].filter((s) => typeof s === "string" && s !== "");
}

/**
 * The board before and after, the points that differ ringed.
 * @param {StateDocument} state
 * @param {Placement} before
 * @param {Placement} after
 */
function boards(state, before, after) {
  const differs = Array.from({ length: 24 }, (_, i) => i + 1).filter((site) =>
    SIDES.some((side) => before[side][site] !== after[side][site]),
  );
  /** @param {string} name @param {Placement} placement */
  const drawn = (name, placement) => {
    const node = svg("svg", { class: "drawn", role: "img", "aria-label": name });
    const seat = preference("seat") || "white";
    new Board(node).draw({ ...state.board, ...placement }, { seat, changed: differs });
    return el("figure", {}, el("figcaption", {}, name), el("div", { class: "board-box" }, node));
  };
  return el(
    "div",
    { class: "pair-of-pictures" },
    drawn(say("Before"), before),
    drawn(say("After"), after),
  );
}

/**
 * What the rules say of it, where they say anything.
 * @param {PlayLike} play
 * @param {EntryBody} body
 * @param {Record<string, string>} [said]
 * @param {string} [kind]
 */
function rules(play, body, said, kind) {
  const words = why(said);
  const standing = play.standing ? standingWords(play.standing) : "";
  if (words) return standing ? `${words} (${standing})` : words;
  if (standing) return standing;
  if (play.infraction || body.infraction || body.code) return say("illegal play");
  return kind === "played" || !kind ? say("A legal play.") : "";
}

/**
 * @param {string} name
 * @param {Child} value
 */
const fact = (name, value) => [el("dt", {}, name), el("dd", {}, value)];

/**
 * Pictures before and after; a picture that is no longer kept says so. Where what was believed does
 * not say who saw it, a table that has no camera had none.
 * @param {string[] | undefined} ids
 * @param {Evidence | undefined} found
 * @param {StateDocument | null} state
 */
export function pictures(ids, found, state) {
  const watched = found?.sources
    ? "camera" in found.sources
    : state?.sources?.camera?.state !== "absent";
  const none = watched ? say("No picture was kept of this moment.") : say("No camera saw this.");
  if (!ids?.length) return el("p", { class: "nothing" }, none);
  const shown = ids.length > 1 ? [ids[0], ids[ids.length - 1]] : ids;
  return el(
    "div",
    { class: "pair-of-pictures" },
    shown.map((id, i) => {
      const name = shown.length === 1 ? say("After") : i ? say("After") : say("Before");
      const image = el("img", {
        src: path(`pictures/${id}`),
        alt: say("The camera's picture: {when}", { when: name }),
        loading: "lazy",
        width: 640,
        height: 400,
      });
      const figure = el("figure", {}, el("figcaption", {}, name), image);
      image.onerror = () =>
        image.replaceWith(
          el("p", { class: "nothing" }, watched ? say("This picture is no longer kept.") : none),
        );
      return figure;
    }),
  );
}

/** @param {Evidence} [found] */
function sources(found) {
  const list = Object.entries(found?.sources || {});
  if (!list.length) return null;
  return el(
    "section",
    {},
    el("h3", {}, say("Sensors")),
    el(
      "ul",
      { class: "sources" },
      list.map(([name, s]) =>
        el(
          "li",
          {},
          context.sources[name] || name,
          ": ",
          say("looked {age} s before, at rest in {rests} readings; {against} spoke against it", {
            age: digits(Math.round((s.age ?? 0) * 100) / 100),
            rests: digits(s.rests ?? "–"),
            against: digits(s.against ?? "–"),
          }),
        ),
      ),
    ),
  );
}

/**
 * The explanations that were weighed, best first.
 * @param {Evidence} [found]
 */
function rows(found) {
  const list = found?.rows || [];
  if (!list.length) return null;
  return el(
    "section",
    {},
    el("h3", {}, say("Explanations weighed")),
    el(
      "div",
      { class: "bars" },
      list.slice(0, 6).map((row) => {
        const p = row.p ?? row.probability ?? 0;
        return el(
          "div",
          { class: "barline" },
          el("span", {}, rowWords(row)),
          el("span", { class: "meter", "aria-hidden": "true" }, meter(p)),
          el("span", { class: "num" }, percent(p)),
        );
      }),
    ),
  );
}

/** What each explanation says of the points it is about. */
/** @type {Record<string, (points: string) => string>} */
const KINDS = {
  legal: () => say("a legal play"),
  before: () => say("nothing was moved"),
  half: (points) => say("begun and not finished: {points}", { points }),
  hit_checker: () => say("the hit checker is not on the bar"),
  moved: (points) => say("moved against the rules: {points}", { points }),
  otherwise: (points) => say("knocked or set anew: {points}", { points }),
};

/** @param {Explanation} row */
function rowWords(row) {
  const points = (row.sites || [])
    .map(([site]) => (site === 25 ? say("bar") : site === 0 ? say("tray") : digits(site)))
    .join(say(", "));
  const words = KINDS[row.kind ?? ""]?.(points || "–") ?? say(row.kind || "…");
  return row.roll ? `${diceText([...row.roll].map(Number))} · ${words}` : words;
}

/** @param {number} p */
function meter(p) {
  const bar = el("i");
  bar.style.inlineSize = `${Math.round(100 * p)}%`;
  return bar;
}
