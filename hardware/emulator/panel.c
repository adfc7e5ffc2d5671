/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <simavr/avr_ioport.h>
#include <simavr/sim_io.h>
#include <simavr/sim_time.h>
#include <string.h>

#include "emulator.h"

uint8_t lamps;
struct display displays[DISPLAYS];

/* The common modules' 10 nF at each line, pulled up by 10 k: so long until a line that was let go is high for the chip (0.7 of its supply). */
#define RISE_US 120

/* A TM1637 as its two wires see it: open drain, so a pin that is an output is low at once and an input is pulled high slowly. */
static struct wires {
    bool clock, data, talking;
    uint8_t let_go; /* lines on their way up: 1 clock, 2 data */
    uint8_t bits, byte, bytes[16];
    unsigned count;
} wires[DISPLAYS];

static void obey(struct display *d, const struct wires *w)
{
    if (w->count == 0)
        return;
    uint8_t command = w->bytes[0];
    d->frames++;
    if ((command & 0xC0) == 0xC0) {
        for (unsigned i = 1; i < w->count && (command & 7) + i - 1 < sizeof d->digits; i++)
            d->digits[(command & 7) + i - 1] = w->bytes[i];
    } else if ((command & 0xC0) == 0x80) {
        d->on = command & 8;
        d->brightness = command & 7;
    } else if (command != 0x40) {
        d->bad++;
    }
}

static void wire(struct display *d, struct wires *w, bool clock, bool data)
{
    if (w->clock && clock && w->data && !data) {
        w->talking = true;
        w->bits = w->byte = 0;
        w->count = 0;
    } else if (w->clock && clock && !w->data && data && w->talking) {
        w->talking = false;
        obey(d, w);
    } else if (w->talking && !w->clock && clock) {
        if (w->bits < 8)
            w->byte |= (uint8_t)(data << w->bits);
        else if (w->count < sizeof w->bytes)
            w->bytes[w->count++] = w->byte;
        if (++w->bits == 9)
            w->bits = w->byte = 0;
    }
    w->clock = clock;
    w->data = data;
}

static unsigned rising[2 * DISPLAYS];

static void level(unsigned line, bool high)
{
    struct wires *w = &wires[line / 2];
    wire(&displays[line / 2], w, line % 2 ? w->clock : high, line % 2 ? high : w->data);
}

static avr_cycle_count_t rose(avr_t *a, avr_cycle_count_t when, void *line)
{
    (void)a;
    (void)when;
    unsigned number = *(unsigned *)line;
    wires[number / 2].let_go &= (uint8_t)~(1 << number % 2);
    level(number, true);
    return 0;
}

static void on_display(struct avr_irq_t *irq, uint32_t value, void *unused)
{
    (void)irq;
    (void)unused;
    for (unsigned line = 0; line < 2 * DISPLAYS; line++) {
        struct wires *w = &wires[line / 2];
        uint8_t bit = (uint8_t)(1 << line % 2);
        bool high = line % 2 ? w->data : w->clock, low = value >> line & 1;
        if (low) {
            w->let_go &= (uint8_t)~bit;
            avr_cycle_timer_cancel(avr, rose, &rising[line]);
            if (high)
                level(line, false);
        } else if (!high && !(w->let_go & bit)) {
            w->let_go |= bit;
            rising[line] = line;
            avr_cycle_timer_register(avr, avr_usec_to_cycles(avr, RISE_US), rose, &rising[line]);
        }
    }
}

static void on_lamps(struct avr_irq_t *irq, uint32_t value, void *unused)
{
    (void)irq;
    (void)unused;
    lamps = value >> 3 & 3;
}

static uint8_t held;

static void drive(unsigned button, bool down)
{
    avr_irq_t *pin = button < 2 ? avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('E'), 4 + button)
                                : avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('A'), button - 2);
    avr_raise_irq(pin, !down);
}

void panel_button(unsigned button, bool down)
{
    if (button >= BUTTONS)
        return;
    held = (uint8_t)(down ? held | 1 << button : held & ~(1 << button));
    drive(button, down);
}

void panel_restart(void)
{
    for (unsigned i = 0; i < BUTTONS; i++) {
        bool down = held >> i & 1;
        drive(i, !down); /* simavr passes on changes only, and the reset cleared the pin but not its memory of it */
        drive(i, down);
    }
}

unsigned panel_tone(void)
{
    unsigned top = avr->data[OCR1AL_AT] | avr->data[OCR1AL_AT + 1] << 8;
    return avr->data[TCCR1A_AT] & 0x40 ? (unsigned)(avr->frequency / 16 / (top + 1)) : 0;
}

void panel_start(void)
{
    for (unsigned i = 0; i < DISPLAYS; i++)
        wires[i].clock = wires[i].data = true;
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('L'), IOPORT_IRQ_DIRECTION_ALL), on_display, NULL);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('H'), IOPORT_IRQ_REG_PORT), on_lamps, NULL);
    panel_restart();
}
