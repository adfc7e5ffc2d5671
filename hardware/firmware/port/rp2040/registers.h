/* The RP2040's registers that this port touches, by the names of its data sheet. SET and CLR: the bus's own aliases that set or clear bits at once. */
#ifndef TAKHTE_REGISTERS_H
#define TAKHTE_REGISTERS_H

#include <stdint.h>

#define REG(address) (*(volatile uint32_t *)(uintptr_t)(address))
#define SET(address) REG((address) + 0x2000u)
#define CLR(address) REG((address) + 0x3000u)

#define SSI_SSIENR 0x18000008u
#define SSI_SER 0x18000010u
#define SSI_SR 0x18000028u
#define SSI_DR0 0x18000060u
#define IO_QSPI_SS_CTRL 0x4001800Cu

#define CLK_REF_CTRL 0x40008030u
#define CLK_REF_SELECTED 0x40008038u
#define CLK_SYS_CTRL 0x4000803Cu
#define CLK_SYS_SELECTED 0x40008044u
#define CLK_USB_CTRL 0x40008054u
#define CLK_ADC_CTRL 0x40008060u
#define RESETS_RESET 0x4000C000u
#define RESETS_DONE 0x4000C008u
#define PSM_WDSEL 0x40010008u
#define GPIO_CTRL(pin) (0x40014004u + 8u * (pin))
#define PAD(pin) (0x4001C004u + 4u * (pin))
#define XOSC_CTRL 0x40024000u
#define XOSC_STATUS 0x40024004u
#define XOSC_STARTUP 0x4002400Cu
#define PLL_USB_CS 0x4002C000u
#define PLL_USB_PWR 0x4002C004u
#define PLL_USB_FBDIV 0x4002C008u
#define PLL_USB_PRIM 0x4002C00Cu

#define ADC_CS 0x4004C000u
#define ADC_FCS 0x4004C008u
#define ADC_FIFO 0x4004C00Cu
#define ADC_DIV 0x4004C010u
#define ADC_INTE 0x4004C018u
#define PWM_CSR(slice) (0x40050000u + 0x14u * (slice))
#define PWM_DIV(slice) (0x40050004u + 0x14u * (slice))
#define PWM_CC(slice) (0x4005000Cu + 0x14u * (slice))
#define PWM_TOP(slice) (0x40050010u + 0x14u * (slice))
#define TIMER_ALARM0 0x40054010u
#define TIMER_RAWL 0x40054028u
#define TIMER_INTR 0x40054034u
#define TIMER_INTE 0x40054038u
#define WATCHDOG_CTRL 0x40058000u
#define WATCHDOG_LOAD 0x40058004u
#define WATCHDOG_REASON 0x40058008u
#define WATCHDOG_TICK 0x4005802Cu
#define ROSC_RANDOMBIT 0x4006001Cu
#define CHIP_RESET 0x40064008u

#define DMA_READ 0x50000000u
#define DMA_WRITE 0x50000004u
#define DMA_COUNT 0x50000008u
#define DMA_CTRL_TRIG 0x5000000Cu
#define DPRAM 0x50100000u
#define USB_ADDR_ENDP 0x50110000u
#define USB_MAIN_CTRL 0x50110040u
#define USB_SIE_CTRL 0x5011004Cu
#define USB_SIE_STATUS 0x50110050u
#define USB_BUFF_STATUS 0x50110058u
#define USB_STALL_ARM 0x50110068u
#define USB_MUXING 0x50110074u
#define USB_PWR 0x50110078u
#define USB_INTE 0x50110090u
#define USB_INTS 0x50110098u
#define PIO0_CTRL 0x50200000u
#define PIO0_FDEBUG 0x50200008u
#define PIO0_TXF0 0x50200010u
#define PIO0_INSTR_MEM(n) (0x50200048u + 4u * (n))
#define PIO0_SM0_CLKDIV 0x502000C8u
#define PIO0_SM0_EXECCTRL 0x502000CCu
#define PIO0_SM0_SHIFTCTRL 0x502000D0u
#define PIO0_SM0_INSTR 0x502000D8u
#define PIO0_SM0_PINCTRL 0x502000DCu

#define SIO_IN 0xD0000004u
#define SIO_OUT_SET 0xD0000014u
#define SIO_OUT_CLR 0xD0000018u
#define SIO_OE_SET 0xD0000024u
#define SIO_OE_CLR 0xD0000028u

#define NVIC_ISER 0xE000E100u
#define VTOR 0xE000ED08u

#define IRQ_TIMER 0
#define IRQ_USB 5
#define IRQ_ADC 22

#define FUNCTION_PWM 4
#define FUNCTION_SIO 5
#define FUNCTION_PIO0 6

static inline uint32_t irq_off(void)
{
    uint32_t before;
    __asm__ volatile("mrs %0, primask\n cpsid i" : "=r"(before)::"memory");
    return before;
}

static inline void irq_back(uint32_t before)
{
    __asm__ volatile("msr primask, %0" ::"r"(before) : "memory");
}

#endif
