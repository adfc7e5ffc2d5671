// What an arbiter says of the clocks: the time that is left, and which clock is played with.
/** @import { ClockPreset, StateDocument } from "../types.js" */
import { clockName } from "../clock.js";
import { el } from "../dom.js";
import { api, askReason, order, say } from "../page.js";
import { field, pick, sides } from "./fields.js";

/** @param {StateDocument} state */
export function adjustClock(state) {
  askReason(
    say("Correct the time"),
    say("Set the time"),
    (reason, data) =>
      order("adjust_clock", {
        side: data.get("side"),
        bank: Number(data.get("minutes")) * 60 + Number(data.get("seconds")),
        reason,
      }),
    {
      before: [
        pick("side", say("Player"), sides(state)),
        el(
          "div",
          { class: "grid" },
          field("minutes", say("Minutes"), { type: "number", min: 0, max: 600, required: true }),
          field("seconds", say("Seconds"), {
            type: "number",
            min: 0,
            max: 59,
            value: 0,
            required: true,
          }),
        ),
      ],
    },
  );
}

/** Asks for another clock between games, and gives it to the table. */
export async function changeClock() {
  /** @type {{ clocks: ClockPreset[] }} */
  const { clocks } = await api("/api/v1/rulesets");
  askReason(
    say("Another clock"),
    say("Play on with it"),
    (reason, data) => {
      const chosen = String(data.get("clock"));
      const minutes = Number(data.get("minutes"));
      return order("change_clock", {
        ...(chosen === "none" || chosen === "external"
          ? { clock: chosen }
          : { clock: "ours", preset: chosen, ...(minutes ? { bank: minutes * 60 } : {}) }),
        reason,
      });
    },
    {
      needed: false,
      before: [
        pick("clock", say("Clock"), [
          ["none", say("No clock")],
          ["external", say("The club's own clock")],
          ...clocks.map(({ name }) => /** @type {[string, string]} */ ([name, clockName(name)])),
        ]),
        field("minutes", say("Minutes a side, where they are others"), {
          type: "number",
          min: 0,
          max: 600,
        }),
      ],
    },
  );
}
