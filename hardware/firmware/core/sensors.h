/* Sensor values: smoothed, and which of them the host has not heard of yet. */
#ifndef TAKHTE_SENSORS_H
#define TAKHTE_SENSORS_H

#include <stdint.h>

#include "protocol.h"

#define MOST_MOVED 60 /* sensors in one DELTA */

struct sensors {
    uint16_t value[SENSORS]; /* 4092nds of the sensors' supply */
    uint16_t sent[SENSORS];  /* as the host knows them */
    uint16_t level[LINES];   /* the highest of each line while its multiplexer was off, since the last report */
    uint16_t scan;
    uint8_t started;
};

/* A scan is done: take every raw value. A jump is believed at once, small steps are smoothed over about four scans. */
void sensors_scan(struct sensors *s);

/* The records of a DELTA into `each`: sensors further than `threshold` from what was sent, MOST_MOVED at most. Returns how many. */
uint8_t sensors_moved(const struct sensors *s, uint8_t threshold, uint8_t *each);
/* That DELTA has gone: remember what the host knows now. */
void sensors_sent(struct sensors *s, const uint8_t *each, uint8_t count);

/* The record of a LEVELS into `each`, from then on anew. */
void sensors_levels(struct sensors *s, uint8_t *each);

/* Twelve-bit values of KEYFRAME_VALUES sensors from `first` on, two in three bytes. */
void sensors_pack(struct sensors *s, uint8_t first, uint8_t *packed);
void sensors_packed_sent(struct sensors *s, uint8_t first);

#endif
