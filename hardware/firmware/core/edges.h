/*
 * Buttons: debounced, stamped with the time of the first contact, numbered, and kept until the host has acknowledged them.
 * A press is never forgotten for want of a host; only when EDGE_QUEUE of them wait are further ones lost, and then counted.
 */
#ifndef TAKHTE_EDGES_H
#define TAKHTE_EDGES_H

#include <stdbool.h>
#include <stdint.h>

#include "protocol.h"

struct edge {
    uint32_t ms;
    uint8_t button_down; /* button in the low bits, EDGE_DOWN when it went down */
};
#define EDGE_DOWN 0x80

struct edges {
    struct edge queue[EDGE_QUEUE];
    uint8_t head, count;
    uint16_t oldest; /* number of queue[head]; numbers begin with 1 */
    uint16_t lost;
    uint8_t stable, raw;            /* debounced and last sampled state, one bit a button */
    uint32_t first[BUTTONS];        /* when this contact began */
    uint32_t last[BUTTONS];         /* when raw last changed */
};

void edges_start(struct edges *e);
/* Look at the buttons. Call every millisecond or so; returns how many new edges were queued. */
uint8_t edges_sample(struct edges *e, uint8_t held, uint32_t now);
/* The payload of an EDGE for the n-th waiting edge. */
void edges_payload(const struct edges *e, uint8_t n, uint32_t nonce, uint8_t *payload);
/* Everything up to this number has arrived. */
void edges_seen(struct edges *e, uint16_t upto);

#endif
