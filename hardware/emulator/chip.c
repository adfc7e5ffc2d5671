/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The emulated chip: one avr_t, and time, which moves only here.
 */
#include "emulator.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

avr_t *avr;
static volatile sig_atomic_t stopped;

void chip_stop(void)
{
    stopped = 1;
}

bool chip_stopped(void)
{
    return stopped;
}

void emulate(uint64_t cycles)
{
    avr_cycle_count_t end = avr->cycle + cycles;
    while (avr->cycle < end && !stopped) {
        int state = avr_run(avr);
        if (state == cpu_Done || state == cpu_Crashed) {
            fprintf(stderr, "the firmware %s at %x\n", state == cpu_Done ? "ended" : "crashed", avr->pc);
            exit(3);
        }
    }
}
