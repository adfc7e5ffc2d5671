/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <simavr/avr_ioport.h>
#include <simavr/sim_io.h>
#include <simavr/sim_time.h>
#include <string.h>

#include "emulator.h"

#define ONE_FROM 10    /* cycles high: 625 ns parts 0 from 1 */
#define SHORTEST 3
#define LONGEST 20
#define LATCH_US 5     /* the strictest strips that people measured latch after so long a low */

struct strip strip = {.zero_min = ~0u, .one_min = ~0u};
static uint8_t shift[STRIP_LEDS * 3];
static unsigned bits;
static avr_cycle_count_t rose, fell;

static avr_cycle_count_t latch(avr_t *a, avr_cycle_count_t when, void *unused)
{
    (void)a;
    (void)when;
    (void)unused;
    if (bits % 24)
        strip.bad++;
    strip.leds = bits / 24;
    memcpy(strip.grb, shift, sizeof strip.grb);
    strip.frames++;
    bits = 0;
    return 0;
}

static void widen(unsigned *low, unsigned *high, unsigned value)
{
    if (value < *low)
        *low = value;
    if (value > *high)
        *high = value;
}

static void on_pin(struct avr_irq_t *irq, uint32_t value, void *unused)
{
    (void)irq;
    (void)unused;
    if (value) {
        if (bits && avr->cycle - fell > strip.longest_low)
            strip.longest_low = (unsigned)(avr->cycle - fell);
        rose = avr->cycle;
        avr_cycle_timer_cancel(avr, latch, NULL);
        return;
    }
    if (rose == 0) /* the pin became an output: no pulse */
        return;
    unsigned high = (unsigned)(avr->cycle - rose);
    bool one = high >= ONE_FROM;
    fell = avr->cycle;
    widen(one ? &strip.one_min : &strip.zero_min, one ? &strip.one_max : &strip.zero_max, high);
    if (high < SHORTEST || high > LONGEST)
        strip.bad++;
    if (bits < sizeof shift * 8) {
        uint8_t mask = (uint8_t)(0x80 >> (bits & 7));
        shift[bits >> 3] = (uint8_t)(one ? shift[bits >> 3] | mask : shift[bits >> 3] & ~mask);
        bits++;
    }
    avr_cycle_timer_register(avr, avr_usec_to_cycles(avr, LATCH_US), latch, NULL);
}

void strip_start(void)
{
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('B'), 6), on_pin, NULL);
}
