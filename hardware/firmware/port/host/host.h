/* The chip as arrays: tests set what the world does and look at what the firmware did. */
#ifndef TAKHTE_HOST_H
#define TAKHTE_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/protocol.h"

struct host {
    uint32_t ms;
    uint16_t raw[SENSORS], level[LINES]; /* as the Mega's converter has them */
    bool scan_done;
    uint8_t buttons;
    const uint8_t *rx;
    size_t rx_left;
    uint8_t tx[65536];
    size_t tx_used;
    uint16_t tx_room; /* what hal_tx_free says at most */
    uint8_t lamps, grb[LEDS * 3], segments[DIGITS], brightness;
    unsigned shows, resets;
    uint16_t tone;
    uint32_t nonce;
};
extern struct host host;

/* Fresh hardware, firmware started. */
void host_start(void);
/* Let `ms` milliseconds pass, a scan every sixteen. */
void host_run(uint32_t ms);
/* Give the firmware these bytes and one step. */
void host_give(const uint8_t *bytes, size_t length);

#endif
