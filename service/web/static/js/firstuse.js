// First use: find board and camera, test them, drag the corners, press the clock, let devices in.
import { byId, el, flat, inside, messageOf, show, svg, write } from "./dom.js";
import { complain, context, order, say, toast } from "./page.js";
/** @import { FoundLine } from "./sensor_words.js" */
import { doorCode, watchDoor } from "./door.js";
import { watchFirmware } from "./firmware.js";
import { hardware } from "./hardware.js";
import { wayIn } from "./people.js";
import { findingWords } from "./sensor_words.js";

/** What answers a probe. @typedef {{ ok: boolean, lines: FoundLine[] }} Probed */
/** A board or camera that was found; a plain text is its address alone. */
/** @typedef {{ address?: string, source?: string, what?: string, used?: boolean }} DeviceFacts */
/** @typedef {string | DeviceFacts} Device */

/** Boards that are no port, by their address. @type {Record<string, () => string>} */
const BOARDS = {
  auto: () => say("searched for, and not found yet"),
  simulated: () => say("no hardware: a board in this program"),
  pi: () => say("switches on this Raspberry Pi's own pins"),
};

/** @param {DeviceFacts} device */
const whatItIs = ({ address, source, what }) =>
  BOARDS[address ?? ""]?.() ||
  (address ? say("a serial port that may be a board") : what || (source ? say("in use") : ""));

/** Search for boards and cameras, and list what was found. */
async function search() {
  await list("boards", "use_board", "address");
  await list("cameras", "use_camera", "source");
}

/**
 * List the devices of one kind as buttons that put them to use.
 * @param {"boards" | "cameras"} what
 * @param {string} name the order that puts one to use
 * @param {"address" | "source"} key what that order calls it
 */
async function list(what, name, key) {
  const box = byId(what);
  box.replaceChildren(el("p", { class: "muted" }, say("Searching …")));
  /** @param {Device} found */
  const choice = (found) => {
    const device = typeof found === "string" ? { [key]: found } : found;
    const use = async () => {
      if (await order(name, { [key]: device[key] })) {
        [due, pause] = [0, PICTURE_MS];
        if (key === "source") forget();
        toast(say("In use from now on."));
        search();
      }
    };
    return el(
      "button",
      { class: "option", "aria-pressed": Boolean(device.used), onclick: use },
      el("bdi", { dir: "ltr" }, String(device[key])),
      el("span", { class: "p" }, whatItIs(device)),
    );
  };
  try {
    /** @type {Device[] | null} */
    const found = await hardware(what);
    const phone = found?.some((d) => typeof d !== "string" && d.used && d.source === "phone");
    if (phone && !byId("door").childElementCount) await showDoor("camera");
    const inUse = found?.find((d) => typeof d !== "string" && d.used);
    const used = Boolean(inUse);
    if (what === "boards") watchFirmware(typeof inUse === "object" ? inUse.address : undefined);
    const needing = `[data-needs=${what === "boards" ? "board" : "camera"}]`;
    for (const step of document.querySelectorAll(needing)) {
      if (step instanceof HTMLElement) show(step, used);
    }
    const none = el(
      "p",
      { class: "nothing" },
      say("None found. Check the cable and search again."),
    );
    box.replaceChildren(...(found?.length ? found.map(choice) : [none]));
  } catch (error) {
    box.replaceChildren(el("p", { class: "nothing" }, messageOf(error)));
  }
}

/**
 * Try a part out and show what it answers.
 * @param {string} what
 */
async function probe(what) {
  const box = inside(document, `[data-result=${what}]`, HTMLElement);
  box.replaceChildren(say("Testing …"));
  try {
    /** @type {Probed} */
    const { ok, lines } = await hardware(what);
    box.replaceChildren(
      el(
        "span",
        { class: `chip ${ok ? "good" : "bad"}` },
        ok ? say("Answers") : say("Not yet right"),
      ),
      el(
        "ul",
        {},
        lines.map((line) => el("li", { dir: "auto" }, findingWords(line))),
      ),
    );
  } catch (error) {
    box.replaceChildren(
      el("span", { class: "chip bad" }, say("Not yet right")),
      el("p", {}, messageOf(error)),
    );
  }
}

for (const button of document.querySelectorAll("button")) {
  const what = button.dataset.probe;
  if (!what) continue;
  button.addEventListener("click", async () => {
    button.disabled = true;
    await probe(what);
    button.disabled = false;
  });
}

// Corners, in pixels of the camera's picture.
/** @type {Pixels[] | null} */
let corners = null;
/** @type {Pixels} */
let size = [1, 1];
/** The corner that is being dragged. @type {number | null} */
let dragging = null;
const marks = byId("corner-marks", SVGSVGElement);
const image = byId("live", HTMLImageElement);
const keep = byId("keep-corners", HTMLButtonElement);
/**
 * Show the picture with what can be done with it, or say that there is none.
 * @param {boolean} there
 */
const showImage = (there) => {
  byId("corner-box").hidden = !there;
  byId("no-picture").hidden = there;
  for (const node of document.querySelectorAll("[data-with-picture]")) {
    if (node instanceof HTMLElement) show(node, there);
  }
};
/** Milliseconds between two pictures, and at most between two tries where none comes. */
const [PICTURE_MS, LONGEST_MS] = [2000, 30000];
let [due, pause] = [0, PICTURE_MS];
image.addEventListener("load", () => {
  showImage(true);
  pause = PICTURE_MS;
  if (!corners) begin();
});
image.addEventListener("error", () => {
  showImage(false);
  pause = Math.min(2 * pause, LONGEST_MS);
  due = performance.now() + pause - PICTURE_MS / 2;
});
const live = () => {
  if (document.hidden || performance.now() < due) return;
  image.src = `/api/v1/tables/${context.table}/camera.jpg?plain=true&t=${Date.now()}`;
};

/** Another camera is in use: its picture is awaited, and no corners are known in it. */
function forget() {
  corners = null;
  keep.disabled = true;
  showImage(false);
}

/** Begin with the corners that the table has found already, else a little inside the picture. */
async function begin() {
  corners = [];
  const found = await hardware("corners").catch(() => null);
  const { corners: seen, size: of } = /** @type {FoundCorners} */ (found ?? {});
  if (!seen) {
    inset();
    return;
  }
  size = of ?? size;
  corners = seen;
  drawCorners(corners);
  ask(true);
}

/**
 * Say what is wanted: a yes to corners that were found, or marks dragged to where they belong.
 * @param {boolean} found
 */
function ask(found) {
  write(
    byId("corners-asked"),
    found ? say("Is the playing field inside the line?") : say("Where is the playing field?"),
  );
  write(keep, found ? say("Yes, that is it") : say("Keep these corners"));
}

/** Begin with the corners a little inside the picture. */
function inset() {
  ask(false);
  const [w, h] = [image.naturalWidth, image.naturalHeight];
  size = [w, h];
  corners = [
    [0.15 * w, 0.15 * h],
    [0.85 * w, 0.15 * h],
    [0.85 * w, 0.85 * h],
    [0.15 * w, 0.85 * h],
  ];
  drawCorners(corners);
}

/** What an arrow key moves a corner by. @type {Record<string, [number, number]>} */
const ARROWS = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/**
 * Draw the four corners as marks that pointer and keyboard can move.
 * @param {Pixels[]} shown
 */
function drawCorners(shown) {
  keep.disabled = false;
  const [w, h] = size;
  marks.setAttribute("viewBox", `0 0 ${w} ${h}`);
  const names = [say("top left"), say("top right"), say("bottom right"), say("bottom left")];
  const dots = shown.map(([x, y], i) => {
    const dot = svg("circle", {
      cx: x,
      cy: y,
      r: w / 45,
      tabindex: 0,
      role: "slider",
      "aria-label": names[i],
      "aria-valuetext": `${Math.round(x)}, ${Math.round(y)}`,
      "aria-valuenow": Math.round(x),
      "aria-valuemin": 0,
      "aria-valuemax": w,
    });
    dot.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      dragging = i;
      marks.setPointerCapture(event.pointerId);
    });
    dot.addEventListener("keydown", (event) => {
      const step = ARROWS[event.key];
      if (!step) return;
      event.preventDefault();
      const far = event.shiftKey ? 10 : 1;
      shown[i] = [x + step[0] * far, y + step[1] * far];
      drawCorners(shown);
      ask(false);
      inside(marks, `circle:nth-of-type(${i + 1})`, SVGCircleElement).focus();
    });
    return dot;
  });
  marks.replaceChildren(
    svg("polygon", { points: shown.map((c) => c.join(",")).join(" ") }),
    ...dots,
  );
}

/**
 * A number held between nothing and the most it may be.
 * @param {number} value
 * @param {number} most
 */
const clamp = (value, most) => Math.min(most, Math.max(0, value));

marks.addEventListener("pointermove", (event) => {
  if (dragging === null || !corners) return;
  const box = marks.getBoundingClientRect();
  const [w, h] = size;
  corners[dragging] = [
    clamp(((event.clientX - box.left) / box.width) * w, w),
    clamp(((event.clientY - box.top) / box.height) * h, h),
  ];
  drawCorners(corners);
  ask(false);
});
const drop = () => {
  dragging = null;
};
marks.addEventListener("pointerup", drop);
marks.addEventListener("pointercancel", drop);

/** A pair of pixels. @typedef {[number, number]} Pixels */
/** What the machine says when it searches the corners. */
/** @typedef {{ corners?: Pixels[], size?: Pixels, trouble?: string }} FoundCorners */

byId("find-corners").addEventListener("click", async () => {
  try {
    /** @type {FoundCorners} */
    const found = await hardware("corners");
    if (!found.corners) {
      toast(found.trouble || say("The corners were not found. Drag them by hand."), true);
      return;
    }
    corners = found.corners;
    size = found.size || size;
    drawCorners(corners);
    ask(true);
  } catch (error) {
    complain(error);
  }
});
keep.addEventListener("click", async () => {
  if (!corners?.length) return;
  const rounded = corners.map((c) => c.map((v) => Math.round(v * 10) / 10));
  if (await order("set_corners", { corners: rounded, size })) toast(say("The corners are kept."));
});
byId("search").addEventListener("click", search);
/**
 * Show the code that a phone scans.
 * @param {string} role
 */
async function showDoor(role) {
  try {
    byId("door").replaceChildren(...flat(await doorCode(role)));
  } catch (error) {
    complain(error);
  }
}
for (const button of document.querySelectorAll("button")) {
  const role = button.dataset.door;
  if (role) button.addEventListener("click", () => showDoor(role));
}
watchDoor(byId("at-the-door"));
byId("pair").addEventListener("click", async () => {
  try {
    byId("pairing").replaceChildren(...flat(await wayIn("player")));
  } catch (error) {
    complain(error);
  }
});
search();
live();
setInterval(live, PICTURE_MS);
