// A recording that is played: where it is, how to pause it, what was decided last, and its end.
/** @import { Entry, StateDocument } from "../types.js" */
import { byId, el, findById, inside, settle, show, write } from "../dom.js";
import { api, context, may, order, say } from "../page.js";
import { showPlay, sureWords } from "../play.js";
import { playedWords, wonWords } from "../prompts.js";

/** The entry of the newest play, once it was fetched. @type {Entry | null} */
let entry = null;
/** The number of the entry that is being fetched. */
let fetching = 0;

/**
 * Draw the recording's bar and what was decided last; `redraw` is called when more is known of it.
 * @param {StateDocument} state
 * @param {() => unknown} redraw
 */
export function drawFilm(state, redraw) {
  const { film } = state;
  const bar = findById("film", HTMLElement);
  const staff = context.me.view === "staff";
  if (!bar) return;
  byId("desk").classList.toggle("film", Boolean(film && staff));
  show(bar, Boolean(film));
  show(byId("decided"), Boolean(film && staff));
  if (!film) return;
  const progress = byId("film-progress", HTMLProgressElement);
  const gone = film.position / Math.max(film.length, 1);
  if (progress.value !== gone) progress.value = gone;
  settle(byId("film-acts"), ...acts(film));
  drawAbout(film.about);
  if (staff) settle(byId("decided"), ...decided(state, redraw));
}

/**
 * Where the recording is from: in the catalogue for those that ship with the program; of any other
 * as its maker wrote it.
 * @param {string} about
 */
function drawAbout(about) {
  const line = byId("film-about");
  const words = about && say(about);
  write(line, words);
  line.lang = words === about ? "en" : document.documentElement.lang;
}

/** @param {NonNullable<StateDocument["film"]>} film */
function acts({ state, again }) {
  if (!may("film")) return [];
  const runs = state === "playing";
  const toggle = el(
    "button",
    { "data-key": "toggle", class: "small", onclick: () => steer(runs ? "pause" : "play") },
    runs ? say("Pause") : say("Go on"),
  );
  const restart = el(
    "button",
    { class: "small", onclick: () => steer("again") },
    say("From the start"),
  );
  return [state !== "over" && toggle, again && restart];
}

/** @param {string} what */
async function steer(what) {
  const title = inside(byId("film"), "h2", HTMLElement);
  if ((await order("film", { do: what })) && what === "again") {
    title.textContent = say("The recording begins again …");
  }
}

/**
 * @param {StateDocument} state
 * @param {() => unknown} redraw
 */
function decided(state, redraw) {
  const last = state.plays?.at(-1);
  const over = state.film?.state === "over";
  const ended = state.games?.find(({ game }) => game === last?.game);
  if (!last) return [];
  if (entry?.seq !== last.seq && fetching !== last.seq) {
    fetching = last.seq;
    api(`/api/v1/tables/${context.table}/entries/${last.seq}`).then(
      (/** @type {{ result: Entry }} */ answer) => {
        entry = answer.result;
        redraw();
      },
      () => {},
    );
  }
  const known = entry?.seq === last.seq ? sureWords(last, entry) : [];
  return [
    el("p", { class: "played" }, playedWords(state, last)),
    over && ended && el("p", {}, wonWords(state, ended)),
    el("p", { class: "muted" }, known.length ? known.join(" ") : "\u00a0"),
    el(
      "p",
      { class: "row" },
      el(
        "button",
        { class: over ? "" : "primary", onclick: () => showPlay(state, last) },
        say("Why?"),
      ),
      over &&
        state.film?.again &&
        may("film") &&
        el("button", { class: "primary", onclick: () => steer("again") }, say("Watch again")),
      over &&
        may("use_camera") &&
        el(
          "a",
          { class: "button", href: `/first-use?table=${context.table}` },
          say("Use your own camera"),
        ),
    ),
  ];
}
