/* fuzz SEED BYTES: noise, damaged frames and valid frames of random content into the whole of core/, under sanitizers. Ends with 0 or not at all well. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/bytes.h"
#include "core/crc32.h"
#include "port/host/host.h"

static uint64_t state;
static uint32_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}

static size_t frame(uint8_t *out)
{
    static const uint8_t types[] = {MSG_HELLO_ASK, MSG_STREAM, MSG_LEDS, MSG_LAMPS, MSG_PING, MSG_KEYFRAME_ASK, MSG_RESET, MSG_EDGES_SEEN, MSG_FACE, MSG_BUZZ};
    uint8_t body[220], n = 0, length = (uint8_t)(draw() % 4 ? draw() % 12 : draw() % 201);
    body[n++] = draw() % 8 ? types[draw() % sizeof types] : (uint8_t)draw();
    body[n++] = (uint8_t)draw();
    while (length--)
        body[n++] = (uint8_t)(draw() % 3 ? draw() : draw() % 3);
    uint32_t crc = CRC32_START;
    for (uint8_t i = 0; i < n; i++)
        crc = crc32_byte(crc, body[i]);
    put32(body + n, ~crc);
    n += 4;
    size_t used = 1, code = 0;
    for (uint8_t i = 0; i < n; i++) {
        if (body[i] == 0) {
            out[code] = (uint8_t)(used - code);
            code = used++;
        } else {
            out[used++] = body[i];
        }
    }
    out[code] = (uint8_t)(used - code);
    out[used++] = 0;
    return used;
}

int main(int argc, char **argv)
{
    state = argc > 1 ? strtoull(argv[1], NULL, 10) * 0x9E3779B97F4A7C15ULL + 1 : 1;
    unsigned long long wanted = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000000, fed = 0, answered = 0;
    host_start();
    while (fed < wanted) {
        uint8_t bytes[512];
        size_t n;
        switch (draw() % 4) {
        case 0: /* noise */
            n = draw() % sizeof bytes;
            for (size_t i = 0; i < n; i++)
                bytes[i] = (uint8_t)(draw() % 5 ? draw() : 0);
            break;
        case 1: /* a frame with bits flipped, cut or doubled */
            n = frame(bytes);
            for (uint32_t k = draw() % 4; k > 0; k--)
                bytes[draw() % n] ^= (uint8_t)(1 << draw() % 8);
            if (draw() % 3 == 0)
                n = draw() % n + 1;
            break;
        default:
            n = frame(bytes);
        }
        host.raw[draw() % SENSORS] = (uint16_t)(draw() % 1024);
        if (draw() % 8 == 0)
            host.buttons = (uint8_t)(draw() & 0x7F);
        host.tx_room = draw() % 16 ? 1023 : (uint16_t)(draw() % 40);
        host_give(bytes, n);
        fed += n;
        host_run(draw() % 5);
        if (draw() % 1000 == 0)
            host_run(4000);
        answered += host.tx_used;
        host.tx_used = 0;
    }
    printf("ok %llu bytes fed, %llu answered, strip refreshed %u times\n", fed, answered, host.shows);
    return 0;
}
