/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _GNU_SOURCE
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <pty.h>
#include <simavr/avr_uart.h>
#include <simavr/sim_io.h>
#include <stdio.h>
#include <stdlib.h>
#include <termios.h>
#include <unistd.h>

#include "emulator.h"

#define RING 65536
#define CHIP_DEPTH 3 /* two bytes of buffer and the shift register; simavr has 64 and would hide overruns */

struct serial_counts serial_counts;
struct ring {
    uint8_t bytes[RING];
    unsigned in, out;
};
static struct ring to_board, to_host;
static avr_uart_t *uart;
static avr_irq_t *uart_in;
static bool feeding;
static double error_rate;
static double bits_to_error[2];
static unsigned drops;
static uint32_t random_state;
static int master = -1;
static bool opened;
static void (*on_open)(void); /* the host opened the port */
static const char *link_path;

static double uniform(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return (random_state + 1.0) / 4294967297.0;
}

static uint8_t through_cable(uint8_t byte, int direction)
{
    if (error_rate <= 0)
        return byte;
    bits_to_error[direction] -= 8;
    while (bits_to_error[direction] < 0) {
        byte ^= (uint8_t)(1 << (int)(bits_to_error[direction] + 8));
        serial_counts.flipped++;
        bits_to_error[direction] += 1 + floor(-log(uniform()) / error_rate);
    }
    return byte;
}

static bool push(struct ring *r, uint8_t byte)
{
    if (r->in - r->out >= RING)
        return false;
    r->bytes[r->in++ % RING] = byte;
    return true;
}

/* simavr 1.6 counts a parity bit that is not there, 11 bits a byte (its issue 374): put right what it believes. */
static avr_cycle_count_t byte_cycles(void)
{
    unsigned divisor = avr->data[UBRR0L_AT] | (avr->data[UBRR0H_AT] & 15) << 8;
    uart->cycles_per_byte = (divisor + 1) * (avr->data[UCSR0A_AT] & 2 ? 8 : 16) * 10;
    return uart->cycles_per_byte;
}

static avr_cycle_count_t feed(avr_t *a, avr_cycle_count_t when, void *unused)
{
    (void)a;
    (void)unused;
    if (to_board.in == to_board.out) {
        feeding = false;
        return 0;
    }
    uint8_t byte = through_cable(to_board.bytes[to_board.out++ % RING], 0);
    if (drops) {
        drops--;
        serial_counts.lost++;
    } else if (((uart->input.write - uart->input.read) & 63) >= CHIP_DEPTH) {
        serial_counts.overruns++;
        avr_regbit_set(avr, uart->dor);
    } else {
        serial_counts.to_board++;
        avr_raise_irq(uart_in, byte);
    }
    return when + byte_cycles();
}

static void on_byte(struct avr_irq_t *irq, uint32_t value, void *unused)
{
    (void)irq;
    (void)unused;
    byte_cycles();
    bool listened = link_path == NULL || (master >= 0 && opened);
    if (listened && push(&to_host, through_cable((uint8_t)value, 1)))
        serial_counts.to_host++;
    else
        serial_counts.lost++;
}

void serial_start(uint32_t seed)
{
    random_state = seed * 40503u + 7;
    for (avr_io_t *port = avr->io_port; port; port = port->next)
        if (port->kind[0] == 'u' && ((avr_uart_t *)port)->name == '0')
            uart = (avr_uart_t *)port;
    uint32_t flags = 0;
    avr_ioctl(avr, AVR_IOCTL_UART_GET_FLAGS('0'), &flags);
    flags &= ~(uint32_t)(AVR_UART_FLAG_STDIO | AVR_UART_FLAG_POLL_SLEEP);
    avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
    uart_in = avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_INPUT);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT), on_byte, NULL);
}

void serial_reset(void)
{
    feeding = false;
    to_board.out = to_board.in;
}

void serial_give(const uint8_t *bytes, size_t count)
{
    while (count--)
        push(&to_board, *bytes++);
    if (!feeding && to_board.in != to_board.out) {
        feeding = true;
        avr_cycle_timer_register(avr, byte_cycles(), feed, NULL);
    }
}

size_t serial_take(uint8_t *bytes, size_t room)
{
    size_t n = 0;
    while (n < room && to_host.in != to_host.out)
        bytes[n++] = to_host.bytes[to_host.out++ % RING];
    return n;
}

void serial_faults(double bit_error_rate)
{
    error_rate = bit_error_rate;
    for (int i = 0; i < 2; i++)
        bits_to_error[i] = error_rate > 0 ? floor(-log(uniform()) / error_rate) : 0;
}

void serial_drop(unsigned count)
{
    drops += count;
}

void serial_plug(const char *link, void (*opened_by_host)(void))
{
    int slave;
    char name[128], fresh[512];
    struct termios raw;
    link_path = link;
    on_open = opened_by_host;
    if (master >= 0)
        return;
    if (openpty(&master, &slave, name, NULL, NULL) < 0) {
        perror("openpty");
        exit(1);
    }
    tcgetattr(slave, &raw);
    cfmakeraw(&raw);
    tcsetattr(slave, TCSANOW, &raw);
    fcntl(master, F_SETFL, O_NONBLOCK);
    close(slave); /* so that a hang-up on the master tells that nobody has the port */
    snprintf(fresh, sizeof fresh, "%s.new", link);
    unlink(fresh);
    if (symlink(name, fresh) || rename(fresh, link))
        perror(link);
    opened = false;
}

void serial_unplug(void)
{
    if (master < 0)
        return;
    unlink(link_path);
    close(master);
    master = -1;
    opened = false;
    to_host.out = to_host.in;
    to_board.out = to_board.in;
}

void serial_serve(void)
{
    uint8_t bytes[4096];
    if (master < 0)
        return;
    struct pollfd p = {.fd = master, .events = POLLIN | (to_host.in != to_host.out ? POLLOUT : 0)};
    poll(&p, 1, 0);
    bool hung_up = p.revents & POLLHUP;
    if (!hung_up && !opened) {
        opened = true;
        if (on_open)
            on_open();
    } else if (hung_up && opened) {
        opened = false;
        to_host.out = to_host.in;
    }
    if (p.revents & POLLIN) {
        ssize_t n = read(master, bytes, sizeof bytes);
        if (n > 0)
            serial_give(bytes, (size_t)n);
    }
    while (opened && to_host.in != to_host.out) {
        unsigned at = to_host.out % RING, n = to_host.in - to_host.out;
        ssize_t written = write(master, to_host.bytes + at, n > RING - at ? RING - at : n);
        if (written <= 0)
            break;
        to_host.out += (unsigned)written;
    }
}
