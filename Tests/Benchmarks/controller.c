/* A controller behind a socket. It accepts every command and, after the scan command, reports at a steady rate.
 *
 *   controller PATH RATE BEACONS [REPORTS]
 *
 * Listens on a Unix socket for one host that speaks HCI over H4. It sends RATE reports a second, one an event, of BEACONS
 * iBeacons in turn; with BEACONS 0, each report has a new beacon. REPORTS limits their number. It prints "scan TIME" at the
 * command that starts the scan (nanoseconds of the monotonic clock), and "sent REPORTS" after the last report. */
#define _GNU_SOURCE
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define SCAN_ENABLE 0x200c /* LE Set Scan Enable (Core 5.4 Vol 4 Part E 7.8.11) */

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000ll + time.tv_nsec;
}

static int host(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 1)) exit(1);
    puts("listening"), fflush(stdout);
    return accept(listener, NULL, NULL);
}

static void put(int wire, const uint8_t *bytes, size_t count) {
    while (count > 0) {
        ssize_t written = write(wire, bytes, count);
        if (written <= 0) exit(0);
        bytes += written, count -= (size_t)written;
    }
}

/* Command Complete (7.7.14): success, with as many zeros as the longest answer has. */
static void agree(int wire, const uint8_t *opcode) {
    uint8_t event[3 + 3 + 70] = {4, 0x0e, 3 + 70, 1, opcode[0], opcode[1]};
    put(wire, event, sizeof event);
}

/* An LE Advertising Report (7.7.65.2) of the given beacon. */
static void report(int wire, uint32_t beacon, uint32_t count) {
    uint8_t event[45] = {4, 0x3e, 42, 2, 1, 3, 1, 0, 0, 0, 0, 0x53, 0xc2, 30,
                         2, 1, 0x1a, 0x1a, 0xff, 0x4c, 0, 2, 0x15};
    for (int i = 0; i < 4; i++) event[7 + i] = (uint8_t)(beacon >> 8 * i);
    memcpy(event + 23, "the benchmark's.", 16);
    for (int i = 0; i < 4; i++) event[39 + i] = (uint8_t)(beacon >> (24 - 8 * i));
    event[43] = (uint8_t)-59;
    event[44] = (uint8_t)(-50 - (int)(count * 7 % 40));
    put(wire, event, sizeof event);
}

int main(int words, char **word) {
    if (words < 4) return 2;
    int64_t rate = atoll(word[2]), begun = 0;
    uint32_t beacons = (uint32_t)atol(word[3]), sent = 0;
    uint32_t limit = words > 4 ? (uint32_t)atol(word[4]) : UINT32_MAX;
    int wire = host(word[1]);
    uint8_t commands[4096];
    size_t filled = 0;
    while (1) {
        int scans = begun && rate && sent < limit;
        int64_t wait = scans ? begun + sent * 1000000000ll / rate - now() : 0;
        struct timespec timeout = {wait > 0 ? wait / 1000000000 : 0, wait > 0 ? wait % 1000000000 : 0};
        struct pollfd commanded = {.fd = wire, .events = POLLIN};
        if (ppoll(&commanded, 1, scans ? &timeout : NULL, NULL) > 0) {
            ssize_t count = read(wire, commands + filled, sizeof commands - filled);
            if (count <= 0) return 0;
            filled += (size_t)count;
            /* Type, opcode, length, parameters. */
            while (filled >= 4 && filled >= 4u + commands[3]) {
                size_t length = 4u + commands[3];
                agree(wire, commands + 1);
                if ((commands[1] | commands[2] << 8) == SCAN_ENABLE && commands[4] == 1 && !begun) {
                    begun = now();
                    printf("scan %lld\n", (long long)begun), fflush(stdout);
                }
                filled -= length;
                memmove(commands, commands + length, filled);
            }
        }
        while (begun && rate && sent < limit && begun + sent * 1000000000ll / rate <= now()) {
            report(wire, beacons ? sent % beacons : sent, sent);
            if (++sent == limit) printf("sent %u\n", sent), fflush(stdout);
        }
    }
}
