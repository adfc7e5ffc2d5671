// The arbiter's page: alerts, evidence, decisions, records. One table now; the list at the top holds as many as the machine serves.
import { Board, lastPlay, movesOf } from "./board.js";
import { format, left } from "./clock.js";
import { openCorrection, openPosition } from "./correct.js";
import { follow, showLink } from "./feed.js";
import { askReason, context, digits, el, may, order, preference, say, sideName } from "./page.js";
import { openAir, sayConsent } from "./air.js";
import { openPairing, openPeople } from "./people.js";
import { evidence } from "./play.js";
import { matter, prompt, sourceWords, who, why } from "./prompts.js";
import { describe } from "./trail.js";

const $ = (id) => document.getElementById(id);
const board = new Board($("board"));
let state = null;
let skew = 0;
const trail = [];
let moment = null; // the entry that the scrubber shows; null follows the newest

const moments = () =>
  trail.filter((e) =>
    [
      "played",
      "illegal_noticed",
      "illegal_stood",
      "differs",
      "dice_called",
      "set_up_verified",
      "rolled",
      "corrected",
      "flagged",
    ].includes(e.kind),
  );

function draw() {
  board.draw(state.board, {
    seat: preference("seat") || "white",
    dice: state.dice,
    roller: state.on_roll,
    cube: state.cube,
    wrong: state.differs?.sites,
  });
  const last = lastPlay(state);
  board.marks(last ? movesOf(last.text, last.side, board.layout) : [], state.differs?.sites);
  const [text, hint] = prompt(state);
  $("prompt").textContent = text;
  $("hint").textContent = hint;
  drawAlerts();
  drawStanding();
  drawActs();
  drawRulings();
}

function drawAlerts() {
  const all = state.alerts || [];
  const open = all.filter((a) => !a.acknowledged_by);
  $("open-alerts").hidden = !open.length;
  $("open-alerts").textContent = say("{n} open", { n: digits(open.length) });
  const shown = [
    ...open.reverse(),
    ...all
      .filter((a) => a.acknowledged_by)
      .slice(-3)
      .reverse(),
  ];
  const key = JSON.stringify(shown);
  if ($("alerts").dataset.key === key) return;
  $("alerts").dataset.key = key;
  $("alerts").replaceChildren(
    ...(shown.length
      ? shown.map(alertCard)
      : [el("p", { class: "nothing" }, say("Nothing needs you."))]),
  );
}

function alertCard(alert) {
  const seen = alert.acknowledged_by;
  const red = ["illegal", "flag", "differs", "illegal_limit"].includes(alert.kind);
  const entry = trail.find((e) => e.seq === alert.seq);
  return el(
    "article",
    { class: `alert${seen ? " seen" : red ? " red" : ""}` },
    el(
      "header",
      {},
      el("span", { "aria-hidden": "true" }, seen ? "✓" : red ? "⚑" : "●"),
      matter(alert.kind),
      alert.side ? [" · ", who(state, alert.side)] : "",
      el(
        "span",
        { class: "when num" },
        entry ? new Date(entry.wall * 1000).toLocaleTimeString(context.language) : "",
      ),
    ),
    why(alert.why)
      ? el(
          "p",
          { dir: "auto" },
          alert.kind === "source_lost" ? sourceWords(why(alert.why)) : why(alert.why),
        )
      : "",
    el(
      "p",
      { class: "row" },
      el("button", { onclick: () => show(alert.seq) }, say("Evidence")),
      seen
        ? el("span", { class: "muted" }, say("seen by {name}", { name: seen }))
        : may("acknowledge") &&
            el(
              "button",
              { class: "primary", onclick: () => order("acknowledge", { alert: alert.id }) },
              say("I have seen it"),
            ),
    ),
  );
}

function drawStanding() {
  const line = (name, value) => [el("dt", {}, name), el("dd", {}, value)];
  const players = state.match?.players || {};
  $("standing").replaceChildren(
    ...["white", "black"].flatMap((side) => {
      const time = left(state.clock, side, performance.now() / 1000 + skew);
      const facts = [
        say("score {n}", { n: digits(players[side]?.score ?? 0) }),
        say("illegal plays: {n}", { n: digits(players[side]?.illegal ?? 0) }),
        time ? format(time.bank) : "",
        state.clock?.[side]?.flags ? say("flags: {n}", { n: digits(state.clock[side].flags) }) : "",
      ];
      return line(who(state, side), facts.filter(Boolean).join(" · "));
    }),
  );
}

const field = (name, label, attributes = {}) =>
  el("label", {}, label, el("input", { name, ...attributes }));
const pick = (name, label, options) =>
  el(
    "label",
    {},
    label,
    el(
      "select",
      { name },
      options.map(([value, text]) => el("option", { value }, text)),
    ),
  );
const sides = () =>
  pick(
    "side",
    say("Player"),
    ["white", "black"].map((s) => [s, who(state, s)]),
  );

function drawActs() {
  const frozen = state.phase === "frozen";
  const running = state.clock?.running;
  const acts = [
    running
      ? ["stop_clocks", say("Stop the clocks"), () => order("stop_clocks"), "primary"]
      : state.clock?.kind === "ours" && [
          "start_clocks",
          say("Start the clocks"),
          () => order("start_clocks"),
        ],
    frozen
      ? ["unfreeze", say("Go on with the match"), () => order("unfreeze"), "primary"]
      : state.match?.ruleset && [
          "freeze",
          say("Freeze the table"),
          () =>
            askReason(
              say("Freeze the table"),
              say("Freeze the table"),
              (reason) => order("freeze", { reason }),
              { needed: false },
            ),
        ],
    ["rule", say("Rule"), ruleDialog],
    state.phase === "illegal" && [
      "let_stand",
      say("Let it stand"),
      () =>
        askReason(
          say("Let the illegal play stand"),
          say("Let it stand"),
          (reason) => order("let_stand", { reason }),
          { danger: true, before: [el("p", {}, why(state.illegal?.why))] },
        ),
      "danger",
    ],
    ["penalise", say("Penalise"), penaliseDialog],
    state.clock?.kind === "ours" && ["adjust_clock", say("Correct the time"), timeDialog],
    state.on_roll && ["declare_play", say("Correct the play"), () => openCorrection(state)],
    state.match?.game && ["set_position", say("Set the position"), () => openPosition(state)],
    state.match?.ruleset && ["amend", say("Names, length, score"), amendDialog],
    state.match?.ruleset &&
      (state.phase === "adjourned"
        ? ["resume", say("Resume the match"), () => order("resume")]
        : [
            "adjourn",
            say("Adjourn"),
            () =>
              askReason(
                say("Adjourn the match"),
                say("Adjourn"),
                (reason) => order("adjourn", { reason }),
                { needed: false },
              ),
          ]),
    state.match?.ruleset &&
      state.phase !== "match-over" && ["end_match", say("End the match"), endDialog],
  ].filter((a) => a && may(a[0]));
  const key = JSON.stringify(acts.map((a) => a[0]));
  if ($("acts").dataset.key === key) return;
  $("acts").dataset.key = key;
  $("acts").replaceChildren(
    ...acts.map(([, text, act, kind]) => el("button", { class: kind || "", onclick: act }, text)),
  );
}

function ruleDialog() {
  askReason(
    say("Rule"),
    say("Enter the ruling"),
    (reason) => order("rule", { text: reason, ...(moment ? { about: moment } : {}) }),
    {
      before: [
        el(
          "p",
          { class: "muted" },
          moment
            ? say("About entry {n}. The appeal window opens at once.", { n: digits(moment) })
            : say("The appeal window opens at once."),
        ),
      ],
    },
  );
}

function penaliseDialog() {
  const kinds = [
    ["warning", say("Warning")],
    ["time", say("Time, in seconds")],
    ["points", say("Points")],
    ["game", say("The game")],
    ["match", say("The match")],
  ];
  askReason(
    say("Penalise"),
    say("Penalise"),
    (reason, data) =>
      order("penalise", {
        side: data.get("side"),
        penalty: data.get("penalty"),
        ...(Number(data.get("amount")) ? { amount: Number(data.get("amount")) } : {}),
        reason,
      }),
    {
      danger: true,
      before: [
        sides(),
        pick("penalty", say("Penalty"), kinds),
        field("amount", say("Seconds or points"), { type: "number", min: 0, max: 36000, value: 0 }),
      ],
    },
  );
}

function timeDialog() {
  askReason(
    say("Correct the time"),
    say("Set the time"),
    (reason, data) =>
      order("adjust_clock", {
        side: data.get("side"),
        bank: Number(data.get("minutes")) * 60 + Number(data.get("seconds")),
        reason,
      }),
    {
      before: [
        sides(),
        el(
          "div",
          { class: "grid" },
          field("minutes", say("Minutes"), { type: "number", min: 0, max: 600, required: true }),
          field("seconds", say("Seconds"), {
            type: "number",
            min: 0,
            max: 59,
            value: 0,
            required: true,
          }),
        ),
      ],
    },
  );
}

function amendDialog() {
  const { match } = state;
  askReason(
    say("Names, length, score"),
    say("Correct"),
    async (reason, data) => {
      const wanted = [
        ["white", data.get("white"), match.players.white.name],
        ["black", data.get("black"), match.players.black.name],
        ["length", Number(data.get("length")) || null, match.length],
        [
          "score",
          [Number(data.get("sw")), Number(data.get("sb"))],
          [match.players.white.score, match.players.black.score],
        ],
      ];
      for (const [what, value, before] of wanted)
        if (
          JSON.stringify(value) !== JSON.stringify(before) &&
          !(await order("amend", { what, value, reason }))
        )
          return false;
      return true;
    },
    {
      before: [
        el(
          "div",
          { class: "grid" },
          field("white", say("White"), {
            value: match.players.white.name,
            maxlength: 80,
            dir: "auto",
          }),
          field("black", say("Black"), {
            value: match.players.black.name,
            maxlength: 80,
            dir: "auto",
          }),
          field("length", say("Length"), {
            type: "number",
            min: 0,
            max: 999,
            value: match.length ?? 0,
          }),
          field("sw", say("Score so far: White"), {
            type: "number",
            value: match.players.white.score,
          }),
          field("sb", say("Score so far: Black"), {
            type: "number",
            value: match.players.black.score,
          }),
        ),
      ],
    },
  );
}

function endDialog() {
  askReason(
    say("End the match"),
    say("End the match"),
    (reason, data) =>
      order("end_match", { ...(data.get("winner") ? { winner: data.get("winner") } : {}), reason }),
    {
      danger: true,
      before: [
        pick("winner", say("Winner"), [
          ["", say("Nobody")],
          ["white", who(state, "white")],
          ["black", who(state, "black")],
        ]),
      ],
    },
  );
}

function drawRulings() {
  const now = performance.now() / 1000 + skew;
  $("rulings").replaceChildren(
    ...(state.rulings || []).map((r) =>
      el(
        "div",
        { class: "banner calm" },
        el("p", { dir: "auto" }, r.text),
        r.appealed
          ? el("b", {}, say("Appealed to the committee"))
          : r.until > now
            ? el("p", {}, say("appeal within {time}", { time: format(r.until - now) }))
            : "",
        el(
          "p",
          { class: "row" },
          !r.appealed && r.until > now && may("appeal")
            ? el(
                "button",
                {
                  onclick: () =>
                    askReason(say("Appeal"), say("Appeal"), (reason) =>
                      order("appeal", { ruling: r.seq, reason }),
                    ),
                },
                say("Appeal"),
              )
            : "",
          may("close_appeal") && (r.appealed || r.until <= now)
            ? el(
                "button",
                {
                  onclick: () =>
                    askReason(say("Close the appeal"), say("Close"), (decision) =>
                      order("close_appeal", { ruling: r.seq, decision }),
                    ),
                },
                say("Close"),
              )
            : "",
        ),
      ),
    ),
  );
}

// Evidence and the audit trail.

async function readTrail() {
  const since = trail.at(-1)?.seq ?? 0;
  const text = await fetch(`/api/v1/tables/${context.table}/entries?since=${since}`).then(
    (r) => (r.ok ? r.text() : ""),
    () => "",
  );
  if (!text.trim()) return;
  const added = text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  trail.push(...added.filter((e) => e.seq > since));
  $("audit").prepend(
    ...added
      .slice(-400)
      .reverse()
      .map((e) =>
        el(
          "tr",
          {},
          el("td", { class: "num" }, digits(e.seq)),
          el("td", { class: "num" }, new Date(e.wall * 1000).toLocaleTimeString(context.language)),
          el(
            "td",
            { dir: "auto" },
            e.by.role === "referee"
              ? say("the table")
              : e.by.name || (e.by.side ? sideName(e.by.side) : e.by.role),
          ),
          el("td", {}, describe(e, state)),
        ),
      ),
  );
  const list = moments();
  const follows = moment === null;
  $("scrub").max = Math.max(0, list.length - 1);
  if (follows) {
    $("scrub").value = list.length - 1;
    drawEvidence();
  }
}

function show(seq) {
  const list = moments();
  let index = list.findLastIndex((e) => e.seq <= seq);
  if (index < 0) index = 0;
  moment = list[index]?.seq ?? null;
  $("scrub").value = index;
  drawEvidence();
  $("evidence-title").scrollIntoView({
    block: "center",
    behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth",
  });
}

function drawEvidence() {
  const list = moments();
  const entry = list[Number($("scrub").value)];
  $("scrub").setAttribute("aria-valuetext", entry ? describe(entry, state) : "");
  if (!entry)
    return $("evidence").replaceChildren(
      el("p", { class: "nothing" }, say("Nothing has happened yet.")),
    );
  const play = (state?.plays || []).find((p) => p.seq === entry.seq) || {
    ...entry.body,
    seq: entry.seq,
    roll: entry.body.roll,
    text: entry.body.notation,
  };
  $("evidence").replaceChildren(
    el(
      "div",
      { class: "stack" },
      el("p", { class: "prompt" }, describe(entry, state)),
      entry.kind === "illegal_noticed"
        ? el("p", { class: "banner bad", dir: "auto" }, why(entry.why))
        : "",
      evidence(state || {}, play, entry),
    ),
  );
}

$("scrub").addEventListener("input", () => {
  const list = moments();
  const index = Number($("scrub").value);
  moment = index >= list.length - 1 ? null : (list[index]?.seq ?? null);
  drawEvidence();
});
for (const [id, step] of [
  ["step-back", -1],
  ["step-on", 1],
])
  $(id).addEventListener("click", () => {
    $("scrub").value = Number($("scrub").value) + step;
    $("scrub").dispatchEvent(new Event("input"));
  });
$("pair")?.addEventListener("click", () => openPairing());
$("people")?.addEventListener("click", () => openPeople());
$("air")?.addEventListener("click", () => openAir());
sayConsent($("sharing"));
$("tables").append(
  ...context.tables.map((t) =>
    el("option", { value: t, selected: t === context.table }, say("Table {n}", { n: t })),
  ),
);
$("tables").addEventListener("change", (event) =>
  location.assign(`/arbiter?table=${encodeURIComponent(event.target.value)}`),
);
document.addEventListener("look", () => state && draw());

let reading = false;
follow(async (document_, offset) => {
  const before = state?.seq;
  state = document_;
  skew = offset;
  draw();
  if (state.seq !== before && !reading) {
    reading = true;
    await readTrail();
    reading = false;
    drawAlerts();
  }
}, showLink);
setInterval(() => {
  if (state) {
    drawStanding();
    drawRulings();
  }
}, 1000);
if (context.hall) {
  const { drawSent } = await import("./hall_desk.js");
  const sent = () => drawSent($("sent"), context.table).catch(() => {});
  sent();
  setInterval(sent, 3000);
}
