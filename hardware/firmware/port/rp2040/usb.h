/* A serial port over the chip's own USB: a CDC device, so that one cable carries bytes, power and the next firmware. */
#ifndef TAKHTE_USB_H
#define TAKHTE_USB_H

#include <stdbool.h>
#include <stdint.h>

void usb_start(const uint8_t uid[8]);
/* The next byte from the host, or -1. */
int16_t usb_rx(void);
/* Whether there is one. */
bool usb_heard(void);
/* Room for bytes to the host, and one of them. While nobody has the port open they are let fall, as on a cable that ends nowhere. */
uint16_t usb_tx_free(void);
void usb_tx(uint8_t byte);
/* Whether somebody opened the port at 1200 baud and closed it: the way that takhte board update asks for the ROM's loader. */
bool usb_asks_for_loader(void);

#endif
