/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 *   emulator FIRMWARE.elf [--tty LINK] [--dtr-reset] [--seed N] [--bench SECONDS]
 *
 * Without --tty: lock-step. Time moves only by the command "run", bytes travel in the commands' answers, and the same commands give the same bytes.
 * With --tty: real time, the serial line on a pty that LINK points to. --dtr-reset: opening it restarts the chip, as on a Mega with auto-reset.
 */
#define _GNU_SOURCE
#include "emulator.h"

#include <signal.h>
#include <simavr/avr_adc.h>
#include <simavr/sim_elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SLICE_US 200

static double wall_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

static void on_signal(int number)
{
    (void)number;
    chip_stop();
}

/* simavr would sleep in wall time; pacing is done in real_time(). */
static void no_sleep(avr_t *a, avr_cycle_count_t cycles)
{
    (void)a;
    (void)cycles;
}

static void only_errors(avr_t *a, const int level, const char *format, va_list words)
{
    (void)a;
    if (level <= LOG_ERROR)
        vfprintf(stderr, format, words);
}

static void real_time(void)
{
    double emulated_from = (double)avr->cycle, wall_from = wall_us();
    while (!chip_stopped()) {
        emulate(avr->frequency / 1000000 * SLICE_US);
        serial_serve();
        if (!control_serve(false))
            return;
        double ahead = ((double)avr->cycle - emulated_from) * 1e6 / avr->frequency - (wall_us() - wall_from);
        if (ahead > SLICE_US)
            usleep((useconds_t)ahead);
        else if (ahead < -100000) { /* this machine was too slow: go on from here */
            emulated_from = (double)avr->cycle;
            wall_from = wall_us();
        }
    }
}

static void start(const char *elf, uint32_t seed)
{
    static elf_firmware_t firmware;
    if (elf == NULL || elf_read_firmware(elf, &firmware) != 0) {
        fprintf(stderr, "cannot read the firmware %s\n", elf ? elf : "(none given)");
        exit(1);
    }
    avr = avr_make_mcu_by_name("atmega2560");
    avr_global_logger_set(only_errors);
    avr_init(avr);
    avr_load_firmware(avr, &firmware);
    avr->frequency = 16000000;
    avr->vcc = avr->avcc = 5000;
    avr->sleep = no_sleep;
    avr->log = LOG_ERROR;
    analogue_start(seed);
    analogue_rail(5000);
    strip_start();
    panel_start();
    serial_start(seed);
}

int main(int argc, char **argv)
{
    const char *elf = NULL, *tty_link = NULL;
    bool dtr_reset = false;
    uint32_t seed = 1;
    double bench = 0;
    for (int i = 1; i < argc; i++) {
        bool more = i + 1 < argc;
        if (!strcmp(argv[i], "--tty") && more)
            tty_link = argv[++i];
        else if (!strcmp(argv[i], "--dtr-reset"))
            dtr_reset = true;
        else if (!strcmp(argv[i], "--seed") && more)
            seed = (uint32_t)strtoul(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--bench") && more)
            bench = atof(argv[++i]);
        else
            elf = argv[i];
    }
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    signal(SIGPIPE, SIG_IGN);
    start(elf, seed);
    if (bench > 0) {
        double from = wall_us();
        emulate((uint64_t)(bench * avr->frequency));
        printf("ok %.1f times real time\n", bench * 1e6 / (wall_us() - from));
        return 0;
    }
    control_start(tty_link, dtr_reset);
    if (tty_link)
        serial_plug(tty_link, dtr_reset ? restart : NULL);
    puts("ok ready");
    fflush(stdout);
    if (tty_link)
        real_time();
    else
        while (!chip_stopped() && control_serve(true)) {
        }
    serial_unplug();
    return 0;
}
