/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * An emulated takhte board: the compiled firmware on libsimavr, and around it the circuits of hardware/. A test tool and a process of its own; it links
 * simavr, which is under the GPL, version 3 or later, and so is this folder.
 *
 * One thread. Emulated time moves only in emulate(); everything else happens between slices.
 */
#ifndef EMULATOR_H
#define EMULATOR_H

#include <simavr/sim_avr.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SENSORS 128
#define LINES 8
#define STRIP_LEDS 56
#define DISPLAYS 2
#define BUTTONS 7

/* The mega2560's data-space addresses that are looked at from outside. */
#define PORTC_AT 0x28
#define MCUSR_AT 0x54
#define UCSR0A_AT 0xC0
#define UBRR0L_AT 0xC4
#define UBRR0H_AT 0xC5
#define TCCR1A_AT 0x80
#define OCR1AL_AT 0x88
#define ADMUX_AT 0x7C
#define ADCSRA_AT 0x7A

/* chip.c */
extern avr_t *avr;
void emulate(uint64_t cycles);
void chip_stop(void); /* from a signal: emulate() and the loops around it end */
bool chip_stopped(void);

/* analogue.c: multiplexers, settling lines, sensors, noise */
void analogue_start(uint32_t seed);
void analogue_set(unsigned sensor, double millivolts);
void analogue_stick(unsigned sensor, double millivolts); /* a dead sensor; negative mends it */
void analogue_noise(double millivolts);
void analogue_open(unsigned sensor, bool open); /* a joint without solder: the line feels nothing but its own charge and the pull-down */
void analogue_hold(unsigned line, double millivolts); /* a SIG line hangs on a voltage of its own; negative mends it */
void analogue_never_off(bool never); /* the wire to EN is off: the breakouts' own pull-downs leave every multiplexer on */
void analogue_pull_down(double ohms); /* of each line; 0 takes it away */
void analogue_rail(double millivolts); /* the sensors' supply: their outputs and AREF follow it, AVCC does not */
void analogue_avcc(double millivolts); /* the chip's, from the USB */
void analogue_ripple(double millivolts, double hertz); /* of the strip on the sensors' supply, from top to bottom; 0: none */
void analogue_stall(void); /* the converter's interrupt is switched off, as by a stray write: no scan ends any more */
extern uint64_t analogue_joined; /* conversions with AVCC selected: the two supplies joined at the AREF pin */
extern uint64_t analogue_conversions;

/* strip.c: WS2812 read back from the pin, as a strip of the strictest kind would */
struct strip {
    uint8_t grb[STRIP_LEDS * 3];
    unsigned leds;
    uint64_t frames, bad;
    unsigned zero_min, zero_max, one_min, one_max, longest_low; /* cycles */
};
extern struct strip strip;
void strip_start(void);

/* panel.c: buttons, lamps, TM1637 displays, tone */
struct display {
    uint8_t digits[6], brightness;
    bool on;
    uint64_t frames, bad;
};
extern struct display displays[DISPLAYS];
extern uint8_t lamps;
void panel_start(void);
void panel_restart(void); /* the pins still feel their buttons after a reset */
void panel_button(unsigned button, bool down);
unsigned panel_tone(void); /* Hz, 0 when silent */

/* serial.c: USART0 with the chip's real depth, the cable and its faults, the pty */
struct serial_counts {
    uint64_t to_board, to_host, overruns, lost, flipped;
};
extern struct serial_counts serial_counts;
void serial_start(uint32_t seed);
void serial_reset(void); /* the chip restarted */
void serial_give(const uint8_t *bytes, size_t count); /* from the host, at line rate */
size_t serial_take(uint8_t *bytes, size_t room); /* what has come for the host */
void serial_faults(double bit_error_rate);
void serial_drop(unsigned count); /* the next bytes towards the board vanish */
void serial_plug(const char *link, void (*on_open)(void)); /* on_open: when a program opens the port, NULL for nothing */
void serial_unplug(void);
void serial_serve(void); /* move bytes between pty and cable */

/* reset.c */
void restart(void); /* the reset line: chip, panel and serial line together */

/* control.c: lines of commands on stdin */
void control_start(const char *link, bool reset_on_open); /* the pty that "plug" makes; NULL without one */
enum mode { LOCK_STEP, REAL_TIME };
/* Obey what has come, waiting for it when `wait`. False at the end of input. */
bool control_serve(bool wait);

#endif
