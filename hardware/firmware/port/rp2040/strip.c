/*
 * A bit in ten cycles of 8 MHz, 1.25 us: high for three (375 ns) or six (750 ns), then low. No interrupt can stretch a gap: the state machine and the
 * DMA do not know of interrupts. Between two bursts the line is low for 300 us, which new strips need to take over what they have.
 */
#include "strip.h"

#include "core/protocol.h"
#include "pins.h"

#define LATCH_US 300u
#define BUSY (1u << 24)

static uint32_t words[LEDS];
static uint32_t quiet_from; /* TIMER_RAWL */

void strip_start(void)
{
    static const uint16_t program[] = {
        0x6321, /* out x, 1    side 0 [3] */
        0x1223, /* jmp !x, 3   side 1 [2] */
        0x1200, /* jmp 0       side 1 [2] */
        0xA242, /* nop         side 0 [2] */
    };
    for (uint32_t n = 0; n < sizeof program / sizeof *program; n++)
        REG(PIO0_INSTR_MEM(n)) = program[n];
    REG(PIO0_SM0_CLKDIV) = 6u << 16;
    REG(PIO0_SM0_EXECCTRL) = 3u << 12;
    REG(PIO0_SM0_SHIFTCTRL) = 1u << 30 | 24u << 25 | 1u << 17; /* both FIFOs for sending; 24 bits a word, high bit first, fetched by itself */
    REG(PIO0_SM0_PINCTRL) = 1u << 29 | 1u << 26 | (uint32_t)STRIP_PIN << 10 | (uint32_t)STRIP_PIN << 5;
    REG(PIO0_SM0_INSTR) = 0xE081; /* set pindirs, 1 */
    REG(GPIO_CTRL(STRIP_PIN)) = FUNCTION_PIO0;
    REG(PIO0_CTRL) = 1u << 4 | 1u; /* from the beginning, with nothing left to send */
}

void strip_show(const uint8_t *grb, uint8_t leds)
{
    while (REG(DMA_CTRL_TRIG) & BUSY || (int32_t)(REG(TIMER_RAWL) - quiet_from) < 0) {
    }
    for (uint8_t i = 0; i < leds; i++, grb += 3)
        words[i] = (uint32_t)grb[0] << 24 | (uint32_t)grb[1] << 16 | (uint32_t)grb[2] << 8;
    REG(DMA_READ) = (uint32_t)(uintptr_t)words;
    REG(DMA_WRITE) = PIO0_TXF0;
    REG(DMA_COUNT) = leds;
    REG(DMA_CTRL_TRIG) = 1u | 2u << 2 | 1u << 4; /* words, one after the other, when PIO 0 wants one */
    quiet_from = REG(TIMER_RAWL) + 30u * leds + LATCH_US;
}
