/*
 * The UID is the flash chip's own (its command 4B). Boots are counted in the last two sectors of 2 MB, a record of eight bytes each (count and complement) after
 * the other; when one sector is full the other is erased, so that a power cut while writing leaves the newest whole record. The nonce mixes the count with the
 * UID and the ring oscillator's random bit: even a worn-out flash does not repeat it.
 */
#include "identity.h"

#include <stddef.h>
#include <string.h>

#include "core/bytes.h"
#include "core/crc32.h"
#include "registers.h"

#define FLASH 0x10000000u
#define SECTOR 4096u
#define PAGE 256u
#define LOG_AT(sector) (0x1FE000u + SECTOR * (sector))
#define RECORDS (SECTOR / 8)
#define SR_RECEIVED 8u
#define CS_LOW 0x200u
#define CS_HIGH 0x300u

static uint8_t uid[8];
static uint32_t nonce;

/* A function of the chip's ROM, by the two letters that its data sheet gives it. */
static void *rom(char first, char second)
{
    void *(*lookup)(uint16_t *, uint32_t) = (void *(*)(uint16_t *, uint32_t))(uintptr_t) * (volatile uint16_t *)0x18;
    return lookup((uint16_t *)(uintptr_t) * (volatile uint16_t *)0x14, (uint32_t)first | (uint32_t)second << 8);
}

typedef void (*plain_call)(void);

/* The flash answers commands of ours; nothing may be read from it by address until it is mapped again. */
static void unmap(void)
{
    ((plain_call)rom('I', 'F'))();
    ((plain_call)rom('E', 'X'))();
}

static void map(void)
{
    ((plain_call)rom('F', 'C'))();
    ((plain_call)rom('C', 'X'))();
}

static void read_uid(void)
{
    unmap();
    REG(IO_QSPI_SS_CTRL) = CS_LOW;
    for (int i = 0; i < 13; i++) {
        REG(SSI_DR0) = i == 0 ? 0x4B : 0;
        while (!(REG(SSI_SR) & SR_RECEIVED)) {
        }
        uint8_t byte = (uint8_t)REG(SSI_DR0);
        if (i >= 5) /* four bytes of nothing come first */
            uid[i - 5] = byte;
    }
    REG(IO_QSPI_SS_CTRL) = CS_HIGH;
    REG(IO_QSPI_SS_CTRL) = 0;
    map();
}

static void write_record(uint32_t at, uint32_t count, uint32_t erase)
{
    static uint8_t page[PAGE];
    memset(page, 0xFF, sizeof page); /* what is FF stays as it was */
    put32(page + at % PAGE, count);
    put32(page + at % PAGE + 4, ~count);
    unmap();
    if (erase)
        ((void (*)(uint32_t, size_t, uint32_t, uint8_t))rom('R', 'E'))(erase, SECTOR, SECTOR, 0x20);
    ((void (*)(uint32_t, const uint8_t *, size_t))rom('R', 'P'))(at & ~(PAGE - 1), page, PAGE);
    map();
}

static uint32_t count_boot(void)
{
    uint32_t newest = 0, next[2] = {RECORDS, RECORDS}, current = 0;
    for (uint32_t sector = 0; sector < 2; sector++) {
        const volatile uint32_t *record = (const volatile uint32_t *)(uintptr_t)(FLASH + LOG_AT(sector));
        for (uint32_t n = 0; n < RECORDS; n++, record += 2) {
            uint32_t count = record[0];
            if (count == 0xFFFFFFFFu && record[1] == 0xFFFFFFFFu) {
                next[sector] = n;
                break;
            }
            if (count == ~record[1] && count > newest) {
                newest = count;
                current = sector;
            }
        }
    }
    uint32_t count = newest + 1;
    if (next[current] < RECORDS)
        write_record(LOG_AT(current) + 8 * next[current], count, 0);
    else
        write_record(LOG_AT(1 - current), count, LOG_AT(1 - current));
    return count;
}

static uint32_t mix(uint32_t crc, const uint8_t *bytes, uint8_t length)
{
    while (length--)
        crc = crc32_byte(crc, *bytes++);
    return crc;
}

void identity_start(void)
{
    uint8_t count[4], chance = 0;
    read_uid();
    put32(count, count_boot());
    nonce = mix(mix(CRC32_START, uid, 8), count, 4);
    for (int i = 0; i < 64; i++) {
        chance = (uint8_t)(chance << 1 | (REG(ROSC_RANDOMBIT) & 1));
        if (i % 8 == 7)
            nonce = crc32_byte(nonce, chance);
    }
}

const uint8_t *identity_uid(void)
{
    return uid;
}

uint32_t identity_nonce(void)
{
    return nonce;
}

void identity_to_loader(void)
{
    ((void (*)(uint32_t, uint32_t))rom('U', 'B'))(0, 0);
}
