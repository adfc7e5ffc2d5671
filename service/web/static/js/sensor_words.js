// Why a camera or board does not see, in words.
import { context, digits, say } from "./page.js";

/** How a reason begins why a sensor does not see that was never there. */
const AWAITED = /^awaited: /;

/**
 * Whether a sensor was never there, for this reason: nothing was lost, it is awaited.
 * @param {string | undefined} reason
 */
export const isAwaited = (reason = "") => AWAITED.test(reason);

/** What an alert over such a sensor is about. */
export const awaitedWords = () => say("A sensor is awaited");

/**
 * What to do for a sensor to be there; else as when it is lost.
 * @type {[RegExp, () => string][]}
 */
const BRING = [
  [
    /no phone sends/,
    () =>
      say(
        "Scan the code on the page “Set up the board” with the phone, and keep the page that " +
          "opens in front.",
      ),
  ],
  [
    /no camera at/,
    () => say("Plug the camera in, or choose another on the page “Set up the board”."),
  ],
  [/no board is plugged in/, () => say("Plug the board in.")],
];

/**
 * What a source says when it is lost comes in English from the machine; what happens in a club has
 * words of its own.
 * @type {[RegExp, (n: string) => string][]}
 */
const SOURCES = [
  [
    /firmware is being updated/,
    () => say("Its firmware is being written: it comes back by itself."),
  ],
  [
    /(said nothing|never said|silent|no answer|did not answer|restarted|stalled)/i,
    () => say("It does not answer: is its cable in?"),
  ],
  [/presses in between are lost/, () => say("Presses of the clock may have been lost.")],
  [/come to their end/, () => say("The pictures have come to their end.")],
  [
    /no new picture for (\d+) s/,
    (n) => say("No new picture for {n} s: is the camera's cable in?", { n: digits(n) }),
  ],
  [
    /no phone sends/,
    () => say("The phone sends no pictures: open the camera's page on it and keep it in front."),
  ],
  [/no board is connected/, () => say("No board is connected.")],
  [
    /never calibrated/,
    () => say("This board was never calibrated: counts of tall stacks are doubtful."),
  ],
  [
    /(unplugged|vanished|gone|closed|no such|not found)/i,
    () => say("It cannot be reached: is its cable in?"),
  ],
  [/(dark|lamp|light)/i, () => say("Too dark to see: put a lamp on.")],
];

/**
 * Why a source does not see: in a club's words where there are some, else what the machine says
 * where the page is in its language.
 * @param {string | undefined} reason
 */
export function sourceWords(reason = "") {
  const bring = isAwaited(reason) && BRING.find(([pattern]) => pattern.test(reason));
  if (bring) return bring[1]();
  for (const [pattern, words] of SOURCES) {
    const found = pattern.exec(reason);
    if (found) return words(found[1]);
  }
  return reason && context.language !== "en"
    ? say("It does not work: look at the set-up page.")
    : reason.replace(AWAITED, "");
}

/** What a test of the board found: a code with its facts, and the same in English.
 * @typedef {{ code: string, facts: Record<string, number>, text: string }} FoundLine */
/** @typedef {Record<string, string>} Told */

/** Each finding in words, by its code. @type {Record<string, (f: Told) => string>} */
const FINDINGS = {
  one_voltage: (f) =>
    say(
      "Multiplexer {row} answers with one voltage on every channel: its supply, ground or SIG " +
        "wire is off.",
      f,
    ),
  channels_twice: (f) =>
    say("Multiplexer {row} gives every channel twice: its select wire S{line} is off.", f),
  channel_not_grounded: (f) =>
    say("Multiplexer {row} counts wrong: its grounded channel {channel} reads {mv} mV.", f),
  divider_off: (f) =>
    say("Multiplexer {row} counts wrong: its test divider reads {mv} mV, not {wanted}.", f),
  same_as_another: (f) =>
    say("Multiplexer {row} says the same as multiplexer {other}: their SIG wires touch.", f),
  not_let_go: (f) =>
    say(
      "Multiplexer {row} does not let go of its SIG wire ({mv} mV while it is off): its " +
        "pull-down or EN wire is off, or SIG touches another.",
      f,
    ),
  never_off: () => say("No multiplexer can be switched off: the wire to EN is off."),
  sensor_stuck: (f) => say("Sensor {number} is stuck.", f),
  sensor_noisy: (f) => say("Sensor {number} is noisy.", f),
  sensor_off_zero: (f) => say("Sensor {number} is off zero.", f),
  divider_wrong: () => say("The test divider is wrong: a multiplexer counts wrong."),
  all_sound: (f) => say("All {channels} channels are in order.", f),
  presses_so_far: (f) =>
    say("{count} presses and releases so far: press each button and test again.", f),
  answer_takes: (f) => say("An answer takes {ms} ms.", f),
  no_buttons: () => say("This board has no buttons of its own: they are wired to a clock panel."),
  lights_on: (f) => say("All lights shine white for {seconds} seconds: does any stay dark?", f),
};

/**
 * What a test of the board found, in words.
 * @param {FoundLine} found
 */
export function findingWords({ code, facts, text }) {
  const told = Object.entries(facts).map(([name, n]) => [name, digits(String(n))]);
  return FINDINGS[code]?.(Object.fromEntries(told)) ?? text;
}
