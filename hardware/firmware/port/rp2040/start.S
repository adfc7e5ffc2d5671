/*
 * From the chip's own ROM to main(). The ROM copies the first 256 bytes of the flash, whose checksum it asks for (uf2.py puts it there), to the end of its RAM
 * and jumps in. They teach the flash's port to read by the command 03, which every chip knows; then everything is copied into RAM and runs there, so that
 * the flash may be written while it does.
 */
    .syntax unified
    .cpu cortex-m0plus
    .thumb

    .section .boot2, "ax"
    .global boot2
boot2:
    ldr r3, =0x18000000     /* SSI */
    movs r0, #0
    str r0, [r3, #0x08]     /* off while it is changed */
    movs r0, #4
    str r0, [r3, #0x14]     /* a quarter of the system's clock */
    ldr r0, =0x001F0300     /* 32 bits a word; send a command, then read */
    str r0, [r3, #0x00]
    ldr r0, =0x03000218     /* the command 03, eight bits of it, 24 bits of address, one wire */
    ldr r1, =0x180000F4
    str r0, [r1]
    movs r0, #0
    str r0, [r3, #0x04]     /* one word at a time */
    movs r0, #1
    str r0, [r3, #0x08]
    ldr r0, =0x10000100
    ldr r1, [r0]
    mov sp, r1
    ldr r0, [r0, #4]
    bx r0
    .pool

    .section .entry, "a"
    .word _stack_top
    .word copy

    .section .copy, "ax"
    .thumb_func
copy:
    ldr r0, =_image_flash
    ldr r1, =_image_start
    ldr r2, =_image_end
1:  cmp r1, r2
    bhs 2f
    ldm r0!, {r3}
    stm r1!, {r3}
    b 1b
2:  ldr r1, =_bss_start
    ldr r2, =_bss_end
    movs r3, #0
3:  cmp r1, r2
    bhs 4f
    stm r1!, {r3}
    b 3b
4:  ldr r0, =_image_start   /* the vectors lie first */
    ldr r1, =0xE000ED08
    str r0, [r1]
    ldr r0, =main
    bx r0
    .pool

    .section .vectors, "a"
    .word _stack_top
    .word copy
    .word stuck
    .word stuck
    .rept 12
    .word stuck
    .endr
    .word on_tick           /* 0: timer */
    .rept 4
    .word stuck
    .endr
    .word on_usb            /* 5 */
    .rept 16
    .word stuck
    .endr
    .word on_conversions    /* 22: ADC */
    .rept 9
    .word stuck
    .endr

    .section .text.stuck, "ax"
    .thumb_func
stuck:
    b stuck                 /* the watchdog ends it */
