// Webhooks on the arbiter's page: who is told of what, tried and ended.
/** @import { Webhook } from "./types.js" */
import { el, settle, valuesOf } from "./dom.js";
import { api, complain, say, toast } from "./page.js";

const ROUTE = "/api/v1/webhooks";

/** What a webhook is told, as people choose it. @type {[() => string, string[]][]} */
const GROUPS = [
  [() => say("Results"), ["game_ended", "match_ended"]],
  [() => say("Beginnings"), ["match_set", "game_started"]],
  [
    () => say("Every roll and play"),
    ["opening_thrown", "rolled", "neshast", "played", "corrected"],
  ],
  [
    () => say("Cube and resignations"),
    ["cube_offered", "cube_withdrawn", "cube_taken", "cube_dropped", "cube_beavered", "resigned"],
  ],
  [() => say("Penalties and time"), ["penalised", "flagged", "clock_adjusted"]],
];

/** @param {Webhook} hook */
const told = (hook) =>
  GROUPS.filter(([, kinds]) => kinds.some((kind) => hook.events.includes(kind)))
    .map(([words]) => words())
    .join(", ") || hook.events.join(", ");

/** @param {Webhook} hook */
function lastTry(hook) {
  const last = hook.log[0];
  if (!last) return say("Nothing was sent yet.");
  if (!last.problem) return say("The last message arrived.");
  return say("The last message did not arrive: {why}", { why: last.problem });
}

/** The webhooks of this machine and a form for another, as elements. */
export function webhooksBox() {
  const list = el("ul", { class: "stack" });
  const secret = el("p", { hidden: true });
  const form = el(
    "form",
    {
      class: "stack",
      onsubmit: async (event) => {
        event.preventDefault();
        const chosen = new FormData(form).getAll("events");
        const events = GROUPS.flatMap(([, kinds], i) => (chosen.includes(String(i)) ? kinds : []));
        if (!events.length) return toast(say("Choose what it is told."));
        try {
          const made = await api(ROUTE, { url: valuesOf(form).url, events });
          form.reset();
          secret.hidden = false;
          secret.replaceChildren(
            el("b", {}, say("Its secret, told this once:")),
            " ",
            el("code", { dir: "ltr" }, made.secret),
          );
          load();
        } catch (error) {
          complain(error);
        }
      },
    },
    el(
      "label",
      {},
      say("Address"),
      el("input", { name: "url", type: "url", required: true, maxlength: 400, dir: "ltr" }),
    ),
    el(
      "div",
      { class: "row" },
      GROUPS.map(([words], i) =>
        el(
          "label",
          { class: "inline" },
          el("input", { type: "checkbox", name: "events", value: i, checked: i === 0 }),
          words(),
        ),
      ),
    ),
    el("div", { class: "row" }, el("button", {}, say("Add"))),
  );

  /** @param {Webhook} hook */
  const row = (hook) =>
    el(
      "li",
      { "data-key": hook.id },
      el("code", { dir: "ltr" }, hook.url),
      el("p", { class: "muted small" }, told(hook), " · ", lastTry(hook)),
      el(
        "div",
        { class: "row" },
        el("button", { type: "button", onclick: () => act(`/${hook.id}/ping`, {}) }, say("Try it")),
        el(
          "button",
          { type: "button", onclick: () => act(`/${hook.id}`, undefined, "DELETE") },
          say("End it"),
        ),
      ),
      el(
        "details",
        { hidden: !hook.log.length },
        el("summary", {}, say("The last messages")),
        el(
          "ol",
          { class: "small", dir: "ltr" },
          hook.log.map((each) =>
            el(
              "li",
              {},
              `${new Date(each.at * 1000).toISOString().slice(0, 19)}Z ${each.table} `,
              `${each.event} ${each.seq || ""} · ${each.problem || each.status}`,
            ),
          ),
        ),
      ),
    );

  /**
   * @param {string} path
   * @param {unknown} body
   * @param {string} [method]
   */
  async function act(path, body, method) {
    try {
      await api(ROUTE + path, body, method);
      await load();
    } catch (error) {
      complain(error);
    }
  }

  async function load() {
    /** @type {{webhooks: Webhook[]}} */
    const { webhooks } = await api(ROUTE);
    settle(list, ...webhooks.map(row));
  }
  load().catch(complain);
  return el(
    "fieldset",
    {},
    el("legend", {}, say("Webhooks")),
    el(
      "p",
      { class: "muted" },
      say(
        "Other programs are told of what happens, each thing once, signed, and as late as " +
          "the website.",
      ),
    ),
    list,
    secret,
    form,
  );
}
