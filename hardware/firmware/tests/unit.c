/* core/ on this machine, under address and undefined-behaviour sanitizers. Prints what fails and ends with 1; "ok N checks" else. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/bytes.h"
#include "core/crc32.h"
#include "core/edges.h"
#include "core/frame.h"
#include "core/lights.h"
#include "core/sensors.h"
#include "port/host/host.h"

static unsigned checks, failures;
#define CHECK(what)                                                       \
    do {                                                                  \
        checks++;                                                         \
        if (!(what)) {                                                    \
            failures++;                                                   \
            printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #what);   \
        }                                                                 \
    } while (0)

/* A host's side of the wire: frames out of payloads, and the firmware's answers taken apart. */
static uint8_t wire[4096];
static size_t wire_used;

static size_t encode(uint8_t type, uint8_t number, const void *payload, uint8_t length, uint8_t *out)
{
    uint8_t body[MAX_BODY], n = 0;
    body[n++] = type;
    body[n++] = number;
    memcpy(body + n, payload, length);
    n += length;
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

static void give(uint8_t type, uint8_t number, const void *payload, uint8_t length)
{
    wire_used = encode(type, number, payload, length, wire);
    host_give(wire, wire_used);
}

struct answer {
    uint8_t type, number, length, payload[MAX_PAYLOAD];
};
static size_t answers_read;
static struct frame_decoder ear;

static bool next_answer(struct answer *a)
{
    while (answers_read < host.tx_used) {
        if (frame_take(&ear, host.tx[answers_read++])) {
            a->type = ear.body[0];
            a->number = ear.body[1];
            a->length = frame_payload_length(&ear);
            memcpy(a->payload, ear.body + 2, a->length);
            return true;
        }
    }
    return false;
}

static bool answer_of(uint8_t type, struct answer *a)
{
    while (next_answer(a))
        if (a->type == type)
            return true;
    return false;
}

static void fresh(void)
{
    host_start();
    answers_read = 0;
    memset(&ear, 0, sizeof ear);
}

static void greet(void)
{
    struct answer a;
    uint8_t version = PROTOCOL_VERSION;
    fresh();
    give(MSG_HELLO_ASK, 9, &version, 1);
    CHECK(answer_of(MSG_HELLO, &a) && a.number == 9 && a.length == HELLO_SIZE);
    CHECK(memcmp(a.payload, MAGIC, 4) == 0);
    CHECK(get16(a.payload + HELLO_OLDEST_EDGE_AT) == 1);
}

static void sums_and_frames(void)
{
    uint32_t crc = CRC32_START;
    for (const char *p = "123456789"; *p; p++)
        crc = crc32_byte(crc, (uint8_t)*p);
    CHECK(~crc == 0xCBF43926UL);
    static const uint8_t ping[] = {0x0b, 0x05, 0x01, 0x78, 0x56, 0x34, 0x12, 0x6e, 0x41, 0x46, 0x52, 0x00}; /* tests/board pins the same */
    uint8_t out[64];
    CHECK(encode(MSG_PING, 1, "\x78\x56\x34\x12", 4, out) == sizeof ping && memcmp(out, ping, sizeof ping) == 0);
    static const uint8_t bad[][8] = {{1, 0}, {3, 1, 1, 0}, {0xFF, 1, 0}, {2, 2, 2, 2, 2, 2, 2, 0}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct frame_decoder d = {0};
        bool taken = false;
        for (size_t k = 0; k < sizeof bad[i]; k++)
            taken |= frame_take(&d, bad[i][k]);
        CHECK(!taken && d.bad >= 1);
    }
    struct frame_decoder d = {0};
    bool flooded = false;
    for (int i = 0; i < 100000; i++)
        flooded |= frame_take(&d, 0x55);
    CHECK(!flooded);
    for (size_t k = 0; k < sizeof ping; k++)
        frame_take(&d, ping[k]);
    CHECK(d.good == 0); /* the flood spoilt what ran on from it */
    bool taken = false;
    for (size_t k = 0; k < sizeof ping; k++)
        taken |= frame_take(&d, ping[k]);
    CHECK(taken && d.good == 1);
}

static void buttons(void)
{
    struct edges e;
    uint8_t p[EDGE_SIZE];
    edges_start(&e);
    /* bounces for 5 ms, then holds: one edge, stamped with the first contact */
    static const uint8_t held[] = {1, 0, 1, 0, 1, 1};
    for (uint32_t i = 0; i < 6; i++)
        CHECK(edges_sample(&e, held[i], 100 + i) == 0);
    for (uint32_t t = 106; t < 112; t++)
        CHECK(edges_sample(&e, 1, t) == 0);
    CHECK(edges_sample(&e, 1, 112) == 1);
    edges_payload(&e, 0, 7, p);
    CHECK(get32(p + EDGE_MS_AT) == 100 && get16(p + EDGE_NUMBER_AT) == 1 && p[EDGE_BUTTON_AT] == 0 && p[EDGE_DOWN_AT] == 1);
    /* a 3 ms glitch on another button is nothing */
    edges_sample(&e, 1 | 4, 200);
    edges_sample(&e, 1, 203);
    for (uint32_t t = 204; t < 240; t++)
        CHECK(edges_sample(&e, 1, t) == 0);
    /* all seven at once */
    edges_sample(&e, 0x7E, 300);
    CHECK(edges_sample(&e, 0x7E, 308) == 7 && e.count == 8);
    edges_seen(&e, 3);
    CHECK(e.count == 5 && e.oldest == 4);
    edges_seen(&e, 2); /* an old acknowledgement changes nothing */
    edges_seen(&e, 60000);
    CHECK(e.count == 5 && e.oldest == 4);
    edges_seen(&e, 8);
    CHECK(e.count == 0);
    /* numbers run through zero; a full queue counts what it loses */
    e.oldest = 65530;
    for (uint32_t i = 0; i < EDGE_QUEUE + 6; i++) {
        edges_sample(&e, (uint8_t)(i & 1), 1000 + 20 * i);
        edges_sample(&e, (uint8_t)(i & 1), 1010 + 20 * i);
    }
    CHECK(e.count == EDGE_QUEUE && e.lost >= 5);
    edges_seen(&e, (uint16_t)(65530 + 9));
    CHECK(e.count == EDGE_QUEUE - 10 && e.oldest == 4);
    edges_payload(&e, 0, 7, p);
    CHECK(get16(p + EDGE_NUMBER_AT) == 4);
}

static void sensors(void)
{
    static struct sensors s;
    uint8_t each[MOST_MOVED * DELTA_EACH_SIZE], packed[KEYFRAME_VALUES * 3 / 2];
    fresh();
    sensors_scan(&s);
    CHECK(s.value[0] == 2047 && s.value[127] == 2047);
    CHECK(sensors_moved(&s, 6, each) == MOST_MOVED); /* nothing was ever sent */
    for (uint8_t first = 0; first < SENSORS; first += KEYFRAME_VALUES)
        sensors_packed_sent(&s, first);
    CHECK(sensors_moved(&s, 0, each) == 0);
    host.raw[5] = 587; /* smoothed */
    sensors_scan(&s);
    CHECK(s.value[5] == 2049);
    for (int i = 0; i < 10; i++)
        sensors_scan(&s);
    CHECK(s.value[5] == 2054); /* and it arrives */
    host.raw[5] = 700; /* believed at once */
    sensors_scan(&s);
    CHECK(s.value[5] == 2450);
    CHECK(sensors_moved(&s, 6, each) == 1 && each[0] == 5 && get16(each + 1) == 2450);
    sensors_sent(&s, each, 1);
    CHECK(sensors_moved(&s, 6, each) == 0);
    host.raw[5] = 1023;
    sensors_scan(&s);
    sensors_pack(&s, 0, packed);
    CHECK((packed[6] | (packed[7] & 15) << 8) == 2047 && ((packed[7] >> 4) | packed[8] << 4) == 3580);
}

static uint32_t strip_sum(void)
{
    uint32_t total = 0;
    for (size_t i = 0; i < sizeof host.grb; i++)
        total += host.grb[i];
    return total;
}

static void lights(void)
{
    greet();
    uint8_t p[MAX_PAYLOAD] = {0, 1};
    struct answer a;
    /* full white everywhere: dimmed to the cap, whatever the host asks */
    for (uint8_t first = 0; first < LEDS; first += 28) {
        p[0] = first;
        p[1] = first == 28;
        for (int i = 0; i < 28; i++)
            memcpy(p + 2 + 4 * i, "\xff\xff\xff\0", 4);
        give(MSG_LEDS, (uint8_t)(20 + first), p, 2 + 4 * 28);
        CHECK(answer_of(MSG_ACK, &a) && a.payload[ACK_STATUS_AT] == STATUS_OK);
    }
    uint32_t ma = LEDS * LED_IDLE_MA + strip_sum() * LED_FULL_MA / 255;
    CHECK(ma <= LED_CAP_MA && ma > LED_CAP_MA - 60);
    /* one blinking green LED */
    memset(p, 0, sizeof p);
    p[1] = 0;
    for (uint8_t first = 0; first < LEDS; first += 28) {
        p[0] = first;
        give(MSG_LEDS, (uint8_t)(120 + first), p, 2 + 4 * 28);
    }
    memcpy(p, "\x07\x01\x0a\x64\x14\x01", 6);
    give(MSG_LEDS, 200, p, 6);
    CHECK(host.grb[21] == 100 && host.grb[22] == 10 && host.grb[23] == 20 && strip_sum() == 130);
    unsigned lit = 0;
    for (int i = 0; i < 1000; i++) {
        host_run(1);
        lit += host.grb[21] != 0;
    }
    CHECK(lit > 450 && lit < 550);
    /* beyond the strip, empty, torn: refused, nothing changes */
    static const struct {
        uint8_t bytes[7], length;
    } wrong[] = {{{56, 1, 1, 2, 3, 0}, 6}, {{55, 1, 1, 2, 3, 0, 9}, 7}, {{0, 1}, 2}, {{0}, 1}, {{255, 1, 1, 2, 3, 0}, 6}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        while (next_answer(&a)) {
        }
        give(MSG_LEDS, (uint8_t)(210 + i), wrong[i].bytes, wrong[i].length);
        CHECK(answer_of(MSG_ACK, &a) && a.payload[ACK_STATUS_AT] == STATUS_BAD_ARGUMENTS);
    }
    /* three seconds without a host: amber on the bar, dark elsewhere, both lamps; back at the first word */
    host_run(HOST_SILENT_MS + 1000);
    uint32_t bar = 0, rest = 0;
    for (int i = 0; i < 1000; i++) {
        host_run(1);
        for (int k = 0; k < LEDS * 3; k++)
            *(k / 3 >= LED_LOST && k / 3 < LED_LOST + LED_LOST_COUNT ? &bar : &rest) += host.grb[k];
    }
    CHECK(bar > 0 && rest == 0);
    give(MSG_PING, 1, "abcd", 4);
    host_run(1000);
    unsigned green = 0;
    for (int i = 0; i < 1000; i++) {
        host_run(1);
        green += host.grb[21] == 100;
    }
    CHECK(green > 450 && green < 550);
}

static void commands(void)
{
    struct answer a;
    greet();
    give(MSG_BUZZ, 5, "\x6e\x03\x0a\x00", 4); /* 878 Hz for 10 ms */
    CHECK(host.tone == 0x036e && answer_of(MSG_ACK, &a) && a.number == 5);
    host_run(20);
    CHECK(host.tone == 0);
    give(MSG_BUZZ, 5, "\x6e\x03\x0a\x00", 4); /* the same again: acknowledged, not done */
    CHECK(host.tone == 0 && answer_of(MSG_ACK, &a) && a.payload[ACK_STATUS_AT] == STATUS_OK);
    give(MSG_FACE, 6, "\x07" "abcdefgh", 9);
    CHECK(host.brightness == 7 && memcmp(host.segments, "abcdefgh", 8) == 0);
    give(MSG_LAMPS, 7, "\x03\x02", 2);
    unsigned south = 0, north = 0;
    for (int i = 0; i < 1000; i++) {
        host_run(1);
        south += host.lamps & 1;
        north += host.lamps >> 1;
    }
    CHECK(south == 1000 && north > 450 && north < 550);
    static const struct {
        uint8_t type, length, status;
    } wrong[] = {{MSG_STREAM, 3, STATUS_BAD_ARGUMENTS}, {MSG_FACE, 8, STATUS_BAD_ARGUMENTS}, {MSG_RESET, 4, STATUS_BAD_ARGUMENTS}, {0x55, 0, STATUS_UNKNOWN}, {MSG_HELLO, 0, STATUS_UNKNOWN}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        while (next_answer(&a)) {
        }
        give(wrong[i].type, (uint8_t)(30 + i), "\0\0\0\0\0\0\0\0", wrong[i].length);
        CHECK(answer_of(MSG_ACK, &a) && a.payload[ACK_STATUS_AT] == wrong[i].status);
    }
    CHECK(host.resets == 0);
    uint8_t word[4];
    put32(word, RESET_WORD);
    give(MSG_RESET, 40, word, 4);
    host_run(RESET_SIZE + 20);
    CHECK(host.resets == 1);
}

static void stream(void)
{
    struct answer a;
    unsigned keyframes = 0, statuses = 0, deltas = 0;
    greet();
    host_run(20);
    give(MSG_STREAM, 2, "\x03\x06\xe8\x03", 4);
    uint8_t expected = 0;
    for (int s = 0; s < 20; s++) {
        host_run(100);
        give(MSG_PING, 3, "abcd", 4);
        if (s == 10)
            host.raw[77] = 900;
        while (next_answer(&a)) {
            if (a.type == MSG_PONG || a.type == MSG_ACK || a.type == MSG_HELLO)
                continue;
            CHECK(a.number == expected);
            expected++;
            keyframes += a.type == MSG_KEYFRAME;
            statuses += a.type == MSG_STATUS;
            if (a.type == MSG_DELTA) {
                deltas++;
                CHECK(s > 10 ? a.payload[DELTA_SIZE] == 77 && get16(a.payload + DELTA_SIZE + 1) == 3150 : s == 0);
            }
        }
        host.tx_used = answers_read = 0;
    }
    CHECK(keyframes >= 7 && keyframes <= 9 && statuses >= 7 && statuses <= 9 && deltas >= 2 && deltas <= 5);
    /* no room on the line: dropped and counted, and what moved meanwhile is told later */
    host.tx_room = 0;
    host.raw[3] = 100;
    host_run(300);
    host.tx_room = 1023;
    host_run(300);
    bool told = false;
    while (next_answer(&a)) {
        if (a.type == MSG_DELTA)
            told |= a.payload[DELTA_SIZE] == 3 && get16(a.payload + DELTA_SIZE + 1) == 350;
        if (a.type == MSG_STATUS)
            CHECK(get16(a.payload + STATUS_TX_DROPPED_AT) > 0);
    }
    CHECK(told);
}

static void presses(void)
{
    struct answer a;
    uint8_t seen[EDGES_SEEN_SIZE];
    greet();
    host.buttons = 2;
    host_run(10);
    CHECK(answer_of(MSG_EDGE, &a) && a.payload[EDGE_BUTTON_AT] == 1 && a.payload[EDGE_DOWN_AT] == 1);
    unsigned repeats = 0;
    host_run(600);
    while (answer_of(MSG_EDGE, &a))
        repeats++;
    CHECK(repeats >= 14 && repeats <= 16);
    /* new presses faster than the repeat do not put it off */
    unsigned first = 0;
    for (int i = 0; i < 20; i++) {
        host.buttons ^= 8;
        host_run(30);
        while (answer_of(MSG_EDGE, &a))
            first += get16(a.payload + EDGE_NUMBER_AT) == 1;
    }
    CHECK(first >= 14);
    put32(seen, host.nonce + 1); /* meant for another boot */
    put16(seen + EDGES_SEEN_UPTO_AT, 1);
    give(MSG_EDGES_SEEN, 1, seen, sizeof seen);
    host_run(70);
    CHECK(answer_of(MSG_EDGE, &a));
    /* the window moves on as soon as the host has some */
    put32(seen, host.nonce);
    put16(seen + EDGES_SEEN_UPTO_AT, 5);
    while (next_answer(&a)) {
    }
    give(MSG_EDGES_SEEN, 1, seen, sizeof seen);
    unsigned last = 0;
    while (answer_of(MSG_EDGE, &a))
        last = get16(a.payload + EDGE_NUMBER_AT);
    CHECK(last == 5 + EDGE_WINDOW);
    put16(seen + EDGES_SEEN_UPTO_AT, 21);
    give(MSG_EDGES_SEEN, 1, seen, sizeof seen);
    while (next_answer(&a)) {
    }
    host_run(500);
    CHECK(!answer_of(MSG_EDGE, &a));
}

int main(void)
{
    sums_and_frames();
    buttons();
    sensors();
    lights();
    commands();
    stream();
    presses();
    if (failures == 0)
        printf("ok %u checks\n", checks);
    return failures != 0;
}
