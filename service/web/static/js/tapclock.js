// A tablet or phone as the clock and the buttons: each press with the finger's own time, kept until
// the table has it.
/** @import { StateDocument } from "./types.js" */
import { format, left, timeAt, underTime } from "./clock.js";
import { byId, write } from "./dom.js";
import { follow, showLink } from "./feed.js";
import { context, digits, playerName, preference, prefer, say, SIDES } from "./page.js";
import { PhoneCore, remembered } from "./phone_core.js";
import { deviceMark, keepLine, keepPage, ownMs, stayAwake } from "./phone_line.js";
import { prompt } from "./prompts.js";

const KEPT = `takhte-presses-${context.table}`;
/** Prompts that somebody answers with the buttons of this page. */
const ANSWERED = ["answer_double", "answer_resignation"];
const stored = () => {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null;
  }
};
const core = new PhoneCore(remembered(stored(), deviceMark()));
/** @type {((message: object) => void) | null} */
let send = null;
/** @type {StateDocument | null} */
let shown = null;
let skew = 0;

/** Keep what the table has not got yet, and say how much that is. */
function keep() {
  try {
    localStorage.setItem(KEPT, JSON.stringify(core.memory));
  } catch {
    /* kept while this page lives */
  }
  const waiting = byId("kept");
  waiting.hidden = !core.waiting;
  write(
    waiting,
    core.waiting === 1
      ? say("1 press waits for the network")
      : say("{n} presses wait for the network", { n: digits(core.waiting) }),
  );
}

/** @param {PointerEvent | MouseEvent} event */
function press(event) {
  const button = event.currentTarget;
  if (!(button instanceof HTMLElement) || !button.dataset.press) return;
  const says = core.press(button.dataset.press, ownMs(event.timeStamp));
  keep();
  for (const message of says) send?.(message);
  navigator.vibrate?.(25);
  if (preference("sound")) click();
}

/** @type {AudioContext | null} */
let audio = null;
/** A short click that says: pressed. */
function click() {
  audio ??= new AudioContext();
  const [tone, loudness] = [audio.createOscillator(), audio.createGain()];
  tone.frequency.value = 880;
  loudness.gain.setValueAtTime(0.2, audio.currentTime);
  loudness.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + 0.06);
  tone.connect(loudness).connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + 0.07);
}

for (const button of document.querySelectorAll("[data-press]")) {
  if (!(button instanceof HTMLButtonElement)) continue;
  // The finger's own moment is when it comes down; a key, or a reader's tap, is a click alone.
  button.addEventListener("pointerdown", press);
  button.addEventListener("click", (event) => event.detail === 0 && press(event));
}

/**
 * Room for the widest digits that a piece of a time may have, where there is so much.
 * @param {string} piece
 */
const roomFor = (piece) => {
  const marks = piece.match(/[:.]/g)?.length ?? 0;
  return `minmax(max-content, ${0.7 * (piece.length - marks) + 0.28 * marks}em)`;
};

/**
 * Write a time in two pieces, parted where its last ones begin, and whole for who hears it: digits
 * of different width run, and the others stand still.
 * @param {HTMLElement} node
 * @param {string} text
 */
function writeTime(node, text) {
  const at = text.search(/\.|:[^:.]*$/);
  const pieces = [text.slice(0, at), text.slice(at)];
  const room = pieces.map(roomFor).join(" ");
  if (node.dataset.room !== room) node.style.gridTemplateColumns = node.dataset.room = room;
  [...pieces, text].forEach((piece, i) => write(node.children[i], piece));
}

/** Draw names and times as they are now. */
function draw() {
  for (const side of SIDES) {
    const half = document.querySelector(`.half[data-press=${side}]`);
    const time = document.querySelector(`[data-time=${side}]`);
    const name = document.querySelector(`[data-name=${side}]`);
    const delay = document.querySelector(`[data-delay=${side}]`);
    if (!half || !(time instanceof HTMLElement) || !name || !delay) continue;
    write(name, playerName(shown, side));
    const rest = shown && left(shown.clock, side, timeAt(shown, skew));
    writeTime(time, rest ? format(rest.bank) : "");
    write(delay, rest && shown?.clock ? underTime(shown.clock, side, rest) : "");
    half.classList.toggle("low", Boolean(rest && rest.bank < 10));
    half.classList.toggle("running", shown?.clock?.running === side);
  }
}

follow(
  (state, by) => {
    [shown, skew] = [state, by];
    const [asked, more] = prompt(state);
    // What an answer costs is part of the question: the value of the cube, the level resigned.
    const answers = ANSWERED.includes(state.waits_for?.code);
    write(byId("tap-says"), answers && more ? `${asked} ${more}` : asked);
    for (const button of document.querySelectorAll("[data-press=take], [data-press=drop]")) {
      button.classList.toggle("asked", answers);
    }
    const cube = state.cube.in_use;
    for (const button of document.querySelectorAll("[data-press=offer]")) {
      if (button instanceof HTMLElement) button.hidden = !cube;
    }
    draw();
  },
  (up, state) => showLink(up, state),
);
setInterval(draw, 100);

const sound = byId("sound", HTMLButtonElement);
const soundOn = () => sound.setAttribute("aria-pressed", String(Boolean(preference("sound"))));
sound.addEventListener("click", () => {
  prefer("sound", preference("sound") ? "" : "on");
  soundOn();
  if (preference("sound")) click();
});
soundOn();
stayAwake();
keepPage();
keep();

/** Be the clock: one page of this device at a time, for they share what is kept. */
function beTheClock() {
  keepLine(
    "phone-clock",
    (way) => {
      send = way;
      for (const message of core.opened()) way(message);
    },
    (said) => {
      for (const answer of core.heard(said, ownMs())) send?.(answer);
      if (said.t === "done") keep();
    },
    () => {
      core.closed();
      send = null;
    },
  );
}
if (navigator.locks) {
  navigator.locks.request(KEPT, { ifAvailable: true }, (lock) => {
    if (!lock) {
      write(byId("tap-says"), say("The clock is open on this device already."));
      return undefined;
    }
    beTheClock();
    return new Promise(() => {});
  });
} else beTheClock();
