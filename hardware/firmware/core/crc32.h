/* CRC-32/ISO-HDLC, as in zlib and Ethernet: crc32("123456789") is 0xCBF43926. */
#ifndef TAKHTE_CRC32_H
#define TAKHTE_CRC32_H

#include <stdint.h>

#define CRC32_START 0xFFFFFFFFUL

/* One more byte. Start from CRC32_START; the sum is the complement of the last result. */
uint32_t crc32_byte(uint32_t crc, uint8_t byte);

#endif
