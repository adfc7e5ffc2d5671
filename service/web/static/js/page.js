// What every page needs: its context, words in the visitor's language, numbers, requests, the look,
// and short messages.
/** @import { Child, Context, Refusal, SideName, StateDocument } from "./types.js" */
import { refusalWords } from "./refusals.js";
import { byId, el, findById, flat, messageOf } from "./dom.js";

/** What the server tells this page about itself and its visitor. @type {Context} */
export const context = JSON.parse(byId("context").textContent);

/** English to the page's language; empty for English. @type {Record<string, string>} */
const words =
  context.language === "en"
    ? {}
    : await fetch(`/words/${context.language}.json`).then(
        (r) => (r.ok ? r.json() : {}),
        () => ({}),
      );

/**
 * The text in the page's language; {name} is replaced from values.
 * @param {string} text
 * @param {Record<string, string | number>} [values]
 */
export function say(text, values = {}) {
  return (words[text] || text).replace(/\{(\w+)\}/g, (whole, name) =>
    name in values ? String(values[name]) : whole,
  );
}

/**
 * What this device chose (theme, board, digits, seat), empty where it chose nothing.
 * @param {string} key
 */
export function preference(key) {
  try {
    return localStorage.getItem(`takhte-${key}`) || "";
  } catch {
    return "";
  }
}

/**
 * Keep what this device chose; an empty value is no choice.
 * @param {string} key
 * @param {string} value
 */
export function prefer(key, value) {
  try {
    if (value) localStorage.setItem(`takhte-${key}`, value);
    else localStorage.removeItem(`takhte-${key}`);
  } catch {
    /* not kept, still applied */
  }
}

/**
 * Ten digits and a percent sign, where they are not the usual ones.
 * @type {Record<string, string>}
 */
const DIGITS = { latin: "", persian: "۰۱۲۳۴۵۶۷۸۹٪" };

/**
 * Digits as the visitor wants to see them; never used for notation.
 * @param {string | number | null} value
 */
export function digits(value) {
  const text = String(value);
  const own = DIGITS[preference("digits")] ?? context.digits;
  return own ? text.replace(/[0-9%]/g, (d) => [...own]["0123456789%".indexOf(d)]) : text;
}

/**
 * A probability as a percentage; what is not certain never reads 100 %.
 * @param {number} p
 */
export const percent = (p) =>
  digits(`${p > 0.999 && p < 1 ? "99.9" : (100 * p).toFixed(p > 0.99 && p < 1 ? 1 : 0)}%`);

/**
 * A side's own word in this language.
 * @param {SideName} side
 */
export const sideName = (side) => (side === "black" ? say("Black") : say("White"));

/**
 * A player's name, the side's own word where there is none.
 * @param {StateDocument | null} state
 * @param {SideName} side
 */
export const playerName = (state, side) => state?.match?.players?.[side]?.name || sideName(side);

/**
 * How far a match goes; empty while none is known.
 * @param {StateDocument["match"] | undefined} match
 */
export function lengthWords(match) {
  if (match?.length === 1) return say("to 1 point");
  if (match?.length) return say("to {n} points", { n: digits(match.length) });
  return match?.ruleset ? say("money session") : "";
}

/**
 * The other side.
 * @param {SideName} side
 * @returns {SideName}
 */
export const otherSide = (side) => (side === "white" ? "black" : "white");

/** Both sides, White first. @type {readonly SideName[]} */
export const SIDES = ["white", "black"];

/**
 * The answer to a request to our own API; rejects with an Error that says what was expected, what
 * came and what to do next.
 * @template T
 * @param {string} path
 * @param {unknown} [body]
 * @param {string} [method]
 * @returns {Promise<T>}
 */
export async function api(path, body, method = body === undefined ? "GET" : "POST") {
  const headers = { "content-type": "application/json" };
  let response;
  try {
    response = await fetch(
      path,
      body === undefined ? { method } : { method, headers, body: JSON.stringify(body) },
    );
  } catch {
    throw new Error(say("This page cannot reach the table's machine. Check the network."));
  }
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  /** @type {Refusal} */
  const refusal = answer.error || {};
  throw new Error(refusalWords(refusal));
}

/**
 * Whether the table did what it was ordered; says so when it refuses.
 * @param {string} name
 * @param {Record<string, unknown>} [args]
 */
export async function order(name, args = {}) {
  try {
    await api(`/api/v1/tables/${context.table}/orders`, { order: name, args });
    return true;
  } catch (error) {
    toast(messageOf(error), true);
    return false;
  }
}

/**
 * Whether this visitor may give an order.
 * @param {string} name
 */
export const may = (name) => context.orders.includes(name);

/** Messages that lie on a page at once: more would cover what they are about. */
const TOASTS = 3;
/**
 * Show a short message, a bad one longer and louder; the same once. It lies over an open dialog
 * too.
 * @param {string} text
 */
export function toast(text, bad = false) {
  const node = el("p", { class: bad ? "toast bad" : "toast" }, text);
  const all = byId("toasts");
  const before = [...all.children];
  before.filter((old) => old.textContent === text).forEach((old) => old.remove());
  before.slice(0, -(TOASTS - 1)).forEach((old) => old.remove());
  all.append(node);
  // What was shown last lies above: so it does above a dialog that was opened meanwhile.
  if (all.matches(":popover-open")) all.hidePopover();
  all.showPopover();
  setTimeout(() => node.remove(), bad ? 9000 : 4000);
}

/**
 * Show what was thrown as a bad message.
 * @param {unknown} error
 */
export const complain = (error) => toast(messageOf(error), true);

/**
 * The last row of a dialog that only shows: a button to close it.
 * @param {HTMLDialogElement} dialog
 * @param {...Child} before
 */
export const doneRow = (dialog, ...before) =>
  el(
    "p",
    { class: "row" },
    ...before,
    el("span", { class: "grow" }),
    el("button", { class: "primary", onclick: () => dialog.close() }, say("Done")),
  );

/**
 * The dialog that was opened with this content; it is gone when it closes.
 * @param {(dialog: HTMLDialogElement) => Child[]} build
 */
export function openDialog(build, wide = false) {
  const dialog = el("dialog", { class: wide ? "wide" : "" });
  const children = flat(build(dialog));
  const title = children.find((c) => c instanceof HTMLHeadingElement && c.tagName === "H2");
  if (title instanceof HTMLHeadingElement) {
    title.id = `dialog-${Date.now()}`;
    dialog.setAttribute("aria-labelledby", title.id);
  }
  // What is read comes first, not the first thing that can be pressed.
  if (wide && title instanceof HTMLElement) Object.assign(title, { tabIndex: -1, autofocus: true });
  dialog.append(...children);
  document.body.append(dialog);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.showModal();
  return dialog;
}

/**
 * Ask for a line of text (a reason) before giving an order; `then` answers false to keep asking.
 * @param {string} title
 * @param {string} confirm
 * @param {(reason: string, data: FormData) => unknown} then
 * @param {{ needed?: boolean, danger?: boolean, before?: Child[] }} [options]
 */
export function askReason(title, confirm, then, options = {}) {
  const { needed = true, danger = false, before = [] } = options;
  openDialog((dialog) => {
    const field = el("textarea", {
      name: "reason",
      rows: 2,
      maxlength: 400,
      dir: "auto",
      required: needed,
    });
    const form = el(
      "form",
      {
        method: "dialog",
        class: "stack",
        onsubmit: async (event) => {
          event.preventDefault();
          if ((await then(field.value.trim(), new FormData(form))) !== false) dialog.close();
        },
      },
      ...before,
      el("label", {}, needed ? say("Reason") : say("Reason (if any)"), field),
      el(
        "p",
        { class: "row" },
        el("button", { type: "button", onclick: () => dialog.close() }, say("Back")),
        el("span", { class: "grow" }),
        el("button", { class: danger ? "danger" : "primary" }, confirm),
      ),
    );
    return [el("h2", {}, title), form];
  });
}

/**
 * An option of a list of tables that leads to another address when it is chosen.
 * @param {(table: string) => string} address
 * @param {(table: string) => string} name
 */
export function fillTables(address, name) {
  const select = byId("tables", HTMLSelectElement);
  select.append(
    ...context.tables.map((t) =>
      el("option", { value: t, selected: t === context.table }, name(t)),
    ),
  );
  select.addEventListener("change", () => location.assign(address(select.value)));
}

// The look: language, brightness, board, digits, seat.
const looks = byId("looks", HTMLDialogElement);
byId("look").addEventListener("click", () => looks.showModal());
for (const group of looks.querySelectorAll("fieldset")) {
  const key = group.dataset.look || "";
  for (const input of group.querySelectorAll("input")) {
    input.checked = input.value === preference(key);
    input.addEventListener("change", () => {
      prefer(key, input.value);
      const look = document.documentElement.dataset;
      if (input.value && (key === "theme" || key === "board")) look[key] = input.value;
      else delete look[key];
      document.dispatchEvent(new Event("look"));
    });
  }
}
findById("sign-out", HTMLElement)?.addEventListener("click", async () => {
  await api("/api/v1/sign-out", {}).catch(() => {});
  location.assign("/");
});
for (const node of document.querySelectorAll("[data-digits]")) {
  node.textContent = digits(node.textContent);
}
for (const time of document.querySelectorAll("time")) {
  const day = new Date(`${time.dateTime}T12:00:00`);
  time.textContent = day.toLocaleDateString(context.language, { dateStyle: "medium" });
}
