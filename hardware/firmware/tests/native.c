/*
 * core/ as a process: lines in, lines out, so that a test can drive it in step. "give HEX", "run MS", "raw SENSOR VALUE", "level LINE VALUE", "press BUTTON DOWN"; each is
 * answered by the bytes sent since, in hexadecimal (or "-").
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "port/host/host.h"

static void give(const char *hex)
{
    static uint8_t bytes[4096];
    size_t n = 0;
    unsigned value;
    for (; n < sizeof bytes && sscanf(hex + 2 * n, "%2x", &value) == 1; n++)
        bytes[n] = (uint8_t)value;
    host_give(bytes, n);
}

static void answer(void)
{
    for (size_t i = 0; i < host.tx_used; i++)
        printf("%02x", host.tx[i]);
    puts(host.tx_used ? "" : "-");
    host.tx_used = 0;
    fflush(stdout);
}

int main(void)
{
    char line[8400], hex[8300];
    unsigned a, b;
    host_start();
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "give %8299s", hex) == 1)
            give(hex);
        else if (sscanf(line, "run %u", &a) == 1)
            host_run(a);
        else if (sscanf(line, "raw %u %u", &a, &b) == 2 && a < SENSORS)
            host.raw[a] = (uint16_t)b;
        else if (sscanf(line, "level %u %u", &a, &b) == 2 && a < LINES)
            host.level[a] = (uint16_t)b;
        else if (sscanf(line, "press %u %u", &a, &b) == 2 && a < BUTTONS)
            host.buttons = (uint8_t)((host.buttons & ~(1u << a)) | (b ? 1u << a : 0));
        else
            return 2;
        answer();
    }
    return 0;
}
