// What an arbiter's forms are made of.
/** @import { AttributeValue, StateDocument } from "../types.js" */
import { el } from "../dom.js";
import { SIDES } from "../page.js";
import { who } from "../prompts.js";

/**
 * @param {string} name
 * @param {string} label
 * @param {Record<string, AttributeValue>} [attributes]
 */
export const field = (name, label, attributes = {}) =>
  el("label", {}, label, el("input", { name, ...attributes }));
/**
 * @param {string} name
 * @param {string} label
 * @param {[string, string][]} options value and text of each
 */
export const pick = (name, label, options) =>
  el(
    "label",
    {},
    label,
    el(
      "select",
      { name },
      options.map(([value, text]) => el("option", { value }, text)),
    ),
  );
/**
 * @param {StateDocument} state
 * @returns {[string, string][]}
 */
export const sides = (state) => SIDES.map((side) => [side, who(state, side)]);
