// How the overlay looks, from its address and from a theme's file: layout, colours, font, what is
// shown, and who is who on the air.
/** @import { Theme, ThemePerson } from "../types.js" */

/** What the address says. */
export const query = new URLSearchParams(location.search);

/** What each layout shows unless the address says otherwise. @type {Record<string, string>} */
const PARTS = {
  corner: "score,board,plays,pips",
  line: "score,pips",
  side: "score,board,plays,pips",
  full: "score,board,plays,pips",
  pip: "score,board,plays,pips,picture",
};
/** How many of the newest plays each layout has room for. @type {Record<string, number>} */
const PLAYS = { corner: 4, line: 4, side: 6, full: 15, pip: 4 };
/** Fonts that every machine has, beside the one that is served. @type {Record<string, string>} */
const FONTS = {
  vazirmatn: "Vazirmatn, sans-serif",
  sans: "system-ui, sans-serif",
  serif: "Georgia, 'Times New Roman', serif",
  mono: "ui-monospace, 'Courier New', monospace",
};
/** What the address and a theme call a colour, and the style sheet. @type {[string, string][]} */
const COLOURS = [
  ["card", "--glass"],
  ["ink", "--glass-ink"],
  ["soft", "--glass-soft"],
  ["edge", "--edge"],
  ["accent", "--hot"],
  ["accent_ink", "--hot-ink"],
];
/**
 * Of both files of the font: names may be Persian on an English page, and the isolates around a
 * record's head always are. What is not there yet is looked for among the machine's fonts, in the
 * frame that needs it.
 */
const LETTERS = "a\u2066";
const BUILT_IN = ["glass", "paper"];

/** A theme's file, {} where the address names none. @type {Theme} */
let theme = {};

/**
 * Put the look on; done once the theme's file is here.
 * @returns {Promise<{ plays: number, parts: string[], seat: string, theme: Theme }>}
 */
export async function dress() {
  const named = query.get("theme") || "glass";
  if (!BUILT_IN.includes(named)) {
    theme = await fetch(`/themes/${encodeURIComponent(named)}.json`).then(
      (r) => (r.ok ? r.json() : {}),
      () => ({}),
    );
  }
  const root = document.documentElement;
  const background = query.get("bg");
  if (background) root.dataset.bg = background;
  root.dataset.theme = (BUILT_IN.includes(named) ? named : theme.base) || "glass";
  const wanted = query.get("layout") || theme.layout || "corner";
  const layout = wanted in PARTS ? wanted : "corner";
  root.dataset.layout = layout;
  const air = document.getElementById("air");
  for (const [name, property] of COLOURS) {
    const value = query.get(name) ?? theme.colours?.[name]?.slice(1) ?? "";
    if (/^[0-9a-f]{6}([0-9a-f]{2})?$/i.test(value)) air?.style.setProperty(property, `#${value}`);
  }
  await document.fonts.load("1em Vazirmatn", LETTERS);
  const font = FONTS[query.get("font") ?? theme.font ?? ""];
  if (font && air) air.style.fontFamily = font;
  return {
    plays: PLAYS[layout],
    parts: (query.get("show") || PARTS[layout]).split(","),
    seat: query.get("seat") === "black" ? "black" : "white",
    theme,
  };
}

/**
 * Words of the address, else the theme's.
 * @param {"round" | "third" | "sponsor"} name
 */
export const words = (name) =>
  (query.get(name) ?? { round: theme.round, third: theme.third, sponsor: theme.sponsor }[name]) ||
  "";

/**
 * Where a picture of the theme is served.
 * @param {string} file
 */
export const pictureOf = (file) => `/themes/pictures/${encodeURIComponent(file)}`;

/**
 * What the theme says of a player: country, picture, badge.
 * @param {string} name
 * @returns {ThemePerson}
 */
export const person = (name) => theme.people?.[name] ?? {};
