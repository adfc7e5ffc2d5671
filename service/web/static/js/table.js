// The table's page: house tablet, wall, phone.
import { actions } from "./actions.js";
import { Board, lastPlay, movesOf } from "./board.js";
import { format, left, milestone } from "./clock.js";
import { follow, showLink } from "./feed.js";
import { context, digits, el, percent, preference, say, sideName } from "./page.js";
import { showPlay } from "./play.js";
import {
  STANDING,
  diceProblem,
  matter,
  playText,
  positionWords,
  prompt,
  sourceWords,
  who,
  why,
} from "./prompts.js";

const $ = (id) => document.getElementById(id);
const staff = context.me.view === "staff";
const wall = document.body.classList.contains("wall");
const board = new Board($("board"));
let state = null;
let skew = 0;
const said = { prompt: "", white: Infinity, black: Infinity };
let shownGame = null;
const earlier = new Map();

const seat = () => preference("seat") || (context.me.side ?? "white");
const tableNow = () => performance.now() / 1000 + skew;

function draw() {
  if (!state) return;
  const last = lastPlay(state);
  board.draw(state.board, {
    seat: seat(),
    dice: { ...state.dice, roll: state.dice?.roll },
    roller: state.on_roll,
    cube: state.cube,
    lights: staff && !wall ? state.scene?.lights : null,
    wrong: state.differs?.sites ?? state.belief?.differs,
  });
  board.marks(last ? movesOf(last.text, last.side, board.layout) : [], state.differs?.sites);
  drawPlayers();
  const [text, hint] = prompt(state);
  $("prompt").textContent = text;
  $("hint").textContent = hint;
  if (text !== said.prompt) {
    said.prompt = text;
    $("say").textContent = text;
  }
  drawBanners();
  $("acts")?.replaceChildren(...(wall ? [] : actions(state)));
  drawPlays();
  $("position-text").replaceChildren(
    el(
      "ul",
      {},
      positionWords(state, board.layout).map((line) => el("li", {}, line)),
    ),
  );
  if (!wall) drawSenses();
  const event = state.match?.event?.name || "";
  $("event").textContent = event;
  document.title = `${said.prompt} · takhte`;
}

function drawPlayers() {
  const match = state.match || {};
  const bottom = seat();
  for (const [id, side] of [
    ["near", bottom],
    ["far", bottom === "white" ? "black" : "white"],
  ]) {
    const player = match.players?.[side] || {};
    const turn =
      state.on_roll === side && !["idle", "match-over", "game-over"].includes(state.phase);
    const node = $(id);
    node.classList.toggle("turn", turn);
    const sub = [
      sideName(side),
      match.length
        ? say("to {n} points", { n: digits(match.length) })
        : match.ruleset
          ? say("money session")
          : "",
    ];
    if (match.crawford) sub.push(say("Crawford game"));
    if (player.illegal) sub.push(say("illegal plays: {n}", { n: digits(player.illegal) }));
    const clock =
      node.querySelector(".clock") ||
      el("span", { class: "clock num", role: "timer", "aria-live": "off" });
    node.replaceChildren(
      el("span", { class: "turn-mark", "aria-hidden": "true" }, turn ? "▶" : ""),
      discOf(player.colour || (side === "white" ? "light" : "dark")),
      el(
        "span",
        {},
        el("bdi", { class: "name", dir: "auto" }, player.name || sideName(side)),
        el("span", { class: "sub" }, sub.filter(Boolean).join(" · ")),
      ),
      el(
        "span",
        {
          class: "score num",
          "aria-label": say("score {n}", { n: digits(player.score ?? 0) }),
          role: "img",
        },
        digits(player.score ?? 0),
      ),
      clock,
    );
    if (turn)
      node.querySelector(".sub").append(el("span", { class: "hidden-text" }, say("on roll")));
    clock.dataset.side = side;
  }
  tick();
}

const alertWords = (alert) =>
  alert.kind === "source_lost" ? sourceWords(why(alert.why)) : why(alert.why);

function discOf(colour) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  node.setAttribute("class", "disc");
  node.setAttribute("viewBox", "-32 -32 64 64");
  node.setAttribute("aria-hidden", "true");
  const g = board.disc();
  g.setAttribute("class", `ck ${colour}`);
  node.append(g);
  return node;
}

function tick() {
  const clock = state?.clock;
  for (const node of document.querySelectorAll(".player .clock")) {
    const side = node.dataset.side;
    const time = left(clock, side, tableNow());
    node.hidden = !time;
    if (!time) continue;
    const running = clock.running === side;
    node.classList.toggle("running", running);
    node.classList.toggle("low", time.bank < 10);
    const text = format(time.bank);
    const delay =
      running && time.delay > 0 && clock.mode !== "fischer"
        ? `+${digits(Math.ceil(time.delay))}`
        : clock[side].flags
          ? say("flag")
          : "";
    if (node.dataset.text !== text + delay) {
      node.dataset.text = text + delay;
      node.replaceChildren(text, delay ? el("span", { class: "delay" }, delay) : "");
    }
    const mark = milestone(said[side], time.bank);
    if (mark && running)
      $("say").textContent = say("{name}: {n} seconds left", {
        name: who(state, side),
        n: digits(mark),
      });
    said[side] = time.bank;
  }
}

function drawBanners() {
  const out = [];
  const problem = diceProblem(state.dice?.problem);
  if (problem) out.push(el("div", { class: "banner" }, problem));
  if (state.illegal && state.waits_for?.code === "correct_play")
    out.push(el("div", { class: "banner bad" }, why(state.illegal.why)));
  if (state.differs?.reason)
    out.push(
      el(
        "div",
        { class: "banner bad" },
        why(state.differs.why) ||
          (state.differs.sites?.length
            ? say("It differs at: {list}", { list: state.differs.sites.map(digits).join(say(", ")) })
            : say("Nothing explains it alone.")),
      ),
    );
  for (const alert of (state.alerts || []).filter(
    (a) => !a.acknowledged_by && !["illegal", "differs", "dice"].includes(a.kind),
  )) {
    out.push(
      el(
        "div",
        { class: "banner calm" },
        el("b", {}, matter(alert.kind)),
        alertWords(alert) ? ` · ${alertWords(alert)}` : "",
      ),
    );
  }
  for (const ruling of state.rulings || []) {
    if (ruling.until && ruling.until > tableNow())
      out.push(
        el(
          "div",
          { class: "banner calm" },
          say("Ruling: {text}", { text: ruling.text }),
          " · ",
          say("appeal within {time}", { time: format(ruling.until - tableNow()) }),
        ),
      );
  }
  const box = $("banners");
  const text = out.map((n) => n.textContent).join("|");
  if (box.dataset.text !== text) {
    box.dataset.text = text;
    box.replaceChildren(...out);
  }
}

function drawPlays() {
  const plays = state.plays || [];
  const current = plays.at(-1)?.game ?? state.match?.game ?? 1;
  const games = Array.from({ length: current }, (_, i) => i + 1);
  const select = $("game");
  select.hidden = games.length < 2;
  if (select.options.length !== games.length)
    select.replaceChildren(
      ...games.map((g) => el("option", { value: g }, say("Game {n}", { n: digits(g) }))),
    );
  const game = shownGame ?? current;
  select.value = game;
  const list = plays.filter((p) => p.game === game);
  const shown = list.length || !earlier.has(game) ? list : earlier.get(game);
  const key = JSON.stringify([
    game,
    shown.length,
    shown.at(-1),
    shown.map((p) => p.amended),
    (state.games || []).length,
  ]);
  const box = $("plays");
  if (box.dataset.key === key) return;
  const atEnd = box.scrollHeight - box.scrollTop - box.clientHeight < 60;
  box.dataset.key = key;
  const rows = [];
  let row = null;
  for (const play of shown) {
    if (!row || play.side === "white" || row.black) rows.push((row = { n: rows.length + 1 }));
    row[play.side] = play;
  }
  const lastSeq = shown.at(-1)?.seq;
  const result = (state.games || []).find((g) => g.game === game);
  box.replaceChildren(
    el(
      "table",
      {},
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          el("th", { scope: "col" }, "#"),
          ["white", "black"].map((side) =>
            el(
              "th",
              { scope: "col" },
              el("bdi", { dir: "auto" }, state.match?.players?.[side]?.name || sideName(side)),
            ),
          ),
        ),
      ),
      el(
        "tbody",
        {},
        rows.map((r) =>
          el(
            "tr",
            {},
            el("td", { class: "n" }, digits(r.n)),
            ["white", "black"].map((side) =>
              el("td", {}, r[side] ? ply(r[side], r[side].seq === lastSeq) : ""),
            ),
          ),
        ),
        result
          ? el(
              "tr",
              { class: "note" },
              el(
                "td",
                { colspan: 3, dir: "auto" },
                say("{name} wins {n}", {
                  name: who(state, result.winner),
                  n: digits(result.points),
                }),
              ),
            )
          : "",
      ),
    ),
  );
  if (atEnd || game !== shownGame) box.scrollTop = box.scrollHeight;
}

function ply(play, last) {
  const flags = [];
  if (play.standing)
    flags.push(
      el("span", { class: "flag bad" }, "⚑ ", (STANDING[play.standing] || STANDING.accepted)()),
    );
  if (play.amended) flags.push(el("span", { class: "flag" }, "✎ ", say("corrected")));
  if (play.origin === "inferred")
    flags.push(el("span", { class: "flag" }, "≈ ", say("dice inferred")));
  if (play.by_hand) flags.push(el("span", { class: "flag" }, "✎ ", say("entered by hand")));
  const body = [
    el("span", { class: "roll" }, play.roll ? play.roll.join("") : "–", ":"),
    el("bdi", { dir: "ltr" }, playText(play.text, play.infraction)),
    flags,
  ];
  const cls = `ply${last ? " last" : ""}`;
  return staff && !wall
    ? el("button", { class: cls, onclick: () => showPlay(state, play) }, body)
    : el("div", { class: cls }, body);
}

const SENSES = {
  ok: () => say("sees"),
  absent: () => say("not in use"),
  waiting: () => say("waiting"),
};

function drawSenses() {
  const sources = state.sources || {};
  $("sources").replaceChildren(
    ...Object.entries(sources).map(([name, s]) =>
      el(
        "li",
        { class: s.state === "ok" ? "" : s.state === "absent" ? "none" : "bad" },
        el("span", { class: "dot", "aria-hidden": "true" }),
        el(
          "span",
          {},
          context.sources[name] || name,
          ": ",
          SENSES[s.state]?.() ?? say("does not see"),
          s.reason
            ? el(
                "span",
                { class: "muted" },
                " · ",
                el("bdi", { dir: "auto" }, sourceWords(s.reason)),
              )
            : "",
        ),
      ),
    ),
  );
  $("sources-card").hidden = !Object.keys(sources).length;
  if (!staff) return;
  const belief = state.belief || {};
  const words = {
    pending: say("looking"),
    agreed: say("agreed"),
    ambiguous: say("not sure"),
    illegal: say("not legal"),
    blind: say("sees nothing"),
    differs: say("differs"),
  };
  $("belief").textContent = belief.verdict
    ? `${words[belief.verdict] || belief.verdict}${typeof belief.probability === "number" ? ` · ${percent(belief.probability)}` : ""}`
    : "";
  const face = state.scene?.clock_face || {};
  const lights = Object.entries(state.scene?.lights || {}).flatMap(([site, list]) =>
    list.map((light) => [site, light]),
  );
  const faces = board.layout.flip ? [face.north, face.south] : [face.south, face.north];
  $("lights-card").hidden = !lights.length && !face.south;
  $("face").hidden = !face.south;
  $("face").replaceChildren(
    ...faces
      .filter(Boolean)
      .reverse()
      .map((f) => el("span", { class: f.lamp }, faceText(f))),
  );
  $("lights").replaceChildren(
    ...lights.map(([site, light]) =>
      el(
        "li",
        {},
        el("i", { class: light.colour, "aria-hidden": "true" }),
        lampName(site, light.side),
        ": ",
        COLOURS[light.colour]?.() ?? light.colour,
        ", ",
        PATTERNS[light.pattern]?.() ?? light.pattern,
      ),
    ),
  );
  for (const line of state.trouble || [])
    $("sources").append(
      el(
        "li",
        { class: "bad" },
        el("span", { class: "dot", "aria-hidden": "true" }),
        el(
          "span",
          { dir: "auto" },
          typeof line === "string" ? line : line.text || JSON.stringify(line),
        ),
      ),
    );
}

/** What the four digits show; an unlit display shows nothing. */
function faceText(face) {
  const text = face.text.trim() ? face.text : "----";
  return face.colon ? `${text.slice(0, -2)}:${text.slice(-2)}` : text;
}
const lampName = (site, side) =>
  site === "25"
    ? side
      ? say("bar, before {name}", { name: sideName(side) })
      : say("bar")
    : site === "0"
      ? say("tray")
      : say("point {n}", { n: digits(board.layout.number(Number(site), seat())) });
const PATTERNS = {
  steady: () => say("steady"),
  blink: () => say("blinking"),
  fast: () => say("blinking fast"),
  double: () => say("flashing twice"),
};
const COLOURS = {
  white: () => say("white"),
  sky: () => say("sky blue"),
  green: () => say("green"),
  yellow: () => say("yellow"),
  blue: () => say("blue"),
  vermilion: () => say("red"),
  purple: () => say("purple"),
  orange: () => say("orange"),
};

function camera() {
  const card = $("camera-card");
  if (!staff || !card) return;
  const image = $("camera");
  let waiting = false;
  image.onload = () => {
    card.hidden = false;
    waiting = false;
  };
  image.onerror = () => {
    card.hidden = true;
    waiting = false;
  };
  const next = () => {
    if (waiting || document.hidden || state?.sources?.camera?.state === "absent") return;
    waiting = true;
    image.src = `/api/v1/tables/${context.table}/camera.jpg?t=${Date.now()}`;
  };
  next();
  setInterval(next, 1000);
}

$("game").addEventListener("change", async (event) => {
  shownGame = Number(event.target.value);
  if (!(state.plays || []).some((p) => p.game === shownGame)) {
    const whole = await fetch(`/api/v1/tables/${context.table}/state`).then((r) => r.json());
    for (const play of whole.plays || [])
      if (!earlier.get(play.game)?.some((p) => p.seq === play.seq))
        earlier.set(play.game, [...(earlier.get(play.game) || []), play]);
  }
  if (shownGame === ((state.plays || []).at(-1)?.game ?? state.match?.game)) shownGame = null;
  draw();
});
document.addEventListener("look", draw);
follow((document, offset) => {
  state = document;
  skew = offset;
  draw();
  performance.mark(`takhte-seq-${state.seq}`);
}, showLink);
setInterval(tick, 100);
camera();
