// The hall's desk: boards and codes, rounds and results, screens, what was sent and what was not
// believed.
/** @import { Card, HallBoard, HallCommand, HallResult } from "./types.js" */
import { byId, el, findById, inside, messageOf, valuesOf } from "./dom.js";
import { api, complain, context, digits, openDialog, say, SIDES, toast } from "./page.js";

const HALL = "/api/v1/hall";
const director = ["director", "console"].includes(context.me.role);

/** @type {Record<string, () => string>} */
const OUTCOMES = {
  done: () => say("done"),
  refused: () => say("refused by the table"),
  sent: () => say("on its way"),
  unknown: () => say("no answer: not known whether it was done"),
};
const STATES = {
  waiting: () => say("not begun"),
  playing: () => say("playing"),
  finished: () => say("finished"),
  unknown: () => say("not heard"),
};
/**
 * The time of day of a moment in unix seconds.
 * @param {number} at
 */
const time = (at) => new Date(at * 1000).toLocaleTimeString(context.language);

/**
 * Draw what was sent from the hall, to one table or to all.
 * @param {HTMLElement} node
 */
export async function drawSent(node, table = "") {
  /** @type {{ commands: HallCommand[] }} */
  const { commands } = await api(
    `${HALL}/commands${table ? `?table=${encodeURIComponent(table)}` : ""}`,
  );
  node.replaceChildren(
    ...(commands.length
      ? commands
          .slice(0, 20)
          .map((c) =>
            el(
              "li",
              {},
              el("span", { class: "num" }, time(c.at)),
              " ",
              table ? "" : el("b", {}, c.table, " "),
              el("bdi", {}, c.who),
              ": ",
              el("code", { class: "ltr" }, c.what),
              " – ",
              el("b", {}, (OUTCOMES[c.outcome] || OUTCOMES.sent)()),
              c.detail ? el("span", { class: "muted" }, ` (${c.detail})`) : "",
            ),
          )
      : [el("li", { class: "nothing" }, say("Nothing was sent."))]),
  );
}

async function drawBoards() {
  /** @type {[{ boards: HallBoard[] }, { cards: Card[] }]} */
  const [{ boards }, { cards }] = await Promise.all([api(`${HALL}/boards`), api(`${HALL}/wall`)]);
  const heard = new Map(cards.map((c) => [c.table, !c.silent]));
  const natural = new Intl.Collator("en", { numeric: true });
  boards.sort((a, b) => natural.compare(a.table, b.table) || a.since - b.since);
  byId("boards").replaceChildren(
    ...boards.map((b) =>
      el(
        "tr",
        {},
        el("td", {}, b.table),
        el("td", { class: "num" }, b.fingerprint),
        el(
          "td",
          {},
          b.until !== null ? say("replaced") : heard.get(b.table) ? say("yes") : say("no"),
        ),
        el(
          "td",
          {},
          director && b.until === null
            ? el("button", { onclick: () => retire(b.table) }, say("Take off"))
            : "",
        ),
      ),
    ),
  );
  const tables = [...new Set(boards.filter((b) => b.until === null).map((b) => b.table))];
  const pick = document.querySelector("#overlay select");
  pick?.replaceChildren(
    el("option", { value: "" }, say("none")),
    ...tables.map((t) => el("option", { value: t }, t)),
  );
}

/** @param {string} table */
function retire(table) {
  openDialog((dialog) => [
    el("h2", {}, say("Take table {n} off?", { n: table })),
    el("p", {}, say("Its board is let in no more until it joins again. Its record stays.")),
    el(
      "p",
      { class: "row" },
      el("button", { onclick: () => dialog.close() }, say("Back")),
      el("span", { class: "grow" }),
      el(
        "button",
        {
          class: "danger",
          onclick: async () => {
            dialog.close();
            await api(`${HALL}/retire`, { table }).then(drawBoards, complain);
          },
        },
        say("Take off"),
      ),
    ),
  ]);
}

async function drawRounds() {
  /** @type {{ results: HallResult[] }} */
  const { results } = await api(`${HALL}/rounds`);
  byId("results").replaceChildren(
    ...results.map((r) =>
      el(
        "tr",
        {},
        el("td", {}, digits(r.round)),
        el("td", {}, r.table),
        ...SIDES.map((s) =>
          el("td", {}, el("bdi", { dir: "auto" }, r[s]), r.winner && r.winner === r[s] ? " ✓" : ""),
        ),
        el(
          "td",
          { class: "num" },
          r.state === "waiting" ? "" : digits(`${r.white_score}-${r.black_score}`),
        ),
        el("td", {}, STATES[r.state]()),
      ),
    ),
  );
  const rounds = [...new Set(results.filter((r) => r.state === "waiting").map((r) => r.round))];
  findById("begin", HTMLElement)?.replaceChildren(
    ...rounds.map((n) =>
      el(
        "button",
        { onclick: () => begin(n) },
        say("Tell the tables of round {n}", { n: digits(n) }),
      ),
    ),
  );
}

/** @param {number} number */
async function begin(number) {
  try {
    /** @type {{ tables: { table: string, ok: boolean }[] }} */
    const { tables } = await api(`${HALL}/rounds/${number}/begin`, {});
    const bad = tables.filter((t) => !t.ok);
    toast(
      bad.length
        ? say("{n} tables could not be told: {list}", {
            n: digits(bad.length),
            list: bad.map((t) => t.table).join(", "),
          })
        : say("Every table of the round was told."),
      bad.length > 0,
    );
  } catch (error) {
    complain(error);
  }
  await draw();
}

async function drawOverlays() {
  /** @type {{ overlays: Record<string, string> }} */
  const { overlays } = await api(`${HALL}/overlays`);
  const list = Object.entries(overlays);
  byId("overlays").replaceChildren(
    ...(list.length
      ? list.map(([screen, table]) =>
          el(
            "li",
            { class: "row" },
            el("code", { class: "ltr" }, `${location.origin}/air/${screen}`),
            el("b", {}, table),
            el("a", { href: `/air/${encodeURIComponent(screen)}` }, say("Look")),
          ),
        )
      : [el("li", { class: "nothing" }, say("No screen shows a table."))]),
  );
}

async function drawRefused() {
  /** @type {{ refusals: { at: number, table: string, reason: string, text: string }[] }} */
  const { refusals } = await api(`${HALL}/refusals`);
  byId("refused").replaceChildren(
    ...(refusals.length
      ? refusals
          .slice(0, 30)
          .map((r) =>
            el(
              "li",
              {},
              el("span", { class: "num" }, time(r.at)),
              " ",
              el("b", {}, r.table),
              ` ${r.reason}: `,
              el("span", { dir: "auto" }, r.text),
            ),
          )
      : [el("li", { class: "nothing" }, say("Everything that came was believed."))]),
  );
}

async function draw() {
  await Promise.all([
    drawBoards(),
    drawRounds(),
    drawOverlays(),
    drawSent(byId("sent")),
    drawRefused(),
  ]).catch(complain);
}

const codeForm = findById("new-code", HTMLFormElement);
codeForm?.addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    /** @type {{ code: string, svg: string, address: string, fingerprint: string }} */
    const found = await api(`${HALL}/codes`, {
      table: valuesOf(codeForm).table.trim(),
    });
    const picture = el("img", {
      class: "qr",
      alt: say("The code as a picture"),
      src: `data:image/svg+xml,${encodeURIComponent(found.svg)}`,
    });
    byId("code").replaceChildren(
      el("p", { class: "code ltr" }, found.code),
      picture,
      el("p", {}, say("At the table's machine, type:")),
      el(
        "pre",
        { class: "ltr", tabindex: 0 },
        el("code", {}, `takhte join ${new URL(found.address).origin} ${found.code}`),
      ),
      el("p", {}, say("or hold the picture before its camera:")),
      el("pre", { class: "ltr", tabindex: 0 }, el("code", {}, "takhte join --camera 0")),
      el(
        "p",
        { class: "muted" },
        say("The hall's key:"),
        " ",
        el("span", { class: "num" }, found.fingerprint),
      ),
    );
    byId("code").hidden = false;
  } catch (error) {
    complain(error);
  }
});
const pairingsForm = findById("pairings", HTMLFormElement);
pairingsForm?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const data = new FormData(pairingsForm);
  const file = data.get("file");
  const text = file instanceof File && file.size ? await file.text() : data.get("text");
  const problem = inside(pairingsForm, ".error", HTMLElement);
  problem.textContent = "";
  try {
    /** @type {{ pairings: number }} */
    const { pairings } = await api(`${HALL}/rounds`, { text });
    toast(say("{n} pairings were taken.", { n: digits(pairings) }));
    pairingsForm.reset();
  } catch (error) {
    problem.textContent = messageOf(error);
  }
  await drawRounds().catch(complain);
});
const overlayForm = findById("overlay", HTMLFormElement);
overlayForm?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { screen, table } = valuesOf(overlayForm);
  await api(`${HALL}/overlays`, { screen, table }, "PUT").then(drawOverlays, complain);
});
if (findById("boards", HTMLElement)) {
  await draw();
  setInterval(draw, 5000);
}
