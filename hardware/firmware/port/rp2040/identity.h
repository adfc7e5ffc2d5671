/* Who this board is and which boot this is. */
#ifndef TAKHTE_IDENTITY_H
#define TAKHTE_IDENTITY_H

#include <stdint.h>

/* Read the UID, count this boot in the flash; interrupts must be off. Takes a few milliseconds, and 50 once in 512 boots. */
void identity_start(void);
const uint8_t *identity_uid(void);
uint32_t identity_nonce(void);
/* Leave for the ROM's own loader, a USB drive that takes the next firmware. Does not return. */
void identity_to_loader(void);

#endif
