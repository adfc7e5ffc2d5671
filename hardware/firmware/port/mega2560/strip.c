/*
 * A WS2812B bit begins with a rising edge; it is read as 1 when the line is still high about 550 ns later. The data sheet asks for 220..380 ns high
 * for 0 and 580..1000 ns for 1 (newer parts), and 280 us of low to latch; older strips latch after 50 us by their data sheet and after 5 to 9 us when
 * measured. At 16 MHz one cycle is 62.5 ns: a 0 is 6 cycles = 375 ns, a 1 is 13 cycles = 812 ns, the whole bit 20 cycles = 1.25 us.
 *
 * So the whole burst (30 us an LED) runs with interrupts off, and between two bytes `meanwhile` takes what cannot wait: at most 5 us of low. How sure we
 * are: measured at the emulated pin, behind a strip that latches after 5 us; never on metal.
 */
#include "strip.h"

#include <avr/interrupt.h>
#include <avr/io.h>
#include <util/delay.h>

#include "pins.h"

static void send_byte(uint8_t byte, uint8_t high, uint8_t low)
{
    uint8_t bits = 8;
    __asm__ volatile("1: out %[port], %[high]\n"  /* 0: the bit begins */
                     "   rjmp .+0\n rjmp .+0\n"   /* 1..4 */
                     "   sbrs %[byte], 7\n"       /* 5, skips the next for a 1 (then 6) */
                     "   out %[port], %[low]\n"   /* 6: a 0 ends */
                     "   lsl %[byte]\n"           /* 7 */
                     "   rjmp .+0\n rjmp .+0\n nop\n"
                     "   out %[port], %[low]\n"   /* 13: a 1 ends */
                     "   nop\n nop\n nop\n"
                     "   dec %[bits]\n"
                     "   brne 1b\n"
                     : [byte] "+r"(byte), [bits] "+r"(bits)
                     : [port] "I"(_SFR_IO_ADDR(STRIP_PORT)), [high] "r"(high), [low] "r"(low));
}

void strip_show(const uint8_t *grb, uint8_t leds, void (*meanwhile)(void))
{
    uint8_t bytes = (uint8_t)(3 * leds);
    cli();
    uint8_t high = STRIP_PORT | _BV(STRIP_BIT), low = STRIP_PORT & (uint8_t)~_BV(STRIP_BIT);
    while (bytes-- > 0) {
        send_byte(*grb++, high, low);
        meanwhile();
    }
    sei();
    _delay_us(300);
}
