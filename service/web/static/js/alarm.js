// A red tile makes a sound, shakes a phone and stands among its messages, on devices whose owner
// asked for it: an arbiter's phone that has the wall open, a laptop at the desk. Messages that wake
// a sleeping phone go through its maker's servers, which a club's own network does not reach: so
// the screen is kept awake instead.
import { el } from "./dom.js";
import { prefer, preference, say } from "./page.js";
import { stayAwake } from "./phone_line.js";

/** @type {AudioContext | null} */
let audio = null;
const on = () => preference("alarm") === "on";

let awake = false;

function keepAwake() {
  if (awake || !on()) return;
  awake = true;
  stayAwake();
}

/** The button that turns the alarm of this device on and off; sound needs a tap first. */
export function alarmButton() {
  keepAwake();
  const words = () => (on() ? say("Alarm is on") : say("Alarm is off"));
  const button = el(
    "button",
    {
      class: "ghost alarm",
      "aria-pressed": String(on()),
      onclick: async () => {
        prefer("alarm", on() ? "" : "on");
        button.textContent = words();
        button.setAttribute("aria-pressed", String(on()));
        if (!on()) return;
        keepAwake();
        ring("");
        if ("Notification" in window && Notification.permission === "default") {
          await Notification.requestPermission();
        }
      },
    },
    words(),
  );
  return button;
}

/**
 * Two short tones, a shake, and a message where this device lets us.
 * @param {string} text what happened; empty for a try
 */
export function ring(text) {
  if (!on()) return;
  audio ??= new AudioContext();
  const start = audio.currentTime;
  for (const [at, pitch] of [
    [0, 880],
    [0.25, 1175],
    [0.5, 880],
  ]) {
    const tone = audio.createOscillator();
    const gain = audio.createGain();
    tone.frequency.value = pitch;
    gain.gain.setValueAtTime(0.25, start + at);
    gain.gain.exponentialRampToValueAtTime(0.001, start + at + 0.22);
    tone.connect(gain).connect(audio.destination);
    tone.start(start + at);
    tone.stop(start + at + 0.23);
  }
  navigator.vibrate?.([200, 100, 200]);
  if (text && "Notification" in window && Notification.permission === "granted") {
    try {
      new Notification("takhte", { body: text, tag: "takhte-hall" });
    } catch {
      /* phones that show messages of installed pages only: the sound and the shake remain */
    }
  }
}
