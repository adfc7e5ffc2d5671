/*
 * TM1637: two wires, open drain (a pin is either pulled low or let go), data changes while the clock is low, low bit first, a ninth clock for the chip's
 * answer, which nobody needs here. Start: data falls while the clock is high; stop: data rises.
 *
 * Common modules have 10 nF at both lines, which 10 k pull up: 120 us until a line that was let go is high. So each edge is given 200 us: 42 ms for both
 * displays, said side by side. Half a clock of 3 us, which the chip itself allows, shows nothing on such a module.
 */
#include "display.h"

#include <stdbool.h>
#include <string.h>

#include "pins.h"

#define TURN 250   /* counts in a millisecond */
#define EDGE 50    /* counts from edge to edge: 200 us */
#define CLOCKS 0x05 /* bits of CLK; DIO is the next */
#define DATA 0x0A
#define DIGITS_EACH 4
#define PARTS 3 /* three commands: how to write, the digits, how bright */

/* Steps of one command of n bytes: four to begin, 27 a byte (data, clock up, clock down; nine times), three to end. */
#define BEGIN 4
#define BYTE 27
#define END 3

static uint8_t wanted[2 * DIGITS_EACH + 1], said[2 * DIGITS_EACH + 1]; /* segments, then brightness */
static bool fresh, busy;
static uint8_t part, step, at;

static uint8_t bytes_of(uint8_t command)
{
    return command == 1 ? 1 + DIGITS_EACH : 1;
}

static uint8_t byte_for(uint8_t display, uint8_t n)
{
    uint8_t brightness = said[2 * DIGITS_EACH];
    if (part == 0)
        return 0x40; /* write, address counts up */
    if (part == 1)
        return n == 0 ? 0xC0 : said[DIGITS_EACH * display + n - 1]; /* from the first digit */
    return brightness ? (uint8_t)(0x88 | (brightness - 1)) : 0x80;
}

static void data_bit(uint8_t n, uint8_t bit)
{
    uint8_t high = 0;
    for (uint8_t display = 0; display < 2; display++)
        if (bit == 8 || byte_for(display, n) >> bit & 1)
            high |= (uint8_t)(2 << 2 * display);
    display_pull(DATA & (uint8_t)~high);
    display_let_go(high);
}

/* One edge. The lines rest high between commands. */
static void edge(void)
{
    uint8_t body = step - BEGIN, last = (uint8_t)(BYTE * bytes_of(part));
    if (step < BEGIN) {
        switch (step) {
        case 0: display_let_go(DATA); break;
        case 1: display_let_go(CLOCKS); break;
        case 2: display_pull(DATA); break;
        default: display_pull(CLOCKS);
        }
    } else if (body < last) {
        uint8_t phase = body % 3;
        if (phase == 0)
            data_bit(body / BYTE, body % BYTE / 3);
        else if (phase == 1)
            display_let_go(CLOCKS);
        else
            display_pull(CLOCKS);
    } else {
        switch (body - last) {
        case 0: display_pull(DATA); break;
        case 1: display_let_go(CLOCKS); break;
        default: display_let_go(DATA);
        }
    }
    if (++step == BEGIN + last + END) {
        step = 0;
        busy = ++part < PARTS;
    }
}

void display_show(const uint8_t *segments, uint8_t brightness)
{
    memcpy(wanted, segments, 2 * DIGITS_EACH);
    wanted[2 * DIGITS_EACH] = brightness;
    fresh = true;
}

void display_step(uint8_t now)
{
    uint8_t since = now >= at ? (uint8_t)(now - at) : (uint8_t)(now + TURN - at);
    if (since < EDGE)
        return;
    if (!busy) {
        if (!fresh)
            return;
        memcpy(said, wanted, sizeof said);
        fresh = false;
        busy = true;
        part = 0;
    }
    at = now;
    edge();
}
