// The chip: rp2040js, and what it leaves to others: the ROM that starts it, the flash chip, a
// state machine of the PIO in step with the clock, and resets that reset. Time moves only in
// `run`.
import { RP2040 } from "rp2040js";
import { Flash } from "./flash.js";
import { install, LOADER_AT } from "./rom.js";

export const CYCLE_NS = 1e9 / 48e6;
const WATCHDOG = 0x40058;
const RING_OSCILLATOR = 0x40060;
const CHIP_RESET = 0x40064;
const SSI = 0x18000;
const QSPI_PINS = 0x40018;
const SILENT = { debug() {}, info() {}, warn() {}, error() {} };

/** A peripheral of a few readable words; what is written to others is let fall. */
class Words {
  constructor(read) {
    this.readUint32 = read;
  }
  writeUint32Atomic() {}
}

/** PIO 0's first state machine, stepped by its own clock, of which `nanos` is the time. */
class Strip {
  constructor(rp) {
    this.pio = rp.pio[0];
    this.machine = this.pio.machines[0];
    this.pio.run = () => {};
    this.nanos = 0;
    this.stalled = true;
  }
  get cycle() {
    return this.machine.clockDivInt * CYCLE_NS;
  }
  /** When it wants to step next. */
  due(now) {
    if (!this.machine.enabled || this.machine.waiting) return Infinity;
    if (this.stalled) {
      this.stalled = false;
      this.nanos = Math.max(now, this.nanos);
      // What it waited for is done; the delay that belongs to it is not.
      if (this.waited) this.nanos += (1 + this.machine.waitDelay) * this.cycle;
    }
    return this.nanos;
  }
  step() {
    const before = this.machine.cycles;
    this.machine.step();
    this.pio.checkChangedPins();
    this.nanos += (this.machine.cycles - before) * this.cycle;
    this.stalled = this.waited = this.machine.waiting;
  }
}

export class Chip {
  /** `wire(rp)` joins the circuits to each new start of the chip. */
  constructor(seed, wire) {
    this.flash = new Flash(seed);
    this.wire = wire;
    this.random = seed;
    this.inLoader = false;
    this.bytes = null;
  }

  get nanos() {
    return this.rp.clock.nanos;
  }

  /** Power on, the reset line, or the watchdog: everything but the flash is new. */
  start(cause, reason = 0) {
    const now = this.rp ? this.nanos : 0;
    this.rp = new RP2040();
    const rp = this.rp;
    rp.clock.nanosCounter = now;
    rp.logger = SILENT;
    if (this.bytes) rp.flash.set(this.bytes);
    this.bytes = rp.flash.subarray(0, this.flash.size);
    this.flash.bytes = this.bytes;
    this.strip = new Strip(rp);
    this.pending = null;
    this.inLoader = false;
    const watchdog = rp.peripherals[WATCHDOG];
    watchdog.reason = reason;
    watchdog.onWatchdogTrigger = () => {
      this.pending = watchdog.reason;
      watchdog.alarm.enable = false; // or it would go off again within the same instant
    };
    rp.peripherals[CHIP_RESET] = new Words((at) => (at === 8 ? cause : 0));
    rp.peripherals[RING_OSCILLATOR] = new Words(() => this.randomBit());
    rp.peripherals[SSI] = this.flash.port;
    rp.peripherals[QSPI_PINS] = this.flash.select;
    install(rp, this.flash, () => (this.inLoader = true));
    this.wire(rp, this);
  }

  randomBit() {
    this.random = (Math.imul(this.random, 1664525) + 1013904223) >>> 0;
    return this.random >>> 31;
  }

  /** Emulate so many nanoseconds. */
  run(nanos) {
    const end = this.nanos + nanos;
    while (this.nanos < end) {
      if (this.pending !== null) this.start(0, this.pending);
      const { core, clock } = this.rp;
      if (this.inLoader) {
        clock.tick(end - this.nanos);
        return;
      }
      if (core.waiting) {
        const alarm = clock.nextAlarm ? clock.nextAlarm.nanos : end;
        const next = Math.min(alarm, this.strip.due(this.nanos), end);
        clock.tick(Math.max(0, next - this.nanos));
      } else {
        clock.tick(core.executeInstruction() * CYCLE_NS);
      }
      while (this.strip.due(this.nanos) <= this.nanos) this.strip.step();
    }
  }

  /** A UF2 file copied to the loader's drive; the chip then starts over. */
  load(uf2) {
    this.flash.write(uf2);
    this.start(1 << 8);
  }
}

export { LOADER_AT };
