// Sounds of a table: a clock that runs out, an illegal play, a flag, a call for the director; each
// switched on by itself, on each device. They come of the document that this page shows, so none
// is heard sooner than what is seen; the hall's red tile has a sound of its own (`alarm.js`).
/** @import { StateDocument } from "./types.js" */
import { byId, el } from "./dom.js";
import { prefer, preference, say, SIDES } from "./page.js";

/** @typedef {"clock" | "illegal" | "flag" | "director"} Sound */
/** Pitches of each sound, a quarter of a second apart. @type {Record<Sound, number[]>} */
const TONES = {
  clock: [1320],
  illegal: [330, 247],
  flag: [660, 660, 660],
  director: [523, 659, 784],
};
/** @type {Record<Sound, () => string>} */
const NAMES = {
  clock: () => say("The last ten seconds"),
  illegal: () => say("An illegal play"),
  flag: () => say("A flag"),
  director: () => say("A call for the director"),
};
/** @type {AudioContext | null} */
let audio = null;
/** @type {StateDocument | null} */
let before = null;

/** @param {string} name */
const key = (name) => `sound-${name}`;

/**
 * What is to be heard of a state after the one before it.
 * @param {StateDocument} was
 * @param {StateDocument} now
 * @returns {Sound[]}
 */
export function heard(was, now) {
  /** @type {Sound[]} */
  const out = [];
  if (now.illegal && now.illegal.seq !== was.illegal?.seq) out.push("illegal");
  /** @param {StateDocument} s */
  const flags = (s) => SIDES.reduce((sum, side) => sum + (s.clock?.[side]?.flags ?? 0), 0);
  if (flags(now) > flags(was)) out.push("flag");
  /** @param {StateDocument} s */
  const calls = (s) => (s.alerts ?? []).filter((alert) => alert.kind === "director_called");
  const known = calls(was).map((alert) => alert.id);
  if (calls(now).some((alert) => !known.includes(alert.id))) out.push("director");
  return out;
}

/**
 * Sound what is new, where it is switched on.
 * @param {StateDocument} now
 */
export function soundOf(now) {
  const was = before;
  before = now;
  if (was && now.seq >= was.seq) heard(was, now).forEach(sound);
}

/**
 * Sound it now, where this device wants to hear it.
 * @param {Sound} name
 */
export function sound(name) {
  if (preference(key(name)) !== "on") return;
  audio ??= new AudioContext();
  const start = audio.currentTime;
  TONES[name].forEach((pitch, i) => {
    if (!audio) return;
    const tone = audio.createOscillator();
    const gain = audio.createGain();
    tone.frequency.value = pitch;
    gain.gain.setValueAtTime(0.2, start + i / 4);
    gain.gain.exponentialRampToValueAtTime(0.001, start + i / 4 + 0.22);
    tone.connect(gain).connect(audio.destination);
    tone.start(start + i / 4);
    tone.stop(start + i / 4 + 0.23);
  });
}

/** The switches, at the end of what this device chose; a tap on one lets it be heard. */
function drawSwitches() {
  const names = /** @type {Sound[]} */ (Object.keys(TONES));
  const box = el(
    "fieldset",
    {},
    el("legend", {}, say("Sounds")),
    el(
      "div",
      { class: "choices" },
      names.map((name) =>
        el(
          "label",
          { class: "choice" },
          el("input", {
            type: "checkbox",
            name: key(name),
            checked: preference(key(name)) === "on",
            onchange: (event) => {
              const on = event.target instanceof HTMLInputElement && event.target.checked;
              prefer(key(name), on ? "on" : "");
              sound(name);
            },
          }),
          NAMES[name](),
        ),
      ),
    ),
  );
  byId("looks", HTMLDialogElement).querySelector("form > :last-child")?.before(box);
}

drawSwitches();
