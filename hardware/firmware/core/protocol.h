/* Generated from firmware_bridge/protocol.toml by `python -m firmware_bridge.generate`: change that, not this. */
#ifndef TAKHTE_PROTOCOL_H
#define TAKHTE_PROTOCOL_H

#define PROTOCOL_VERSION 3
#define BAUD 250000UL
#define MAX_PAYLOAD 200
#define MAGIC "tkht"
#define RESET_WORD 1414746708UL
#define SENSORS 128
#define LEDS 56
#define BUTTONS 7
#define LINES 8
#define DIGITS 8
#define KEYFRAME_VALUES 32
#define VALUE_BITS 12
#define LEDS_PER_COMMAND 12
#define EDGE_QUEUE 64
#define EDGE_RESEND_MS 40
#define EDGE_WINDOW 8
#define STATUS_MS 250
#define DEBOUNCE_MS 8
#define HOST_SILENT_MS 3000
#define STATUS_OK 0
#define STATUS_BAD_ARGUMENTS 1
#define STATUS_BUSY 2
#define STATUS_UNKNOWN 255
#define STREAM_DELTAS 1
#define STREAM_KEYFRAMES 2
#define FEATURE_DISPLAYS 1
#define FEATURE_LAMPS 2
#define FEATURE_BUZZER 4
#define FEATURE_LEVELS 8
#define PATTERN_STEADY 0
#define PATTERN_BLINK 1
#define PATTERN_FAST 2
#define PATTERN_DOUBLE 3
#define CAUSE_POWER 1
#define CAUSE_EXTERNAL 2
#define CAUSE_BROWN_OUT 4
#define CAUSE_WATCHDOG 8

/* of hardware/board.toml */
#define LED_FULL_MA 20
#define LED_IDLE_MA 1
#define LED_CAP_MA 900
#define LED_LOST 48 /* from this LED on the board shows that its host is gone */
#define LED_LOST_COUNT 4
#define REFERENCE_EIGHTHS 7

/* the first byte of every frame */
enum message_type {
    MSG_HELLO_ASK = 0x01,
    MSG_STREAM = 0x02,
    MSG_LEDS = 0x03,
    MSG_LAMPS = 0x04,
    MSG_PING = 0x05,
    MSG_KEYFRAME_ASK = 0x06,
    MSG_RESET = 0x07,
    MSG_EDGES_SEEN = 0x08,
    MSG_FACE = 0x09,
    MSG_BUZZ = 0x0A,
    MSG_HELLO = 0x81,
    MSG_KEYFRAME = 0x82,
    MSG_DELTA = 0x83,
    MSG_EDGE = 0x84,
    MSG_ACK = 0x85,
    MSG_PONG = 0x86,
    MSG_STATUS = 0x87,
    MSG_LEVELS = 0x88,
};

/* Who are you? Answered by HELLO with the same number. Stops the stream and forgets the number of the last command. */
#define HELLO_ASK_PROTOCOL_AT 0 /* u8 */
#define HELLO_ASK_SIZE 1

/* What to send unasked. `threshold`: 4092nds of the sensors' supply that a sensor must move from the value last sent; `keyframe_ms`: time in which every sensor is sent once. */
#define STREAM_FLAGS_AT 0 /* u8 */
#define STREAM_THRESHOLD_AT 1 /* u8 */
#define STREAM_KEYFRAME_MS_AT 2 /* u16 */
#define STREAM_SIZE 4

/* Absolute colours from LED `first` on. With `show` = 1 the strip is refreshed and the ACK comes after that; with 0 it is only stored. */
#define LEDS_FIRST_AT 0 /* u8 */
#define LEDS_SHOW_AT 1 /* u8 */
#define LEDS_SIZE 2
#define LEDS_EACH_RED_AT 0 /* u8 */
#define LEDS_EACH_GREEN_AT 1 /* u8 */
#define LEDS_EACH_BLUE_AT 2 /* u8 */
#define LEDS_EACH_PATTERN_AT 3 /* u8 */
#define LEDS_EACH_SIZE 4

/* Button lamps, one bit each (0 = south, 1 = north). A bit in `blink` makes a lit lamp blink. */
#define LAMPS_LIT_AT 0 /* u8 */
#define LAMPS_BLINK_AT 1 /* u8 */
#define LAMPS_SIZE 2

/* Answered by PONG: round trip and clock offset. Also tells the board that its host lives. */
#define PING_TOKEN_AT 0 /* u32 */
#define PING_SIZE 4

/* Send every sensor now, as KEYFRAMEs, then ACK. */
#define KEYFRAME_ASK_SIZE 0

/* Restart by watchdog, after the ACK. `word` must be reset_word. */
#define RESET_WORD_AT 0 /* u32 */
#define RESET_SIZE 4

/* Every button edge up to `upto` of the boot `nonce` has arrived. Never acknowledged itself: a lost one is made good by the next repeat. */
#define EDGES_SEEN_NONCE_AT 0 /* u32 */
#define EDGES_SEEN_UPTO_AT 4 /* u16 */
#define EDGES_SEEN_SIZE 6

/* Segments of the two displays, south's four digits first; bit 0 = a .. bit 6 = g, bit 7 = colon or point. `brightness` 0 (dark) to 8. */
#define FACE_BRIGHTNESS_AT 0 /* u8 */
#define FACE_SEGMENTS_AT 1 /* u8*8 */
#define FACE_SIZE 9

/* Sound `hz` for `ms`. Executed once however often it is repeated. */
#define BUZZ_HZ_AT 0 /* u16 */
#define BUZZ_MS_AT 2 /* u16 */
#define BUZZ_SIZE 4

/* `uid` is for ever, `nonce` for one boot; `build` is the checksum of the firmware's sources; `oldest_edge` the first button edge not yet acknowledged (or the next to come). */
#define HELLO_MAGIC_AT 0 /* 4s */
#define HELLO_PROTOCOL_AT 4 /* u8 */
#define HELLO_FIRMWARE_AT 5 /* u16 */
#define HELLO_BUILD_AT 7 /* u32 */
#define HELLO_UID_AT 11 /* 8s */
#define HELLO_NONCE_AT 19 /* u32 */
#define HELLO_MS_AT 23 /* u32 */
#define HELLO_SENSORS_AT 27 /* u16 */
#define HELLO_LEDS_AT 29 /* u8 */
#define HELLO_BUTTONS_AT 30 /* u8 */
#define HELLO_FEATURES_AT 31 /* u8 */
#define HELLO_CAUSE_AT 32 /* u8 */
#define HELLO_CPU_HZ_AT 33 /* u32 */
#define HELLO_MAX_PAYLOAD_AT 37 /* u8 */
#define HELLO_LED_CAP_MA_AT 38 /* u16 */
#define HELLO_OLDEST_EDGE_AT 40 /* u16 */
#define HELLO_SIZE 42

/* 32 sensors from `first` on, 12 bits each, two in three bytes: low 8, (high 4 | low 4 << 4), high 8. */
#define KEYFRAME_SCAN_AT 0 /* u16 */
#define KEYFRAME_MS_AT 2 /* u32 */
#define KEYFRAME_FIRST_AT 6 /* u8 */
#define KEYFRAME_PACKED_AT 7 /* u8*48 */
#define KEYFRAME_SIZE 55

/* Sensors that moved further than the threshold since they were last sent. */
#define DELTA_SCAN_AT 0 /* u16 */
#define DELTA_MS_AT 2 /* u32 */
#define DELTA_SIZE 6
#define DELTA_EACH_INDEX_AT 0 /* u8 */
#define DELTA_EACH_VALUE_AT 1 /* u16 */
#define DELTA_EACH_SIZE 3

/* A button went down or up. `ms`: board time of the first contact. Repeated until EDGES_SEEN covers it. */
#define EDGE_NONCE_AT 0 /* u32 */
#define EDGE_NUMBER_AT 4 /* u16 */
#define EDGE_BUTTON_AT 6 /* u8 */
#define EDGE_DOWN_AT 7 /* u8 */
#define EDGE_MS_AT 8 /* u32 */
#define EDGE_SIZE 12

/* The command with this frame's number was carried out (`status` 0) or was not. */
#define ACK_COMMAND_AT 0 /* u8 */
#define ACK_STATUS_AT 1 /* u8 */
#define ACK_SIZE 2

/* Echo of PING with the board's clock. */
#define PONG_TOKEN_AT 0 /* u32 */
#define PONG_MS_AT 4 /* u32 */
#define PONG_SIZE 8

/* Four times a second while a host is there: life, link counters, health. Counters wrap. */
#define STATUS_MS_AT 0 /* u32 */
#define STATUS_NONCE_AT 4 /* u32 */
#define STATUS_SCANS_AT 8 /* u16 */
#define STATUS_RX_OK_AT 10 /* u16 */
#define STATUS_RX_BAD_AT 12 /* u16 */
#define STATUS_RX_OVERRUN_AT 14 /* u16 */
#define STATUS_TX_DROPPED_AT 16 /* u16 */
#define STATUS_EDGES_LOST_AT 18 /* u16 */
#define STATUS_EDGES_WAITING_AT 20 /* u8 */
#define STATUS_DOWN_AT 21 /* u8 */
#define STATUS_LED_MA_AT 22 /* u16 */
#define STATUS_SIZE 24

/* After every STATUS, by a board with `feature_levels`: the highest value that each multiplexer's line reached, in any scan since the last report, while all multiplexers were switched off (EN high). Each line's pull-down must then hold it at ground. */
#define LEVELS_SCANS_AT 0 /* u16 */
#define LEVELS_SIZE 2
#define LEVELS_EACH_VALUE_AT 0 /* u16 */
#define LEVELS_EACH_SIZE 2

#endif
