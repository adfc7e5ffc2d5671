/*
 * Two TM1637 four-digit displays, CLK and DIO of the first on bits 0 and 1 of DISPLAY_PORT, of the second on 2 and 3. Both are told at once, one edge of
 * their lines in each display_step, so that nobody waits for them.
 */
#ifndef TAKHTE_DISPLAY_H
#define TAKHTE_DISPLAY_H

#include <stdint.h>

/* What the displays shall show: four digits each. What is being said now is finished first. */
void display_show(const uint8_t *segments, uint8_t brightness);

/* The next edge, if the last is long enough ago. `now` is timer 0: 250 counts of 4 us, over and over. Call it as often as you like. */
void display_step(uint8_t now);

#endif
