// The director's desk: the round that is played, its results, the next one in a tap; players and
// the plan of the day.
/** @import { EventState } from "./types.js" */
import { byId, el, findById, inside, messageOf, settle, show, valuesOf, write } from "./dom.js";
import { ASK_MS, clockTime, EVENT, inALine, progressWords, stageView } from "./event_words.js";
import { matchRow } from "./hall_matches.js";
import { addStage, drawRules, planOf, rulesForm } from "./hall_plan.js";
import { api, complain, context, digits, openDialog, say, toast } from "./page.js";

const director = ["director", "console"].includes(context.me.role);
/** @type {EventState | null} */
let state = null;

/** @type {Record<string, () => string>} */
const ACTS = {
  tournament_opened: () => say("Tournament opened"),
  stage_planned: () => say("Stage planned"),
  prizes_planned: () => say("Prizes planned"),
  player_entered: () => say("Entered"),
  player_amended: () => say("Name put right"),
  player_struck: () => say("Entry struck out"),
  player_left: () => say("Left"),
  player_returned: () => say("Came back"),
  stage_drawn: () => say("Stage drawn"),
  round_paired: () => say("Round paired"),
  round_taken_back: () => say("Pairing taken back"),
  round_timed: () => say("Time of a round"),
  round_planned: () => say("Round planned"),
  match_seated: () => say("Called to a table"),
  result_entered: () => say("Result"),
  result_taken_back: () => say("Result taken back"),
};

/**
 * Ask, draw what came back, and say what could not be.
 * @param {string} path
 * @param {unknown} [body]
 * @param {string} [method]
 */
async function act(path, body = {}, method = "POST") {
  try {
    draw(await api(`${EVENT}${path}`, body, method));
    return true;
  } catch (error) {
    complain(error);
    return false;
  }
}

/** @param {EventState} found */
function draw(found) {
  state = found;
  const open = Boolean(found.name);
  show(byId("nothing"), !open);
  if (open) write(byId("name"), found.name);
  show(byId("now"), open);
  write(byId("progress"), progressWords(inALine(found)));
  const round = found.rounds.at(-1);
  write(
    byId("now-title"),
    round ? say("Round {n}", { n: digits(round.number) }) : say("Before the first round"),
  );
  settle(byId("matches"), ...(round?.matches ?? []).map((m) => matchRow(m, act, found.free)));
  const next = findById("next", HTMLButtonElement);
  if (next) {
    write(
      next,
      found.over
        ? say("The tournament is over")
        : say("Pair round {n}", { n: digits(found.rounds.length + 1) }),
    );
    next.disabled = Boolean(found.next) || found.over;
    const waiting = found.matches - found.finished;
    write(
      byId("why-not"),
      found.over || !found.next
        ? ""
        : waiting
          ? waiting === 1
            ? say("1 result is missing")
            : say("{n} results are missing", { n: digits(waiting) })
          : found.entrants.length < 2
            ? say("Enter the players first")
            : context.language === "en"
              ? found.next
              : "",
    );
  }
  const back = findById("round-back", HTMLButtonElement);
  if (back) back.hidden = !round || round.matches.some((m) => m.state === "over" && !m.walkover);
  show(byId("stands"), found.stages.length > 0);
  settle(byId("stages"), ...found.stages.map(stageView));
  if (director) {
    show(byId("people"), open);
    drawRules(found);
    drawPeople(found);
  }
}

/** @param {EventState} found */
function drawPeople(found) {
  write(
    byId("how-many"),
    open_() ? say("{n} players", { n: digits(found.entrants.filter((x) => !x.left).length) }) : "",
  );
  settle(
    byId("entrants"),
    ...found.entrants.map((x) =>
      el(
        "li",
        { class: x.left ? "gone" : null, "data-key": x.name },
        el("bdi", { dir: "auto", class: "grow" }, x.name),
        el(
          "span",
          { class: "muted small" },
          [x.club, x.rating ?? ""].filter(Boolean).map(digits).join(" · "),
        ),
        x.prize && found.over ? el("span", { class: "chip good" }, digits(x.prize)) : "",
        el(
          "button",
          { class: "ghost", "data-key": `more ${x.name}`, onclick: () => person(x) },
          el("span", { class: "hidden-text" }, say("Change {name}", { name: x.name })),
          el("span", { "aria-hidden": "true" }, "⋯"),
        ),
      ),
    ),
  );
  settle(
    byId("acts"),
    ...found.acts.map((a) =>
      el(
        "li",
        { "data-key": String(a.seq) },
        el("span", { class: "num" }, clockTime(a.at)),
        " ",
        el("bdi", {}, a.by),
        ": ",
        el("b", {}, (ACTS[a.kind] || (() => a.kind))()),
        " ",
        el("bdi", { dir: "auto" }, a.facts.filter(Boolean).slice(0, 5).map(digits).join(" ")),
      ),
    ),
  );
}

const open_ = () => Boolean(state?.name);

/** @param {EventState["entrants"][number]} x */
function person(x) {
  const path = `/players/${encodeURIComponent(x.name)}`;
  openDialog((dialog) => {
    /** @param {string} what */
    const tap = (what) => () => {
      dialog.close();
      act(`${path}/${what}`);
    };
    const form = el(
      "form",
      {
        class: "stack",
        onsubmit: (/** @type {Event} */ event) => {
          event.preventDefault();
          const { name, club, rating } = valuesOf(form);
          dialog.close();
          act(path, { name, club, rating: rating ? Number(rating) : null }, "PUT");
        },
      },
      el(
        "label",
        {},
        say("Name"),
        el("input", { name: "name", value: x.name, required: true, maxlength: 80, dir: "auto" }),
      ),
      el(
        "label",
        {},
        say("Club"),
        el("input", { name: "club", value: x.club, maxlength: 80, dir: "auto" }),
      ),
      el(
        "label",
        {},
        say("Rating"),
        el("input", { name: "rating", value: x.rating ?? "", inputmode: "decimal", dir: "ltr" }),
      ),
      el("button", { class: "primary" }, say("Put right")),
    );
    return [
      el("h2", {}, el("bdi", { dir: "auto" }, x.name)),
      form,
      el(
        "p",
        { class: "row" },
        x.left
          ? el("button", { onclick: tap("return") }, say("Is there again"))
          : el("button", { class: "danger", onclick: tap("leave") }, say("Plays no more")),
        el("button", { onclick: tap("strike") }, say("Was never there")),
        el("span", { class: "grow" }),
        el("button", { onclick: () => dialog.close() }, say("Back")),
      ),
    ];
  });
}

if (director) {
  addStage();
  byId("more-stages").addEventListener("click", addStage);
  byId("next").addEventListener("click", async () => {
    const before = state?.rounds.length ?? 0;
    if ((await act("/next")) && (state?.rounds.length ?? 0) > before) {
      toast(say("Round {n} is paired.", { n: digits(before + 1) }));
    }
  });
  byId("round-back").addEventListener("click", () => act("/back"));
  byId("set-time").addEventListener("click", () => {
    const [hours, minutes] = byId("starts", HTMLInputElement).value.split(":").map(Number);
    const at = new Date();
    at.setHours(hours || 0, minutes || 0, 0, 0);
    const starts = Number.isInteger(hours) ? at.getTime() / 1000 : null;
    act(`/rounds/${(state?.rounds.length ?? 0) + 1}/time`, { starts }, "PUT");
  });
  rulesForm((rules) => {
    const path = `/rounds/${(state?.rounds.length ?? 0) + 1}`;
    return api(`${EVENT}${path}`, rules, "PUT").then(draw);
  });
  const open = byId("open", HTMLFormElement);
  open.addEventListener("submit", async (event) => {
    event.preventDefault();
    const problem = inside(open, ".error", HTMLElement);
    problem.textContent = "";
    try {
      draw(await api(EVENT, planOf(open)));
      byId("open-details", HTMLDetailsElement).open = false;
      byId("name").scrollIntoView();
    } catch (error) {
      problem.textContent = messageOf(error);
    }
  });
  const enter = byId("enter", HTMLFormElement);
  enter.addEventListener("submit", async (event) => {
    event.preventDefault();
    const problem = inside(enter, ".error", HTMLElement);
    problem.textContent = "";
    const { name, club, rating, text } = valuesOf(enter);
    const file = new FormData(enter).get("file");
    const many = file instanceof File && file.size ? await file.text() : text;
    /** @param {string} cell */
    const quoted = (cell) => `"${cell.replaceAll('"', '""')}"`;
    const one = name ? `name,club,rating\n${[name, club, rating].map(quoted).join(",")}` : "";
    try {
      draw(await api(`${EVENT}/players`, { text: many || one }));
      enter.reset();
      inside(enter, "[name=name]", HTMLInputElement).focus();
    } catch (error) {
      problem.textContent = messageOf(error);
    }
  });
  knownPlayers(inside(enter, "[name=name]", HTMLInputElement), enter);
}

/**
 * Propose who has played in this house, with club and rating.
 * @param {HTMLInputElement} field
 * @param {HTMLFormElement} form
 */
async function knownPlayers(field, form) {
  /** @type {{ players: { name: string, club: string, ratings?: { rating: number }[] }[] }} */
  const found = await api("/api/v1/players").catch(() => ({ players: [] }));
  settle(byId("known"), ...found.players.map((p) => el("option", { value: p.name })));
  field.addEventListener("change", () => {
    const known = found.players.find((p) => p.name === field.value);
    if (!known) return;
    inside(form, "[name=club]", HTMLInputElement).value = known.club;
    const rating = known.ratings?.[0]?.rating;
    inside(form, "[name=rating]", HTMLInputElement).value = rating
      ? String(Math.round(rating))
      : "";
  });
}

async function look() {
  try {
    const found = await api(EVENT);
    const first = state === null;
    draw(found);
    if (first && director && !found.name) byId("open-details", HTMLDetailsElement).open = true;
  } catch (error) {
    if (state === null) complain(error);
  }
}
await look();
setInterval(look, ASK_MS);
