/*
 * What core/ asks of a chip. port/mega2560 and port/rp2040 answer with registers, port/host with arrays that tests fill.
 *
 * Who may call whom: everything in core/ runs in task context, from board_step(). Interrupts live in the port alone; they move one byte, one sample or
 * one tick between hardware and a buffer, and never call core/. Nothing here allocates or waits, except hal_leds_show, which may take 30 us an LED.
 */
#ifndef TAKHTE_HAL_H
#define TAKHTE_HAL_H

#include <stdbool.h>
#include <stdint.h>

/* Milliseconds since this boot; wraps after 49 days. */
uint32_t hal_ms(void);

/* The next byte from the host, or -1. */
int16_t hal_rx(void);
/* Bytes lost since boot because the host sent faster than we read; wraps. */
uint16_t hal_rx_overruns(void);

/* Room in the transmit buffer, and one byte into it (the caller has asked for room). */
uint16_t hal_tx_free(void);
void hal_tx(uint8_t byte);

/* True once after each whole scan of the sensors; then hal_raw gives one as last converted, in 4092nds of the sensors' supply. */
bool hal_scan_done(void);
uint16_t hal_raw(uint8_t sensor);
/* The same of one multiplexer's line while all of them were switched off. */
uint16_t hal_level(uint8_t line);

/* Buttons held now, one bit each, without debounce. */
uint8_t hal_buttons(void);
/* Button lamps, one bit each. */
void hal_lamps(uint8_t lit);
/* Send 3 bytes (green, red, blue) for each LED down the strip. */
void hal_leds_show(const uint8_t *grb, uint8_t leds);
/* Two four-digit displays; `brightness` 0 is dark. */
void hal_displays(const uint8_t *segments, uint8_t brightness);
/* A tone, 0 for silence. */
void hal_tone(uint16_t hz);

/* Who we are: 8 bytes for ever, and a number for this boot alone. */
void hal_uid(uint8_t uid[8]);
uint32_t hal_nonce(void);
/* Why we started: the chip's reset bits. */
uint8_t hal_reset_cause(void);
uint32_t hal_cpu_hz(void);
/* Start over by watchdog. Returns on a host port. */
void hal_reset(void);

#endif
