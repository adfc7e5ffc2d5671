// The plan of a tournament as its form has it: stages, rules, prizes.
/** @import { EventState } from "./types.js" */
import { byId, el, inside, messageOf, show, valuesOf } from "./dom.js";
import { SYSTEMS } from "./event_words.js";
import { digits, say, toast } from "./page.js";

let stages = 0;

/** Add the fields of one more stage. */
export function addStage() {
  stages += 1;
  const n = stages;
  const first = n === 1;
  /**
   * @param {string} name
   * @param {string} words
   * @param {string} value
   */
  const number = (name, words, value) =>
    el(
      "label",
      { class: "narrow-field" },
      words,
      el("input", { name: `${name}${n}`, value, inputmode: "numeric", maxlength: 4, dir: "ltr" }),
    );
  byId("stage-forms").append(
    el(
      "fieldset",
      {},
      el("legend", {}, first ? say("First stage") : say("Then")),
      el(
        "div",
        { class: "row" },
        el(
          "label",
          { class: "grow" },
          say("How"),
          el(
            "select",
            { name: `system${n}` },
            ...Object.entries(SYSTEMS).map(([value, words]) =>
              el("option", { value, selected: value === (first ? "swiss" : "single") }, words()),
            ),
          ),
        ),
        number("rounds", say("Rounds"), first ? "5" : ""),
        first ? "" : number("take", say("The best"), "8"),
        number("groups", say("Groups"), ""),
        number("length", say("Points of a match"), "7"),
      ),
      el(
        "details",
        {},
        el("summary", {}, say("Rules of this stage")),
        el(
          "label",
          {},
          say("Event file: what differs from the hall's own"),
          el("textarea", {
            name: `event${n}`,
            rows: 4,
            dir: "ltr",
            spellcheck: "false",
            placeholder: '[play]\nmonitor = "arbiter"',
          }),
        ),
      ),
    ),
  );
}

/** @param {HTMLFormElement} form */
export function planOf(form) {
  const values = valuesOf(form);
  /** @param {string} key */
  const number = (key) => Number(values[key] || 0);
  return {
    name: values.name,
    pool: number("pool"),
    prizes: values.prizes
      .split(/[^0-9]+/)
      .filter(Boolean)
      .map(Number),
    stages: Array.from({ length: stages }, (_, i) => i + 1).map((n) => ({
      system: values[`system${n}`],
      rounds: number(`rounds${n}`),
      take: number(`take${n}`),
      groups: number(`groups${n}`),
      length: number(`length${n}`) || null,
      event: values[`event${n}`] ?? "",
    })),
  };
}

/** The rules of the round that the fields stand for. */
let ruled = -1;

/**
 * What the next round is played by otherwise than its stage; a form that somebody fills is left
 * alone until the round is another.
 * @param {EventState} found
 */
export function drawRules(found) {
  show(byId("otherwise"), Boolean(found.name) && !found.over);
  show(byId("ruled"), found.rules !== null);
  if (ruled === found.rounds.length) return;
  ruled = found.rounds.length;
  const form = byId("rules", HTMLFormElement);
  inside(form, "[name=length]", HTMLInputElement).value = String(found.rules?.length ?? "");
  inside(form, "[name=event]", HTMLTextAreaElement).value = found.rules?.event ?? "";
}

/** @param {(rules: { length: number | null, event: string }) => Promise<void>} plan */
export function rulesForm(plan) {
  const form = byId("rules", HTMLFormElement);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const problem = inside(form, ".error", HTMLElement);
    problem.textContent = "";
    const values = valuesOf(form);
    try {
      await plan({ length: Number(values.length) || null, event: values.event });
      toast(say("Round {n} is played so.", { n: digits(ruled + 1) }));
      byId("otherwise", HTMLDetailsElement).open = false;
    } catch (error) {
      problem.textContent = messageOf(error);
    }
  });
}
