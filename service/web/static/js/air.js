// What goes on the air: how late each feed is, where the overlay is found, and the website that is told.
import { api, context, digits, el, openDialog, say, toast } from "./page.js";

const FEEDS = {
  public: () => say("Guests' pages"),
  overlay: () => say("Overlay"),
  push: () => say("Website"),
};

const WHY = {
  off: () => say("The camera's picture is not shared"),
  waiting: () => say("The picture begins when the delay has passed"),
  "no-camera": () => say("There is no picture from the camera"),
  "no-board": () => say("The camera does not see the board"),
  memory: () => say("The delay is too long for the memory set aside for pictures"),
};

const consent = (stream) =>
  stream.shared
    ? say("Shared: guests and the stream see the board, as late as all else.")
    : say("Not shared: nobody outside sees it.");

/** Whether the camera's picture leaves the house, in one line for everybody who rules here. */
export async function sayConsent(node) {
  const stream = await api(`/api/v1/tables/${encodeURIComponent(context.table)}/stream`).catch(
    () => null,
  );
  node.hidden = !stream;
  if (stream) node.replaceChildren(el("b", {}, say("Camera's picture")), " · ", consent(stream));
}

/** What is known of the camera's picture: consent, why there is none, how many wait in how much memory, who watches. */
function picture(stream, base) {
  const address = `${location.origin}${base}/stream.mjpg?feed=overlay`;
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
            "When players and club have agreed, set picture = true under [broadcast] in the settings and start again.",
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

export async function openAir() {
  let delays;
  let push;
  let stream;
  const base = `/api/v1/tables/${encodeURIComponent(context.table)}`;
  try {
    [delays, push, stream] = await Promise.all([
      api("/api/v1/delays"),
      api("/api/v1/push"),
      api(`${base}/stream`),
    ]);
  } catch (error) {
    toast(error.message, true);
    return;
  }
  const address = `${location.origin}/overlay?table=${encodeURIComponent(context.table)}`;
  const number = (name, label, value, low, high, step) =>
    el(
      "label",
      {},
      label,
      el("input", {
        name,
        type: "number",
        min: low,
        max: high,
        step,
        value,
        required: true,
        dir: "ltr",
      }),
    );
  const put = async (path, body) => {
    try {
      await api(path, body, "PUT");
      toast(say("Kept."));
    } catch (error) {
      toast(error.message, true);
    }
  };
  const feed = (name) => {
    const form = el(
      "form",
      {
        class: "grid",
        onsubmit: (event) => {
          event.preventDefault();
          const data = new FormData(form);
          put(`/api/v1/delays/${name}`, {
            seconds: Number(data.get("seconds")),
            fine: Number(data.get("fine")),
          });
        },
      },
      number("seconds", say("Delay in seconds"), delays[name].seconds, 0, 3600, 1),
      number("fine", say("Fine adjustment"), delays[name].fine, -30, 30, 0.1),
      el("div", { class: "row" }, el("button", {}, say("Keep"))),
    );
    return el(
      "fieldset",
      {},
      el("legend", {}, FEEDS[name]()),
      form,
      delays[name].held_s
        ? el(
            "p",
            { class: "muted" },
            say("Held for {n} more seconds.", { n: digits(delays[name].held_s) }),
          )
        : null,
    );
  };
  const website = el(
    "form",
    {
      class: "grid",
      onsubmit: (event) => {
        event.preventDefault();
        const data = new FormData(website);
        put("/api/v1/push", { url: data.get("url"), token: data.get("token") });
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
  openDialog(
    (dialog) => [
      el("h2", {}, say("On the air")),
      el(
        "p",
        { class: "muted" },
        say(
          "Guests, overlay and website see the table as it was so long ago, clocks included. Staff see it live. A longer delay holds what is shown until it is old enough.",
        ),
      ),
      ...Object.keys(FEEDS).map(feed),
      el(
        "fieldset",
        {},
        el("legend", {}, say("Send to a website")),
        website,
        push.problem ? el("p", { class: "error" }, push.problem) : null,
      ),
      picture(stream, base),
      el(
        "p",
        {},
        say("The overlay's address, for OBS:"),
        " ",
        el("a", { href: address, dir: "ltr" }, address),
        " · ",
        el("a", { href: `${address}&demo`, dir: "ltr" }, say("Demo")),
      ),
      el(
        "p",
        { class: "row" },
        el("span", { class: "grow" }),
        el("button", { class: "primary", onclick: () => dialog.close() }, say("Done")),
      ),
    ],
    true,
  );
}
