// What goes on the air: how late each feed is, where the overlay is found, and the website that is
// told.
/** @import { Delay, Push, Stream } from "./types.js" */
import { el, valuesOf } from "./dom.js";
import { api, complain, context, digits, doneRow, openDialog, say, toast } from "./page.js";
import { webhooksBox } from "./webhooks.js";

const BASE = `/api/v1/tables/${encodeURIComponent(context.table)}`;

/** @typedef {"public" | "overlay" | "push"} FeedName */
/** @type {Record<FeedName, () => string>} */
const FEEDS = {
  public: () => say("Guests' pages"),
  overlay: () => say("Overlay"),
  push: () => say("Website"),
};

/** Why there is no picture. @type {Record<string, () => string>} */
const WHY = {
  off: () => say("The camera's picture is not shared"),
  waiting: () => say("The picture begins when the delay has passed"),
  "no-camera": () => say("There is no picture from the camera"),
  "no-board": () => say("The camera does not see the board"),
  memory: () => say("The delay is too long for the memory set aside for pictures"),
};

/** @param {Stream} stream */
const consent = (stream) =>
  stream.shared
    ? say("Shared: guests and the stream see the board, as late as all else.")
    : say("Not shared: nobody outside sees it.");

/**
 * Say whether the camera's picture leaves the house, in one line for everybody who rules here.
 * @param {HTMLElement} node
 */
export async function sayConsent(node) {
  /** @type {Stream | null} */
  const stream = await api(`${BASE}/stream`).catch(() => null);
  node.hidden = !stream;
  if (stream) node.replaceChildren(el("b", {}, say("Camera's picture")), " · ", consent(stream));
}

/**
 * What is known of the camera's picture: consent, why there is none, how many wait in how much
 * memory, who watches.
 * @param {Stream} stream
 */
function picture(stream) {
  const address = `${location.origin}${BASE}/stream.mjpg?feed=overlay`;
  const facts =
    stream.shared &&
    el(
      "p",
      { class: "muted" },
      say(
        "A picture every {n} s; {kept} wait for their delay in {mb} of {most} MB; {viewers} watch.",
        {
          n: digits(stream.every_s),
          kept: digits(stream.kept),
          mb: digits(stream.megabytes),
          most: digits(stream.megabytes_most),
          viewers: digits(stream.viewers),
        },
      ),
    );
  return el(
    "fieldset",
    {},
    el("legend", {}, say("Camera's picture")),
    el(
      "p",
      {},
      el("b", {}, consent(stream)),
      " ",
      stream.shared && stream.why ? WHY[stream.why]() : "",
    ),
    stream.shared
      ? facts
      : el(
          "p",
          { class: "muted" },
          say(
            "When players and club have agreed, set picture = true under [broadcast] in the " +
              "settings and start again.",
          ),
        ),
    stream.shared &&
      el(
        "p",
        {},
        say("Its address, for OBS:"),
        " ",
        el("a", { href: address, dir: "ltr" }, address),
      ),
  );
}

/**
 * Keep something by PUT, and say so.
 * @param {string} path
 * @param {unknown} body
 */
async function put(path, body) {
  try {
    await api(path, body, "PUT");
    toast(say("Kept."));
  } catch (error) {
    complain(error);
  }
}

/**
 * A labelled number of seconds.
 * @param {string} label
 * @param {Record<string, string | number>} attributes
 */
const seconds = (label, attributes) =>
  el(
    "label",
    {},
    label,
    el("input", { type: "number", required: true, dir: "ltr", ...attributes }),
  );

/**
 * The form that sets how late one feed is.
 * @param {FeedName} name
 * @param {Delay} delay
 */
function feed(name, delay) {
  const form = el(
    "form",
    {
      class: "grid",
      onsubmit: (event) => {
        event.preventDefault();
        const data = valuesOf(form);
        put(`/api/v1/delays/${name}`, { seconds: Number(data.seconds), fine: Number(data.fine) });
      },
    },
    seconds(say("Delay in seconds"), {
      name: "seconds",
      min: 0,
      max: 3600,
      step: 1,
      value: delay.seconds,
    }),
    seconds(say("Fine adjustment"), {
      name: "fine",
      min: -30,
      max: 30,
      step: 0.1,
      value: delay.fine,
    }),
    el("div", { class: "row" }, el("button", {}, say("Keep"))),
  );
  return el(
    "fieldset",
    {},
    el("legend", {}, FEEDS[name]()),
    form,
    delay.held_s
      ? el("p", { class: "muted" }, say("Held for {n} more seconds.", { n: digits(delay.held_s) }))
      : null,
  );
}

/**
 * The form that says which website is told.
 * @param {Push} push
 */
function website(push) {
  const form = el(
    "form",
    {
      class: "grid",
      onsubmit: (event) => {
        event.preventDefault();
        const { url, token } = valuesOf(form);
        put("/api/v1/push", { url, token });
      },
    },
    el(
      "label",
      {},
      say("Address"),
      el("input", { name: "url", type: "url", value: push.url, maxlength: 400, dir: "ltr" }),
    ),
    el(
      "label",
      {},
      say("Token"),
      el("input", {
        name: "token",
        type: "password",
        maxlength: 400,
        autocomplete: "off",
        dir: "ltr",
        placeholder: push.has_token ? "••••" : "",
      }),
    ),
    el("div", { class: "row" }, el("button", {}, say("Keep"))),
  );
  return form;
}

/** Open what goes on the air. */
export async function openAir() {
  try {
    /** @type {[Record<FeedName, Delay>, Push, Stream]} */
    const [delays, push, stream] = await Promise.all([
      api("/api/v1/delays"),
      api("/api/v1/push"),
      api(`${BASE}/stream`),
    ]);
    show(delays, push, stream);
  } catch (error) {
    complain(error);
  }
}

/**
 * @param {Record<FeedName, Delay>} delays
 * @param {Push} push
 * @param {Stream} stream
 */
function show(delays, push, stream) {
  const address = `${location.origin}/overlay?table=${encodeURIComponent(context.table)}`;
  openDialog(
    (dialog) => [
      el("h2", {}, say("On the air")),
      el(
        "p",
        { class: "muted" },
        say(
          "Guests, overlay and website see the table as it was so long ago, clocks included. " +
            "Staff see it live. A longer delay holds what is shown until it is old enough.",
        ),
      ),
      feed("public", delays.public),
      feed("overlay", delays.overlay),
      feed("push", delays.push),
      el(
        "fieldset",
        {},
        el("legend", {}, say("Send to a website")),
        website(push),
        push.problem ? el("p", { class: "error" }, push.problem) : null,
      ),
      webhooksBox(),
      picture(stream),
      el(
        "p",
        {},
        say("The overlay's address, for OBS:"),
        " ",
        el("a", { href: address, dir: "ltr" }, address),
        " · ",
        el("a", { href: `${address}&demo`, dir: "ltr" }, say("Demo")),
      ),
      doneRow(dialog),
    ],
    true,
  );
}
