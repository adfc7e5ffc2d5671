/* The whole board: the port calls board_start once and board_step for ever, at least every millisecond when there is work. */
#ifndef TAKHTE_BOARD_H
#define TAKHTE_BOARD_H

#include <stdint.h>

#define FIRMWARE_VERSION 0x0102
/* A checksum of the firmware's sources, given by the Makefile. */
#ifndef BUILD
#define BUILD 0UL
#endif

void board_start(void);
void board_step(void);

#endif
