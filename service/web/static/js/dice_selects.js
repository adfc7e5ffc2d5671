// The two selects in which a person says a roll.
import { el } from "./dom.js";
import { digits, say } from "./page.js";

/**
 * @param {readonly (number | null | undefined)[] | null} shown the dice that stand there
 * @param {(a: number, b: number) => void} changed told both dice, 0 for one that is not said
 */
export function diceSelects(shown, changed) {
  const selects = [0, 1].map((i) => {
    const select = el(
      "select",
      {
        class: "small",
        "aria-label": say("Die {n}", { n: digits(i + 1) }),
        onchange: () => {
          const [a, b] = selects.map((one) => Number(one.value));
          changed(a, b);
        },
      },
      el("option", { value: "" }, "–"),
      [1, 2, 3, 4, 5, 6].map((n) => el("option", { value: n }, digits(n))),
    );
    select.value = String(shown?.[i] ?? "");
    return select;
  });
  return selects;
}
