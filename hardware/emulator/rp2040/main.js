// node main.js FIRMWARE.uf2 [--seed N]
//
// The firmware on an emulated RP2040, in lock-step: time moves only by the command "run", and the
// same commands give the same bytes. The commands are those of ../control.c, but for its pty;
// and: "port BAUD" (a program opens the port; 0: closes it), "drive FILE" (a UF2 file copied to
// the loader's drive), "loader" (whether that drive is there), "usb" (what the device says of
// itself).
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { Analogue } from "./analogue.js";
import { Chip } from "./chip.js";
import { Panel, StripWire } from "./panel.js";
import { UsbHost } from "./usb_host.js";

const POWER_ON = 1 << 8;
const RESET_LINE = 1 << 16;
const hex = (bytes) => (bytes.length ? Buffer.from(bytes).toString("hex") : "-");

class Board {
  constructor(uf2, seed) {
    this.analogue = new Analogue(seed);
    this.strip = new StripWire();
    this.panel = new Panel();
    this.host = new UsbHost();
    this.chip = new Chip(seed, (rp, chip) => {
      for (const part of [this.analogue, this.strip, this.panel, this.host]) part.wire(rp, chip);
    });
    this.chip.start(POWER_ON); // an empty flash: the loader
    this.chip.load(uf2);
  }

  run(us) {
    this.chip.run(us * 1000);
    return `${Math.round(this.chip.nanos / 62.5)} ${hex(this.host.take())}`;
  }

  bounce(button, down) {
    for (let k = 0; k < 5; k++) {
      this.panel.press(button, k % 2 ? !down : down);
      this.chip.run(1e6);
    }
    this.panel.press(button, down);
  }

  get counts() {
    const { strip, host, analogue } = this;
    const counted = {
      cycles: Math.round(this.chip.nanos / 62.5),
      conversions: analogue.conversions,
      joined: 0,
      to_board: host.given,
      to_host: host.taken,
      overruns: 0,
      lost: 0,
      flipped: 0,
      strip_frames: strip.frames,
      strip_bad: strip.bad,
      zero_min: strip.zero[0],
      zero_max: strip.zero[1],
      one_min: strip.one[0],
      one_max: strip.one[1],
      longest_low: strip.longestLow,
    };
    return Object.entries(counted).flat().join(" ");
  }

  get displays() {
    return this.panel.displays
      .map((d) => `${hex(d.digits.slice(0, 4))} ${Number(d.on)} ${d.brightness} ${d.bad}`)
      .join(" ");
  }
}

const COMMANDS = {
  run: (board, us) => board.run(Number(us)),
  give: (board, bytes) => board.host.give(Buffer.from(bytes, "hex")),
  mv: (board, ...words) => {
    for (let k = 0; k + 1 < words.length; k += 2)
      board.analogue.feel(Number(words[k]), Number(words[k + 1]));
  },
  noise: (board, mv) => (board.analogue.noise = Number(mv)),
  stick: (board, sensor, mv) => (board.analogue.stuck[sensor] = Number(mv)),
  open: (board, sensor, isOpen) => (board.analogue.open[sensor] = Number(isOpen)),
  port: (board, baud) => {
    if (Number(baud)) board.host.open(Number(baud));
    else board.host.close();
    board.host.go();
  },
  hold: (board, line, mv) => (board.analogue.held[line] = Number(mv)),
  neveroff: (board, never) => (board.analogue.neverOff = never === "1"),
  pulldown: (board, ohms) => (board.analogue.pullDown = Number(ohms)),
  rail: () => {}, // the reference is the sensors' own supply
  avcc: () => {},
  ripple: (board, mv, hz) =>
    (board.analogue.ripple = { mv: Number(hz) > 0 ? Number(mv) : 0, hz: Number(hz) }),
  stall: (board) => (board.analogue.stalled = true),
  press: (board, button, down) => board.panel.press(Number(button), down === "1"),
  bounce: (board, button, down) => board.bounce(Number(button), down === "1"),
  leds: (board) => hex(board.strip.grb),
  lamps: (board) => String(board.panel.lamps),
  displays: (board) => board.displays,
  tone: (board) => String(board.panel.tone),
  counts: (board) => board.counts,
  reset: (board) => board.chip.start(RESET_LINE),
  drive: (board, path) => {
    if (!board.chip.inLoader) throw new Error("the loader's drive is not there");
    board.chip.load(readFileSync(path));
  },
  loader: (board) => String(Number(board.chip.inLoader)),
  usb: (board) => JSON.stringify(board.host.device),
};

/** The answer to a line: "ok" and what there is to say, or "no" and why. */
function obey(board, line) {
  const [name, ...words] = line.split(" ");
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : null;
  if (!command) return `no such command: ${line}`;
  try {
    const said = command(board, ...words);
    return typeof said === "string" ? `ok ${said}` : "ok";
  } catch (error) {
    return `no ${error.message}`;
  }
}

const [path, , seed = "1"] = process.argv.slice(2);
const board = new Board(readFileSync(path), Number(seed));
console.log("ok ready");
for await (const line of createInterface({ input: process.stdin })) {
  if (line === "quit") break;
  console.log(obey(board, line));
}
