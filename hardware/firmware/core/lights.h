/* The LED strip: what the host stored, patterns in time, and a current cap that no host can lift. */
#ifndef TAKHTE_LIGHTS_H
#define TAKHTE_LIGHTS_H

#include <stdbool.h>
#include <stdint.h>

#include "protocol.h"

struct lights {
    uint8_t stored[LEDS][LEDS_EACH_SIZE];
    uint8_t shown[LEDS][LEDS_EACH_SIZE];
    uint8_t grb[LEDS * 3]; /* as last sent down the strip */
    uint8_t phases;        /* which patterns were lit then */
    uint16_t ma;           /* what the strip draws, by our reckoning */
    bool lost;             /* the host is gone, and the strip says so */
};

/* Store colours; false when they do not fit the strip. */
bool lights_store(struct lights *l, uint8_t first, const uint8_t *each, uint8_t count);
/* What is stored shall be shown, and refresh the strip now. */
void lights_show(struct lights *l, uint32_t now);
/* Patterns move on: refresh when one that is in use turned. `lost`: no host. */
void lights_step(struct lights *l, bool lost, uint32_t now);

/* Is a pattern lit at this time? */
bool lights_lit(uint8_t pattern, uint32_t now);

#endif
