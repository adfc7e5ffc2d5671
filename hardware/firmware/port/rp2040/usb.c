/*
 * The USB controller by its data sheet (RP2040, chapter 4.1): endpoint 0 for requests, 1 for notices that never come, 2 for bytes both ways. Full speed, packets of
 * 64 bytes. USB itself checks, repeats and holds back: a byte that was taken arrives, and a host that sends too fast waits.
 *
 * Everything here runs in on_usb() or with interrupts off.
 */
#include "usb.h"

#include <string.h>

#include "registers.h"

#define PACKET 64u
#define RX_SIZE 1024u
#define TX_SIZE 4096u

#define AVAILABLE (1u << 10)
#define STALL (1u << 11)
#define DATA1 (1u << 13)
#define FULL (1u << 15)
#define LENGTH 0x3FFu
#define CONTROL_IN(n) (DPRAM + 8u * (n))
#define CONTROL_OUT(n) (DPRAM + 8u * (n) + 4u)
#define BUFFER_IN(n) (DPRAM + 0x80u + 8u * (n))
#define BUFFER_OUT(n) (DPRAM + 0x84u + 8u * (n))
#define EP0_DATA 0x100u
#define NOTICE_DATA 0x180u
#define IN_DATA 0x1C0u
#define OUT_DATA 0x200u
#define ENDPOINT(type, data) (1u << 31 | 1u << 29 | (uint32_t)(type) << 26 | (data))
#define BULK 2
#define INTERRUPT 3

#define INT_BUFFER (1u << 4)
#define INT_BUS_RESET (1u << 12)
#define INT_SETUP (1u << 16)
#define SIE_SETUP (1u << 17)
#define SIE_BUS_RESET (1u << 19)

enum { GET_STATUS = 0, CLEAR_FEATURE = 1, SET_ADDRESS = 5, GET_DESCRIPTOR = 6, GET_CONFIGURATION = 8, SET_CONFIGURATION = 9, SET_INTERFACE = 11 };
enum { SET_LINE_CODING = 0x20, GET_LINE_CODING = 0x21, SET_LINE_STATE = 0x22, SEND_BREAK = 0x23 };
enum { TO_HOST = 0x80, CLASS = 0x20, TO_CLASS_INTERFACE = 0x21, FROM_CLASS_INTERFACE = 0xA1 };

static const uint8_t device[18] = {18, 1, 0x00, 0x02, 2, 0, 0, PACKET, 0x8A, 0x2E, 0x0A, 0x00, 0x00, 0x01, 1, 2, 3, 1};
static const uint8_t configuration[67] = {
    9, 2, 67, 0, 2, 1, 0, 0x80, 50, /* from the bus, 100 mA */
    9, 4, 0, 0, 1, 2, 2, 0, 0,
    5, 0x24, 0, 0x10, 0x01,
    5, 0x24, 1, 0, 1,
    4, 0x24, 2, 2,
    5, 0x24, 6, 0, 1,
    7, 5, 0x81, INTERRUPT, 8, 0, 16,
    9, 4, 1, 0, 2, 10, 0, 0, 0,
    7, 5, 0x02, BULK, PACKET, 0, 0,
    7, 5, 0x82, BULK, PACKET, 0, 0,
};

static uint8_t name[2 + 2 * 16]; /* a string descriptor under way: 16 letters at most */
static char serial[17];
static const uint8_t *reply;
static uint16_t reply_left;
static bool reply_ends_short, coding_expected, asked_for_data;
static uint8_t address, configured;
static uint8_t coding[7] = {0x90, 0xD0, 0x03, 0, 0, 0, 8}; /* 250,000 baud, which nobody needs here */
static volatile bool open, loader;
static uint32_t pid0, pid_in, pid_out;
static bool sending, listening;
static uint8_t rx[RX_SIZE], tx[TX_SIZE];
static volatile uint16_t rx_head, rx_tail, tx_head, tx_tail;

static void write_dpram(uint32_t at, const uint8_t *bytes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i += 4) {
        uint32_t word = 0;
        memcpy(&word, bytes + i, count - i < 4 ? count - i : 4);
        REG(DPRAM + at + i) = word;
    }
}

static void read_dpram(uint32_t at, uint8_t *bytes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i += 4) {
        uint32_t word = REG(DPRAM + at + i);
        memcpy(bytes + i, &word, count - i < 4 ? count - i : 4);
    }
}

/* The controller must see all else before it sees that a buffer is its own now. */
static void hand_over(uint32_t buffer, uint32_t what)
{
    REG(buffer) = what;
    __asm__ volatile("nop\n nop\n nop\n nop\n nop\n nop");
    REG(buffer) = what | AVAILABLE;
}

/* Endpoint 0 ------------------------------------------------------------------------------------------------------ */

static void reply_on(void)
{
    uint32_t n = reply_left < PACKET ? reply_left : PACKET;
    write_dpram(EP0_DATA, reply, n);
    hand_over(BUFFER_IN(0), FULL | pid0 | n);
    pid0 ^= DATA1;
    reply += n;
    reply_left = (uint16_t)(reply_left - n);
    reply_ends_short = n < PACKET;
}

static void answer(const void *bytes, uint32_t size, uint32_t asked)
{
    reply = bytes;
    reply_left = (uint16_t)(size < asked ? size : asked);
    reply_on();
    if (size >= asked) /* as much as was asked for needs no short packet after it */
        reply_ends_short |= reply_left == 0;
}

static void done(void)
{
    answer("", 0, 0);
}

static void refuse(void)
{
    REG(USB_STALL_ARM) = 3;
    REG(BUFFER_IN(0)) = STALL;
    REG(BUFFER_OUT(0)) = STALL;
}

static void start_endpoints(void);

static void say_name(uint8_t which, uint16_t asked)
{
    static const char *const names[] = {"takhte", "takhte board", serial};
    if (which == 0) {
        static const uint8_t languages[4] = {4, 3, 0x09, 0x04};
        answer(languages, sizeof languages, asked);
    } else if (which > 3) {
        refuse();
    } else {
        const char *text = names[which - 1];
        uint8_t length = 2;
        for (; *text; text++, length = (uint8_t)(length + 2))
            name[length] = (uint8_t)*text;
        name[0] = length;
        name[1] = 3;
        answer(name, length, asked);
    }
}

static void describe(uint16_t value, uint16_t asked)
{
    switch (value >> 8) {
    case 1: answer(device, sizeof device, asked); break;
    case 2: answer(configuration, sizeof configuration, asked); break;
    case 3: say_name((uint8_t)value, asked); break;
    default: refuse();
    }
}

static void line_state(uint16_t lines)
{
    bool dtr = lines & 1;
    uint32_t baud = coding[0] | (uint32_t)coding[1] << 8 | (uint32_t)coding[2] << 16 | (uint32_t)coding[3] << 24;
    if (open && !dtr) {
        tx_tail = tx_head; /* what nobody took is stale */
        loader = baud == 1200;
    }
    open = dtr;
}

static void obey(const uint8_t *setup)
{
    static const uint8_t nothing[2];
    uint16_t value = (uint16_t)(setup[2] | setup[3] << 8), length = (uint16_t)(setup[6] | setup[7] << 8);
    pid0 = DATA1;
    coding_expected = false;
    asked_for_data = setup[0] & TO_HOST;
    switch (setup[0] << 8 | setup[1]) {
    case TO_HOST << 8 | GET_DESCRIPTOR: describe(value, length); break;
    case TO_HOST << 8 | GET_CONFIGURATION: answer(&configured, 1, length); break;
    case TO_HOST << 8 | GET_STATUS:
    case (TO_HOST | 1) << 8 | GET_STATUS:
    case (TO_HOST | 2) << 8 | GET_STATUS: answer(nothing, 2, length); break;
    case SET_ADDRESS:
        address = value & 0x7F; /* from the end of this request on */
        done();
        break;
    case SET_CONFIGURATION:
        configured = (uint8_t)value;
        start_endpoints();
        done();
        break;
    case 1 << 8 | SET_INTERFACE:
    case 2 << 8 | CLEAR_FEATURE:
        pid_in = pid_out = 0;
        done();
        break;
    case TO_CLASS_INTERFACE << 8 | SET_LINE_CODING:
        coding_expected = true;
        hand_over(BUFFER_OUT(0), DATA1 | PACKET);
        break;
    case FROM_CLASS_INTERFACE << 8 | GET_LINE_CODING: answer(coding, sizeof coding, length); break;
    case TO_CLASS_INTERFACE << 8 | SET_LINE_STATE:
        line_state(value);
        done();
        break;
    case TO_CLASS_INTERFACE << 8 | SEND_BREAK: done(); break;
    default: refuse();
    }
}

static void replied(void)
{
    if (address) {
        REG(USB_ADDR_ENDP) = address;
        address = 0;
    } else if (reply_left || !reply_ends_short) {
        reply_on();
    } else if (asked_for_data) {
        hand_over(BUFFER_OUT(0), DATA1); /* the host's own "done" */
    }
}

/* Bytes ------------------------------------------------------------------------------------------------------------ */

static uint16_t waiting(uint16_t head, uint16_t tail, uint16_t size)
{
    return (uint16_t)((head - tail) & (size - 1));
}

static void listen(void)
{
    if (listening || !configured || waiting(rx_head, rx_tail, RX_SIZE) + PACKET >= RX_SIZE)
        return;
    listening = true;
    hand_over(BUFFER_OUT(2), pid_out | PACKET);
    pid_out ^= DATA1;
}

static void send(void)
{
    uint8_t packet[PACKET];
    uint32_t n = 0;
    if (sending || !configured || tx_head == tx_tail)
        return;
    for (; n < PACKET && tx_head != tx_tail; tx_tail = (uint16_t)((tx_tail + 1) & (TX_SIZE - 1)))
        packet[n++] = tx[tx_tail];
    sending = true;
    write_dpram(IN_DATA, packet, n);
    hand_over(BUFFER_IN(2), FULL | pid_in | n);
    pid_in ^= DATA1;
}

static void heard(void)
{
    uint8_t packet[PACKET];
    uint32_t n = REG(BUFFER_OUT(2)) & LENGTH;
    read_dpram(OUT_DATA, packet, n);
    for (uint32_t i = 0; i < n; i++, rx_head = (uint16_t)((rx_head + 1) & (RX_SIZE - 1)))
        rx[rx_head] = packet[i];
    listening = false;
    listen();
}

static void start_endpoints(void)
{
    REG(CONTROL_IN(1)) = ENDPOINT(INTERRUPT, NOTICE_DATA);
    REG(CONTROL_IN(2)) = ENDPOINT(BULK, IN_DATA);
    REG(CONTROL_OUT(2)) = ENDPOINT(BULK, OUT_DATA);
    pid_in = pid_out = 0;
    sending = listening = false;
    listen();
}

static void forget(void)
{
    REG(USB_ADDR_ENDP) = 0;
    address = configured = 0;
    open = sending = listening = false;
    tx_tail = tx_head;
}

void on_usb(void)
{
    uint32_t why = REG(USB_INTS);
    if (why & INT_BUS_RESET) {
        CLR(USB_SIE_STATUS) = SIE_BUS_RESET;
        forget();
    }
    if (why & INT_SETUP) {
        uint8_t setup[8];
        CLR(USB_SIE_STATUS) = SIE_SETUP;
        read_dpram(0, setup, sizeof setup);
        obey(setup);
    }
    if (why & INT_BUFFER) {
        uint32_t which = REG(USB_BUFF_STATUS);
        CLR(USB_BUFF_STATUS) = which;
        if (which & 1)
            replied();
        if (which & 2 && coding_expected) {
            coding_expected = false;
            read_dpram(EP0_DATA, coding, sizeof coding);
            done();
        }
        if (which & 1u << 4) {
            sending = false;
            send();
        }
        if (which & 1u << 5)
            heard();
    }
}

void usb_start(const uint8_t uid[8])
{
    for (int i = 0; i < 16; i++)
        serial[i] = "0123456789ABCDEF"[i % 2 ? uid[i / 2] & 15 : uid[i / 2] >> 4];
    for (uint32_t at = 0; at < 0x100; at += 4)
        REG(DPRAM + at) = 0;
    REG(USB_MUXING) = 1u | 1u << 3; /* to the pins */
    REG(USB_PWR) = 1u << 2 | 1u << 3; /* there is a host: who else would feed us */
    REG(USB_MAIN_CTRL) = 1;
    REG(USB_SIE_CTRL) = 1u << 29; /* an interrupt for each buffer of endpoint 0 */
    REG(USB_INTE) = INT_BUFFER | INT_BUS_RESET | INT_SETUP;
    SET(USB_SIE_CTRL) = 1u << 16; /* the pull-up: here we are */
    REG(NVIC_ISER) = 1u << IRQ_USB;
}

int16_t usb_rx(void)
{
    if (rx_tail == rx_head)
        return -1;
    uint8_t byte = rx[rx_tail];
    rx_tail = (uint16_t)((rx_tail + 1) & (RX_SIZE - 1));
    if (!listening) {
        uint32_t before = irq_off();
        listen();
        irq_back(before);
    }
    return byte;
}

bool usb_heard(void)
{
    return rx_tail != rx_head;
}

uint16_t usb_tx_free(void)
{
    return (uint16_t)(TX_SIZE - 1 - waiting(tx_head, tx_tail, TX_SIZE));
}

void usb_tx(uint8_t byte)
{
    if (!open)
        return;
    tx[tx_head] = byte;
    uint32_t before = irq_off();
    tx_head = (uint16_t)((tx_head + 1) & (TX_SIZE - 1));
    if (!sending && byte == 0) /* a frame's end; or when the packet before has gone */
        send();
    irq_back(before);
}

bool usb_asks_for_loader(void)
{
    return loader;
}
