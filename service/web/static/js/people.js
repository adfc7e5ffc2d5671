// Letting devices in, and who has a password.
import { api, context, digits, el, openDialog, say, toast } from "./page.js";

const ROLES = {
  player: () => say("House tablet"),
  white: () => say("White's phone"),
  black: () => say("Black's phone"),
  annotator: () => say("Annotator"),
  arbiter: () => say("Arbiter"),
  director: () => say("Director"),
};

/** The code for one device, as elements. */
export async function pairingCode(role) {
  const side = role === "white" || role === "black" ? role : null;
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

export function openPairing() {
  openDialog((dialog) => {
    const shown = el("div", { class: "stack" });
    const choices = ["player", "white", "black", "annotator", "arbiter"].map((role) =>
      el(
        "button",
        {
          class: "choice",
          onclick: async (event) => {
            for (const b of choices) b.setAttribute("aria-current", b === event.target);
            try {
              shown.replaceChildren(...(await pairingCode(role)));
            } catch (error) {
              toast(error.message, true);
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
      el(
        "p",
        { class: "row" },
        el("span", { class: "grow" }),
        el("button", { class: "primary", onclick: () => dialog.close() }, say("Done")),
      ),
    ];
  });
}

export function openPeople() {
  openDialog((dialog) => {
    const list = el("ul", { class: "stack" });
    const draw = (accounts) =>
      list.replaceChildren(
        ...accounts.map((a) =>
          el(
            "li",
            { class: "row" },
            el("bdi", { dir: "auto" }, a.name),
            el("span", { class: "muted" }, ROLES[a.role]?.() || a.role),
            el("span", { class: "grow" }),
            el(
              "button",
              {
                onclick: async () => {
                  try {
                    draw(
                      (
                        await api(
                          `/api/v1/accounts/${encodeURIComponent(a.name)}`,
                          undefined,
                          "DELETE",
                        )
                      ).accounts,
                    );
                  } catch (error) {
                    toast(error.message, true);
                  }
                },
              },
              say("Remove"),
            ),
          ),
        ),
      );
    api("/api/v1/accounts").then(
      (r) => draw(r.accounts),
      (error) => toast(error.message, true),
    );
    const form = el(
      "form",
      {
        class: "stack",
        onsubmit: async (event) => {
          event.preventDefault();
          const data = new FormData(form);
          try {
            draw(
              (
                await api(
                  `/api/v1/accounts/${encodeURIComponent(data.get("name"))}`,
                  { role: data.get("role"), password: data.get("password") },
                  "PUT",
                )
              ).accounts,
            );
            form.reset();
          } catch (error) {
            toast(error.message, true);
          }
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
    return [
      el("h2", {}, say("People")),
      list,
      form,
      el(
        "p",
        { class: "row" },
        el("span", { class: "grow" }),
        el("button", { class: "primary", onclick: () => dialog.close() }, say("Done")),
      ),
    ];
  });
}
