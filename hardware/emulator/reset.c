/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The board as a whole: the chip restarted, and what is wired to it with it.
 */
#include "emulator.h"

void restart(void)
{
    avr_reset(avr);
    avr->data[MCUSR_AT] = 2; /* by the reset line */
    panel_restart();
    serial_reset();
}
