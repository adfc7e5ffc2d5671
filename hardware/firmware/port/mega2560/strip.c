/*
 * A WS2812B bit begins with a rising edge; it is read as 1 when the line is still high about 550 ns later. The data sheet asks for 220..380 ns high
 * for 0 and 580..1000 ns for 1 (newer parts), 5 us of low at most within a frame (in practice 9 us are safe), and 280 us of low to latch.
 * At 16 MHz one cycle is 62.5 ns: a 0 is 6 cycles = 375 ns, a 1 is 13 cycles = 812 ns, the whole bit 20 cycles = 1.25 us.
 *
 * A byte must not be interrupted, nor may the UART wait longer than its two bytes of buffer take to fill (80 us). So interrupts are held off for one
 * LED (30 us) and let in between LEDs. How sure we are: measured at the emulated pin; never on metal.
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

void strip_show(const uint8_t *grb, uint8_t leds)
{
    for (; leds > 0; leds--) {
        cli();
        uint8_t high = STRIP_PORT | _BV(STRIP_BIT), low = STRIP_PORT & (uint8_t)~_BV(STRIP_BIT);
        send_byte(*grb++, high, low);
        send_byte(*grb++, high, low);
        send_byte(*grb++, high, low);
        sei();
        /* After each return from an interrupt one instruction runs before the next: so many can be waiting. */
        __asm__ volatile("nop\n nop\n nop\n nop\n nop\n nop\n");
    }
    _delay_us(300);
}
