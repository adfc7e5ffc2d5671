// The table's voice: roll, illegal play, cube, score, neshast and flag, said aloud. Off until it is
// switched on. The browser's own voice speaks where it has the language; else short phrases that
// ship are played (made by scripts/make_voice.py).
/** @import { StateDocument } from "./types.js" */
import { findById } from "./dom.js";
import { context, digits, playerName, prefer, preference, say, SIDES } from "./page.js";
import { noPlayWords, who } from "./prompts.js";

/** What is said, and the phrase that ships for it, "" for none. */
/** @typedef {{ words: string, phrase: string }} Saying */

/** Languages whose phrases ship. */
const SHIPPED = ["en", "fa"];
const button = findById("voice", HTMLButtonElement);
/** @type {StateDocument | null} */
let before = null;

/**
 * What is to be said of a state after the one before it.
 * @param {StateDocument} was
 * @param {StateDocument} now
 * @returns {Saying[]}
 */
export function sayings(was, now) {
  /** @type {Saying[]} */
  const found = [];
  const { roll } = now.dice;
  const name = who(now, now.on_roll ?? "white");
  if (roll && String(roll) !== String(was.dice.roll)) {
    const [a, b] = [...roll].sort().reverse();
    found.push({ words: roll.map(digits).join(say(" and ")), phrase: `${a}${b}` });
  }
  if (now.dice.no_play && !was.dice.no_play) {
    found.push({ words: noPlayWords(now, name), phrase: now.match.nard ? "neshast" : "no-play" });
  }
  if (now.illegal && !was.illegal) {
    found.push({ words: say("This play is not legal."), phrase: "illegal" });
  }
  const { offered_by: by, offered_value: value } = now.cube;
  if (by && !was.cube.offered_by) {
    const n = digits(value);
    found.push({
      words: say("{name} doubles to {n}", { name: who(now, by), n }),
      phrase: "double",
    });
  }
  if (was.cube.offered_by && !by && now.cube.value > was.cube.value) {
    found.push({ words: say("Taken."), phrase: "take" });
  }
  if (now.games.length > was.games.length) {
    const [white, black] = SIDES.map((side) => now.match.players[side].score);
    const score = say("{white} {a}, {black} {b}.", {
      white: playerName(now, "white"),
      a: digits(white),
      black: playerName(now, "black"),
      b: digits(black),
    });
    found.push({ words: score, phrase: "game" });
  }
  const flags = (/** @type {StateDocument} */ s) =>
    SIDES.filter((side) => s.clock?.[side]?.bank === 0).length;
  if (flags(now) > flags(was)) found.push({ words: say("Time is up."), phrase: "flag" });
  return found;
}

/** The browser's own voice for this language, if it has one. */
const ownVoice = () =>
  globalThis.speechSynthesis
    ?.getVoices()
    .find((voice) => voice.lang.toLowerCase().startsWith(context.language));

/** @param {Saying} saying */
function speak({ words, phrase }) {
  const voice = ownVoice();
  if (voice) {
    const spoken = new SpeechSynthesisUtterance(words.replace(/[\u2066-\u2069]/g, ""));
    [spoken.voice, spoken.lang] = [voice, voice.lang];
    speechSynthesis.speak(spoken);
  } else if (SHIPPED.includes(context.language)) {
    new Audio(`/static/voice/${context.language}/${phrase}.wav`).play().catch(() => {});
  }
}

/**
 * Say what is new, where the voice is on.
 * @param {StateDocument} now
 */
export function speakOf(now) {
  const was = before;
  before = now;
  if (!was || !button || !preference("voice") || now.seq < was.seq) return;
  sayings(was, now).forEach(speak);
}

/** Whether anything here can speak this language. */
const able = () => Boolean(ownVoice()) || SHIPPED.includes(context.language);

/** Draw the switch: of no use where nothing speaks this language. */
function drawSwitch() {
  if (!button) return;
  button.disabled = !able();
  button.title = able() ? "" : say("This browser has no voice in this language.");
  button.setAttribute("aria-pressed", String(Boolean(preference("voice"))));
}

button?.addEventListener("click", () => {
  prefer("voice", preference("voice") ? "" : "on");
  drawSwitch();
  if (preference("voice")) speak({ words: say("The voice is on."), phrase: "on" });
});
// Voices come a moment after the page.
globalThis.speechSynthesis?.addEventListener?.("voiceschanged", drawSwitch);
drawSwitch();
