/*
 * Wire frames: COBS( type, number, payload, CRC-32 little-endian ), then one zero byte.
 * A body has at most MAX_BODY < 254 bytes, so COBS never needs a full block and adds exactly one byte.
 */
#ifndef TAKHTE_FRAME_H
#define TAKHTE_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "protocol.h"

#define FRAME_OVERHEAD 6
#define MAX_BODY (MAX_PAYLOAD + FRAME_OVERHEAD)

/* Bytes in, frames out. Zeroed memory is a fresh decoder. */
struct frame_decoder {
    uint8_t body[MAX_BODY];
    uint8_t length;
    uint8_t block; /* the code byte of the block being read, 0 before the first */
    uint8_t left;  /* bytes still to come in it */
    bool spoilt;   /* too long: skip to the next zero */
    bool begun;    /* bytes have come since the last zero */
    uint16_t good, bad;
};

/*
 * Take one byte. True when it ended a whole, undamaged frame: then body[0] is its type, body[1] its number, the payload begins at body + 2
 * and is frame_payload_length() long, until the next call.
 */
bool frame_take(struct frame_decoder *decoder, uint8_t byte);

static inline uint8_t frame_payload_length(const struct frame_decoder *decoder)
{
    return (uint8_t)(decoder->length - FRAME_OVERHEAD);
}

/*
 * Send a frame through hal_tx, whole or not at all: false when the buffer lacks room. `scratch` is the payload with two bytes free before it and
 * four after, as struct outgoing lays it out.
 */
struct outgoing {
    uint8_t type, number;
    uint8_t payload[MAX_PAYLOAD];
    uint8_t crc[4];
};
bool frame_send(struct outgoing *frame, uint8_t payload_length);

#endif
