/*
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Commands, one a line on stdin, each answered by one line on stdout that begins with "ok" (or "no" and the reason):
 *
 *   run US             emulate so many microseconds; answers the cycle count and, without a tty, the bytes for the host in hexadecimal or "-"
 *   give HEX           bytes from the host, at line rate (without a tty)
 *   mv N V [N V ...]   sensors' voltages in millivolts            noise MV, stick N MV (negative mends)
 *   open N 0|1         a joint without solder; pulldown OHM (0: none)     rail MV, avcc MV: the sensors' supply and the chip's
 *   ripple MV HZ       of the strip on the sensors' supply, from top to bottom
 *   hold LINE MV       a SIG line hangs on a voltage of its own (negative mends); neveroff 0|1: EN's wire is off
 *   stall              the converter stands still, until the next reset
 *   press B 0|1        a button, clean; bounce B 0|1: with 5 ms of chatter first
 *   leds, lamps, displays, tone, counts: what the board shows and how the wire does
 *   ber RATE, drop N, unplug, plug, reset: faults
 *   quit
 */
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "emulator.h"

static char input[65536];
static size_t used;
static const char *tty_link;
static bool dtr_reset;

void control_start(const char *link, bool reset_on_open)
{
    tty_link = link;
    dtr_reset = reset_on_open;
}

static void give(const char *hex)
{
    static uint8_t bytes[16384];
    size_t n = 0;
    unsigned value;
    for (; n < sizeof bytes && hex[2 * n] && sscanf(hex + 2 * n, "%2x", &value) == 1; n++)
        bytes[n] = (uint8_t)value;
    serial_give(bytes, n);
    puts("ok");
}

static void hex(const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++)
        printf("%02x", bytes[i]);
    puts(n ? "" : "-");
}

static void run(double us)
{
    static uint8_t bytes[65536];
    emulate((uint64_t)(us * (avr->frequency / 1e6) + 0.5));
    printf("ok %llu ", (unsigned long long)avr->cycle);
    hex(bytes, tty_link ? 0 : serial_take(bytes, sizeof bytes));
}

static void voltages(char *words)
{
    char *end;
    for (;;) {
        long sensor = strtol(words, &end, 10);
        if (end == words)
            break;
        double mv = strtod(end, &words);
        analogue_set((unsigned)sensor, mv);
    }
    puts("ok");
}

static void bounce(unsigned button, bool down)
{
    for (int i = 0; i < 5; i++) {
        panel_button(button, i % 2 ? !down : down);
        emulate(avr->frequency / 1000);
    }
    panel_button(button, down);
}

static void show_displays(void)
{
    printf("ok");
    for (int i = 0; i < DISPLAYS; i++) {
        const struct display *d = &displays[i];
        printf(" %02x%02x%02x%02x %d %d %llu", d->digits[0], d->digits[1], d->digits[2], d->digits[3], d->on, d->brightness, (unsigned long long)d->bad);
    }
    puts("");
}

static void show_counts(void)
{
    const struct serial_counts *c = &serial_counts;
    printf("ok cycles %llu conversions %llu joined %llu to_board %llu to_host %llu overruns %llu lost %llu flipped %llu strip_frames %llu strip_bad %llu "
           "zero_min %u zero_max %u one_min %u one_max %u longest_low %u\n",
           (unsigned long long)avr->cycle, (unsigned long long)analogue_conversions, (unsigned long long)analogue_joined, (unsigned long long)c->to_board, (unsigned long long)c->to_host,
           (unsigned long long)c->overruns, (unsigned long long)c->lost, (unsigned long long)c->flipped, (unsigned long long)strip.frames,
           (unsigned long long)strip.bad, strip.zero_min, strip.zero_max, strip.one_min, strip.one_max, strip.longest_low);
}

static bool is(const char *line, const char *word)
{
    size_t n = strlen(word);
    return strncmp(line, word, n) == 0 && (line[n] == 0 || line[n] == ' ');
}

static void obey(char *line)
{
    unsigned a, b;
    double x, y;
    if (is(line, "run") && sscanf(line + 3, "%lf", &x) == 1)
        run(x);
    else if (is(line, "give"))
        give(line + 4 + strspn(line + 4, " "));
    else if (is(line, "mv"))
        voltages(line + 2);
    else if (is(line, "noise") && sscanf(line + 5, "%lf", &x) == 1)
        analogue_noise(x), puts("ok");
    else if (is(line, "stick") && sscanf(line + 5, "%u %lf", &a, &x) == 2)
        analogue_stick(a, x), puts("ok");
    else if (is(line, "open") && sscanf(line + 4, "%u %u", &a, &b) == 2)
        analogue_open(a, b), puts("ok");
    else if (is(line, "hold") && sscanf(line + 4, "%u %lf", &a, &x) == 2)
        analogue_hold(a, x), puts("ok");
    else if (is(line, "neveroff") && sscanf(line + 8, "%u", &a) == 1)
        analogue_never_off(a), puts("ok");
    else if (is(line, "pulldown") && sscanf(line + 8, "%lf", &x) == 1)
        analogue_pull_down(x), puts("ok");
    else if (is(line, "rail") && sscanf(line + 4, "%lf", &x) == 1)
        analogue_rail(x), puts("ok");
    else if (is(line, "avcc") && sscanf(line + 4, "%lf", &x) == 1)
        analogue_avcc(x), puts("ok");
    else if (is(line, "ripple") && sscanf(line + 6, "%lf %lf", &x, &y) == 2)
        analogue_ripple(x, y), puts("ok");
    else if (is(line, "stall"))
        analogue_stall(), puts("ok");
    else if (is(line, "press") && sscanf(line + 5, "%u %u", &a, &b) == 2)
        panel_button(a, b), puts("ok");
    else if (is(line, "bounce") && sscanf(line + 6, "%u %u", &a, &b) == 2)
        bounce(a, b), puts("ok");
    else if (is(line, "leds"))
        printf("ok "), hex(strip.grb, strip.leds * 3);
    else if (is(line, "lamps"))
        printf("ok %u\n", lamps);
    else if (is(line, "displays"))
        show_displays();
    else if (is(line, "tone"))
        printf("ok %u\n", panel_tone());
    else if (is(line, "counts"))
        show_counts();
    else if (is(line, "ber") && sscanf(line + 3, "%lf", &x) == 1)
        serial_faults(x), puts("ok");
    else if (is(line, "drop") && sscanf(line + 4, "%u", &a) == 1)
        serial_drop(a), puts("ok");
    else if (is(line, "unplug"))
        serial_unplug(), puts("ok");
    else if (is(line, "plug") && tty_link)
        serial_plug(tty_link, dtr_reset ? restart : NULL), puts("ok");
    else if (is(line, "reset"))
        restart(), puts("ok");
    else
        printf("no such command: %s\n", line);
    fflush(stdout);
}

bool control_serve(bool wait)
{
    struct pollfd p = {.fd = 0, .events = POLLIN};
    if (poll(&p, 1, wait ? -1 : 0) <= 0)
        return true;
    ssize_t n = read(0, input + used, sizeof input - 1 - used);
    if (n <= 0)
        return false;
    used += (size_t)n;
    input[used] = 0;
    char *line = input, *end;
    while ((end = strchr(line, '\n'))) {
        *end = 0;
        if (is(line, "quit"))
            return false;
        obey(line);
        line = end + 1;
    }
    used -= (size_t)(line - input);
    memmove(input, line, used);
    return used < sizeof input - 1;
}
