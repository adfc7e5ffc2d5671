// What the clocks show between two documents: the same sums as the table's, so that every screen
// agrees.
/** @import { ClockDocument, SideName, StateDocument } from "./types.js" */
import { digits, say } from "./page.js";

/**
 * Table time now: it runs with this device's, but for a recording's, which may stand or hurry.
 * @param {StateDocument} state
 * @param {number} skew what maps performance.now() in seconds to table time
 */
export function timeAt({ at, film }, skew) {
  const now = performance.now() / 1000 + skew;
  if (!film) return now;
  return film.state === "playing" ? at + (now - at) * film.speed : at;
}

/**
 * Seconds left of one side at table time `now`: {bank, delay}; null where no clock is kept.
 * @param {ClockDocument | null | undefined} clock
 * @param {SideName} side
 * @param {number} now
 */
export function left(clock, side, now) {
  const own = clock?.[side];
  if (!clock || !own || typeof own.bank !== "number") return null;
  let { bank, delay = 0 } = own;
  if (clock.running === side) {
    const gone = Math.max(0, now - clock.as_of);
    if (clock.mode === "bronstein" || clock.mode === "fischer") bank -= gone;
    else {
      bank -= Math.max(0, gone - delay);
      delay = Math.max(0, delay - gone);
    }
  }
  return { bank: Math.max(0, bank), delay };
}

/**
 * Seconds as a clock writes them: 7:05, 0:09.3 in the last ten, 1:02:03 above an hour.
 * @param {number} seconds
 */
export function format(seconds) {
  const s = seconds < 10 && seconds > 0 ? seconds : Math.ceil(seconds - 1e-6);
  const whole = Math.floor(s);
  const parts = [Math.floor(whole / 60) % 60, whole % 60];
  const hours = Math.floor(whole / 3600);
  let text = hours ? `${hours}:${String(parts[0]).padStart(2, "0")}` : `${parts[0]}`;
  text += `:${String(parts[1]).padStart(2, "0")}`;
  if (seconds < 10 && seconds > 0) text += `.${Math.floor((s - whole) * 10)}`;
  return digits(text);
}

/**
 * The words under a side's time: the delay that still runs, or a flag. Empty where this clock never
 * has any, a space where it has none just now, so that nothing grows with it.
 * @param {ClockDocument} clock
 * @param {SideName} side
 * @param {{ delay: number }} time
 */
export function underTime(clock, side, { delay }) {
  const delayed = (clock.delay ?? 0) > 0 && clock.mode !== "fischer";
  if (delayed && delay > 0) return say("delay {n}", { n: digits(Math.ceil(delay)) });
  if (clock[side]?.flags) return say("flag");
  return delayed ? "\u00a0" : "";
}

/**
 * Which time should be said aloud now, in seconds: at one minute and at ten seconds only.
 * @param {number} before
 * @param {number} after
 */
export function milestone(before, after) {
  return [60, 10].find((mark) => before > mark && after <= mark && after > 0) ?? null;
}

/** How a clock may be set. @type {Record<string, () => string>} */
const CLOCK_NAMES = {
  "us-delay": () => say("Federation: 2 minutes a point, 12 s delay"),
  "us-delay-doubles": () => say("Federation, doubles: 2½ minutes a point, 18 s delay"),
  "us-2013": () => say("US 2013: less a minute for each point scored"),
  "us-2013-doubles": () => say("US 2013, doubles: less 1¼ minutes for each point scored"),
  "seed-delay": () => say("12 minutes a side, 2 s delay"),
  "seed-fischer": () => say("8 minutes a side, 8 s added each play"),
  iran: () => say("Iran: 10 minutes a side for each game, 5 s delay"),
};
/**
 * A clock's setting in words.
 * @param {string} name
 */
export const clockName = (name) => CLOCK_NAMES[name]?.() ?? name;
