// Setting a match up: players, length, rules, clock. Under a minute.
import { api, context, digits, el, order, say } from "./page.js";

const form = document.getElementById("setup");
const { rulesets, clocks } = await api("/api/v1/rulesets");
const LENGTHS = [3, 5, 7, 9, 11, 0];

document.getElementById("lengths").append(
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
    el("input", {
      name: "own_length",
      type: "number",
      min: 1,
      max: 99,
      "aria-label": say("Another length"),
      placeholder: say("Other"),
      class: "own-length",
    }),
  ),
);
form.own_length.addEventListener("focus", () => {
  form.querySelector("[value=own]").checked = true;
});
document
  .getElementById("rulesets")
  .append(
    ...rulesets.map((r) =>
      el("option", { value: r.name }, r.title[context.language] || r.title.en || r.name),
    ),
  );

const CLOCK_NAMES = {
  "us-delay": () => say("Federation: 2 minutes a point, 12 s delay"),
  "us-delay-doubles": () => say("Federation, doubles: 2½ minutes a point, 18 s delay"),
  "us-2013": () => say("US 2013: less a minute for each point scored"),
  "seed-delay": () => say("12 minutes a side, 2 s delay"),
  "seed-fischer": () => say("8 minutes a side, 8 s added each play"),
  iran: () => say("Iran: 10 minutes a side for each game, 5 s delay"),
};
document
  .getElementById("clocks")
  .append(
    el("option", { value: "none" }, say("No clock")),
    el("option", { value: "external" }, say("The club's own clock")),
    ...clocks.map((c) =>
      el("option", { value: c.name }, (CLOCK_NAMES[c.name] || (() => c.name))()),
    ),
  );

const length = () => {
  const value = new FormData(form).get("length");
  return Number(value === "own" ? form.own_length.value : value) || null;
};

function clockText() {
  const preset = clocks.find((c) => c.name === form.clock.value);
  const n = length();
  const minutes =
    preset && (preset.bank ? preset.bank / 60 : n ? (preset.bank_per_point * n) / 60 : 0);
  document.getElementById("clock-text").textContent =
    preset && minutes
      ? say("Each side has {n} minutes and {d} s for each play.", {
          n: digits(Math.round(minutes * 10) / 10),
          d: digits(preset.delay),
        })
      : preset
        ? say("A money session needs a clock with a fixed bank.")
        : form.clock.value === "external"
          ? say(
              "The turn ends by the club's clock: press the button on the board, or lift the dice.",
            )
          : say("The turn ends when the dice are lifted.");
}
// A club plays the same way every week: what was chosen last is chosen again.
const KEPT = ["ruleset", "clock", "colour", "home", "monitor", "event_name"];
try {
  const kept = JSON.parse(localStorage.getItem("takhte-setup") || "{}");
  for (const name of KEPT)
    if (
      kept[name] &&
      (form[name].tagName !== "SELECT" ||
        [...form[name].options].some((o) => o.value === kept[name]))
    )
      form[name].value = kept[name];
  const same = form.querySelector(`[name=length][value="${kept.length}"]`);
  if (same) same.checked = true;
} catch {
  /* nothing was kept */
}
form.addEventListener("input", clockText);
clockText();

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const data = Object.fromEntries(new FormData(form));
  const ours = clocks.some((c) => c.name === data.clock);
  const event_ = {};
  if (data.event_name) event_.name = data.event_name;
  if (data.monitor !== "board") event_.play = { monitor: data.monitor };
  if (ours) event_.clock = { preset: data.clock };
  const args = {
    white: data.white,
    black: data.black,
    length: length(),
    ruleset: data.ruleset,
    clock: ours ? "ours" : data.clock,
    seating: { white: data.colour, home: data.home },
    event: event_,
    score: [Number(data.score_white) || 0, Number(data.score_black) || 0],
  };
  const file = form.event_file.files[0];
  if (file) args.event_text = await file.text();
  const button = form.querySelector("button.primary");
  button.disabled = true;
  try {
    localStorage.setItem(
      "takhte-setup",
      JSON.stringify(Object.fromEntries([...KEPT, "length"].map((name) => [name, data[name]]))),
    );
  } catch {
    /* not kept */
  }
  if (await order("set_match", args)) location.assign(`/?table=${context.table}`);
  button.disabled = false;
});
