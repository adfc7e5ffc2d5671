// The score sheet: made from the record, to be read, printed and signed.
import { context, digits, el, say, sideName } from "./page.js";
import { STANDING, playText, who } from "./prompts.js";

const get = (path) => fetch(`/api/v1/tables/${context.table}/${path}`);
const state = await get("state").then(
  (r) => (r.ok ? r.json() : null),
  () => null,
);
const sheet = document.getElementById("sheet");
document.getElementById("print").addEventListener("click", () => print());

const head = (name, value) =>
  el("div", {}, el("span", {}, `${name}:`), el("bdi", { dir: "auto" }, value));
const score = (s) => `\u2066${digits(s?.white ?? 0)} – ${digits(s?.black ?? 0)}\u2069`;
const ENDS = {
  borne_off: () => say("borne off"),
  dropped: () => say("double dropped"),
  resigned: () => say("resigned"),
  ruled: () => say("so ruled"),
  flagged: () => say("on time"),
  aziz: () => say("all on the bar"),
};

if (!state?.match?.ruleset)
  sheet.replaceChildren(el("p", {}, say("No match has been set up yet.")));
else {
  const { match } = state;
  const last = await get(`entries?since=${Math.max(0, state.seq - 1)}`).then(
    (r) => r.text(),
    () => "",
  );
  const entries = last.trim()
    ? last
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
    : [];
  const games = Array.from(
    { length: Math.max(match.game || 1, ...(state.plays || []).map((p) => p.game)) },
    (_, i) => i + 1,
  );
  sheet.replaceChildren(
    el(
      "h1",
      {},
      say("Score sheet"),
      match.event?.name ? [" · ", el("bdi", { dir: "auto" }, match.event.name)] : "",
    ),
    el(
      "div",
      { class: "heads" },
      head(say("White"), who(state, "white")),
      head(say("Black"), who(state, "black")),
      head(say("Rules"), match.title?.[context.language] || match.title?.en || match.ruleset),
      head(
        say("Length"),
        match.length ? say("{n} points", { n: digits(match.length) }) : say("Money session"),
      ),
      head(say("Table"), context.table),
      head(say("Date"), new Date().toLocaleDateString(context.language, { dateStyle: "long" })),
      head(
        say("Score"),
        score({ white: match.players?.white?.score, black: match.players?.black?.score }),
      ),
      head(
        say("Illegal plays"),
        `\u2066${digits(match.players?.white?.illegal ?? 0)} – ${digits(match.players?.black?.illegal ?? 0)}\u2069`,
      ),
    ),
    ...games.map((game) => gameTable(game)),
    el(
      "div",
      { class: "sign" },
      el("p", {}, who(state, "white")),
      el("p", {}, who(state, "black")),
      el("p", {}, say("Arbiter")),
    ),
    entries.at(-1)?.hash
      ? el("p", { class: "seal" }, `takhte ${entries.at(-1).seq} ${entries.at(-1).hash}`)
      : "",
  );
}

function gameTable(game) {
  const rows = [];
  let row = null;
  for (const play of (state.plays || []).filter((p) => p.game === game)) {
    if (!row || play.side === "white" || row.black) rows.push((row = {}));
    row[play.side] = play;
  }
  const ended = (state.games || []).find((g) => g.game === game);
  const cell = (play) =>
    play
      ? el(
          "td",
          {},
          el("b", {}, play.roll ? play.roll.join("") : "–", ": "),
          playText(play.text, play.infraction),
          play.standing
            ? el("div", { class: "mark" }, "⚑ ", (STANDING[play.standing] || STANDING.accepted)())
            : "",
          play.amended ? el("div", { class: "mark" }, "✎ ", say("corrected")) : "",
        )
      : el("td", {});
  return el(
    "section",
    {},
    el("h2", {}, say("Game {n}", { n: digits(game) })),
    el(
      "table",
      { class: "moves" },
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          el("th", { scope: "col" }, "#"),
          ["white", "black"].map((s) =>
            el(
              "th",
              { scope: "col" },
              el("bdi", { dir: "auto" }, state.match.players?.[s]?.name || sideName(s)),
            ),
          ),
        ),
      ),
      el(
        "tbody",
        {},
        rows.map((r, i) => el("tr", {}, el("td", {}, digits(i + 1)), cell(r.white), cell(r.black))),
      ),
    ),
    ended
      ? el(
          "p",
          {},
          say("{name} wins {n}", { name: who(state, ended.winner), n: digits(ended.points) }),
          ` (${(ENDS[ended.reason] || (() => ended.reason))()}) · `,
          say("Score"),
          " ",
          score(ended.score),
        )
      : "",
  );
}
document.body.dataset.ready = "true";
