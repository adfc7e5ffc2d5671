// The phone's half of what is said between a phone and the table; `service/web/phone_link.py` is
// the other. Presses are numbered, kept until the table has them, and sent again, in order, when
// the network comes back. No page, no socket, no clock: messages in, messages out.

/** A press that the table has not got yet. */
/** @typedef {{ n: number, what: string, ms: number }} Kept */
/** What outlives the page. */
/** @typedef {{ device: string, next: number, waiting: Kept[] }} Memory */
/** @typedef {{ t: string, n: number, ms?: number, what?: string }} Message */

/**
 * What was kept, from its text; a new memory of this device where there is none that can be read.
 * @param {string | null} text
 * @param {string} device
 * @returns {Memory}
 */
export function remembered(text, device) {
  try {
    const { device: own, next, waiting } = JSON.parse(text ?? "");
    if (typeof own === "string" && Number.isSafeInteger(next) && Array.isArray(waiting)) {
      return { device: own, next, waiting };
    }
  } catch {
    /* nothing was kept, or something else */
  }
  return { device, next: 1, waiting: [] };
}

/** One phone: what it has to say, and what it still owes. */
export class PhoneCore {
  /** @param {Memory} memory */
  constructor(memory) {
    this.memory = memory;
    this.open = false;
  }

  /** How many presses the table has not got yet. */
  get waiting() {
    return this.memory.waiting.length;
  }

  /**
   * A finger came down at `ms` of this device's clock; keep the memory before sending what comes
   * back.
   * @param {string} what
   * @param {number} ms
   * @returns {Message[]}
   */
  press(what, ms) {
    const kept = { n: this.memory.next++, what, ms };
    this.memory.waiting.push(kept);
    return this.open ? [{ t: "press", ...kept }] : [];
  }

  /**
   * The line is open: everything that waits is said again, in order.
   * @returns {Message[]}
   */
  opened() {
    this.open = true;
    return this.memory.waiting.map((kept) => ({ t: "press", ...kept }));
  }

  /** The line is gone. */
  closed() {
    this.open = false;
  }

  /**
   * What to answer the table at `ms` of this device's clock.
   * @param {{ t?: string, n?: number }} said
   * @param {number} ms
   * @returns {Message[]}
   */
  heard(said, ms) {
    if (said.t === "ask" && typeof said.n === "number") return [{ t: "late", n: said.n, ms }];
    if (said.t === "done") {
      this.memory.waiting = this.memory.waiting.filter((kept) => kept.n !== said.n);
    }
    return [];
  }
}
