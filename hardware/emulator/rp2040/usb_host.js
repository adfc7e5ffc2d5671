// The computer at the other end of the cable: it asks who is there as an operating system does,
// opens the port, and moves bytes. Every request must be answered before the next; what the
// device says of itself is kept for whoever wants to look.
const DTR = 1;
const OUT = 2;
const IN = 2;
const PACKET = 64;

const setup = (type, request, value, index, length) =>
  Uint8Array.of(
    type,
    request,
    value & 255,
    value >> 8,
    index & 255,
    index >> 8,
    length & 255,
    length >> 8,
  );
const coding = (baud) =>
  Uint8Array.of(baud & 255, (baud >> 8) & 255, (baud >> 16) & 255, baud >>> 24, 0, 0, 8);

export class UsbHost {
  constructor() {
    this.toBoard = [];
    this.toHost = [];
    this.taken = 0;
    this.given = 0;
    this.isOpen = false;
  }

  /** The cable to a chip that has just started. */
  wire(rp) {
    const usb = rp.usbCtrl;
    this.usb = usb;
    this.isOpen = false;
    this.toBoard.length = 0;
    this.device = {};
    this.waiting = null; // how much the board would take
    this.queue = [];
    usb.onUSBEnabled = () => usb.resetDevice();
    usb.onResetReceived = () => this.begin();
    usb.onEndpointWrite = (endpoint, bytes) => this.heard(endpoint, bytes);
    usb.onEndpointRead = (endpoint, size) => this.wanted(endpoint, size);
  }

  begin() {
    const descriptor = (kind, length) => ({ ask: setup(0x80, 6, kind, 0, length), length });
    this.queue = [
      { ask: setup(0, 5, 7, 0, 0) },
      { ...descriptor(0x100, 18), keep: "device" },
      { ...descriptor(0x200, 9), keep: "head" },
      { ...descriptor(0x200, 255), keep: "configuration" },
      { ...descriptor(0x303, 255), keep: "serial" },
      { ask: setup(0, 9, 1, 0, 0) },
    ];
    this.open(250000);
    this.next();
  }

  /** A program opens the port, or closes it. */
  open(baud) {
    this.queue.push({ ask: setup(0x21, 0x20, 0, 0, 7), data: coding(baud) });
    this.queue.push({ ask: setup(0x21, 0x22, DTR, 0, 0), then: () => (this.isOpen = true) });
  }
  close() {
    this.queue.push({ ask: setup(0x21, 0x22, 0, 0, 0), then: () => (this.isOpen = false) });
  }

  next() {
    this.now = this.queue.shift() ?? null;
    if (!this.now) return;
    this.got = [];
    this.usb.sendSetupPacket(this.now.ask);
  }

  /** Begin with what `open` and `close` asked for, when nothing is under way. */
  go() {
    if (!this.now) this.next();
  }

  heard(endpoint, bytes) {
    if (endpoint === IN) {
      for (const byte of bytes) this.toHost.push(byte);
      this.taken += bytes.length;
    } else if (endpoint === 0 && this.now) {
      this.got.push(...bytes);
      const whole = bytes.length < PACKET || this.got.length >= this.now.length;
      if (!whole) return;
      if (this.now.keep) this.device[this.now.keep] = this.got;
      this.now.then?.();
      this.next();
    }
  }

  wanted(endpoint, size) {
    if (endpoint === 0) {
      if (this.now?.data && size) this.usb.endpointReadDone(0, this.now.data);
    } else if (endpoint === OUT) {
      this.waiting = size;
      this.send();
    }
  }

  give(bytes) {
    for (const byte of bytes) this.toBoard.push(byte);
    this.send();
  }

  send() {
    if (this.waiting === null || !this.toBoard.length || !this.isOpen) return;
    const packet = Uint8Array.from(this.toBoard.splice(0, this.waiting));
    this.waiting = null;
    this.given += packet.length;
    this.usb.endpointReadDone(OUT, packet, 50); // what the bus takes for a packet of 64
  }

  take() {
    return this.toHost.splice(0);
  }
}
