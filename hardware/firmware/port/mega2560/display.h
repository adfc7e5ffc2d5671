/* One TM1637 four-digit display; `clock` is the bit of its clock line on DISPLAY_PORT, data is the next bit. */
#ifndef TAKHTE_DISPLAY_H
#define TAKHTE_DISPLAY_H

#include <stdint.h>

void display_show(uint8_t clock, const uint8_t *segments, uint8_t brightness);

#endif
