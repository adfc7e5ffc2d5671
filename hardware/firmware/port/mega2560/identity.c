/*
 * EEPROM: 0..7 the UID, 8..11 its CRC; 16..23 and 24..31 two counters of boots with their complements. Each boot writes the counter that is not
 * the newest, so that a power cut while writing leaves the other. The nonce mixes the count with noise: even a worn-out counter does not repeat it.
 */
#include "identity.h"

#include <avr/eeprom.h>
#include <string.h>

#include "core/bytes.h"
#include "core/crc32.h"

#define UID_AT ((uint8_t *)0)
#define COUNTER_AT(slot) ((uint8_t *)(uintptr_t)(16 + 8 * (slot)))

static uint8_t uid[8];
static uint32_t nonce;

static uint32_t mix(uint32_t crc, const uint8_t *bytes, uint8_t length)
{
    while (length--)
        crc = crc32_byte(crc, *bytes++);
    return crc;
}

static void make_uid(uint32_t noise)
{
    uint8_t stored[12];
    for (uint8_t i = 0; i < 8; i++) {
        noise = crc32_byte(noise, i);
        uid[i] = (uint8_t)(noise >> 8);
    }
    memcpy(stored, uid, 8);
    put32(stored + 8, mix(CRC32_START, uid, 8));
    eeprom_update_block(stored, UID_AT, sizeof stored);
}

/* The count in a slot, or 0 when it was never written or only half. */
static uint32_t counter(uint8_t slot)
{
    uint8_t stored[8];
    eeprom_read_block(stored, COUNTER_AT(slot), sizeof stored);
    uint32_t count = get32(stored);
    return count == ~get32(stored + 4) ? count : 0;
}

void identity_start(uint32_t noise)
{
    uint8_t stored[12];
    eeprom_read_block(stored, UID_AT, sizeof stored);
    memcpy(uid, stored, 8);
    if (get32(stored + 8) != mix(CRC32_START, uid, 8))
        make_uid(noise);
    uint32_t a = counter(0), b = counter(1);
    uint32_t count = (a > b ? a : b) + 1;
    put32(stored, count);
    put32(stored + 4, ~count);
    eeprom_update_block(stored, COUNTER_AT(a > b), 8);
    nonce = mix(mix(noise, uid, 8), stored, 4);
}

const uint8_t *identity_uid(void)
{
    return uid;
}

uint32_t identity_nonce(void)
{
    return nonce;
}
