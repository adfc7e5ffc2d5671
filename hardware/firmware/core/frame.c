#include "frame.h"

#include "crc32.h"
#include "hal/hal.h"

static uint32_t sum(const uint8_t *bytes, uint8_t length)
{
    uint32_t crc = CRC32_START;
    for (uint8_t i = 0; i < length; i++)
        crc = crc32_byte(crc, bytes[i]);
    return ~crc;
}

static void start_over(struct frame_decoder *d)
{
    d->block = d->left = 0;
    d->spoilt = d->begun = false;
}

static bool finish(struct frame_decoder *d)
{
    bool whole = !d->spoilt && d->left == 0 && d->length >= FRAME_OVERHEAD;
    if (whole) {
        uint8_t n = (uint8_t)(d->length - 4);
        uint32_t crc = sum(d->body, n);
        for (uint8_t i = 0; i < 4; i++)
            whole &= d->body[n + i] == (uint8_t)(crc >> (8 * i));
    }
    if (whole)
        d->good++;
    else if (d->begun)
        d->bad++;
    start_over(d);
    return whole;
}

static void keep(struct frame_decoder *d, uint8_t byte)
{
    if (d->length < MAX_BODY)
        d->body[d->length++] = byte;
    else
        d->spoilt = true;
}

bool frame_take(struct frame_decoder *d, uint8_t byte)
{
    if (byte == 0)
        return finish(d);
    if (!d->begun) {
        d->begun = true;
        d->length = 0;
    }
    if (d->spoilt)
        return false;
    if (d->left == 0) {
        if (d->block != 0 && d->block != 0xFF)
            keep(d, 0);
        d->block = byte;
        d->left = (uint8_t)(byte - 1);
        return false;
    }
    d->left--;
    keep(d, byte);
    return false;
}

bool frame_send(struct outgoing *frame, uint8_t payload_length)
{
    uint8_t *body = &frame->type;
    uint8_t n = (uint8_t)(payload_length + 2);
    uint32_t crc = sum(body, n);
    if (hal_tx_free() < (uint16_t)(n + 4 + 2))
        return false;
    for (uint8_t i = 0; i < 4; i++)
        body[n++] = (uint8_t)(crc >> (8 * i));
    for (uint8_t i = 0;;) {
        uint8_t end = i;
        while (end < n && body[end] != 0)
            end++;
        hal_tx((uint8_t)(end - i + 1));
        while (i < end)
            hal_tx(body[i++]);
        if (end == n)
            break;
        i = (uint8_t)(end + 1);
    }
    hal_tx(0);
    return true;
}
