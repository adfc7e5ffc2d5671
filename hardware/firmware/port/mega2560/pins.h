/*
 * Which pin does what on an ATmega2560 (Arduino Mega 2560 numbers in brackets). hardware/wiring.toml says the same to whoever solders; a test
 * holds the two together.
 */
#ifndef TAKHTE_PINS_H
#define TAKHTE_PINS_H

#include <avr/io.h>

#define SELECT_PORT PORTC /* S0..S3 of every multiplexer: PC0..PC3 [37..34], and EN, high = all off: PC4 [33] */
#define SELECT_DDR DDRC
#define SELECT_MASK 0x0F
#define OFF_BIT 4

#define STRIP_PORT PORTB /* data of the LED strip: PB6 [12] */
#define STRIP_DDR DDRB
#define STRIP_BIT 6

#define PRESS_PIN PINE /* the two presses: PE4 [2] south, PE5 [3] north; to ground when pressed */
#define PRESS_PORT PORTE
#define PRESS_SHIFT 4
#define PRESS_MASK 0x03

#define MORE_PIN PINA /* offer, take, drop, resign, director: PA0..PA4 [22..26]; to ground when pressed */
#define MORE_PORT PORTA
#define MORE_MASK 0x1F

#define LAMP_PORT PORTH /* lamps through transistors: PH3 [6] south, PH4 [7] north */
#define LAMP_DDR DDRH
#define LAMP_SHIFT 3

#define DISPLAY_PORT PORTL /* TM1637: PL0 [49] clock, PL1 [48] data south; PL2 [47] clock, PL3 [46] data north; 10 k pull-ups on the modules */
#define DISPLAY_DDR DDRL

static inline void display_pull(uint8_t lines)
{
    DISPLAY_DDR |= lines;
}

static inline void display_let_go(uint8_t lines)
{
    DISPLAY_DDR &= (uint8_t)~lines;
}

#define TONE_DDR DDRB /* piezo: PB5 = OC1A [11] */
#define TONE_BIT 5

#endif
