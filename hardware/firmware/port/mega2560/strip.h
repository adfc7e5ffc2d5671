/* WS2812 down one pin, by counted cycles. */
#ifndef TAKHTE_STRIP_H
#define TAKHTE_STRIP_H

#include <stdint.h>

void strip_show(const uint8_t *grb, uint8_t leds);

#endif
