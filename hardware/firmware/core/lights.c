#include "lights.h"

#include <string.h>

#include "hal/hal.h"

/* The sum of all channels that the cap allows. */
#define IDLE_MA ((uint32_t)LEDS * LED_IDLE_MA)
#define ALLOWED ((LED_CAP_MA - IDLE_MA) * 255UL / LED_FULL_MA)
#define PATTERNS 4

/* Amber, twice a second: nobody records this. */
static const uint8_t lost_light[LEDS_EACH_SIZE] = {140, 70, 0, PATTERN_DOUBLE};

bool lights_lit(uint8_t pattern, uint32_t now)
{
    uint16_t phase = (uint16_t)(now % 1000);
    switch (pattern) {
    case PATTERN_BLINK: return phase < 500;
    case PATTERN_FAST: return (phase / 125) % 2 == 0;
    case PATTERN_DOUBLE: return phase < 100 || (phase >= 200 && phase < 300);
    default: return true;
    }
}

static uint8_t phases_at(uint32_t now)
{
    uint8_t bits = 0;
    for (uint8_t pattern = 0; pattern < PATTERNS; pattern++)
        bits |= (uint8_t)(lights_lit(pattern, now) << pattern);
    return bits;
}

static const uint8_t *led_at(const struct lights *l, uint8_t i)
{
    static const uint8_t dark[LEDS_EACH_SIZE];
    if (!l->lost)
        return l->shown[i];
    return i >= LED_LOST && i < LED_LOST + LED_LOST_COUNT ? lost_light : dark;
}

static void refresh(struct lights *l, uint32_t now)
{
    uint32_t total = 0;
    l->phases = phases_at(now);
    for (uint8_t i = 0; i < LEDS; i++) {
        const uint8_t *led = led_at(l, i);
        total += (uint16_t)led[LEDS_EACH_RED_AT] + led[LEDS_EACH_GREEN_AT] + led[LEDS_EACH_BLUE_AT];
    }
    /* One factor for all, so that hues stay; counted as if every pattern were lit, so that a blink does not dim its neighbours. */
    uint16_t factor = total > ALLOWED ? (uint16_t)(ALLOWED * 256 / total) : 256;
    uint8_t *out = l->grb;
    for (uint8_t i = 0; i < LEDS; i++) {
        const uint8_t *led = led_at(l, i);
        uint16_t scale = (l->phases >> (led[LEDS_EACH_PATTERN_AT] % PATTERNS)) & 1 ? factor : 0;
        *out++ = (uint8_t)((led[LEDS_EACH_GREEN_AT] * (uint32_t)scale) >> 8);
        *out++ = (uint8_t)((led[LEDS_EACH_RED_AT] * (uint32_t)scale) >> 8);
        *out++ = (uint8_t)((led[LEDS_EACH_BLUE_AT] * (uint32_t)scale) >> 8);
    }
    if (total > ALLOWED)
        total = ALLOWED;
    l->ma = (uint16_t)(IDLE_MA + total * LED_FULL_MA / 255);
    hal_leds_show(l->grb, LEDS);
}

bool lights_store(struct lights *l, uint8_t first, const uint8_t *each, uint8_t count)
{
    if (count == 0 || first >= LEDS || count > LEDS - first)
        return false;
    memcpy(l->stored[first], each, (uint16_t)count * LEDS_EACH_SIZE);
    return true;
}

void lights_show(struct lights *l, uint32_t now)
{
    memcpy(l->shown, l->stored, sizeof l->shown);
    l->lost = false;
    refresh(l, now);
}

void lights_step(struct lights *l, bool lost, uint32_t now)
{
    uint8_t turned = phases_at(now) ^ l->phases;
    bool due = lost != l->lost;
    l->lost = lost;
    for (uint8_t i = 0; turned != 0 && !due && i < LEDS; i++)
        due = (turned >> (led_at(l, i)[LEDS_EACH_PATTERN_AT] % PATTERNS)) & 1;
    if (due)
        refresh(l, now);
    else
        l->phases ^= turned;
}
