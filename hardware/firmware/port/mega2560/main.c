/*
 * ATmega2560 at 16 MHz: interrupts, registers and the loop. Each interrupt moves one thing and returns; all thinking is in core/.
 *
 * Timer 0: the millisecond. ADC: 250 kHz clock, one conversion in 52 us, 9 for each step of the multiplexers (the first after a step is thrown
 * away: the lines need about 10 us to settle, an open one 50), 17 steps: 16 channels, and one with all multiplexers off. A whole scan in 8 ms. "Up
 * to 76.9 kSPS (Up to 15 kSPS at Maximum Resolution)", says the data sheet; these are 19, and a checker is 180 steps. UART: 250,000 baud, which 16 MHz divides exactly.
 *
 * The converter's reference is AREF, fed with seven eighths of the sensors' own supply: the chip hangs on the host's USB and its AVCC is another voltage. Never
 * select AVCC: the chip would join the two supplies at the pin.
 */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <avr/wdt.h>
#include <util/atomic.h>

#include "core/board.h"
#include "core/crc32.h"
#include "display.h"
#include "hal/hal.h"
#include "identity.h"
#include "core/protocol.h"
#include "pins.h"
#include "strip.h"

#define CHANNELS 16
_Static_assert(1 << OFF_BIT == CHANNELS, "the step after the last channel is the one that switches off");
#define RX_SIZE 256 /* so that an 8 bit index wraps by itself */
#define TX_SIZE 1024

static volatile uint32_t milliseconds;
static volatile uint16_t raw[CHANNELS + 1][LINES]; /* the last: all multiplexers off */
static volatile bool scan_done, ticked;
static volatile uint8_t rx[RX_SIZE], rx_head, rx_tail;
static volatile uint16_t rx_overruns;
static volatile uint8_t tx[TX_SIZE];
static volatile uint16_t tx_head, tx_tail;
static uint8_t reset_cause;

ISR(TIMER0_COMPA_vect)
{
    milliseconds++;
    ticked = true;
}

static void convert(uint8_t line)
{
    ADMUX = line; /* REFS1:0 = 0: AREF */
    ADCSRA |= _BV(ADSC);
}

/* CHANNELS itself switches all multiplexers off. */
static void select_channel(uint8_t channel)
{
    SELECT_PORT = (uint8_t)((SELECT_PORT & ~(SELECT_MASK | _BV(OFF_BIT))) | channel);
}

ISR(ADC_vect)
{
    static uint8_t line, channel, settling = 1;
    uint16_t value = ADC; /* before ADMUX is touched */
    if (settling) {
        settling = 0;
    } else {
        raw[channel][line] = value;
        if (++line == LINES) {
            line = 0;
            settling = 1;
            channel = (channel + 1) % (CHANNELS + 1);
            scan_done |= channel == 0;
            select_channel(channel);
        }
    }
    convert(line);
}

static inline void take_byte(void)
{
    uint8_t overrun = UCSR0A & _BV(DOR0), byte = UDR0, next = (uint8_t)(rx_head + 1);
    if (overrun || next == rx_tail)
        rx_overruns++;
    if (next != rx_tail) {
        rx[rx_head] = byte;
        rx_head = next;
    }
}

ISR(USART0_RX_vect)
{
    take_byte();
}

ISR(USART0_UDRE_vect)
{
    if (tx_head == tx_tail) {
        UCSR0B &= (uint8_t)~_BV(UDRIE0);
        return;
    }
    UDR0 = tx[tx_tail];
    tx_tail = (tx_tail + 1) % TX_SIZE;
}

uint32_t hal_ms(void)
{
    uint32_t now;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { now = milliseconds; }
    return now;
}

int16_t hal_rx(void)
{
    if (rx_tail == rx_head)
        return -1;
    uint8_t byte = rx[rx_tail];
    rx_tail++;
    return byte;
}

uint16_t hal_rx_overruns(void)
{
    uint16_t count;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { count = rx_overruns; }
    return count;
}

uint16_t hal_tx_free(void)
{
    uint16_t space;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { space = (tx_tail - tx_head - 1) % TX_SIZE; }
    return space;
}

void hal_tx(uint8_t byte)
{
    tx[tx_head] = byte;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE)
    {
        tx_head = (tx_head + 1) % TX_SIZE;
        UCSR0B |= _BV(UDRIE0);
    }
}

bool hal_scan_done(void)
{
    bool done = scan_done;
    scan_done = false;
    return done;
}

/* A conversion is a 1023rd of the reference, and that is REFERENCE_EIGHTHS of the sensors' supply. */
static uint16_t converted(uint8_t channel, uint8_t line)
{
    uint16_t value;
    ATOMIC_BLOCK(ATOMIC_RESTORESTATE) { value = raw[channel][line]; }
    return value * REFERENCE_EIGHTHS / 2;
}

uint16_t hal_raw(uint8_t sensor)
{
    return converted(sensor % CHANNELS, sensor / CHANNELS);
}

uint16_t hal_level(uint8_t line)
{
    return converted(CHANNELS, line);
}

uint8_t hal_buttons(void)
{
    uint8_t presses = (uint8_t)(~PRESS_PIN >> PRESS_SHIFT) & PRESS_MASK;
    return (uint8_t)(presses | (~MORE_PIN & MORE_MASK) << 2);
}

void hal_lamps(uint8_t lit)
{
    LAMP_PORT = (uint8_t)((LAMP_PORT & ~(3 << LAMP_SHIFT)) | (lit & 3) << LAMP_SHIFT);
}

/* Interrupts are off while the strip listens (1.7 ms): what cannot wait so long is asked for between two of its bytes. */
static void meanwhile(void)
{
    if (UCSR0A & _BV(RXC0))
        take_byte();
    if (TIFR0 & _BV(OCF0A)) {
        TIFR0 = _BV(OCF0A);
        milliseconds++;
        ticked = true;
    }
}

void hal_leds_show(const uint8_t *grb, uint8_t leds)
{
    strip_show(grb, leds, meanwhile);
}

void hal_displays(const uint8_t *segments, uint8_t brightness)
{
    display_show(segments, brightness);
}

/* Timer 1 toggles the pin by itself: prescaler 8, one half wave in OCR1A + 1 counts. */
void hal_tone(uint16_t hz)
{
    TCCR1A = hz ? _BV(COM1A0) : 0;
    TCCR1B = hz ? _BV(WGM12) | _BV(CS11) : 0;
    if (hz < 31)
        hz = 31; /* the longest half wave that 16 bits hold */
    OCR1A = (uint16_t)(F_CPU / 16 / hz - 1);
    TCNT1 = 0;
}

void hal_uid(uint8_t uid[8])
{
    for (uint8_t i = 0; i < 8; i++)
        uid[i] = identity_uid()[i];
}

uint32_t hal_nonce(void)
{
    return identity_nonce();
}

uint8_t hal_reset_cause(void)
{
    return reset_cause;
}

uint32_t hal_cpu_hz(void)
{
    return F_CPU;
}

void hal_reset(void)
{
    wdt_enable(WDTO_15MS);
    for (;;) {
    }
}

/* Sensor values differ from board to board and jitter from moment to moment: good enough to name a board. */
static uint32_t noise(void)
{
    uint32_t crc = CRC32_START;
    for (uint8_t channel = 0; channel < CHANNELS; channel++) {
        select_channel(channel);
        for (uint8_t line = 0; line < LINES; line++) {
            convert(line);
            while (ADCSRA & _BV(ADSC)) {
            }
            crc = crc32_byte(crc32_byte(crc, ADCL), ADCH);
        }
    }
    return crc;
}

static void start(void)
{
    reset_cause = MCUSR;
    MCUSR = 0;
    wdt_disable();
    SELECT_DDR |= SELECT_MASK | _BV(OFF_BIT);
    STRIP_DDR |= _BV(STRIP_BIT);
    LAMP_DDR |= 3 << LAMP_SHIFT;
    TONE_DDR |= _BV(TONE_BIT);
    PRESS_PORT |= PRESS_MASK << PRESS_SHIFT;
    MORE_PORT |= MORE_MASK;
    TCCR0A = _BV(WGM01);
    TCCR0B = _BV(CS01) | _BV(CS00);
    OCR0A = F_CPU / 64 / 1000 - 1;
    TIMSK0 = _BV(OCIE0A);
    UBRR0 = F_CPU / 16 / BAUD - 1;
    UCSR0C = _BV(UCSZ01) | _BV(UCSZ00);
    UCSR0B = _BV(RXEN0) | _BV(TXEN0) | _BV(RXCIE0);
    ADCSRA = _BV(ADEN) | _BV(ADPS2) | _BV(ADPS1);
    identity_start(noise());
    select_channel(0);
    ADCSRA |= _BV(ADIE);
    wdt_enable(WDTO_500MS);
    set_sleep_mode(SLEEP_MODE_IDLE);
}

int main(void)
{
    start();
    board_start();
    sei();
    convert(0);
    for (;;) {
        if (scan_done) /* sensors that stand still are as bad as a chip that hangs */
            wdt_reset();
        ticked = false;
        board_step();
        /* A conversion wakes the chip nine times a millisecond: back to sleep unless there is something to do. */
        cli();
        while (rx_head == rx_tail && !scan_done && !ticked) {
            sleep_enable();
            sei(); /* the instruction after sei still runs: no interrupt can slip in before the sleep */
            sleep_cpu();
            sleep_disable();
            display_step(TCNT0);
            cli();
        }
        sei();
        display_step(TCNT0);
    }
}
