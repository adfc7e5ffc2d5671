// A device at the door: it asks to be let in, shows the number that the table's screen shows as
// well, and goes on when it is in.
import { byId, findById, messageOf, write } from "./dom.js";
import { api, context, digits, say } from "./page.js";

const ASK_MS = 1000;
/** Where each goes once it is in. @type {Record<string, string>} */
const PAGES = {
  camera: "/camera",
  clock: "/clock",
  player: "/",
  white: "/",
  black: "/",
  annotator: "/arbiter",
  arbiter: "/arbiter",
};
const role = byId("phone").dataset.role ?? "camera";
const again = findById("knock-again", HTMLButtonElement);

/** @typedef {{ secret: string, number: string }} Knock */
/** @typedef {{ state: "waiting" | "in" | "gone" }} Answer */

/** Ask to be let in, and wait for the answer. */
async function knock() {
  if (again) again.hidden = true;
  try {
    /** @type {Knock} */
    const { secret, number } = await api("/api/v1/knocks", { role, table: context.table });
    write(byId("asking"), say("The table's screen shows this number. Tap “Let it in” there."));
    write(byId("number"), digits(number));
    setTimeout(ask, ASK_MS, secret);
  } catch (error) {
    giveUp(messageOf(error));
  }
}

/** @param {string} secret */
async function ask(secret) {
  try {
    /** @type {Answer} */
    const { state } = await api("/api/v1/knocks/answer", { secret });
    if (state === "in") location.replace(`${PAGES[role]}?table=${context.table}`);
    else if (state === "waiting") setTimeout(ask, ASK_MS, secret);
    else giveUp(say("Nobody answered within a minute."));
  } catch {
    // The network may be back in a moment, and the number still stands.
    setTimeout(ask, 2 * ASK_MS, secret);
  }
}

/** @param {string} why */
function giveUp(why) {
  write(byId("asking"), why);
  write(byId("number"), "");
  if (again) again.hidden = false;
}

if (byId("phone").dataset.secure) {
  if ((context.me.side || context.me.role) === role)
    location.replace(`${PAGES[role]}?table=${context.table}`);
  else knock();
  again?.addEventListener("click", knock);
}
