// Setting a match up: players, length, rules, clock. Under a minute.
/** @import { ClockPreset, StateDocument, Words } from "./types.js" */
import { clockName } from "./clock.js";
import { byId, el, flat, inside, valuesOf } from "./dom.js";
import { api, context, digits, may, order, say } from "./page.js";
import { who } from "./prompts.js";

const form = byId("setup", HTMLFormElement);
const lengthField = el("input", {
  name: "own_length",
  type: "number",
  min: 1,
  max: 99,
  "aria-label": say("Another length"),
  placeholder: say("Other"),
  class: "own-length",
});
/** @type {{ rulesets: { name: string, title: Words }[], clocks: ClockPreset[] }} */
const { rulesets, clocks } = await api("/api/v1/rulesets");
const LENGTHS = [3, 5, 7, 9, 11, 0];

byId("lengths").append(
  ...LENGTHS.map((n) =>
    el(
      "label",
      { class: "choice" },
      el("input", {
        type: "radio",
        name: "length",
        value: n,
        ...(n === 7 ? { checked: true } : {}),
      }),
      n ? digits(n) : say("Money session"),
    ),
  ),
  el(
    "label",
    { class: "choice" },
    el("input", { type: "radio", name: "length", value: "own" }),
    lengthField,
  ),
);
lengthField.addEventListener("focus", () => {
  inside(form, "[value=own]", HTMLInputElement).checked = true;
});
byId("rulesets").append(
  ...rulesets.map((r) =>
    el("option", { value: r.name }, r.title[context.language] || r.title.en || r.name),
  ),
);

byId("clocks").append(
  el("option", { value: "none" }, say("No clock")),
  el("option", { value: "external" }, say("The club's own clock")),
  ...clocks.map((c) => el("option", { value: c.name }, clockName(c.name))),
);

/** The length in points; null for a money session. */
const length = () => {
  const value = new FormData(form).get("length");
  return Number(value === "own" ? lengthField.value : value) || null;
};

/** What the chosen clock means, in words. */
function clockWords() {
  const chosen = valuesOf(form).clock;
  const preset = clocks.find((c) => c.name === chosen);
  if (!preset) {
    return chosen === "external"
      ? say("The turn ends by the club's clock: press the button on the board, or lift the dice.")
      : say("The turn ends when the dice are lifted.");
  }
  const minutes = (preset.bank || preset.bank_per_point * (length() ?? 0)) / 60;
  if (!minutes) return say("A money session needs a clock with a fixed bank.");
  return say("Each side has {n} minutes and {d} s for each play.", {
    n: digits(Math.round(minutes * 10) / 10),
    d: digits(preset.delay),
  });
}

// A club plays the same way every week: what was chosen last is chosen again.
const KEPT = ["ruleset", "clock", "colour", "home", "monitor", "event_name"];
/**
 * Choose what was chosen last where it can still be chosen.
 * @param {string} name
 * @param {string} value
 */
function choose(name, value) {
  const field = form.elements.namedItem(name);
  if (field instanceof HTMLInputElement) field.value = value;
  if (field instanceof HTMLSelectElement && [...field.options].some((o) => o.value === value)) {
    field.value = value;
  }
}
try {
  const kept = JSON.parse(localStorage.getItem("takhte-setup") || "{}");
  for (const name of KEPT) if (kept[name]) choose(name, kept[name]);
  inside(form, `[name=length][value="${kept.length}"]`, HTMLInputElement).checked = true;
} catch {
  /* nothing was kept */
}
const sayClock = () => (byId("clock-text").textContent = clockWords());
form.addEventListener("input", sayClock);
sayClock();

/** Keep what was chosen, for the next match. */
function keep(/** @type {Record<string, string>} */ data) {
  const kept = Object.fromEntries([...KEPT, "length"].map((name) => [name, data[name]]));
  try {
    localStorage.setItem("takhte-setup", JSON.stringify(kept));
  } catch {
    /* not kept */
  }
}

// A match that has begun is not set anew: it is shown, and ended here in two taps.
/** @type {StateDocument | null} */
const state = await api(`/api/v1/tables/${context.table}/state`).catch(() => null);
const begun =
  state !== null &&
  !["idle", "match-over"].includes(state.phase) &&
  (state.plays.length > 0 || state.games.length > 0);
if (state && begun) showBegun(state);

/**
 * The match that is being played in the place of the form, with the way to end it.
 * @param {StateDocument} now
 */
function showBegun(now) {
  form.hidden = true;
  const card = byId("begun");
  const ask = el("button", { type: "button", class: "danger" }, say("End this match"));
  const end = el("button", { type: "button", class: "danger" }, say("Yes, end it: nobody wins"));
  end.hidden = true;
  ask.addEventListener("click", () => {
    ask.hidden = true;
    end.hidden = false;
    end.focus();
  });
  end.addEventListener("click", async () => {
    end.disabled = true;
    if (await order("end_match")) location.reload();
    end.disabled = false;
  });
  const ends = may("end_match") && (context.me.role !== "player" || now.match.length === null);
  card.querySelector("p")?.append(
    say("{white} and {black} are playing. A match can be changed until its first play.", {
      white: who(now, "white"),
      black: who(now, "black"),
    }),
  );
  card.querySelector(".row")?.prepend(...flat([ends && [ask, end]]));
  card.hidden = false;
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const data = valuesOf(form);
  const ours = clocks.some((c) => c.name === data.clock);
  const file = inside(form, "[name=event_file]", HTMLInputElement).files?.[0];
  const args = {
    white: data.white,
    black: data.black,
    length: length(),
    ruleset: data.ruleset,
    clock: ours ? "ours" : data.clock,
    seating: { white: data.colour, home: data.home },
    event: {
      ...(data.event_name ? { name: data.event_name } : {}),
      ...(data.monitor !== "board" ? { play: { monitor: data.monitor } } : {}),
      ...(ours ? { clock: { preset: data.clock } } : {}),
    },
    score: [Number(data.score_white) || 0, Number(data.score_black) || 0],
    ...(file ? { event_text: await file.text() } : {}),
  };
  const button = inside(form, "button.primary", HTMLButtonElement);
  button.disabled = true;
  keep(data);
  if (await order("set_match", args)) location.assign(`/?table=${context.table}`);
  button.disabled = false;
});
