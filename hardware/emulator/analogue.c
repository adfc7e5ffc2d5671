/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <simavr/avr_adc.h>
#include <simavr/avr_ioport.h>
#include <simavr/sim_io.h>

#include "emulator.h"

/* On-resistance of a CD74HC4067 times the capacity of its line: how fast a line follows the select pins. */
#define SETTLE_US 2.0

uint64_t analogue_conversions;
static double sensor_mv[SENSORS], stuck_mv[SENSORS], line_mv[LINES], noise_mv = 1.0;
static avr_cycle_count_t selected_at;
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

static void on_select(struct avr_irq_t *irq, uint32_t value, void *unused)
{
    (void)irq;
    (void)unused;
    if ((value & 15) != last_select) {
        last_select = value & 15;
        selected_at = avr->cycle;
    }
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
    unsigned sensor = line * 16 + (avr->data[PORTC_AT] & 15);
    double target = stuck_mv[sensor] >= 0 ? stuck_mv[sensor] : sensor_mv[sensor];
    double since_us = (double)(avr->cycle - selected_at) * 1e6 / avr->frequency;
    line_mv[line] = target + (line_mv[line] - target) * exp(-since_us / SETTLE_US);
    double mv = fmin(fmax(line_mv[line] + noise_mv * gauss(), 0), 4999);
    analogue_conversions++;
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
        line_mv[i] = 2500;
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

void analogue_noise(double millivolts)
{
    noise_mv = millivolts;
}
