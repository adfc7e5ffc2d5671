// What runs on the board, an update of it, and the way back.
import { byId, el, messageOf, settle, show } from "./dom.js";
import { hardware } from "./hardware.js";
import { digits, order, say } from "./page.js";

/** @typedef {{ version: string, build: string, chip: string }} RunsOn */
/** @typedef {{ step: string, running: boolean, before: RunsOn | null, after: RunsOn | null,
 *   trouble: string, said: string }} Update */
/** @typedef {{ now: RunsOn | null, release: RunsOn | null, kept: string,
 *   update: Update | null }} Facts */

const EVERY_MS = 1000;
/** A board that has just started is greeted within so many looks. */
const LOOKS_AFTER = 10;

/** The steps of an update in their order, in words. @type {[string, () => string][]} */
const STEPS = [
  ["asking", () => say("Asking the board what runs on it …")],
  ["keeping", () => say("Reading what is on the board, to keep it …")],
  ["writing", () => say("Writing. Leave the cable in …")],
  ["checking", () => say("Asking the board what runs on it now …")],
];

const again = () =>
  say("Take the 10 µF off RESET, or bridge the cut RESET-EN. Close what has the port. Try again.");
const bootsel = () =>
  say("Hold the board's BOOTSEL button while you plug it in, open its drive, and update again.");

/** What went wrong and what to do, by its code. @type {Record<string, () => string[]>} */
const TROUBLES = {
  no_avrdude: () => [
    say("Nothing was written: avrdude is missing on this machine."),
    say("On Raspberry Pi OS and Debian: sudo apt install avrdude. Then try again."),
  ],
  not_read: () => [say("Nothing was written: what is on the board could not be read."), again()],
  not_written: () => [
    say("The firmware could not be written. The board's own loader is unharmed."),
    again(),
  ],
  silent: () => [
    say("The firmware was written, and the board does not answer."),
    say("Pull its cable and plug it in again. If it stays silent, put the one before back."),
  ],
  no_port: () => [
    say("Nothing was written."),
    say("No port has the board, or several might: choose its port."),
  ],
  port_taken: () => [say("Nothing was written: another program has the board's port."), again()],
  other_drive: () => [
    say("Nothing was written: another board waits for its firmware on this machine."),
    say("Unplug that one, then try again."),
  ],
  no_drive: () => [say("Nothing was written: the board's drive did not come."), bootsel()],
  not_copied: () => [
    say("The firmware could not be copied. The board's own loader is unharmed."),
    bootsel(),
  ],
  not_started: () => [
    say("The board took the file and did not start it: it is for another chip, or damaged."),
    say("Write the one that came with takhte."),
  ],
};
const unknown = () => [say("The firmware could not be written."), again()];

/** @param {RunsOn} firmware */
const versionOf = (firmware) =>
  el("bdi", { dir: "ltr" }, `${digits(firmware.version)} · ${firmware.build}`);

/**
 * A line of the table of versions.
 * @param {string} name
 * @param {RunsOn | null} firmware
 */
const line = (name, firmware) =>
  firmware ? [el("dt", {}, name), el("dd", {}, versionOf(firmware))] : [];

/** @param {Update} update */
function progress({ step }) {
  const at = STEPS.findIndex(([name]) => name === step);
  const label = STEPS[at]?.[1]() ?? "";
  return [
    el("p", { role: "status" }, label),
    el("progress", { max: STEPS.length + 1, value: at + 1, "aria-label": label }),
  ];
}

/** @param {Update} update */
function outcome({ trouble, said, before, after }) {
  if (!trouble) {
    return [
      el("p", { role: "status" }, el("span", { class: "chip good" }, say("Written"))),
      el("dl", { class: "kv" }, ...line(say("Before"), before), ...line(say("After"), after)),
      el("p", {}, say("Try the lamps and sensors once more before you play.")),
    ];
  }
  return [
    el("p", { role: "alert" }, el("span", { class: "chip bad" }, say("Not updated"))),
    ...(TROUBLES[trouble] ?? unknown)().map((text) => el("p", {}, text)),
    el(
      "details",
      {},
      el("summary", {}, say("The machine's own words")),
      el("p", { dir: "ltr" }, said),
    ),
  ];
}

/**
 * A button that writes a firmware.
 * @param {"release" | "kept"} which
 * @param {string} text
 * @param {boolean} wanted
 */
const button = (which, text, wanted) =>
  el(
    "button",
    {
      class: wanted ? "primary" : "",
      onclick: async () => {
        if (await order("update_board", { firmware: which })) look(LOOKS_AFTER);
      },
    },
    text,
  );

/** @param {Facts} facts */
function draw({ now, release, kept, update }) {
  const box = byId("firmware");
  if (update?.running) {
    settle(box, ...progress(update));
    return;
  }
  const same = Boolean(now && release && now.build === release.build);
  settle(
    box,
    ...(update ? outcome(update) : []),
    el(
      "dl",
      { class: "kv" },
      ...line(say("On the board"), now),
      ...line(say("Came with takhte"), release),
    ),
    now ? "" : el("p", { class: "muted" }, say("The board does not say what runs on it.")),
    same ? el("p", {}, say("The board has the firmware that came with takhte.")) : "",
    el(
      "p",
      { class: "acts" },
      button("release", same ? say("Write it again") : say("Update the board"), !same),
      kept ? button("kept", say("Put the one before back"), false) : "",
    ),
  );
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let next;

/**
 * Show what runs on the board; look again while an update runs, and so often after it.
 * @param {number} more
 */
async function look(more) {
  clearTimeout(next);
  let left = more - 1;
  try {
    /** @type {Facts} */
    const facts = await hardware("firmware");
    draw(facts);
    if (facts.update?.running) left = LOOKS_AFTER;
    else if (facts.now) left = Math.min(left, 1);
  } catch (error) {
    settle(byId("firmware"), el("p", { class: "nothing" }, messageOf(error)));
  }
  if (left > 0) next = setTimeout(() => look(left), EVERY_MS);
}

/**
 * Show the board's firmware where the board has a microcontroller, whose address is given.
 * @param {string | undefined} address
 */
export function watchFirmware(address) {
  const written = Boolean(address && !["simulated", "pi", "none"].includes(address));
  for (const step of document.querySelectorAll("[data-step=firmware]")) {
    if (step instanceof HTMLElement) show(step, written);
  }
  if (written) look(LOOKS_AFTER);
}
