// Setting a match up: players, length, rules, clock. Under a minute.
/** @import { ClockPreset, Proposal, RulesetChoice, StateDocument } from "./types.js" */
import { clockName } from "./clock.js";
import { byId, el, flat, inside, messageOf, valuesOf } from "./dom.js";
import { api, context, digits, may, order, say, SIDES } from "./page.js";
import { who } from "./prompts.js";

const form = byId("setup", HTMLFormElement);
const here = `/api/v1/tables/${context.table}`;
const RULERS = ["arbiter", "director", "console"];
const NOBODY = { players: [] };
const [{ rulesets, clocks }, state, proposal, { players }] = await Promise.all([
  /** @type {Promise<{ rulesets: RulesetChoice[], clocks: ClockPreset[] }>} */
  (api(`/api/v1/rulesets?table=${context.table}`)),
  /** @type {Promise<StateDocument | null>} */ (api(`${here}/state`).catch(() => null)),
  /** @type {Promise<Proposal>} */ (api(`${here}/proposal`)),
  // Only officials are told; names can be typed all the same.
  /** @type {Promise<{ players: { name: string }[] }>} */
  (RULERS.includes(context.me.role) ? api("/api/v1/players").catch(() => NOBODY) : NOBODY),
]);
/** What is proposed until something else is chosen: by the table, or by an event file. */
let proposed = proposal;
/** The text of an event file that was chosen here. */
let eventText = "";

/** How many who played lately are offered. */
const RECENT = 12;
const LENGTHS = [3, 5, 7, 9, 11, 0];
const lengthField = el("input", {
  name: "own_length",
  type: "number",
  min: 1,
  max: 999,
  "aria-label": say("Another length"),
  placeholder: say("Other"),
  class: "own-length",
});
byId("lengths").append(
  ...LENGTHS.map((n) =>
    el(
      "label",
      { class: "choice" },
      el("input", { type: "radio", name: "length", value: n }),
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
/** @param {Record<string, string>} words */
const inWords = (words) => words[context.language] || words.en || "";
byId("rulesets").append(
  ...rulesets.map((r) => el("option", { value: r.name }, inWords(r.title) || r.name)),
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
  const own = chosen === proposed.values["clock.preset"];
  const bank = Number((own && proposed.values["clock.bank"]) || preset.bank);
  const minutes = (bank || preset.bank_per_point * (length() ?? 0)) / 60;
  if (!minutes) return say("A money session needs a clock with a fixed bank.");
  const delay = own ? (proposed.values["clock.delay"] ?? preset.delay) : preset.delay;
  return say("Each side has {n} minutes and {d} s for each play.", {
    n: digits(Math.round(minutes * 10) / 10),
    d: digits(Number(delay)),
  });
}

// House rules: the options of the chosen ruleset, in a player's words.

/** @param {unknown} value */
const spelt = (value) => JSON.stringify(value);
const ruleset = () => rulesets.find((r) => r.name === valuesOf(form).ruleset);

/**
 * What an event says of an axis of its own ruleset: written dotted, as a group, or in short.
 * @param {RulesetChoice} of
 * @param {string} axis
 * @param {Record<string, unknown>} event
 * @returns {unknown}
 */
function optionOf(of, axis, event) {
  if (event["match.ruleset"] !== of.name) return undefined;
  const options = Object(event["match.options"]);
  const [group, part] = axis.split(".");
  const whole = options[group];
  if (axis in options || !part) return options[axis];
  if (whole && typeof whole === "object") return whole[part];
  return ["limit", "length"].includes(part) ? whole : undefined;
}

/** Ask for each option of the chosen ruleset. */
function showOptions() {
  const chosen = ruleset();
  if (!chosen) return;
  byId("options").replaceChildren(
    ...chosen.options.map(({ axis, title, value, choices }) => {
      const now = spelt(optionOf(chosen, axis, proposed.values) ?? value);
      const base = spelt(optionOf(chosen, axis, proposed.base) ?? value);
      const field = el(
        "select",
        { name: `option:${axis}`, "data-usual": spelt(value), "data-base": base },
        choices.map((c) => el("option", { value: spelt(c.value) }, inWords(c.title))),
      );
      choose(field, now);
      return el("label", {}, inWords(title), field);
    }),
  );
  byId("cube-rules").hidden = !chosen.cube;
  const played = inside(form, "[name=crawford_played]", HTMLSelectElement);
  if (played.parentElement) played.parentElement.hidden = !chosen.cube;
  if (!chosen.cube) played.value = "";
  countHouseRules();
}

const optionFields = () => [...byId("options").querySelectorAll("select")];

/** The options that are chosen otherwise than the ruleset has them; nothing where the event's own
 * hold as they are. */
function optionsChosen() {
  const fields = optionFields();
  const same = valuesOf(form).ruleset === proposed.base["match.ruleset"];
  if (same && fields.every((field) => field.value === field.dataset.base)) return {};
  const otherwise = fields.filter((field) => field.value !== field.dataset.usual);
  return {
    options: Object.fromEntries(
      otherwise.map((field) => [field.name.slice("option:".length), JSON.parse(field.value)]),
    ),
  };
}

/** Say beside the closed box how many rules are not the usual ones. */
function countHouseRules() {
  const cube = byId("cube-rules");
  // What only means something with two dice each is asked for with them alone.
  const [opening, first] = ["opening", "shish_besh"].map((axis) =>
    optionFields().find((field) => field.name === `option:${axis}`),
  );
  const label = first?.parentElement;
  if (first && label) {
    label.hidden = opening?.value !== '"two_dice_each"';
    if (label.hidden) first.value = '"off"';
  }
  const count =
    optionFields().filter((field) => field.value !== field.dataset.usual).length +
    (cube.hidden
      ? 0
      : [...cube.querySelectorAll("select")].filter((f) => !["null", '"allowed"'].includes(f.value))
          .length);
  byId("house-count").textContent = count ? say("{n} otherwise", { n: digits(count) }) : "";
}

// What the event says, in the form.

/** Fields that are keys of the event file, by their dotted names. */
const keyFields = () =>
  [...form.elements].filter(
    (field) => field instanceof HTMLSelectElement && field.name in proposed.values,
  );

/**
 * Choose a value; one that is not among the choices is added to them.
 * @param {HTMLSelectElement} field
 * @param {string} value
 */
function choose(field, value) {
  if (![...field.options].some((o) => o.value === value)) {
    field.append(el("option", { value }, say("as the event says")));
  }
  field.value = value;
}

/** Fill the form with what is proposed. */
function propose() {
  const { values, clock, seating } = proposed;
  const points = Number(values["match.length"]);
  const radio = form.querySelector(`[name=length][value="${points}"]`);
  if (radio instanceof HTMLInputElement) radio.checked = true;
  else {
    inside(form, "[value=own]", HTMLInputElement).checked = true;
    lengthField.value = String(points);
  }
  byId("rulesets", HTMLSelectElement).value = String(values["match.ruleset"]);
  byId("clocks", HTMLSelectElement).value = clock;
  inside(form, "[name=colour]", HTMLSelectElement).value = seating.white;
  inside(form, "[name=home]", HTMLSelectElement).value = seating.home;
  for (const field of keyFields()) {
    if (field instanceof HTMLSelectElement) choose(field, spelt(values[field.name] ?? null));
  }
  inside(form, "[name=name]", HTMLInputElement).value = String(values.name ?? "");
  const named = byId("event-name");
  named.hidden = !values.name;
  named.textContent = say("Event: {name}", { name: `\u2068${values.name}\u2069` });
  showOptions();
  byId("clock-text").textContent = clockWords();
}

/** What a match says of itself beside the event's keys. */
const OF_MATCH = ["match.ruleset", "match.options", "match.length"];

/**
 * The keys that the table would not know of itself, by section: what is proposed or was chosen
 * here, where it is otherwise than the event has it.
 */
function chosenKeys() {
  const { values, base } = proposed;
  const { name, clock } = valuesOf(form);
  const ours = clocks.some((c) => c.name === clock);
  /** @type {Record<string, unknown>} */
  const wanted = { ...values, name: name || (base.name ? "" : null) };
  for (const field of keyFields()) {
    if (field instanceof HTMLSelectElement) wanted[field.name] = JSON.parse(field.value);
  }
  if (ours) wanted["clock.preset"] = clock;
  // Bank, delay and ladder were made for the clock beside which they stand.
  const another = clock !== values["clock.preset"];
  /** @type {Record<string, unknown>} */
  const found = {};
  for (const [key, value] of Object.entries(wanted)) {
    const [section, part] = key.split(".");
    const stays =
      section !== "clock" || (ours && (!another || ["preset", "at_flag"].includes(part)));
    if (OF_MATCH.includes(key) || !stays || spelt(value) === spelt(base[key] ?? null)) continue;
    found[section] = part ? { ...Object(found[section]), [part]: value } : value;
  }
  return found;
}

// A match that has begun is not set anew: it is shown, and ended here in two taps.
const off = state === null || ["idle", "match-over"].includes(state.phase);
if (state && !off && (state.plays.length > 0 || state.games.length > 0)) showBegun(state);
for (const side of state ? SIDES : []) {
  const name = state?.match?.players?.[side]?.name;
  if (!name) continue;
  byId("players").append(el("option", { value: name }));
  // What is set up and not begun is changed, not said anew.
  if (!off) inside(form, `[name=${side}]`, HTMLInputElement).value = name;
}

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

/** Who played lately, to be chosen by a tap each: there with all the rest, so that nothing moves
 * under a finger. */
function offerRecent() {
  const fields = SIDES.map((side) => inside(form, `[name=${side}]`, HTMLInputElement));
  const buttons = players.slice(0, RECENT).map(({ name }) => {
    const button = el("button", { type: "button", class: "choice", dir: "auto" }, name);
    button.addEventListener("click", () => {
      const chosen = fields.find((field) => field.value === name);
      const free = fields.find((field) => !field.value) ?? fields[1];
      if (chosen) chosen.value = "";
      else free.value = name;
      mark();
    });
    return button;
  });
  function mark() {
    for (const button of buttons) {
      const chosen = fields.some((field) => field.value === button.textContent);
      button.setAttribute("aria-pressed", String(chosen));
    }
  }
  for (const field of fields) field.addEventListener("input", mark);
  mark();
  byId("recent")
    .querySelector("div")
    ?.append(...buttons);
  byId("recent").hidden = !buttons.length;
}
offerRecent();

const starterField = inside(form, "[name=starter]", HTMLSelectElement);
/** Where both confirm first, nobody begins from here. */
function offerStarter() {
  const label = starterField.parentElement;
  if (label) label.hidden = valuesOf(form)["match.confirm"] === "true";
  if (label?.hidden) starterField.value = "";
}

// What is chosen before it is filled in would be chosen anew under the hand.
byId("entries", HTMLFieldSetElement).disabled = false;
propose();
offerStarter();
byId("rulesets").addEventListener("change", showOptions);
form.addEventListener("input", () => {
  byId("clock-text").textContent = clockWords();
  countHouseRules();
  offerStarter();
});
const fileField = inside(form, "[name=event_file]", HTMLInputElement);
/** Propose what the chosen event file says; without one, what the table proposes. */
async function takeFile() {
  const [file] = fileField.files ?? [];
  byId("setup-error").textContent = "";
  byId("file-name").textContent = file?.name ?? "";
  eventText = "";
  proposed = proposal;
  if (file) {
    try {
      const text = await file.text();
      proposed = await api(`${here}/proposal`, { event_text: text, name: file.name });
      eventText = text;
    } catch (error) {
      byId("setup-error").textContent = messageOf(error);
      fileField.value = byId("file-name").textContent = "";
    }
  }
  propose();
}
fileField.addEventListener("change", takeFile);
// A browser may bring a form back with its file.
if (fileField.files?.length) await takeFile();

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const data = valuesOf(form);
  const ours = clocks.some((c) => c.name === data.clock);
  const args = {
    white: data.white,
    black: data.black,
    length: length(),
    ruleset: data.ruleset,
    ...optionsChosen(),
    clock: ours ? "ours" : data.clock,
    seating: { white: data.colour, home: data.home },
    event: chosenKeys(),
    score: [Number(data.score_white) || 0, Number(data.score_black) || 0],
    ...(data.crawford_played ? { crawford_played: true } : {}),
    ...(eventText ? { event_text: eventText } : {}),
  };
  const button = inside(form, "button.primary", HTMLButtonElement);
  button.disabled = true;
  const begun =
    (await order("set_match", args)) &&
    (!starterField.value || (await order("start_game", { starter: starterField.value })));
  if (begun) location.assign(`/?table=${context.table}`);
  button.disabled = false;
});
// A tap before this script listens would load the page anew.
inside(form, "button.primary", HTMLButtonElement).disabled = false;
