#include "board.h"

#include <string.h>

#include "bytes.h"
#include "edges.h"
#include "frame.h"
#include "hal/hal.h"
#include "lights.h"
#include "sensors.h"

#define NOT_A_NUMBER 0x100
#define PARTS (SENSORS / KEYFRAME_VALUES)
#define RESET_AFTER_MS 20 /* the ACK leaves first */

static struct {
    struct frame_decoder in;
    struct outgoing out;
    struct sensors sensors;
    struct edges edges;
    struct lights lights;
    uint8_t number;        /* of the next frame sent unasked */
    uint16_t last_command; /* number of the command last carried out, or NOT_A_NUMBER */
    uint8_t flags, threshold;
    uint16_t part_every;
    uint8_t part;
    uint32_t part_at, status_at, edges_at, heard_at, sampled_at, tone_until, reset_at;
    uint16_t dropped;
    uint8_t lit, blink, lamps;
    uint8_t edges_said; /* how many of the waiting edges have been said at least once */
    bool heard, sounding, resetting;
} b;

/* Sending ------------------------------------------------------------------------------------------------------- */

static bool put(uint8_t type, uint8_t number, uint8_t length)
{
    b.out.type = type;
    b.out.number = number;
    bool sent = frame_send(&b.out, length);
    if (!sent)
        b.dropped++;
    return sent;
}

/* Unasked frames are counted, so that the host notices one that went missing. */
static bool say(uint8_t type, uint8_t length)
{
    bool sent = put(type, b.number, length);
    b.number = (uint8_t)(b.number + sent);
    return sent;
}

static void ack(uint8_t number, uint8_t command, uint8_t status)
{
    b.out.payload[ACK_COMMAND_AT] = command;
    b.out.payload[ACK_STATUS_AT] = status;
    put(MSG_ACK, number, ACK_SIZE);
}

static void say_hello(uint8_t number)
{
    uint8_t *p = b.out.payload;
    memcpy(p + HELLO_MAGIC_AT, MAGIC, 4);
    p[HELLO_PROTOCOL_AT] = PROTOCOL_VERSION;
    put16(p + HELLO_FIRMWARE_AT, FIRMWARE_VERSION);
    put32(p + HELLO_BUILD_AT, BUILD);
    hal_uid(p + HELLO_UID_AT);
    put32(p + HELLO_NONCE_AT, hal_nonce());
    put32(p + HELLO_MS_AT, hal_ms());
    put16(p + HELLO_SENSORS_AT, SENSORS);
    p[HELLO_LEDS_AT] = LEDS;
    p[HELLO_BUTTONS_AT] = BUTTONS;
    p[HELLO_FEATURES_AT] = FEATURE_DISPLAYS | FEATURE_LAMPS | FEATURE_BUZZER | FEATURE_LEVELS;
    p[HELLO_CAUSE_AT] = hal_reset_cause();
    put32(p + HELLO_CPU_HZ_AT, hal_cpu_hz());
    p[HELLO_MAX_PAYLOAD_AT] = MAX_PAYLOAD;
    put16(p + HELLO_LED_CAP_MA_AT, LED_CAP_MA);
    put16(p + HELLO_OLDEST_EDGE_AT, b.edges.oldest);
    put(MSG_HELLO, number, HELLO_SIZE);
}

static void say_part(uint8_t part)
{
    uint8_t *p = b.out.payload, first = (uint8_t)(part * KEYFRAME_VALUES);
    put16(p + KEYFRAME_SCAN_AT, b.sensors.scan);
    put32(p + KEYFRAME_MS_AT, hal_ms());
    p[KEYFRAME_FIRST_AT] = first;
    sensors_pack(&b.sensors, first, p + KEYFRAME_PACKED_AT);
    if (say(MSG_KEYFRAME, KEYFRAME_SIZE))
        sensors_packed_sent(&b.sensors, first);
}

static void say_moved(void)
{
    uint8_t *p = b.out.payload;
    uint8_t count = sensors_moved(&b.sensors, b.threshold, p + DELTA_SIZE);
    if (count == 0)
        return;
    put16(p + DELTA_SCAN_AT, b.sensors.scan);
    put32(p + DELTA_MS_AT, hal_ms());
    if (say(MSG_DELTA, (uint8_t)(DELTA_SIZE + count * DELTA_EACH_SIZE)))
        sensors_sent(&b.sensors, p + DELTA_SIZE, count);
}

/* Say the waiting edges of the window from the n-th on. */
static void say_edges(uint8_t n)
{
    for (; n < b.edges.count && n < EDGE_WINDOW; n++) {
        edges_payload(&b.edges, n, hal_nonce(), b.out.payload);
        say(MSG_EDGE, EDGE_SIZE);
    }
    if (b.edges_said < n)
        b.edges_said = n;
}

/* The host has some: the window moves on at once, so that a bad wire holds up no more than what it damaged. */
static void edges_arrived(uint16_t upto)
{
    uint8_t before = b.edges.count;
    edges_seen(&b.edges, upto);
    uint8_t gone = (uint8_t)(before - b.edges.count);
    b.edges_said = b.edges_said > gone ? (uint8_t)(b.edges_said - gone) : 0;
    say_edges(b.edges_said);
}

static void say_status(void)
{
    uint8_t *p = b.out.payload;
    put32(p + STATUS_MS_AT, hal_ms());
    put32(p + STATUS_NONCE_AT, hal_nonce());
    put16(p + STATUS_SCANS_AT, b.sensors.scan);
    put16(p + STATUS_RX_OK_AT, b.in.good);
    put16(p + STATUS_RX_BAD_AT, b.in.bad);
    put16(p + STATUS_RX_OVERRUN_AT, hal_rx_overruns());
    put16(p + STATUS_TX_DROPPED_AT, b.dropped);
    put16(p + STATUS_EDGES_LOST_AT, b.edges.lost);
    p[STATUS_EDGES_WAITING_AT] = b.edges.count;
    p[STATUS_DOWN_AT] = b.edges.stable;
    put16(p + STATUS_LED_MA_AT, b.lights.ma);
    say(MSG_STATUS, STATUS_SIZE);
}

static void say_levels(void)
{
    put16(b.out.payload + LEVELS_SCANS_AT, b.sensors.scan);
    sensors_levels(&b.sensors, b.out.payload + LEVELS_SIZE);
    say(MSG_LEVELS, LEVELS_SIZE + LINES * LEVELS_EACH_SIZE);
}

/* Obeying ------------------------------------------------------------------------------------------------------- */

static bool leds(const uint8_t *p, uint8_t length, uint32_t now)
{
    if (length < LEDS_SIZE || (length - LEDS_SIZE) % LEDS_EACH_SIZE != 0)
        return false;
    if (!lights_store(&b.lights, p[LEDS_FIRST_AT], p + LEDS_SIZE, (uint8_t)((length - LEDS_SIZE) / LEDS_EACH_SIZE)))
        return false;
    if (p[LEDS_SHOW_AT])
        lights_show(&b.lights, now);
    return true;
}

static void buzz(uint16_t hz, uint16_t ms, uint32_t now)
{
    hal_tone(hz);
    b.sounding = hz != 0;
    b.tone_until = now + ms;
}

/* Carry out a command that is answered by ACK. The status to answer with. */
static uint8_t carry_out(uint8_t type, const uint8_t *p, uint8_t length, uint32_t now)
{
    static const struct {
        uint8_t type, size;
    } sizes[] = {{MSG_STREAM, STREAM_SIZE}, {MSG_LAMPS, LAMPS_SIZE}, {MSG_KEYFRAME_ASK, KEYFRAME_ASK_SIZE}, {MSG_RESET, RESET_SIZE}, {MSG_FACE, FACE_SIZE}, {MSG_BUZZ, BUZZ_SIZE}};
    for (uint8_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (type == sizes[i].type && length != sizes[i].size)
            return STATUS_BAD_ARGUMENTS;
    switch (type) {
    case MSG_STREAM:
        b.flags = p[STREAM_FLAGS_AT];
        b.threshold = p[STREAM_THRESHOLD_AT];
        b.part_every = get16(p + STREAM_KEYFRAME_MS_AT) / PARTS;
        if (b.part_every < 25)
            b.part_every = 25;
        return STATUS_OK;
    case MSG_LEDS:
        return leds(p, length, now) ? STATUS_OK : STATUS_BAD_ARGUMENTS;
    case MSG_LAMPS:
        b.lit = p[LAMPS_LIT_AT];
        b.blink = p[LAMPS_BLINK_AT];
        return STATUS_OK;
    case MSG_KEYFRAME_ASK:
        for (uint8_t part = 0; part < PARTS; part++)
            say_part(part);
        return STATUS_OK;
    case MSG_RESET:
        if (get32(p + RESET_WORD_AT) != RESET_WORD)
            return STATUS_BAD_ARGUMENTS;
        b.resetting = true;
        b.reset_at = now + RESET_AFTER_MS;
        return STATUS_OK;
    case MSG_FACE:
        hal_displays(p + FACE_SEGMENTS_AT, p[FACE_BRIGHTNESS_AT] > 8 ? 8 : p[FACE_BRIGHTNESS_AT]);
        return STATUS_OK;
    case MSG_BUZZ:
        buzz(get16(p + BUZZ_HZ_AT), get16(p + BUZZ_MS_AT), now);
        return STATUS_OK;
    default:
        return STATUS_UNKNOWN;
    }
}

static void obey(uint32_t now)
{
    uint8_t type = b.in.body[0], number = b.in.body[1], length = frame_payload_length(&b.in);
    const uint8_t *p = b.in.body + 2;
    if (type == MSG_HELLO_ASK) {
        b.flags = 0;
        b.last_command = NOT_A_NUMBER;
        b.number = 0;
        say_hello(number);
    } else if (type == MSG_PING && length == PING_SIZE) {
        memcpy(b.out.payload + PONG_TOKEN_AT, p + PING_TOKEN_AT, 4);
        put32(b.out.payload + PONG_MS_AT, now);
        put(MSG_PONG, number, PONG_SIZE);
    } else if (type == MSG_EDGES_SEEN && length == EDGES_SEEN_SIZE) {
        /* An acknowledgement meant for an earlier boot must not swallow a press of this one. */
        if (get32(p + EDGES_SEEN_NONCE_AT) == hal_nonce())
            edges_arrived(get16(p + EDGES_SEEN_UPTO_AT));
    } else if (number == b.last_command) {
        ack(number, type, STATUS_OK); /* our ACK was lost: once is enough for the deed */
    } else {
        uint8_t status = carry_out(type, p, length, now);
        if (status == STATUS_OK)
            b.last_command = number;
        ack(number, type, status);
    }
}

/* Time ---------------------------------------------------------------------------------------------------------- */

static bool host_gone(uint32_t now)
{
    return !b.heard || now - b.heard_at > HOST_SILENT_MS;
}

static void step_lamps(bool gone, uint32_t now)
{
    uint8_t lamps = gone ? (uint8_t)(lights_lit(PATTERN_DOUBLE, now) ? 3 : 0)
                         : (uint8_t)(b.lit & (lights_lit(PATTERN_BLINK, now) ? 0xFF : (uint8_t)~b.blink));
    if (lamps != b.lamps)
        hal_lamps(lamps);
    b.lamps = lamps;
}

static void step_sensors(bool gone, uint32_t now)
{
    sensors_scan(&b.sensors);
    if (gone)
        return;
    if (b.flags & STREAM_DELTAS)
        say_moved();
    if ((b.flags & STREAM_KEYFRAMES) && now - b.part_at >= b.part_every) {
        b.part_at = now;
        say_part(b.part);
        b.part = (uint8_t)((b.part + 1) % PARTS);
    }
}

static void step_edges(uint32_t now)
{
    uint8_t fresh = edges_sample(&b.edges, hal_buttons(), now);
    if (fresh) {
        say_edges(b.edges_said);
        if (b.edges.count == fresh) /* a new press must not put off the repeat of an old one */
            b.edges_at = now;
    }
    if (b.edges.count && now - b.edges_at >= EDGE_RESEND_MS) {
        say_edges(0);
        b.edges_at = now;
    }
}

void board_start(void)
{
    memset(&b, 0, sizeof b);
    edges_start(&b.edges);
    b.last_command = NOT_A_NUMBER;
    hal_lamps(0);
    hal_tone(0);
}

void board_step(void)
{
    uint32_t now = hal_ms();
    /* A host that sends without a pause must not keep the buttons from being looked at each millisecond: the rest of its bytes is read in the next step. */
    for (int16_t byte; hal_ms() == now && (byte = hal_rx()) >= 0;) {
        if (frame_take(&b.in, (uint8_t)byte)) {
            b.heard = true;
            b.heard_at = now;
            obey(now);
        }
    }
    bool gone = host_gone(now);
    if (now != b.sampled_at) {
        b.sampled_at = now;
        step_edges(now);
        step_lamps(gone, now);
        lights_step(&b.lights, gone, now);
        if (b.sounding && (int32_t)(now - b.tone_until) >= 0) {
            hal_tone(0);
            b.sounding = false;
        }
        if (!gone && now - b.status_at >= STATUS_MS) {
            b.status_at = now;
            say_status();
            say_levels();
        }
        if (b.resetting && (int32_t)(now - b.reset_at) >= 0) {
            b.resetting = false;
            hal_reset();
        }
    }
    if (hal_scan_done())
        step_sensors(gone, now);
}
