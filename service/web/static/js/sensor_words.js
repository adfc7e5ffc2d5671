// Why a camera or board does not see, in words.
import { context, digits, say } from "./page.js";

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
  for (const [pattern, words] of SOURCES) {
    const found = pattern.exec(reason);
    if (found) return words(found[1]);
  }
  return reason && context.language !== "en"
    ? say("It does not work: look at the set-up page.")
    : reason;
}
