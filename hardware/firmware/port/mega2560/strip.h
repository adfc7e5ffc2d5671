/* WS2812 down one pin, by counted cycles. */
#ifndef TAKHTE_STRIP_H
#define TAKHTE_STRIP_H

#include <stdint.h>

/* Send `leds` LEDs in one go, interrupts off; `meanwhile` is called after each byte and must return within 3 us. */
void strip_show(const uint8_t *grb, uint8_t leds, void (*meanwhile)(void));

#endif
