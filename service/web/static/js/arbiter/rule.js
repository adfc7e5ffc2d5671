// A ruling: the usual ones with what the rules say, or the arbiter's own words.
import { el } from "../dom.js";
import { askReason, digits, order, say } from "../page.js";
import { pick } from "./fields.js";

/** A usual ruling: its words, and what the rules say. */
/** @typedef {{ text: string, paragraph: string }} Ruling */

/** @returns {Ruling[]} */
const usual = () => {
  const illegal = say(
    "An illegal play is put right when it is noticed before the opponent's next valid roll or " +
      "double; after that it stands, and is recorded as illegal.",
  );
  const dice = say(
    "A roll is valid when both dice lie flat on the board to the right of the bar, as the roller " +
      "sits. A die that leans, or lies on a checker, is thrown again, with the other one.",
  );
  const early = say(
    "A roll before the other side's turn was over: the interrupted side chooses whether it stands.",
  );
  const call = say(
    "At a call both clocks stop and nobody moves a checker. Time, position and score can be " +
      "corrected; the old values stay on record.",
  );
  return [
    { text: say("The play is put right. No penalty."), paragraph: illegal },
    { text: say("The play stands."), paragraph: illegal },
    { text: say("The roll is valid and stands."), paragraph: dice },
    { text: say("The roll is not valid. Both dice are thrown again."), paragraph: dice },
    { text: say("The early roll stands."), paragraph: early },
    { text: say("The early roll is thrown again."), paragraph: early },
    { text: say("Position and clocks are set as both players agree."), paragraph: call },
    { text: say("Play on as it stands. No fault on either side."), paragraph: call },
  ];
};

/**
 * Ask for a ruling, and enter it.
 * @param {number | null} moment the entry that it is about
 */
export function rule(moment) {
  const about = moment ? { about: moment } : {};
  const text = moment
    ? say("About entry {n}. The appeal window opens at once.", { n: digits(moment) })
    : say("The appeal window opens at once.");
  const rulings = usual();
  const paragraph = el("p", { class: "banner calm", hidden: true });
  /** @type {[string, string][]} */
  const options = [["", say("In your own words")]];
  const choices = pick("usual", say("Usual rulings"), [
    ...options,
    ...rulings.map((r, i) => /** @type {[string, string]} */ ([String(i), r.text])),
  ]);
  choices.addEventListener("change", ({ target }) => {
    if (!(target instanceof HTMLSelectElement)) return;
    const chosen = target.value === "" ? null : rulings[Number(target.value)];
    paragraph.textContent = chosen?.paragraph ?? "";
    paragraph.hidden = !chosen;
    const words = target.form?.elements.namedItem("reason");
    if (chosen && words instanceof HTMLTextAreaElement) words.value = chosen.text;
  });
  const told = el("input", { type: "checkbox", name: "told" });
  askReason(
    say("Rule"),
    say("Enter the ruling"),
    (reason) => {
      const words = told.checked ? `${reason} ${say("Both players were told.")}` : reason;
      return order("rule", { text: words, ...about });
    },
    {
      before: [
        el("p", { class: "muted" }, text),
        choices,
        paragraph,
        el("label", { class: "inline" }, told, " ", say("Both players were told")),
      ],
    },
  );
}
