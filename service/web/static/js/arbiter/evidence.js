// The audit trail, and the evidence of the moment that is looked at.
/** @import { Entry, Placement, PlayLike, StateDocument } from "../types.js" */
import { byId, el, settle } from "../dom.js";
import { context, digits, say, sideName } from "../page.js";
import { evidence, placementBefore } from "../play.js";
import { describe } from "../trail.js";

/** Kinds of entries that are moments worth looking at. */
const MOMENTS = [
  "played",
  "illegal_noticed",
  "illegal_stood",
  "differs",
  "dice_called",
  "set_up_verified",
  "rolled",
  "corrected",
  "flagged",
];
/** So many entries of one reading are put into the table at the most. */
const MOST_LISTED = 400;

/** Every entry that was read, oldest first. @type {Entry[]} */
const trail = [];
/** The entry that the scrubber shows; null follows the newest. @type {number | null} */
let moment = null;
/** What stood before each entry that was looked at. @type {Map<number, Placement>} */
const befores = new Map();
/** The newest document, for the names and plays in it. @type {StateDocument | null} */
let state = null;
const scrub = byId("scrub", HTMLInputElement);

const moments = () => trail.filter((e) => MOMENTS.includes(e.kind));

/** The number of the entry that is looked at; null where it is the newest, whatever that is. */
export const shownMoment = () => moment;

/**
 * The entry of this number where it was read already.
 * @param {number} seq
 */
export const entryOf = (seq) => trail.find((e) => e.seq === seq);

/**
 * The time of day when an entry was written, in words.
 * @param {Entry} entry
 */
export const timeOf = (entry) => new Date(entry.wall * 1000).toLocaleTimeString(context.language);

/**
 * Take the newest document, for the names and plays in it.
 * @param {StateDocument} shown
 */
export function takeDocument(shown) {
  state = shown;
}

/** The answers to whoever may not read a trail, or where there is none: asking on is no use. */
const REFUSED = [401, 403, 404];

/** Read the entries that came since the last reading; false where that is worth another try. */
export async function readTrail() {
  const since = trail.at(-1)?.seq ?? 0;
  const path = `/api/v1/tables/${context.table}/entries?since=${since}`;
  const text = await fetch(path).then(
    (r) => (r.ok ? r.text() : REFUSED.includes(r.status) ? "" : null),
    () => null,
  );
  if (text === null) return false;
  if (!text.trim()) return true;
  /** @type {Entry[]} */
  const added = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  trail.push(...added.filter((e) => e.seq > since));
  byId("audit").prepend(...added.slice(-MOST_LISTED).reverse().map(auditRow));
  const list = moments();
  scrub.max = String(Math.max(0, list.length - 1));
  if (moment === null) {
    scrub.value = String(list.length - 1);
    drawEvidence();
  }
  return true;
}

/** Who says things and has no name of his own. @type {Record<string, () => string>} */
const AUTHORS = {
  referee: () => say("the table"),
  console: () => say("this machine"),
  clock: () => say("the clock's device"),
};

/** @param {Entry} entry */
function auditRow(entry) {
  const { role, name, side } = entry.by;
  const author = AUTHORS[role]?.() ?? (name || (side ? sideName(side) : say("a player")));
  return el(
    "tr",
    {},
    el("td", { class: "num" }, digits(entry.seq)),
    el("td", { class: "num" }, timeOf(entry)),
    el("td", { dir: "auto" }, author),
    el("td", {}, describe(entry, state)),
  );
}

/**
 * Look at an entry, or at the last moment before it.
 * @param {number} seq
 */
export function showMoment(seq) {
  const list = moments();
  const index = Math.max(
    0,
    list.findLastIndex((e) => e.seq <= seq),
  );
  moment = list[index]?.seq ?? null;
  scrub.value = String(index);
  drawEvidence();
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  byId("evidence-title").scrollIntoView({ block: "center", behavior: still ? "auto" : "smooth" });
}

/** Draw what stands behind the moment that is looked at. */
function drawEvidence() {
  const entry = moments()[Number(scrub.value)];
  scrub.setAttribute("aria-valuetext", entry ? describe(entry, state) : "");
  const box = byId("evidence");
  if (!entry) {
    box.replaceChildren(el("p", { class: "nothing" }, say("Nothing has happened yet.")));
    return;
  }
  const { body, seq } = entry;
  /** @type {PlayLike} */
  const play = (state?.plays || []).find((p) => p.seq === seq) || {
    side: body.side,
    roll: body.roll,
    text: body.notation,
    origin: body.origin,
    infraction: body.infraction,
    standing: body.standing,
    probability: body.probability,
    pictures: body.pictures,
    seq,
  };
  const draw = (/** @type {Placement | null} */ before) =>
    settle(
      box,
      el(
        "div",
        { class: "stack", "data-key": String(seq) },
        el("p", { class: "prompt" }, describe(entry, state)),
        evidence(play, entry, state, before),
      ),
    );
  draw(befores.get(seq) ?? null);
  if (!body.placement || befores.has(seq)) return;
  placementBefore(seq).then((before) => {
    if (!before) return;
    befores.set(seq, before);
    // Another moment may be looked at by now.
    if (moments()[Number(scrub.value)]?.seq === seq) draw(before);
  });
}

scrub.addEventListener("input", () => {
  const list = moments();
  const index = Number(scrub.value);
  moment = index >= list.length - 1 ? null : (list[index]?.seq ?? null);
  drawEvidence();
});
/** @param {number} by */
const step = (by) => {
  scrub.value = String(Number(scrub.value) + by);
  scrub.dispatchEvent(new Event("input"));
};
byId("step-back").addEventListener("click", () => step(-1));
byId("step-on").addEventListener("click", () => step(1));
