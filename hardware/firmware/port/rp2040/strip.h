/* The LED strip: PIO 0 makes the bits, DMA channel 0 feeds it, and nobody waits for either. */
#ifndef TAKHTE_STRIP_H
#define TAKHTE_STRIP_H

#include <stdint.h>

void strip_start(void);
/* Send three bytes for each LED; first waits for what is still being sent (2 ms at most). */
void strip_show(const uint8_t *grb, uint8_t leds);

#endif
