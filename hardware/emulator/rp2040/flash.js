// The flash chip beside the RP2040: two megabytes, a name of its own (command 4B), pages that
// only lose bits until a sector is erased; and the loader's drive, which takes UF2 files.
const SIZE = 2 << 20;
const SSI_SR = 0x28;
const SSI_DR0 = 0x60;
const SENDS = 6; // nothing waits to be sent, and there is room
const HEARD = 8;
const SELECT_CTRL = 0x0c;
const LOW = 0x200;
const RP2040 = 0xe48bff56;

export class Flash {
  constructor(seed) {
    this.size = SIZE;
    this.bytes = null;
    this.mapped = true;
    this.name = Array.from(
      { length: 8 },
      (_, k) => (Math.imul(seed + 1, 2654435761) >>> (3 * k)) & 255,
    );
    this.said = [];
    this.count = -1; // bytes since it was selected
    this.ctrl = 0;
    const flash = this;
    this.port = {
      readUint32(at) {
        if (at === SSI_SR) return SENDS | (flash.said.length ? HEARD : 0);
        return at === SSI_DR0 ? (flash.said.shift() ?? 0) : 0;
      },
      writeUint32Atomic(at, value) {
        if (at === SSI_DR0) flash.hear(value & 255);
      },
    };
    this.select = {
      readUint32: (at) => (at === SELECT_CTRL ? flash.ctrl : 0),
      writeUint32Atomic(at, value) {
        if (at !== SELECT_CTRL) return;
        flash.ctrl = value;
        flash.count = (value & 0x300) === LOW ? 0 : -1;
      },
    };
  }

  /** A byte from the chip, and the answer that is clocked out with it. */
  hear(byte) {
    if (this.count === 0) this.command = byte;
    const n = this.count < 0 ? -1 : this.count++;
    this.said.push(!this.mapped && this.command === 0x4b && n >= 5 ? this.name[(n - 5) % 8] : 0);
  }

  erase(at, count) {
    this.unmapped();
    this.bytes.fill(0xff, at, at + count);
  }

  program(at, data) {
    this.unmapped();
    data.forEach((byte, k) => (this.bytes[at + k] &= byte));
  }

  unmapped() {
    if (this.mapped) throw new Error("the flash was written while it was mapped");
  }

  /** Copy a UF2 file in, as the ROM's drive does. */
  write(uf2) {
    const view = new DataView(uf2.buffer, uf2.byteOffset, uf2.byteLength);
    const word = (at) => view.getUint32(at, true);
    if (uf2.length % 512 || !uf2.length) throw new Error("no UF2 file");
    const pages = [];
    for (let at = 0; at < uf2.length; at += 512) {
      if (word(at) !== 0x0a324655 || word(at + 4) !== 0x9e5d5157 || word(at + 508) !== 0x0ab16f30)
        throw new Error("no UF2 block");
      if (word(at + 28) !== RP2040) throw new Error("for another chip");
      if (word(at + 20) !== at / 512 || word(at + 24) !== uf2.length / 512)
        throw new Error("blocks are missing");
      pages.push([word(at + 12) - 0x10000000, uf2.subarray(at + 32, at + 32 + word(at + 16))]);
    }
    for (const [at] of pages) if (at % 4096 === 0) this.bytes.fill(0xff, at, at + 4096);
    for (const [at, page] of pages) this.bytes.set(page, at);
  }
}
