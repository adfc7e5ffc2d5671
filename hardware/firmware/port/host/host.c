#include "host.h"

#include <stdlib.h>
#include <string.h>

#include "core/board.h"
#include "hal/hal.h"

struct host host;

void host_start(void)
{
    uint32_t nonce = host.nonce + 1;
    memset(&host, 0, sizeof host);
    host.nonce = nonce;
    host.tx_room = 1023;
    for (int i = 0; i < SENSORS; i++)
        host.raw[i] = 585; /* half the supply */
    board_start();
}

void host_run(uint32_t ms)
{
    while (ms--) {
        host.ms++;
        host.scan_done |= host.ms % 16 == 0;
        board_step();
    }
}

void host_give(const uint8_t *bytes, size_t length)
{
    host.rx = bytes;
    host.rx_left = length;
    board_step();
    if (host.rx_left)
        abort(); /* board_step must read all there is */
}

uint32_t hal_ms(void) { return host.ms; }

int16_t hal_rx(void)
{
    if (host.rx_left == 0)
        return -1;
    host.rx_left--;
    return *host.rx++;
}

uint16_t hal_rx_overruns(void) { return 0; }
uint16_t hal_tx_free(void) { return host.tx_used + host.tx_room <= sizeof host.tx ? host.tx_room : 0; }

void hal_tx(uint8_t byte)
{
    if (host.tx_used == sizeof host.tx)
        abort(); /* the caller asked for room and got it */
    host.tx[host.tx_used++] = byte;
}

bool hal_scan_done(void)
{
    bool done = host.scan_done;
    host.scan_done = false;
    return done;
}

uint16_t hal_raw(uint8_t sensor) { return (uint16_t)(host.raw[sensor] * REFERENCE_EIGHTHS / 2); }
uint16_t hal_level(uint8_t line) { return (uint16_t)(host.level[line] * REFERENCE_EIGHTHS / 2); }
uint8_t hal_buttons(void) { return host.buttons; }
void hal_lamps(uint8_t lit) { host.lamps = lit; }

void hal_leds_show(const uint8_t *grb, uint8_t leds)
{
    memcpy(host.grb, grb, (size_t)leds * 3);
    host.shows++;
}

void hal_displays(const uint8_t *segments, uint8_t brightness)
{
    memcpy(host.segments, segments, DIGITS);
    host.brightness = brightness;
}

void hal_tone(uint16_t hz) { host.tone = hz; }
void hal_uid(uint8_t uid[8]) { memcpy(uid, "HOSTHOST", 8); }
uint32_t hal_nonce(void) { return host.nonce; }
uint8_t hal_reset_cause(void) { return CAUSE_POWER; }
uint32_t hal_cpu_hz(void) { return 16000000; }
void hal_reset(void) { host.resets++; }
