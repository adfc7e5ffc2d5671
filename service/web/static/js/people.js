// Letting devices in, and who has a password.
/** @import { Account, Device, Pairing } from "./types.js" */
import { el, flat, valuesOf } from "./dom.js";
import { doorCode, ROLES, watchDoor } from "./door.js";
import { api, complain, context, digits, doneRow, openDialog, say } from "./page.js";

/**
 * How a device is let in as this, as elements: by a number that both screens show, or, at a table
 * without a secured page, by a code that is good once.
 * @param {string} role
 */
export const wayIn = (role) =>
  doorCode(role, ["camera", "clock"].includes(role) ? undefined : () => pairingCode(role));

/**
 * The code for one device, as elements.
 * @param {string} role
 */
async function pairingCode(role) {
  const side = role === "white" || role === "black" ? role : null;
  /** @type {Pairing} */
  const made = await api("/api/v1/pairings", {
    role: side ? "player" : role,
    side,
    table: context.table,
    name: side ? "" : ROLES[role](),
  });
  const qr = el("div", {
    class: "qr",
    role: "img",
    "aria-label": say("QR code of the address below"),
  });
  qr.append(new DOMParser().parseFromString(made.svg, "image/svg+xml").documentElement);
  return [
    qr,
    el("p", { class: "code num" }, `${made.code.slice(0, 4)} ${made.code.slice(4)}`),
    el("p", {}, el("bdi", { dir: "ltr" }, made.address)),
    el(
      "p",
      { class: "muted" },
      say("Good once, for {n} minutes.", { n: digits(made.seconds / 60) }),
    ),
  ];
}

/** Open the dialog that lets a device in. */
export function openPairing() {
  openDialog((dialog) => {
    const shown = el("div", { class: "stack" });
    const door = el("div", { class: "stack", "aria-live": "polite" });
    watchDoor(door);
    const roles = ["player", "white", "black", "camera", "clock", "annotator", "arbiter"];
    const choices = roles.map((role) =>
      el(
        "button",
        {
          class: "choice",
          onclick: async (event) => {
            for (const b of choices) b.setAttribute("aria-current", String(b === event.target));
            try {
              shown.replaceChildren(...flat(await wayIn(role)));
            } catch (error) {
              complain(error);
            }
          },
        },
        ROLES[role](),
      ),
    );
    return [
      el("h2", {}, say("Pair a device")),
      el("p", { class: "muted" }, say("Whose device is it? It scans the code or types it.")),
      el("div", { class: "choices" }, choices),
      shown,
      door,
      doneRow(dialog),
    ];
  });
}

/** @param {string} name */
const pathOf = (name) => `/api/v1/accounts/${encodeURIComponent(name)}`;

/** Every device and person that is let in now, each with a button that ends it. */
function devices() {
  const list = el("ul", { class: "stack" });
  /**
   * @param {string} path
   * @param {string} [method]
   */
  const draw = async (path, method) => {
    try {
      /** @type {{ devices: Device[] }} */
      const found = await api(path, undefined, method);
      list.replaceChildren(...found.devices.map(line));
    } catch (error) {
      complain(error);
    }
  };
  /** @param {Device} device */
  const line = ({ id, name, role, side }) =>
    el(
      "li",
      { class: "row" },
      el("bdi", { dir: "auto" }, name),
      el("span", { class: "muted" }, ROLES[side || role]?.() || role),
      el("span", { class: "grow" }),
      el("button", { onclick: () => draw(`/api/v1/devices/${id}`, "DELETE") }, say("End")),
    );
  draw("/api/v1/devices");
  return [el("h3", {}, say("Who is let in now")), list];
}

/** Open the list of those who have a password. */
export function openPeople() {
  openDialog((dialog) => {
    const list = el("ul", { class: "stack" });
    /**
     * Draw who there is after a request that answers it.
     * @param {string} path
     * @param {unknown} [body]
     * @param {string} [method]
     */
    const draw = async (path, body, method) => {
      try {
        /** @type {{ accounts: Account[] }} */
        const { accounts } = await api(path, body, method);
        list.replaceChildren(...accounts.map(line));
        return true;
      } catch (error) {
        complain(error);
        return false;
      }
    };
    /** @param {Account} account */
    const line = ({ name, role }) =>
      el(
        "li",
        { class: "row" },
        el("bdi", { dir: "auto" }, name),
        el("span", { class: "muted" }, ROLES[role]?.() || role),
        el("span", { class: "grow" }),
        el("button", { onclick: () => draw(pathOf(name), undefined, "DELETE") }, say("Remove")),
      );
    draw("/api/v1/accounts");
    const form = el(
      "form",
      {
        class: "stack",
        onsubmit: async (event) => {
          event.preventDefault();
          const { name, role, password } = valuesOf(form);
          if (await draw(pathOf(name), { role, password }, "PUT")) form.reset();
        },
      },
      el("h3", {}, say("Add or change")),
      el(
        "div",
        { class: "grid" },
        el(
          "label",
          {},
          say("Name"),
          el("input", {
            name: "name",
            required: true,
            maxlength: 60,
            pattern: "[\\w.\\-]+",
            dir: "auto",
            autocomplete: "off",
          }),
        ),
        el(
          "label",
          {},
          say("Role"),
          el(
            "select",
            { name: "role" },
            ["arbiter", "annotator", "director"].map((r) => el("option", { value: r }, ROLES[r]())),
          ),
        ),
        el(
          "label",
          {},
          say("Password"),
          el("input", {
            name: "password",
            type: "password",
            minlength: 8,
            maxlength: 200,
            required: true,
            autocomplete: "new-password",
            dir: "ltr",
          }),
        ),
      ),
      el("p", {}, el("button", {}, say("Keep"))),
    );
    return [el("h2", {}, say("People")), list, form, ...devices(), doneRow(dialog)];
  });
}
