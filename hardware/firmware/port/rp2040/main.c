/*
 * RP2040 at 48 MHz, from the USB's own PLL: interrupts, registers and the loop. Each interrupt moves one thing and returns; all thinking is in core/. Everything
 * runs in RAM.
 *
 * Timer, alarm 0: the millisecond. ADC: a conversion each 11 us, four at a time: after each step of the multiplexers one lot is thrown away, then one for each
 * of the eight lines, of which the first conversion is thrown away (the ninth multiplexer has just stepped) and three are added up. 17 steps: 16 channels, and
 * one with all multiplexers off: a whole scan in 6.7 ms.
 *
 * The converter's reference is ADC_VREF, fed with the sensors' own 3.3 V; the chip hangs on the host's USB.
 */
#include "core/board.h"
#include "core/protocol.h"
#include "display.h"
#include "hal/hal.h"
#include "identity.h"
#include "pins.h"
#include "strip.h"
#include "usb.h"

#define CHANNELS 16u
#define LOT 4u
#define CPU_HZ 48000000u
#define TONE_SLICE 5u
#define TONE_HZ 1000000u
#define WATCHDOG_MS 500u
#define HELD_UP 0x5Au /* a pad: input on, pulled up, Schmitt trigger */
#define ANALOGUE 0x80u /* a pad: neither output nor input */

_Static_assert(OFF_PIN == SELECT_FIRST + 4, "the step after the last channel is the one that switches off");

static volatile uint32_t milliseconds;
static volatile uint16_t raw[CHANNELS + 1][LINES]; /* sums of three; the last: all multiplexers off */
static volatile bool scan_done, ticked;
static uint8_t reset_cause;

void on_tick(void)
{
    REG(TIMER_INTR) = 1;
    do { /* an alarm that is set for what has passed would not come for an hour */
        REG(TIMER_ALARM0) += 1000;
        milliseconds++;
    } while ((int32_t)(REG(TIMER_ALARM0) - REG(TIMER_RAWL)) <= 0);
    ticked = true;
}

static void drive(uint32_t first, uint32_t mask, uint32_t value)
{
    REG(SIO_OUT_SET) = (value & mask) << first;
    REG(SIO_OUT_CLR) = (~value & mask) << first;
}

void on_conversions(void)
{
    static uint8_t line, channel, settling = 1;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < LOT; i++) {
        uint32_t value = REG(ADC_FIFO);
        sum += i ? value : 0;
    }
    if (settling) {
        settling = 0;
    } else {
        raw[channel][line] = (uint16_t)sum;
        if (++line == LINES) {
            line = 0;
            settling = 1;
            channel = (uint8_t)((channel + 1) % (CHANNELS + 1));
            scan_done |= channel == 0;
            drive(SELECT_FIRST, 0x1F, channel); /* CHANNELS itself is EN */
        }
        drive(LINE_FIRST, 0x7, line);
    }
    SET(ADC_FCS) = 3u << 10; /* over- and underflow are forgotten */
}

uint32_t hal_ms(void) { return milliseconds; }
int16_t hal_rx(void) { return usb_rx(); }
uint16_t hal_rx_overruns(void) { return 0; } /* USB lets a host wait */
uint16_t hal_tx_free(void) { return usb_tx_free(); }
void hal_tx(uint8_t byte) { usb_tx(byte); }

bool hal_scan_done(void)
{
    bool done = scan_done;
    scan_done = false;
    return done;
}

/* Three conversions of 4096 steps each, as 4092nds. */
static uint16_t of_supply(uint16_t sum) { return (uint16_t)(sum * 341u / 1024u); }

uint16_t hal_raw(uint8_t sensor) { return of_supply(raw[sensor % CHANNELS][sensor / CHANNELS]); }
uint16_t hal_level(uint8_t line) { return of_supply(raw[CHANNELS][line]); }

uint8_t hal_buttons(void)
{
    uint32_t held = ~REG(SIO_IN);
    return (uint8_t)((held >> PRESS_FIRST & 3) | (held >> MORE_FIRST & 31) << 2);
}

void hal_lamps(uint8_t lit) { drive(LAMP_FIRST, 3, lit); }
void hal_leds_show(const uint8_t *grb, uint8_t leds) { strip_show(grb, leds); }
void hal_displays(const uint8_t *segments, uint8_t brightness) { display_show(segments, brightness); }

void hal_tone(uint16_t hz)
{
    REG(PWM_CSR(TONE_SLICE)) = 0;
    if (hz < 16)
        return; /* a half wave that 16 bits do not hold, or silence */
    uint32_t wave = TONE_HZ / hz;
    REG(PWM_DIV(TONE_SLICE)) = CPU_HZ / TONE_HZ << 4;
    REG(PWM_TOP(TONE_SLICE)) = wave - 1;
    REG(PWM_CC(TONE_SLICE)) = wave / 2 << 16;
    REG(PWM_CSR(TONE_SLICE)) = 1;
}

void hal_uid(uint8_t uid[8])
{
    for (uint8_t i = 0; i < 8; i++)
        uid[i] = identity_uid()[i];
}

uint32_t hal_nonce(void) { return identity_nonce(); }
uint8_t hal_reset_cause(void) { return reset_cause; }
uint32_t hal_cpu_hz(void) { return CPU_HZ; }

void hal_reset(void)
{
    SET(WATCHDOG_CTRL) = 1u << 31;
    for (;;) {
    }
}

static void start_clocks(void)
{
    uint32_t needed = 1u << 0 | 1u << 2 | 1u << 5 | 1u << 6 | 1u << 8 | 1u << 10 | 1u << 13 | 1u << 14 | 1u << 21 | 1u << 24; /* ADC, DMA, pins, PIO 0, PLL, PWM, timer, USB */
    REG(XOSC_STARTUP) = 47;
    REG(XOSC_CTRL) = 0xFABAA0;
    while (!(REG(XOSC_STATUS) & 1u << 31)) {
    }
    REG(CLK_REF_CTRL) = 2; /* the crystal, 12 MHz */
    while (!(REG(CLK_REF_SELECTED) & 1u << 2)) {
    }
    CLR(RESETS_RESET) = 1u << 13;
    while (!(REG(RESETS_DONE) & 1u << 13)) {
    }
    REG(PLL_USB_CS) = 1;
    REG(PLL_USB_FBDIV) = 100; /* 1200 MHz */
    CLR(PLL_USB_PWR) = 1u << 0 | 1u << 5;
    while (!(REG(PLL_USB_CS) & 1u << 31)) {
    }
    REG(PLL_USB_PRIM) = 5u << 16 | 5u << 12; /* 48 MHz */
    CLR(PLL_USB_PWR) = 1u << 3;
    REG(CLK_SYS_CTRL) = 1u << 5; /* the PLL is chosen before the switch to it */
    REG(CLK_SYS_CTRL) = 1u << 5 | 1;
    while (!(REG(CLK_SYS_SELECTED) & 1u << 1)) {
    }
    REG(CLK_USB_CTRL) = 1u << 11;
    REG(CLK_ADC_CTRL) = 1u << 11;
    REG(WATCHDOG_TICK) = 12 | 1u << 9; /* the microsecond of timer and watchdog */
    CLR(RESETS_RESET) = needed;
    while ((REG(RESETS_DONE) & needed) != needed) {
    }
}

static void start_pins(void)
{
    uint32_t outputs = 0x1Fu << SELECT_FIRST | 7u << LINE_FIRST | 3u << LAMP_FIRST;
    REG(SIO_OUT_CLR) = 0x3FFFFFFFu; /* the displays' lines too: low when they are pulled */
    REG(SIO_OE_SET) = outputs;
    for (uint32_t pin = 0; pin < 30; pin++) {
        bool button = (pin >= PRESS_FIRST && pin < PRESS_FIRST + 2) || (pin >= MORE_FIRST && pin < MORE_FIRST + 5);
        if (button || display_pins(15) >> pin & 1)
            REG(PAD(pin)) = HELD_UP;
        if (button || (outputs | display_pins(15)) >> pin & 1)
            REG(GPIO_CTRL(pin)) = FUNCTION_SIO;
    }
    REG(PAD(ADC_PIN)) = ANALOGUE;
    REG(GPIO_CTRL(TONE_PIN)) = FUNCTION_PWM;
}

static uint8_t cause(void)
{
    if (REG(WATCHDOG_REASON) & 3)
        return CAUSE_WATCHDOG;
    return REG(CHIP_RESET) & 1u << 16 ? CAUSE_EXTERNAL : CAUSE_POWER; /* the chip does not tell a brown-out from power that came */
}

static void start(void)
{
    reset_cause = cause();
    start_clocks();
    identity_start();
    start_pins();
    strip_start();
    REG(TIMER_INTE) = 1;
    REG(TIMER_ALARM0) = REG(TIMER_RAWL) + 1000;
    REG(ADC_CS) = 1u | (uint32_t)(ADC_PIN - 26) << 12;
    while (!(REG(ADC_CS) & 1u << 8)) {
    }
    REG(ADC_DIV) = (CPU_HZ / 1000000u * 11u - 1u) << 8;
    REG(ADC_FCS) = LOT << 24 | 1;
    REG(ADC_INTE) = 1;
    REG(PSM_WDSEL) = 0x1FFFCu; /* the watchdog restarts all but the oscillators */
    REG(WATCHDOG_LOAD) = WATCHDOG_MS * 2000u; /* it counts twice in a microsecond (erratum E1) */
    SET(WATCHDOG_CTRL) = 1u << 30;
    usb_start(identity_uid());
    REG(NVIC_ISER) = 1u << IRQ_TIMER | 1u << IRQ_ADC;
}

int main(void)
{
    __asm__ volatile("cpsid i");
    start();
    board_start();
    __asm__ volatile("cpsie i");
    SET(ADC_CS) = 1u << 3;
    for (;;) {
        if (scan_done) /* sensors that stand still are as bad as a chip that hangs */
            REG(WATCHDOG_LOAD) = WATCHDOG_MS * 2000u;
        ticked = false;
        board_step();
        if (usb_asks_for_loader())
            identity_to_loader();
        for (;;) {
            display_step((uint8_t)((REG(TIMER_RAWL) >> 2) % 250u));
            __asm__ volatile("cpsid i"); /* an interrupt that comes now still ends the sleep, and runs after it */
            bool idle = !usb_heard() && !scan_done && !ticked;
            if (idle)
                __asm__ volatile("wfi");
            __asm__ volatile("cpsie i");
            if (!idle)
                break;
        }
    }
}
