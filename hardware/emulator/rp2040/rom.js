// What firmware meets of the chip's ROM: the check of the first 256 bytes and the jump into them,
// and the functions that the port calls, each a breakpoint that the emulator answers. The ROM's
// own code is not here: it is not this project's to ship.
export const LOADER_AT = 0x20041f00;
const STACK = 0x20042000;
const FUNCTIONS_AT = 0x100;
const LOOKUP = 0;
const CODES = ["IF", "EX", "RE", "RP", "FC", "CX", "UB"];

/** The ROM's CRC-32 of the 252 bytes before it. */
function checksum(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte << 24;
    for (let k = 0; k < 8; k++) crc = crc & 0x80000000 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  }
  return crc >>> 0;
}

/** Put the ROM in place and jump where it would: the loader when there is no firmware. */
export function install(rp, flash, toLoader) {
  const rom = new DataView(rp.bootrom.buffer);
  rom.setUint16(0x14, FUNCTIONS_AT, true); // the table, which only the lookup reads
  rom.setUint16(0x18, FUNCTIONS_AT + 1, true);
  for (let n = 0; n <= CODES.length; n++) {
    rom.setUint16(FUNCTIONS_AT + 4 * n, 0xbe00 | n, true); // bkpt #n
    rom.setUint16(FUNCTIONS_AT + 4 * n + 2, 0x4770, true); // bx lr
  }
  const r = rp.core.registers;
  const does = {
    IF: () => (flash.mapped = false),
    EX: () => {},
    RE: () => flash.erase(r[0], r[1]),
    RP: () => {
      const from = r[1] - 0x20000000;
      flash.program(r[0], rp.sram.subarray(from, from + r[2]));
    },
    FC: () => {},
    CX: () => (flash.mapped = true),
    UB: () => {
      toLoader();
      rp.core.waiting = true;
    },
  };
  rp.onBreak = (n) => {
    if (n === LOOKUP) {
      const code = String.fromCharCode(r[1] & 255, r[1] >> 8);
      r[0] = CODES.includes(code) ? FUNCTIONS_AT + 4 * (1 + CODES.indexOf(code)) + 1 : 0;
    } else {
      does[CODES[n - 1]]();
    }
  };
  const first = flash.bytes.subarray(0, 256);
  const said = new DataView(first.buffer, first.byteOffset).getUint32(252, true);
  if (said !== checksum(first.subarray(0, 252))) return toLoader();
  rp.sram.set(first, LOADER_AT - 0x20000000);
  rp.core.SP = STACK;
  rp.core.LR = 0;
  rp.core.PC = LOADER_AT;
}
