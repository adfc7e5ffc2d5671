/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <simavr/avr_adc.h>
#include <simavr/avr_ioport.h>
#include <simavr/sim_io.h>

#include "emulator.h"

/* The line of wiring.md: 1 nF at SIG and a tenth of that in wires. A sensor behind the multiplexer and the 1 k to the Mega drives it; an open one leaves
 * it to the pull-down. */
#define OFF 16 /* PC4: EN of every multiplexer */
#define LINE_NF 1.1
#define DRIVE_OHMS 1070.0
#define PULL_DOWN_OHMS 10000.0
/* 1 k from the rail to AREF, 9.1 k to ground beside the chip's own 32 k. */
#define AREF_PART 0.8763
#define NOMINAL_RAIL_MV 5000.0
/* What is left on the sensors' 5 V of a strip that blinks all at once: a square wave, slowed by the branches' chokes and capacitors; AREF follows it by 1 k
 * and the Mega's own 100 nF (hardware/spice/supply.cir). */
#define RIPPLE_US 205.0
#define AREF_US 87.6

uint64_t analogue_conversions, analogue_joined;
static double sensor_mv[SENSORS], stuck_mv[SENSORS], line_mv[LINES], noise_mv = 1.0, pull_down = PULL_DOWN_OHMS, rail_mv;
static double ripple_mv, ripple_hz; /* from top to bottom */
static bool open_joint[SENSORS], never_off;
static double held_mv[LINES]; /* a line that hangs on a voltage of its own; negative: none does */
static avr_cycle_count_t line_at[LINES];
static uint32_t last_select;
static uint32_t random_state;

static double uniform(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state / 4294967296.0;
}

static double gauss(void)
{
    double sum = 0;
    for (int i = 0; i < 12; i++)
        sum += uniform();
    return sum - 6;
}

/* How far the sensors' supply (rail) and the reference as the rail that it stands for (follows) are off their means now. */
static void ripple(double *rail, double *follows)
{
    *rail = *follows = 0;
    if (ripple_mv <= 0)
        return;
    double half = 5e5 / ripple_hz, t = (double)avr->cycle * 1e6 / avr->frequency;
    double turns = floor(t / half), sign = fmod(turns, 2) ? -1 : 1;
    t -= turns * half;
    double end = exp(-half / RIPPLE_US), first = 2 / (1 + end), share = RIPPLE_US / (RIPPLE_US - AREF_US);
    double slow = exp(-t / RIPPLE_US), lag = exp(-t / AREF_US), size = sign * ripple_mv / 2 * (1 + end) / (1 - end);
    *rail = size * (1 - first * slow);
    *follows = size * (1 - first * share * slow + 2 * (share - 1) / (1 + exp(-half / AREF_US)) * lag);
}

/* Let a line move towards what its selected channel drives, for the time since it was last looked at. */
static void settle(unsigned line, unsigned channel)
{
    unsigned sensor = line * 16 + (channel & 15);
    double us = (double)(avr->cycle - line_at[line]) * 1e6 / avr->frequency;
    double rail, follows, ohms = DRIVE_OHMS;
    ripple(&rail, &follows);
    double target = stuck_mv[sensor] >= 0 ? stuck_mv[sensor] : sensor_mv[sensor] * (rail_mv + rail) / NOMINAL_RAIL_MV;
    line_at[line] = avr->cycle;
    if (held_mv[line] >= 0) {
        line_mv[line] = held_mv[line];
        return;
    }
    if (open_joint[sensor] || ((channel & OFF) && !never_off)) {
        if (pull_down <= 0)
            return; /* nothing moves the charge */
        target = 0;
        ohms = pull_down;
    }
    line_mv[line] = target + (line_mv[line] - target) * exp(-us / (ohms * LINE_NF * 1e-3));
}

static void on_select(struct avr_irq_t *irq, uint32_t value, void *unused)
{
    (void)irq;
    (void)unused;
    if ((value & (OFF | 15)) == last_select)
        return;
    for (unsigned line = 0; line < LINES; line++) /* what each line reached by now */
        settle(line, last_select);
    last_select = value & (OFF | 15);
}

static void on_conversion(struct avr_irq_t *irq, uint32_t value, void *unused)
{
    (void)irq;
    (void)unused;
    union {
        avr_adc_mux_t mux;
        uint32_t word;
    } asked = {.word = value};
    unsigned line = asked.mux.src;
    if (asked.mux.kind != ADC_MUX_SINGLE || line >= LINES)
        return;
    settle(line, avr->data[PORTC_AT] & (OFF | 15));
    double rail, follows;
    ripple(&rail, &follows);
    double seen = line_mv[line] * rail_mv / (rail_mv + follows); /* against a reference that is not where the chip has it */
    double mv = fmin(fmax(seen + noise_mv * gauss(), 0), avr->aref - 1);
    analogue_conversions++;
    analogue_joined += avr->data[ADMUX_AT] >> 6 != 0;
    avr_raise_irq(avr_io_getirq(avr, AVR_IOCTL_ADC_GETIRQ, ADC_IRQ_ADC0 + line), (uint32_t)(mv + 0.5));
}

void analogue_start(uint32_t seed)
{
    random_state = seed * 2654435761u + 1;
    for (int i = 0; i < SENSORS; i++) {
        sensor_mv[i] = 2500;
        stuck_mv[i] = -1;
    }
    for (int i = 0; i < LINES; i++)
        line_mv[i] = 2500, held_mv[i] = -1;
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_ADC_GETIRQ, ADC_IRQ_OUT_TRIGGER), on_conversion, NULL);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('C'), IOPORT_IRQ_REG_PORT), on_select, NULL);
}

void analogue_set(unsigned sensor, double millivolts)
{
    if (sensor < SENSORS)
        sensor_mv[sensor] = millivolts;
}

void analogue_stick(unsigned sensor, double millivolts)
{
    if (sensor < SENSORS)
        stuck_mv[sensor] = millivolts;
}

void analogue_open(unsigned sensor, bool open)
{
    if (sensor < SENSORS)
        open_joint[sensor] = open;
}

void analogue_hold(unsigned line, double millivolts)
{
    if (line < LINES)
        held_mv[line] = millivolts;
}

void analogue_never_off(bool never)
{
    never_off = never;
}

void analogue_pull_down(double ohms)
{
    pull_down = ohms;
}

void analogue_rail(double millivolts)
{
    rail_mv = millivolts;
    avr->aref = (uint32_t)(millivolts * AREF_PART + 0.5);
}

void analogue_avcc(double millivolts)
{
    avr->vcc = avr->avcc = (uint32_t)millivolts;
}

void analogue_ripple(double millivolts, double hertz)
{
    ripple_mv = hertz > 0 ? millivolts : 0;
    ripple_hz = hertz;
}

void analogue_stall(void)
{
    avr->data[ADCSRA_AT] &= (uint8_t)~8;
    avr_core_watch_write(avr, ADCSRA_AT, avr->data[ADCSRA_AT]);
}

void analogue_noise(double millivolts)
{
    noise_mv = millivolts;
}
