#include "edges.h"

#include "bytes.h"

void edges_start(struct edges *e)
{
    *e = (struct edges){.oldest = 1};
}

static void push(struct edges *e, uint8_t button_down, uint32_t ms)
{
    if (e->count == EDGE_QUEUE) {
        e->lost++;
        return;
    }
    e->queue[(e->head + e->count) % EDGE_QUEUE] = (struct edge){ms, button_down};
    e->count++;
}

uint8_t edges_sample(struct edges *e, uint8_t held, uint32_t now)
{
    uint8_t before = e->count;
    uint8_t turned = held ^ e->raw;
    e->raw = held;
    for (uint8_t i = 0; i < BUTTONS; i++) {
        uint8_t bit = (uint8_t)(1 << i);
        bool differs = (held ^ e->stable) & bit;
        if (turned & bit) {
            /* The first contact after rest is the finger's time; bounces after it do not move the stamp. */
            if (differs && now - e->last[i] >= DEBOUNCE_MS)
                e->first[i] = now;
            e->last[i] = now;
        }
        if (differs && now - e->last[i] >= DEBOUNCE_MS) {
            e->stable ^= bit;
            push(e, (uint8_t)(i | (held & bit ? EDGE_DOWN : 0)), e->first[i]);
        }
    }
    return (uint8_t)(e->count - before);
}

void edges_payload(const struct edges *e, uint8_t n, uint32_t nonce, uint8_t *payload)
{
    const struct edge *edge = &e->queue[(e->head + n) % EDGE_QUEUE];
    put32(payload + EDGE_NONCE_AT, nonce);
    put16(payload + EDGE_NUMBER_AT, (uint16_t)(e->oldest + n));
    payload[EDGE_BUTTON_AT] = edge->button_down & (uint8_t)~EDGE_DOWN;
    payload[EDGE_DOWN_AT] = edge->button_down >> 7;
    put32(payload + EDGE_MS_AT, edge->ms);
}

void edges_seen(struct edges *e, uint16_t upto)
{
    while (e->count > 0 && (uint16_t)(upto - e->oldest) < EDGE_QUEUE) {
        e->head = (uint8_t)((e->head + 1) % EDGE_QUEUE);
        e->count--;
        e->oldest++;
    }
}
