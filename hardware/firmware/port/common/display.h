/*
 * Two TM1637 four-digit displays, for every chip whose pins.h has display_pull() and display_let_go(): bits 0 and 1 are CLK and DIO of the first, 2 and 3 of
 * the second. Both are told at once, one edge of their lines in each display_step, so that nobody waits for them.
 */
#ifndef TAKHTE_DISPLAY_H
#define TAKHTE_DISPLAY_H

#include <stdint.h>

/* What the displays shall show: four digits each. What is being said now is finished first. */
void display_show(const uint8_t *segments, uint8_t brightness);

/* The next edge, if the last is long enough ago. `now`: 250 counts of 4 us, over and over. Call it as often as you like. */
void display_step(uint8_t now);

#endif
