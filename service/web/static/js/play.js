// One play and everything that is known about it.
/**
 * @import {
 *   Child, Entry, EntryBody, Evidence, Explanation, PlayDocument, PlayLike, StateDocument
 * } from "./types.js"
 */
import { openCorrection } from "./correct.js";
import { el } from "./dom.js";
import {
  api,
  context,
  digits,
  doneRow,
  may,
  openDialog,
  percent,
  playerName,
  say,
} from "./page.js";
import { diceText, ORIGINS, playText, standingWords, why } from "./prompts.js";

/** @param {string} rest */
const path = (rest) => `/api/v1/tables/${context.table}/${rest}`;

/**
 * Open a play's evidence: pictures before and after, sensors, rules, certainty.
 * @param {StateDocument} state
 * @param {PlayDocument} play
 */
export async function showPlay(state, play) {
  /** @type {{ result: Entry | null }} */
  const { result: entry } = await api(path(`entries/${play.seq}`)).catch(() => ({ result: null }));
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
        el("bdi", { dir: "ltr" }, playText(play.text, play.infraction)),
      ),
      evidence(play, entry),
      doneRow(
        dialog,
        may("correct_play") && el("button", { onclick: correct }, say("Correct this play")),
      ),
    ];
  }, true);
}

/**
 * What stands behind an entry, as an element.
 * @param {PlayLike} play
 * @param {Entry | null} entry
 */
export function evidence(play, entry) {
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
    ...fact(say("Rules"), rules(play, body, entry?.why, entry?.kind)),
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
  return el(
    "div",
    { class: "stack" },
    facts,
    pictures(play.pictures?.length ? play.pictures : body.pictures),
    sources(body.evidence),
    rows(body.evidence),
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
  return kind === "played" || !kind ? say("a legal play") : "–";
}

/**
 * @param {string} name
 * @param {Child} value
 */
const fact = (name, value) => [el("dt", {}, name), el("dd", {}, value)];

/**
 * Pictures before and after; a picture that is no longer kept says so.
 * @param {string[]} [ids]
 */
export function pictures(ids) {
  if (!ids?.length) {
    return el("p", { class: "nothing" }, say("No picture was kept of this moment."));
  }
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
        image.replaceWith(el("p", { class: "nothing" }, say("This picture is no longer kept.")));
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
          say("reading number {n}, {age} s old; {rests} readings at rest; {against} against it", {
            n: digits(s.number ?? "–"),
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

/** @type {Record<string, () => string>} */
const KINDS = {
  legal: () => say("a legal play"),
  before: () => say("nothing moved"),
  half: () => say("half-made"),
  hit_checker: () => say("the hit checker is not on the bar"),
  moved: () => say("no legal play"),
  otherwise: () => say("checkers knocked or set anew"),
};

/** @param {Explanation} row */
function rowWords(row) {
  const where = (row.sites || [])
    .map(([site]) => (site === 25 ? say("bar") : site === 0 ? say("tray") : digits(site)))
    .join(", ");
  return [
    KINDS[row.kind ?? ""]?.() ?? say(row.kind || "…"),
    row.roll ? diceText([...row.roll].map(Number)) : "",
    where,
  ]
    .filter(Boolean)
    .join(" · ");
}

/** @param {number} p */
function meter(p) {
  const bar = el("i");
  bar.style.inlineSize = `${Math.round(100 * p)}%`;
  return bar;
}
