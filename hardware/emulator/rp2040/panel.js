// What hangs on the chip beside the sensors: the LED strip as one of the strictest kind sees its
// wire, two TM1637 displays with 10 nF at their lines, buttons, lamps, the piezo.
import { GPIOPinState } from "rp2040js";

const STRIP_PIN = 10;
const CYCLE_16 = 62.5; // times are counted as a chip of 16 MHz would, for one and the same test
const LEDS = 56;
const LATCH_NS = 5000;
const ONE_FROM = 10;
const SHORTEST = 3;
const LONGEST = 20;

export class StripWire {
  constructor() {
    this.grb = [];
    this.shift = [];
    this.frames = this.bad = 0;
    this.zero = [Infinity, 0];
    this.one = [Infinity, 0];
    this.longestLow = 0;
    this.rose = null;
    this.fell = null;
  }

  wire(rp, chip) {
    this.chip = chip;
    this.rose = null;
    rp.gpio[STRIP_PIN].addListener((value) => this.level(value === GPIOPinState.High));
    this.latches = rp.clock.createAlarm(() => this.latch());
  }

  latch() {
    const leds = Math.floor(this.shift.length / 24);
    if (this.shift.length % 24) this.bad++;
    this.grb = [];
    for (let k = 0; k < Math.min(leds, LEDS) * 3; k++)
      this.grb.push(this.shift.slice(8 * k, 8 * k + 8).reduce((byte, bit) => byte * 2 + bit, 0));
    this.frames++;
    this.shift = [];
  }

  level(high) {
    const now = this.chip.strip.nanos;
    if (high) {
      if (this.shift.length)
        this.longestLow = Math.max(this.longestLow, Math.round((now - this.fell) / CYCLE_16));
      this.rose = now;
      this.latches.cancel();
      return;
    }
    if (this.rose === null) return; // the pin became an output: no pulse
    const cycles = Math.round((now - this.rose) / CYCLE_16);
    const bit = cycles >= ONE_FROM ? 1 : 0;
    const range = bit ? this.one : this.zero;
    range[0] = Math.min(range[0], cycles);
    range[1] = Math.max(range[1], cycles);
    if (cycles < SHORTEST || cycles > LONGEST) this.bad++;
    this.shift.push(bit);
    this.fell = now;
    this.latches.schedule(LATCH_NS);
  }
}

const RISE_NS = 120e3; // 10 nF pulled up by 10 k

/** A TM1637 as its two wires see it: start, bits with the low one first, a ninth clock, stop. */
class Display {
  constructor() {
    this.digits = [0, 0, 0, 0, 0, 0];
    this.on = false;
    this.brightness = this.bad = 0;
    this.clock = this.data = true;
    this.talking = false;
    this.bits = [];
    this.bytes = [];
  }

  obey() {
    const [command, ...more] = this.bytes;
    if (command === undefined) return;
    if ((command & 0xc0) === 0xc0)
      more.forEach((byte, k) => (this.digits[(command & 7) + k] = byte));
    else if ((command & 0xc0) === 0x80) [this.on, this.brightness] = [!!(command & 8), command & 7];
    else if (command !== 0x40) this.bad++;
  }

  level(isData, high) {
    const clock = isData ? this.clock : high;
    const data = isData ? high : this.data;
    if (this.clock && clock && this.data && !data) {
      [this.talking, this.bits, this.bytes] = [true, [], []];
    } else if (this.clock && clock && !this.data && data && this.talking) {
      this.talking = false;
      this.obey();
    } else if (this.talking && !this.clock && clock && this.bits.push(data) === 9) {
      this.bytes.push(this.bits.slice(0, 8).reduce((byte, bit, k) => byte | (bit << k), 0));
      this.bits = [];
    }
    [this.clock, this.data] = [clock, data];
  }
}

const DISPLAY_PINS = [21, 22, 27, 28]; // CLK and DIO of south, of north
const BUTTON_PINS = [12, 13, 16, 17, 18, 19, 20];
const LAMP_FIRST = 14;
const TONE_SLICE = 5;
const CLOCK_HZ = 48e6;

export class Panel {
  constructor() {
    this.displays = [new Display(), new Display()];
    this.held = 0;
  }

  wire(rp) {
    this.rp = rp;
    DISPLAY_PINS.forEach((pin, line) => {
      const display = this.displays[line >> 1];
      const isData = line % 2 === 1;
      const rises = rp.clock.createAlarm(() => display.level(isData, true));
      rp.gpio[pin].addListener((value) => {
        if (value === GPIOPinState.Low) {
          rises.cancel();
          display.level(isData, false);
        } else {
          rises.schedule(RISE_NS);
        }
      });
    });
    BUTTON_PINS.forEach((_, button) => this.drive(button));
  }

  drive(button) {
    this.rp.gpio[BUTTON_PINS[button]].setInputValue(!((this.held >> button) & 1));
  }

  press(button, down) {
    this.held = down ? this.held | (1 << button) : this.held & ~(1 << button);
    this.drive(button);
  }

  get lamps() {
    return (this.rp.sio.gpioValue >>> LAMP_FIRST) & 3;
  }

  get tone() {
    const slice = this.rp.pwm.channels[TONE_SLICE];
    return slice.csr & 1 ? Math.round(CLOCK_HZ / (slice.div >> 4) / (slice.top + 1)) : 0;
  }
}
