/*
 * Which GPIO does what on a Raspberry Pi Pico or any RP2040 board that brings out the same. hardware/wiring.toml says the same to whoever solders; a test
 * holds the two together. GPIO0 and 1 stay free: a serial console for whoever changes this.
 */
#ifndef TAKHTE_PINS_H
#define TAKHTE_PINS_H

#include "registers.h"

#define SELECT_FIRST 2 /* S0..S3 of every multiplexer: GPIO2..5 */
#define OFF_PIN 6      /* EN of every multiplexer, high = all off */
#define LINE_FIRST 7   /* A, B, C of the ninth, a CD74HC4051 that brings one of the eight lines to the converter: GPIO7..9 */
#define ADC_PIN 26     /* its common pin */
#define STRIP_PIN 10   /* data of the LED strip, through a 74AHCT1G125 */
#define TONE_PIN 11    /* piezo: slice 5, B */
#define PRESS_FIRST 12 /* the two presses: south, north; to ground when pressed */
#define LAMP_FIRST 14  /* lamps through transistors: south, north */
#define MORE_FIRST 16  /* offer, take, drop, resign, director: GPIO16..20; to ground when pressed */
#define CLK_SOUTH_PIN 21 /* TM1637, fed with 3.3 V */
#define DIO_SOUTH_PIN 22
#define CLK_NORTH_PIN 27
#define DIO_NORTH_PIN 28

/* Of the displays' lines: bit 0 CLK and 1 DIO of south, 2 and 3 of north. */
static inline uint32_t display_pins(uint8_t lines)
{
    return (lines & 1u) << CLK_SOUTH_PIN | (lines >> 1 & 1u) << DIO_SOUTH_PIN | (lines >> 2 & 1u) << CLK_NORTH_PIN | (lines >> 3 & 1u) << DIO_NORTH_PIN;
}

static inline void display_pull(uint8_t lines)
{
    REG(SIO_OE_SET) = display_pins(lines);
}

static inline void display_let_go(uint8_t lines)
{
    REG(SIO_OE_CLR) = display_pins(lines);
}

#endif
