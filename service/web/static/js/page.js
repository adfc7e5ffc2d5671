// What every page needs: its context, words in the visitor's language, numbers, requests, the look, and short messages.
export const context = JSON.parse(document.getElementById("context").textContent);

const words =
  context.language === "en"
    ? {}
    : await fetch(`/words/${context.language}.json`).then(
        (r) => (r.ok ? r.json() : {}),
        () => ({}),
      );

/** The text in the page's language; {name} is replaced from values. */
export function say(text, values = {}) {
  return (words[text] || text).replace(/\{(\w+)\}/g, (whole, name) =>
    name in values ? values[name] : whole,
  );
}

export function preference(key) {
  try {
    return localStorage.getItem("takhte-" + key) || "";
  } catch {
    return "";
  }
}

function prefer(key, value) {
  try {
    value ? localStorage.setItem("takhte-" + key, value) : localStorage.removeItem("takhte-" + key);
  } catch {
    /* not kept, still applied */
  }
}

// Ten digits and a percent sign, where they are not the usual ones.
const DIGITS = { latin: "", persian: "۰۱۲۳۴۵۶۷۸۹٪" };

/** Digits as the visitor wants to see them; never used for notation. */
export function digits(value) {
  const text = String(value);
  const own = DIGITS[preference("digits")] ?? context.digits;
  return own ? text.replace(/[0-9%]/g, (d) => [...own]["0123456789%".indexOf(d)]) : text;
}

export const percent = (p) =>
  digits(`${p > 0.999 && p < 1 ? "99.9" : (100 * p).toFixed(p > 0.99 && p < 1 ? 1 : 0)}%`);

/** A side's own word in this language. */
export const sideName = (side) => (side === "black" ? say("Black") : say("White"));

/** An element with attributes, listeners (on...) and children; text is never parsed as markup. */
export function el(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key === "class") node.className = value;
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(
    ...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false),
  );
  return node;
}

/** A request to our own API. Resolves to the answer; rejects with an Error whose `told` says expected, came and next. */
export async function api(path, body, method = body === undefined ? "GET" : "POST") {
  let response;
  try {
    response = await fetch(
      path,
      body === undefined
        ? { method }
        : { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) },
    );
  } catch {
    throw new Error(say("This page cannot reach the table's machine. Check the network."));
  }
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  const told = answer.error || {};
  const error = new Error(
    [reason(told), told.next].filter(Boolean).join(" · ") || response.statusText,
  );
  error.told = told;
  throw error;
}

const REASONS = {
  table_down: () => say("The table's program does not answer. Nothing was done."),
  sign_in: () => say("Sign in or pair this device first."),
  not_allowed: () => say("This device may not do that."),
  wrong_password: () => say("The name or the password is not right."),
  no_code: () => say("This code is not known, was used or is older than ten minutes."),
};

function reason(told) {
  if (REASONS[told.code]) return REASONS[told.code]();
  return [told.expected, told.came && `(${told.came})`].filter(Boolean).join(" ");
}

/** Give the table an order; says so when it refuses. Resolves to whether it was done. */
export async function order(name, args = {}) {
  try {
    await api(`/api/v1/tables/${context.table}/orders`, { order: name, args });
    return true;
  } catch (error) {
    toast(error.message, true);
    return false;
  }
}

export const may = (name) => context.orders.includes(name);

export function toast(text, bad = false) {
  const node = el("p", { class: bad ? "toast bad" : "toast" }, text);
  document.getElementById("toasts").append(node);
  setTimeout(() => node.remove(), bad ? 9000 : 4000);
}

/** Open a dialog with this content; resolves when it closes. `build(dialog)` returns its children. */
export function openDialog(build, wide = false) {
  const dialog = el("dialog", { class: wide ? "wide" : "" });
  const children = build(dialog);
  const title = children.find?.((c) => c.tagName === "H2");
  if (title) {
    title.id = `dialog-${Date.now()}`;
    dialog.setAttribute("aria-labelledby", title.id);
  }
  dialog.append(...children);
  document.body.append(dialog);
  dialog.addEventListener("close", () => dialog.remove());
  dialog.showModal();
  return dialog;
}

/** Ask for a line of text (a reason) before giving an order. */
export function askReason(
  title,
  confirm,
  then,
  { needed = true, danger = false, before = [] } = {},
) {
  openDialog((dialog) => {
    const field = el("textarea", {
      name: "reason",
      rows: 2,
      maxlength: 400,
      dir: "auto",
      required: needed,
    });
    return [
      el("h2", {}, title),
      el(
        "form",
        {
          method: "dialog",
          class: "stack",
          onsubmit: async (event) => {
            event.preventDefault();
            if ((await then(field.value.trim(), new FormData(event.target))) !== false)
              dialog.close();
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
      ),
    ];
  });
}

// The look: language, brightness, board, digits, seat.
const looks = document.getElementById("looks");
document.getElementById("look").addEventListener("click", () => looks.showModal());
for (const group of looks.querySelectorAll("[data-look]")) {
  const key = group.dataset.look;
  for (const input of group.querySelectorAll("input")) {
    input.checked = input.value === preference(key);
    input.addEventListener("change", () => {
      prefer(key, input.value);
      if (input.value && (key === "theme" || key === "board"))
        document.documentElement.dataset[key] = input.value;
      else delete document.documentElement.dataset[key];
      document.dispatchEvent(new Event("look"));
    });
  }
}
document.getElementById("sign-out")?.addEventListener("click", async () => {
  await api("/api/v1/sign-out", {}).catch(() => {});
  location.assign("/");
});
for (const node of document.querySelectorAll("[data-digits]"))
  node.textContent = digits(node.textContent);
