// Multiplexers, settling lines, sensors, noise, and the converter: the lines of wiring.md as
// ../analogue.c has them. All voltages are those of a board of 5 V, as Python pushes them; on
// this one the sensors hang on 3.3 V, where the same field moves them a tenth less of their
// supply (DRV5055A1: 60 mV/mT instead of 100).
const SENSORS = 128;
const LINES = 8;
const FULL = 5000;
const SELECT_FIRST = 2;
const OFF = 16;
const LINE_FIRST = 7;
const LINE_NF = 1.1;
const DRIVE_OHMS = 1070;
const SHARE = 60 / 3300 / (100 / 5000);
/** No sensors: the sixteenth channels of multiplexers 4 to 7, grounded but for the divider. */
const FIXED = [79, 95, 111, 127];
const RIPPLE_US = 205;
const REFERENCE_US = 87.6;
const STEPS = 4096;
const CONVERSION_NS = 2000;

export class Analogue {
  constructor(seed) {
    this.random = (Math.imul(seed, 2654435761) + 1) >>> 0 || 1;
    this.sensor = new Float64Array(SENSORS).fill(2500);
    this.stuck = new Float64Array(SENSORS).fill(-1);
    this.open = new Uint8Array(SENSORS);
    this.line = new Float64Array(LINES).fill(2500);
    this.held = new Float64Array(LINES).fill(-1);
    this.noise = 1; // of a sensor: slower than the three conversions that are added up
    this.visited = this.disturbed = 0;
    this.pullDown = 10000;
    this.neverOff = false;
    this.ripple = { mv: 0, hz: 0 };
    this.conversions = 0;
  }

  /** Join the circuits to a chip that starts. */
  wire(rp, chip) {
    this.chip = chip;
    this.rp = rp;
    this.at = chip.nanos;
    this.channel = 0;
    this.stalled = false;
    for (let pin = SELECT_FIRST; pin < SELECT_FIRST + 5; pin++)
      rp.gpio[pin].addListener(() => this.select());
    const { adc } = rp;
    const done = rp.clock.createAlarm(() => adc.completeADCRead(this.convert(), false));
    adc.onADCRead = (channel) => {
      if (channel === 0 && !this.stalled) done.schedule(CONVERSION_NS);
    };
  }

  uniform() {
    let x = this.random;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.random = x >>> 0;
    return this.random / 4294967296;
  }

  gauss() {
    let sum = -6;
    for (let k = 0; k < 12; k++) sum += this.uniform();
    return sum;
  }

  /** How far the sensors' supply and the one that the reference stands for are off now. */
  rippled() {
    const { mv, hz } = this.ripple;
    if (!(mv > 0)) return [0, 0];
    const half = 5e5 / hz;
    const turns = Math.floor(this.chip.nanos / 1000 / half);
    const t = this.chip.nanos / 1000 - turns * half;
    const end = Math.exp(-half / RIPPLE_US);
    const first = 2 / (1 + end);
    const share = RIPPLE_US / (RIPPLE_US - REFERENCE_US);
    const size = (((turns % 2 ? -1 : 1) * mv) / 2) * ((1 + end) / (1 - end));
    const slow = Math.exp(-t / RIPPLE_US);
    const lag =
      ((2 * (share - 1)) / (1 + Math.exp(-half / REFERENCE_US))) * Math.exp(-t / REFERENCE_US);
    return [size * (1 - first * slow), size * (1 - first * share * slow + lag)];
  }

  /** Let every line move towards what drives it, for the time since it was last looked at. */
  settle() {
    const us = (this.chip.nanos - this.at) / 1000;
    this.at = this.chip.nanos;
    const [rail] = this.rippled();
    const off = this.channel & OFF && !this.neverOff;
    for (let line = 0; line < LINES; line++) {
      if (this.held[line] >= 0) {
        this.line[line] = this.held[line];
        continue;
      }
      const sensor = 16 * line + (this.channel & 15);
      let ohms = DRIVE_OHMS;
      let target = this.sensor[sensor] * (1 + rail / FULL);
      if (this.stuck[sensor] >= 0) target = this.stuck[sensor];
      if (this.open[sensor] || off) {
        if (!(this.pullDown > 0)) continue; // nothing moves the charge
        target = 0;
        ohms = this.pullDown;
      }
      this.line[line] =
        target + (this.line[line] - target) * Math.exp(-us / (ohms * LINE_NF * 1e-3));
    }
  }

  select() {
    this.settle(); // what each line reached by now
    this.channel = (this.rp.sio.gpioValue >>> SELECT_FIRST) & 31;
  }

  convert() {
    this.settle();
    this.conversions++;
    const line = (this.rp.sio.gpioValue >>> LINE_FIRST) & 7;
    const [, follows] = this.rippled();
    const visited = 16 * line + this.channel;
    if (visited !== this.visited)
      [this.visited, this.disturbed] = [visited, this.noise * this.gauss()];
    const seen = (this.line[line] * FULL) / (FULL + follows) + this.disturbed;
    return Math.min(STEPS - 1, Math.max(0, Math.floor((seen * STEPS) / FULL)));
  }

  feel(sensor, mv) {
    this.sensor[sensor] = FIXED.includes(sensor) ? mv : 2500 + (mv - 2500) * SHARE;
  }
}
