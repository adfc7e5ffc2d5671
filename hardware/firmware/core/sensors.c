#include "sensors.h"

#include "bytes.h"
#include "hal/hal.h"

/* Further than nine thousandths of the supply is a checker, not noise. */
#define JUMP 32

void sensors_scan(struct sensors *s)
{
    for (uint8_t i = 0; i < SENSORS; i++) {
        int16_t raw = (int16_t)hal_raw(i);
        int16_t step = (int16_t)(raw - (int16_t)s->value[i]);
        if (!s->started || step > JUMP || step < -JUMP)
            s->value[i] = (uint16_t)raw;
        else /* a quarter of the way, rounded away from where it stands, so that it always arrives */
            s->value[i] = (uint16_t)((int16_t)s->value[i] + (step > 0 ? (step + 3) / 4 : (step - 3) / 4));
    }
    for (uint8_t line = 0; line < LINES; line++) {
        uint16_t level = hal_level(line);
        if (level > s->level[line])
            s->level[line] = level;
    }
    s->started = 1;
    s->scan++;
}

uint8_t sensors_moved(const struct sensors *s, uint8_t threshold, uint8_t *each)
{
    uint8_t count = 0;
    for (uint8_t i = 0; i < SENSORS && count < MOST_MOVED; i++) {
        int16_t step = (int16_t)(s->value[i] - s->sent[i]);
        if (step > threshold || step < -(int16_t)threshold) {
            each[DELTA_EACH_INDEX_AT] = i;
            put16(each + DELTA_EACH_VALUE_AT, s->value[i]);
            each += DELTA_EACH_SIZE;
            count++;
        }
    }
    return count;
}

void sensors_sent(struct sensors *s, const uint8_t *each, uint8_t count)
{
    for (; count > 0; count--, each += DELTA_EACH_SIZE)
        s->sent[each[DELTA_EACH_INDEX_AT]] = get16(each + DELTA_EACH_VALUE_AT);
}

void sensors_levels(struct sensors *s, uint8_t *each)
{
    for (uint8_t line = 0; line < LINES; line++, each += LEVELS_EACH_SIZE) {
        put16(each + LEVELS_EACH_VALUE_AT, s->level[line]);
        s->level[line] = 0;
    }
}

void sensors_pack(struct sensors *s, uint8_t first, uint8_t *packed)
{
    for (uint8_t i = 0; i < KEYFRAME_VALUES; i += 2) {
        uint16_t low = s->value[first + i], high = s->value[first + i + 1];
        *packed++ = (uint8_t)low;
        *packed++ = (uint8_t)(low >> 8 | high << 4);
        *packed++ = (uint8_t)(high >> 4);
    }
}

void sensors_packed_sent(struct sensors *s, uint8_t first)
{
    for (uint8_t i = 0; i < KEYFRAME_VALUES; i++)
        s->sent[first + i] = s->value[first + i];
}
