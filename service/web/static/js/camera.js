// A phone as the table's camera: it films, sends the newest picture with its own time, draws where
// the table sees the board, and says one thing at a time that would help.
/** @import { Aim, Said } from "./phone_line.js" */
import { byId, svg, write } from "./dom.js";
import { digits, say } from "./page.js";
import { PhoneCore, remembered } from "./phone_core.js";
import { deviceMark, keepLine, keepPage, ownMs, stayAwake } from "./phone_line.js";

/** Pictures a second at most, and how many may be on their way. */
const [RATE, UNDER_WAY] = [10, 3];
/** What a picture may weigh: ten of them a second stay below a megabyte. */
const [LIGHT, HEAVY, LARGEST] = [60_000, 95_000, 400_000];
const [WORST, BEST] = [0.4, 0.85];
const WIDTH = 1280;
const PART = 60_000;
/** So many pictures in a row the table may not take before that is said. */
const PATIENT = 20;
/** So long the advice must be good before exposure and focus are held. */
const STEADY_MS = 4000;

const film = byId("film", HTMLVideoElement);
const canvas = document.createElement("canvas");
const core = new PhoneCore(remembered(null, deviceMark()));
/** @type {((message: object | ArrayBuffer | Blob) => void) | null} */
let send = null;
let [number, sentAt, quality] = [0, 0, 0.75];
/** Pictures that the table has not answered yet: number and bytes. */
const underWay = new Set();
let goodSince = 0;
let held = false;
let sent = 0;
/** Pictures in a row that the table did not take. */
let left = 0;

/** What each advice says. @type {Record<string, () => string>} */
const ADVICE = {
  waiting: () => say("The table has no picture yet."),
  no_table: () => say("The table's program does not answer."),
  no_board: () => say("No board is seen: the whole board should lie in the picture."),
  dark: () => say("Too dark: more light on the board."),
  turn: () => say("Turn the phone a quarter: the board lies across its picture."),
  higher: () => say("Higher: an edge of the board is cut off."),
  closer: () => say("Closer: the board is small in the picture."),
  glare: () => say("Glare on the board: turn the lamp or the phone a little."),
  good: () => say("Good. Leave it so."),
};

/** Ask for the rear camera, and film. */
async function begin() {
  byId("film-again").hidden = true;
  try {
    film.srcObject = await navigator.mediaDevices.getUserMedia({
      audio: false,
      video: {
        facingMode: { ideal: "environment" },
        width: { ideal: WIDTH },
        height: { ideal: 720 },
        frameRate: { ideal: 15 },
      },
    });
    await film.play();
    film.srcObject.getVideoTracks()[0]?.addEventListener("ended", stopped);
    next();
  } catch {
    stopped();
  }
}

/** Whether this device's own camera films: only then is what the table sees advice for it. */
const films = () => film.srcObject instanceof MediaStream && film.srcObject.active;

/** No picture comes from this device's camera. */
function stopped() {
  byId("outline", SVGSVGElement).replaceChildren();
  write(byId("advice"), say("The camera is not allowed, or in use. Allow it and start again."));
  byId("film-again").hidden = false;
}

/** Look at the next picture of the film when there is one. */
function next() {
  if ("requestVideoFrameCallback" in film) film.requestVideoFrameCallback(take);
  else setTimeout(() => take(performance.now(), {}), 1000 / RATE);
}

/**
 * Send this picture, unless the line is busy or it is too soon.
 * @param {number} now
 * @param {{ captureTime?: number }} facts
 */
function take(now, { captureTime }) {
  next();
  if (!send || underWay.size >= UNDER_WAY || now - sentAt < 1000 / RATE) return;
  if (!film.videoWidth) return;
  sentAt = now;
  const scale = Math.min(1, WIDTH / Math.max(film.videoWidth, film.videoHeight));
  canvas.width = Math.round(film.videoWidth * scale);
  canvas.height = Math.round(film.videoHeight * scale);
  canvas.getContext("2d")?.drawImage(film, 0, 0, canvas.width, canvas.height);
  const ms = ownMs(captureTime ?? now);
  canvas.toBlob((picture) => picture && hand(picture, ms), "image/jpeg", quality);
}

/**
 * Hand a picture over in parts; its weight says how well the next may be.
 * @param {Blob} picture
 * @param {number} ms
 */
function hand(picture, ms) {
  if (picture.size > HEAVY) quality = Math.max(WORST, quality - 0.05);
  else if (picture.size < LIGHT) quality = Math.min(BEST, quality + 0.01);
  if (!send || picture.size > LARGEST) return;
  underWay.add(++number);
  send({ t: "picture", n: number, ms, size: picture.size });
  for (let at = 0; at < picture.size; at += PART) send(picture.slice(at, at + PART));
}

/** @param {Aim} aim */
function show({ outline, advice }) {
  if (!films()) return;
  write(byId("advice"), (ADVICE[advice] ?? ADVICE.waiting)());
  const points = outline.map((corner) => corner.join(",")).join(" ");
  byId("outline", SVGSVGElement).replaceChildren(...(points ? [svg("polygon", { points })] : []));
  if (advice !== "good") goodSince = 0;
  else if (!goodSince) goodSince = performance.now();
  if (!held && goodSince && performance.now() - goodSince > STEADY_MS) hold();
}

/** Hold exposure, white balance and focus at what they are, where this camera lets them be held. */
function hold() {
  held = true;
  const stream = film.srcObject instanceof MediaStream ? film.srcObject : null;
  const [track] = stream?.getVideoTracks() ?? [];
  /** @type {Record<string, unknown>} */
  const can = { ...track?.getCapabilities?.() };
  for (const mode of ["exposureMode", "whiteBalanceMode", "focusMode"]) {
    const modes = can[mode];
    if (!Array.isArray(modes) || !modes.includes("manual")) continue;
    const advanced = [/** @type {MediaTrackConstraintSet} */ ({ [mode]: "manual" })];
    track.applyConstraints({ advanced }).catch(() => {});
  }
}

/** @param {Said} said */
function heard(said) {
  for (const answer of core.heard(said, ownMs())) send?.(answer);
  if (said.t === "got") {
    underWay.delete(said.n);
    [sent, left] = said.used ? [sent + 1, 0] : [sent, left + 1];
    const words =
      left < PATIENT
        ? say("{n} pictures sent", { n: digits(sent) })
        : say("The table uses another camera: choose the phone there.");
    write(byId("sending"), words);
    byId("sending").classList.toggle("good", left < PATIENT && sent > 0);
  }
  if (said.t === "aim" && said.aim) show(said.aim);
}

keepLine(
  "phone-pictures",
  (way) => {
    send = way;
    underWay.clear();
  },
  heard,
  (code) => {
    send = null;
    const other = code === 4001;
    byId("sending").classList.remove("good");
    write(
      byId("sending"),
      other ? say("Another phone is the camera now.") : say("No connection: reconnecting"),
    );
    return !other;
  },
);
byId("film-again").addEventListener("click", begin);
stayAwake();
keepPage();
begin();
