// Elements: found by their id, made by name. Text is never parsed as markup.
/** @import { AttributeValue, Attributes, Child } from "./types.js" */

const SVG = "http://www.w3.org/2000/svg";

/**
 * The element of this id where the page has one of that kind, else null.
 * @template {Element} T
 * @param {string} id
 * @param {new () => T} kind
 * @returns {T | null}
 */
export function findById(id, kind) {
  const node = document.getElementById(id);
  return node instanceof kind ? node : null;
}

/**
 * The element of this id, of that kind; a page without it is a mistake.
 * @overload
 * @param {string} id
 * @returns {HTMLElement}
 */
/**
 * @template {Element} T
 * @overload
 * @param {string} id
 * @param {new () => T} kind
 * @returns {T}
 */
/**
 * @param {string} id
 * @param {new () => Element} kind
 * @returns {Element}
 */
export function byId(id, kind = HTMLElement) {
  const node = findById(id, kind);
  if (!node) throw new Error(`no ${kind.name} #${id} on this page`);
  return node;
}

/**
 * The first element inside another that a selector finds, of that kind.
 * @template {Element} T
 * @param {ParentNode} parent
 * @param {string} selector
 * @param {new () => T} kind
 * @returns {T}
 */
export function inside(parent, selector, kind) {
  const node = parent.querySelector(selector);
  if (!(node instanceof kind)) throw new Error(`no ${kind.name} ${selector} on this page`);
  return node;
}

/**
 * The values of a form by name, as text; a field of files counts as empty.
 * @param {HTMLFormElement} form
 * @returns {Record<string, string>}
 */
export function valuesOf(form) {
  const entries = [...new FormData(form)];
  return Object.fromEntries(entries.map(([k, v]) => [k, typeof v === "string" ? v : ""]));
}

/**
 * The message of what was thrown.
 * @param {unknown} value
 */
export const messageOf = (value) => (value instanceof Error ? value.message : String(value));

/**
 * An element with attributes, listeners (on...) and children.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {Attributes} [attributes]
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function el(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") {
      node.addEventListener(key.slice(2), /** @type {EventListener} */ (value));
    } else if (key === "class") node.className = String(value);
    else node.setAttribute(key, value === true ? "" : String(value));
  }
  node.append(...flat(children));
  return node;
}

/**
 * The children that are there, without their nesting.
 * @param {readonly Child[]} children
 * @returns {(Node | string)[]}
 */
export function flat(children) {
  return children.flatMap((child) => {
    if (child === null || child === undefined || child === false) return [];
    if (typeof child === "string" || child instanceof Node) return [child];
    return typeof child === "number" ? [String(child)] : flat(child);
  });
}

/**
 * An element of a drawing with attributes and children.
 * @template {keyof SVGElementTagNameMap} K
 * @param {K} name
 * @param {Record<string, AttributeValue>} [attributes]
 * @param {...(Node | string)} children
 * @returns {SVGElementTagNameMap[K]}
 */
export function svg(name, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) node.setAttribute(key, String(value));
  }
  node.append(...children);
  return node;
}
