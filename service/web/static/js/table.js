// The table's page: house tablet, wall, phone.
/** @import { SideName, StateDocument } from "./types.js" */
import { actions } from "./actions.js";
import { Board, lastMoves } from "./board.js";
import { byId, el, flat } from "./dom.js";
import { follow, showLink } from "./feed.js";
import { context, preference } from "./page.js";
import { positionWords, prompt } from "./prompts.js";
import { drawBanners } from "./table/banners.js";
import { drawClocks, drawPlayers } from "./table/players.js";
import { chooseGame, drawPlays } from "./table/plays.js";
import { drawSources, drawWorks, followCamera } from "./table/senses.js";

const staff = context.me.view === "staff";
const wall = document.body.classList.contains("wall");
const board = new Board(byId("board", SVGSVGElement));
/** @type {StateDocument | null} */
let state = null;
let skew = 0;
/** The prompt that was said aloud last. */
let spoken = "";

/** The side at the bottom of the page: as this device chose, else its own. @returns {SideName} */
const seat = () => {
  const wish = preference("seat");
  return wish === "white" || wish === "black" ? wish : (context.me.side ?? "white");
};
const tableNow = () => performance.now() / 1000 + skew;

/** @param {StateDocument} shown */
function draw(shown) {
  board.draw(shown.board, {
    seat: seat(),
    dice: shown.dice,
    roller: shown.on_roll,
    cube: shown.cube,
    lights: staff && !wall ? shown.scene?.lights : null,
  });
  board.marks(lastMoves(shown, board.layout), shown.differs?.sites);
  drawPlayers(shown, board, seat());
  drawClocks(shown, tableNow());
  drawPrompt(shown);
  drawBanners(shown, tableNow());
  byId("acts").replaceChildren(...(wall ? [] : flat(actions(shown))));
  drawPlays(shown, staff && !wall);
  byId("position-text").replaceChildren(
    el(
      "ul",
      {},
      positionWords(shown, board.layout).map((line) => el("li", {}, line)),
    ),
  );
  if (!wall) drawSources(shown);
  if (!wall && staff) drawWorks(shown, board.layout, seat());
  byId("event").textContent = shown.match?.event?.name || "";
  document.title = `${spoken} · takhte`;
}

/**
 * Draw what the table waits for, and say it aloud when it is something else than before.
 * @param {StateDocument} shown
 */
function drawPrompt(shown) {
  const [text, hint] = prompt(shown);
  byId("prompt").textContent = text;
  byId("hint").textContent = hint;
  if (text === spoken) return;
  spoken = text;
  byId("say").textContent = text;
}

byId("game", HTMLSelectElement).addEventListener("change", async (event) => {
  if (!state || !(event.target instanceof HTMLSelectElement)) return;
  await chooseGame(state, Number(event.target.value));
  draw(state);
});
document.addEventListener("look", () => state && draw(state));
follow(
  (found, offset) => {
    state = found;
    skew = offset;
    draw(found);
    performance.mark(`takhte-seq-${found.seq}`);
  },
  showLink,
  wall ? "public" : "",
);
setInterval(() => state && drawClocks(state, tableNow()), 100);
if (staff) followCamera(() => state?.sources?.camera?.state !== "absent");
