/* Who this board is and which boot this is, kept in EEPROM. */
#ifndef TAKHTE_IDENTITY_H
#define TAKHTE_IDENTITY_H

#include <stdint.h>

/* Read the UID, or make one from `noise` on the very first boot; count this boot. Takes up to 60 ms. */
void identity_start(uint32_t noise);
const uint8_t *identity_uid(void);
uint32_t identity_nonce(void);

#endif
