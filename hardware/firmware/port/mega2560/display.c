/*
 * TM1637: two wires, open drain (a pin is either pulled low or let go), data changes while the clock is low, low bit first, a ninth clock for the chip's
 * answer, which nobody needs here. Start: data falls while the clock is high; stop: data rises. Half a clock of 3 us is well inside its 500 kHz.
 */
#include "display.h"

#include <util/delay.h>

#include "pins.h"

static void line(uint8_t bit, uint8_t high)
{
    if (high)
        DISPLAY_DDR &= (uint8_t)~_BV(bit);
    else
        DISPLAY_DDR |= _BV(bit);
    _delay_us(3);
}

static void begin(uint8_t clock)
{
    line(clock + 1, 1);
    line(clock, 1);
    line(clock + 1, 0);
    line(clock, 0);
}

static void end(uint8_t clock)
{
    line(clock + 1, 0);
    line(clock, 1);
    line(clock + 1, 1);
}

static void send(uint8_t clock, uint8_t byte)
{
    for (uint8_t i = 0; i < 9; i++) {
        line(clock + 1, i == 8 ? 1 : byte & 1);
        byte >>= 1;
        line(clock, 1);
        line(clock, 0);
    }
}

void display_show(uint8_t clock, const uint8_t *segments, uint8_t brightness)
{
    begin(clock);
    send(clock, 0x40); /* write, address counts up */
    end(clock);
    begin(clock);
    send(clock, 0xC0); /* from the first digit */
    for (uint8_t i = 0; i < 4; i++)
        send(clock, segments[i]);
    end(clock);
    begin(clock);
    send(clock, brightness ? (uint8_t)(0x88 | (brightness - 1)) : 0x80);
    end(clock);
}
