// The table's page: house tablet, wall, phone.
/** @import { SideName, StateDocument } from "./types.js" */
import { actions, answers } from "./actions.js";
import { Board, lastMoves } from "./board.js";
import { timeAt } from "./clock.js";
import { byId, el, findById, settle, write } from "./dom.js";
import { follow, showLink } from "./feed.js";
import { context, preference } from "./page.js";
import { matchWords, playedWords, positionWords, prompt } from "./prompts.js";
import { drawBanners } from "./table/banners.js";
import { drawFilm } from "./table/film.js";
import { drawClocks, drawPlayers } from "./table/players.js";
import { chooseGame, drawPlays } from "./table/plays.js";
import { drawSources, drawWorks, followCamera } from "./table/senses.js";
import { soundOf } from "./sounds.js";
import { speakOf } from "./voice.js";

const staff = context.me.view === "staff";
const wall = document.body.classList.contains("wall");
/** Whether this device has buttons at all. */
const acting = Boolean(findById("acts", HTMLElement));
const board = new Board(byId("board", SVGSVGElement));
/** @type {StateDocument | null} */
let state = null;
let skew = 0;
/** The prompt that was said aloud last. */
let spoken = "";
/** The entry of the play that was said aloud last. @type {number | undefined} */
let told;

/** The side at the bottom of the page: as this device chose, else its own. @returns {SideName} */
const seat = () => {
  const wish = preference("seat");
  return wish === "white" || wish === "black" ? wish : (context.me.side ?? "white");
};
/** @param {StateDocument} shown */
const tableNow = (shown) => timeAt(shown, skew);

/** @param {StateDocument} shown */
function draw(shown) {
  board.draw(shown.board, {
    seat: seat(),
    dice: shown.dice,
    roller: shown.on_roll,
    cube: shown.cube,
    last: (layout) => lastMoves(shown, layout),
    wrong: shown.differs?.sites,
    lights: staff && !wall ? shown.scene?.lights : null,
  });
  drawPlayers(shown, board, seat());
  drawClocks(shown, tableNow(shown));
  drawPrompt(shown);
  drawBanners(shown, tableNow(shown));
  drawPlayed(shown);
  drawFilm(shown, () => state && draw(state));
  if (acting) {
    settle(byId("answers"), answers(shown));
    settle(byId("acts"), ...actions(shown));
  }
  drawPlays(shown, staff && !wall);
  const lines = positionWords(shown, board.layout).map((line) => el("li", {}, line));
  settle(byId("position-text"), el("ul", {}, lines));
  if (!wall) drawSources(shown);
  if (!wall && staff) drawWorks(shown, board.layout, seat());
  write(byId("event"), matchWords(shown));
  const title = `${spoken} · takhte`;
  if (document.title !== title) document.title = title;
}

/**
 * Draw what the table waits for, and say it aloud when it is something else than before.
 * @param {StateDocument} shown
 */
function drawPrompt(shown) {
  const [text, hint] = prompt(shown);
  write(byId("prompt"), text);
  write(byId("hint"), hint);
  spoken = text;
  write(byId("say"), text);
}

/**
 * Say the newest play aloud, but for the one that was there when the page opened.
 * @param {StateDocument} shown
 */
function drawPlayed(shown) {
  const last = shown.plays?.at(-1);
  if (told !== undefined && last && last.seq > told) write(byId("said"), playedWords(shown, last));
  told = last?.seq ?? 0;
}

byId("game", HTMLSelectElement).addEventListener("change", async (event) => {
  if (!state || !(event.target instanceof HTMLSelectElement)) return;
  await chooseGame(state, Number(event.target.value));
  draw(state);
});
document.addEventListener("look", () => state && draw(state));
/**
 * @param {StateDocument} found
 * @param {number} offset
 */
function take(found, offset) {
  // A film that begins again is another record: earlier games and what was said belong to the last.
  if (state?.film && found.film && found.seq < state.seq) location.reload();
  state = found;
  skew = offset;
  draw(found);
  speakOf(found);
  soundOf(found);
  performance.mark(`takhte-seq-${found.seq}`);
}
/** What the table showed when the page was made. @type {StateDocument | null} */
const first = JSON.parse(byId("first").textContent);
if (first && !first.held_s) take(first, first.at - performance.now() / 1000);
follow(take, showLink, wall ? "public" : "");
setInterval(() => state && drawClocks(state, tableNow(state)), 100);
if (staff) followCamera(() => state?.sources?.camera?.state ?? "absent", seat);
