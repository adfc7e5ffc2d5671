// On the table's own screen: the code that a device scans to be let in, and the devices at the
// door, by the number that each of them shows.
import { el, settle } from "./dom.js";
import { api, complain, context, digits, order, say, toast } from "./page.js";

/** @typedef {{ address: string, name: string, svg: string, fingerprint: string }} Address */
/** @typedef {Address & { reachable: boolean, https: boolean }} Door */
/** @typedef {{ ident: string, number: string, role: string, device: string }} Knock */

const LOOK_MS = 1000;
/** Whom a device or a password is for. @type {Record<string, () => string>} */
export const ROLES = {
  player: () => say("House tablet"),
  white: () => say("White's phone"),
  black: () => say("Black's phone"),
  camera: () => say("A phone as the camera"),
  clock: () => say("A phone or tablet as the clock"),
  annotator: () => say("Annotator"),
  arbiter: () => say("Arbiter"),
  director: () => say("Director"),
};

/** @import { Child } from "./types.js" */

/**
 * The code that a device scans to be let in as this, as elements; `instead` gives those for a table
 * that other devices reach by no secured page.
 * @param {string} role
 * @param {() => Promise<Child[]>} [instead]
 * @returns {Promise<Child[]>}
 */
export async function doorCode(role, instead) {
  /** @type {Door} */
  const door = await api(`/api/v1/phones/door?as=${role}&table=${context.table}`);
  if (instead && !(door.https && door.reachable)) return instead();
  if (!door.https) {
    return [el("p", { class: "banner" }, say("This table serves no secured page. See --https."))];
  }
  if (!door.reachable) {
    const words = say("Other devices cannot reach this table yet. Start it with --camera phone.");
    return [el("p", { class: "banner" }, words)];
  }
  const qr = el("div", {
    class: "qr",
    role: "img",
    "aria-label": say("QR code of the address below"),
  });
  qr.append(new DOMParser().parseFromString(door.svg, "image/svg+xml").documentElement);
  return [
    qr,
    el("p", {}, el("bdi", { dir: "ltr" }, door.address)),
    door.name && el("p", {}, el("bdi", { dir: "ltr" }, door.name)),
    el(
      "details",
      {},
      el("summary", {}, say("The fingerprint of the table's seal")),
      el("bdi", { class: "fingerprint", dir: "ltr" }, door.fingerprint),
    ),
  ];
}

/** Have the table take its pictures from the phone, unless it does already. */
async function usePhone() {
  /** @type {{ result: { source: string, used: boolean }[] }} */
  const { result } = await api(`/api/v1/tables/${context.table}/hardware/cameras`, {});
  if (!result.some(({ source, used }) => used && source === "phone")) {
    await order("use_camera", { source: "phone" });
  }
}

/**
 * Show who is at the door in a box, for as long as it is on the page.
 * @param {HTMLElement} box
 */
export function watchDoor(box) {
  /** @param {Knock} knock */
  const letIn = async ({ ident, role }) => {
    try {
      await api(`/api/v1/knocks/${ident}`, {});
      if (role === "camera") await usePhone();
      toast(say("It is in."));
      look();
    } catch (error) {
      complain(error);
    }
  };
  /** @param {Knock} knock */
  const line = (knock) =>
    el(
      "p",
      { class: "row", "data-key": knock.ident },
      el("strong", { class: "code num", dir: "ltr" }, digits(knock.number)),
      el(
        "span",
        {},
        say("wants to come in: {what}", { what: ROLES[knock.role]?.() ?? "" }),
        knock.device && ` (${knock.device})`,
      ),
      el("span", { class: "grow" }),
      el("button", { class: "primary", onclick: () => letIn(knock) }, say("Let it in")),
    );
  const look = async () => {
    if (!box.isConnected) {
      clearInterval(timer);
      return;
    }
    if (document.hidden) return;
    /** @type {{ knocks: Knock[] } | null} */
    const found = await api("/api/v1/knocks").catch(() => null);
    if (found) settle(box, ...found.knocks.map(line));
  };
  const timer = setInterval(look, LOOK_MS);
}
