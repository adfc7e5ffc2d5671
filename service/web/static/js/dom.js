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

/** What each element made here does, by kind of event. @type {WeakMap<Node, Acts>} */
const acts = new WeakMap();
/** @typedef {Record<string, EventListener>} Acts */

/** @param {Event} event */
function act(event) {
  if (event.currentTarget instanceof Node) acts.get(event.currentTarget)?.[event.type]?.(event);
}

/**
 * Have an element do this from now on, in the place of what it did.
 * @param {Node} node
 * @param {string} type
 * @param {EventListener} does
 */
function listen(node, type, does) {
  const own = acts.get(node) ?? {};
  acts.set(node, own);
  if (!own[type]) node.addEventListener(type, act);
  own[type] = does;
}

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
      listen(node, key.slice(2), /** @type {EventListener} */ (value));
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

/**
 * What tells an element from its sisters: its own key, or what a button says.
 * @param {Node} node
 */
const keyOf = (node) =>
  node instanceof HTMLElement
    ? (node.dataset.key ?? (node instanceof HTMLButtonElement ? node.textContent : ""))
    : "";

/**
 * Give an element these children and change nothing that is there already: what is alike stays the
 * same node, with its focus, its place and whoever's finger is on it. Sisters are told apart by
 * `data-key`, buttons by their words, everything else by its kind and order.
 * @param {Element} box
 * @param {...Child} children
 */
export function settle(box, ...children) {
  const focused = document.activeElement;
  fill(box, flat(children));
  if (!focused || focused === document.activeElement) return;
  if (focused.isConnected && focused instanceof HTMLElement) focused.focus({ preventScroll: true });
  else if (box instanceof HTMLElement) {
    // What had the focus is gone: a reader goes on here rather than at the page's start.
    if (!box.hasAttribute("tabindex")) box.tabIndex = -1;
    box.focus({ preventScroll: true });
  }
}

/**
 * @param {Element} box
 * @param {(Node | string)[]} wanted
 */
function fill(box, wanted) {
  const old = [...box.childNodes];
  const kept = wanted.map((child) => {
    const node = typeof child === "string" ? document.createTextNode(child) : child;
    const same = old.indexOf(/** @type {ChildNode} */ (node));
    const at = same < 0 ? old.findIndex((o) => alike(o, node)) : same;
    if (at < 0) return node;
    const [found] = old.splice(at, 1);
    if (found !== node) mend(found, node);
    return found;
  });
  for (const gone of old) gone.remove();
  kept.forEach((node, i) => {
    if (box.childNodes[i] !== node) box.insertBefore(node, box.childNodes[i] ?? null);
  });
}

/**
 * @param {Node} a
 * @param {Node} b
 */
const alike = (a, b) => a.nodeName === b.nodeName && keyOf(a) === keyOf(b);

/**
 * Make an element that is there what another is.
 * @param {Node} node
 * @param {Node} wanted
 */
function mend(node, wanted) {
  if (node instanceof Text) {
    if (node.data !== wanted.textContent) node.data = wanted.textContent ?? "";
  } else if (node instanceof Element && wanted instanceof Element) {
    for (const { name, value } of wanted.attributes) {
      if (node.getAttribute(name) !== value) node.setAttribute(name, value);
    }
    for (const { name } of [...node.attributes]) {
      if (!wanted.hasAttribute(name)) node.removeAttribute(name);
    }
    for (const [type, does] of Object.entries(acts.get(wanted) ?? {})) listen(node, type, does);
    fill(node, [...wanted.childNodes]);
  }
}

/**
 * Put this text into an element where it says something else.
 * @param {Element} node
 * @param {string} text
 */
export function write(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/**
 * Show an element or hide it, where it is not so already.
 * @param {HTMLElement} node
 * @param {boolean} there
 */
export function show(node, there) {
  if (node.hidden === there) node.hidden = !there;
}
