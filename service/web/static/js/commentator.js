// The commentator's page: pips, the game's plays, and what gnubg says of them where it is installed. Staff only.
import { Board, lastPlay, movesOf } from "./board.js";
import { follow, showLink } from "./feed.js";
import { api, context, digits, el, percent, preference, say, sideName } from "./page.js";
import { playText, prompt, who } from "./prompts.js";

const $ = (id) => document.getElementById(id);
const board = new Board($("board"));
let state = null;
let told = null;

const TROUBLE = {
  absent: () =>
    say(
      "gnubg is not installed on this machine: pips and plays are shown, equity and luck are not.",
    ),
  hung: () =>
    say("gnubg did not answer in time and was ended. It is asked again in half a minute."),
  broken: () => say("gnubg does not run on this machine. Ask whoever looks after it."),
};
const signed = (value) =>
  el(
    "bdi",
    { dir: "ltr", class: "num" },
    value === null || value === undefined
      ? "–"
      : digits(`${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(3)}`),
  );
const ltr = (text) => el("bdi", { dir: "ltr" }, text);
const line = (name, ...value) => [el("dt", {}, name), el("dd", {}, ...value)];

function draw() {
  board.draw(state.board, {
    seat: preference("seat") || "white",
    dice: state.dice,
    roller: state.on_roll,
    cube: state.cube,
  });
  const last = lastPlay(state);
  board.marks(last ? movesOf(last.text, last.side, board.layout) : []);
  $("prompt").textContent = prompt(state)[0];
  if (told) drawTold();
}

function drawTold() {
  const lead = told.pips ? told.pips.white - told.pips.black : 0;
  $("counts").replaceChildren(
    ...(told.pips
      ? ["white", "black"].flatMap((side) => {
          const ahead = side === "white" ? -lead : lead;
          return line(
            who(state, side),
            say("{n} pips", { n: digits(told.pips[side]) }),
            ahead > 0 ? ` · ${say("leads by {n}", { n: digits(ahead) })}` : "",
            told.luck ? [` · ${say("Luck")} `, signed(told.luck[side])] : "",
          );
        })
      : []),
  );
  $("trouble").hidden = Boolean(told.judged && !told.trouble);
  $("trouble").textContent = told.trouble
    ? TROUBLE[told.trouble.code]()
    : told.game && !told.judged
      ? say("gnubg does not know these rules: pips and plays are shown.")
      : say("Nothing has happened yet.");
  const [win, gammon, backgammon, lost, lostTwice] = told.chances;
  $("equity").replaceChildren(
    ...(told.equity === null
      ? []
      : [
          line(say("Equity of {name}", { name: who(state, told.side) }), signed(told.equity)),
          line(say("Wins"), percent(win)),
          line(say("Gammons, won and lost"), `${percent(gammon)} · ${percent(lost)}`),
          line(say("Backgammons, won and lost"), `${percent(backgammon)} · ${percent(lostTwice)}`),
        ].flat()),
  );
  $("best-title").hidden = !told.best.length;
  $("best").replaceChildren(
    ...told.best.map((play) => el("li", {}, ltr(play.text), " ", signed(play.equity))),
  );
  $("turns").replaceChildren(
    ...told.turns
      .map((turn, i) =>
        el(
          "tr",
          {},
          el("td", { class: "num" }, digits(i + 1)),
          el(
            "td",
            {},
            el(
              "bdi",
              { dir: "auto" },
              state.match?.players?.[turn.side]?.name || sideName(turn.side),
            ),
          ),
          el("td", {}, ltr(turn.roll)),
          el("td", {}, ltr(playText(turn.text, turn.roll && !turn.text))),
          el("td", {}, signed(turn.luck)),
        ),
      )
      .reverse(),
  );
}

let asking = false;
let again = false;
async function ask() {
  if (asking) {
    again = true;
    return;
  }
  asking = true;
  let pending = false;
  try {
    told = await api(`/api/v1/tables/${context.table}/commentary`);
    pending = told.pending > 0 || told.trouble?.code === "hung";
    if (state) drawTold();
  } catch (error) {
    $("trouble").hidden = false;
    $("trouble").textContent = error.message;
  }
  asking = false;
  if (again || pending) {
    const wait = again ? 200 : told.trouble ? 31000 : 1000;
    again = false;
    setTimeout(ask, wait);
  }
}

$("tables").append(
  ...context.tables.map((name) =>
    el("option", { value: name, selected: name === context.table }, name),
  ),
);
$("tables").addEventListener("change", (event) =>
  location.assign(`/commentator?table=${encodeURIComponent(event.target.value)}`),
);
document.addEventListener("look", () => state && draw());
follow((document_) => {
  const before = state?.seq;
  state = document_;
  draw();
  if (state.seq !== before) ask();
}, showLink);
