/* Generates a btsnoop capture of iBeacons, the same on every machine.
 *
 *   generate OUT [--beacons N] [--seconds S] [--noise F] [--format h4|monitor] [--extended]
 *
 * Each beacon advertises every 100 ms plus a random delay of 0 to 10 ms (Core 5.4 Vol 6 Part B 4.4.2.2). --noise is the
 * number of other reports for each report of an iBeacon. --beacons is the number of identities and of senders. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Microseconds from the year 0, the origin of btsnoop, to the capture's first record. */
#define BEGIN (0x00dcddb30f2f8000ull + 1780000000000000ull)
#define NOBODY UINT32_MAX

struct report {
    uint64_t time; /* microseconds since the start of the capture */
    uint32_t beacon;
};

static uint64_t state = 0x5167;

/* xorshift64* */
static uint64_t word(void) {
    state ^= state >> 12, state ^= state << 25, state ^= state >> 27;
    return state * 0x2545f4914f6cdd1dull;
}

static double fraction(void) { return (double)(word() >> 11) / (double)(1ull << 53); }

static int by_time(const void *left, const void *right) {
    const struct report *a = left, *b = right;
    return (a->time > b->time) - (a->time < b->time);
}

static uint8_t *big_endian(uint8_t *to, uint64_t value, int bytes) {
    for (int i = bytes; i-- > 0;) *to++ = (uint8_t)(value >> 8 * i);
    return to;
}

/* Thirty bytes of advertising data: an iBeacon's, or a thermometer's. */
static int advertising_data(uint8_t *to, uint32_t beacon) {
    static const uint8_t flags_and_apple[] = {2, 1, 0x1a, 0x1a, 0xff, 0x4c, 0, 2, 0x15};
    static const uint8_t thermometer[30] = {2, 1, 6, 3, 3, 0x9f, 0xfe, 0x16, 0x16, 0x9f, 0xfe};
    if (beacon == NOBODY) {
        memcpy(to, thermometer, 30);
        return 30;
    }
    memcpy(to, flags_and_apple, 9);
    for (int i = 0; i < 16; i++) to[9 + i] = (uint8_t)(0xb0 + i);
    big_endian(to + 25, 1 + beacon / 1000, 2);
    big_endian(to + 27, beacon % 1000, 2);
    to[29] = (uint8_t)-59;
    return 30;
}

/* An advertising event with one report (Core 5.4 Vol 4 Part E 7.7.65.2 and 7.7.65.13). */
static int event(uint8_t *to, uint32_t beacon, int extended) {
    uint8_t *at = to, *length;
    uint64_t address = beacon == NOBODY ? word() : beacon * 0x9e3779b97f4aull;
    int8_t rssi = (int8_t)(-50 - (int)(word() % 45));
    *at++ = 0x3e, length = at++, *at++ = extended ? 0x0d : 0x02, *at++ = 1;
    if (extended) *at++ = 0x10, *at++ = 0;
    else *at++ = 3;
    *at++ = 1, at = big_endian(at, address, 6);
    if (extended) {
        *at++ = 1, *at++ = 0, *at++ = 0xff, *at++ = 127, *at++ = (uint8_t)rssi;
        memset(at, 0, 9), at += 9;
    }
    at[0] = (uint8_t)advertising_data(at + 1, beacon), at += 1 + at[0];
    if (!extended) *at++ = (uint8_t)rssi;
    *length = (uint8_t)(at - length - 1);
    return (int)(at - to);
}

int main(int count, char **words) {
    uint32_t beacons = 100;
    double seconds = 10, noise = 0.5;
    int extended = 0, monitor = 1;
    for (int i = 2; i < count; i++) {
        if (!strcmp(words[i], "--extended")) extended = 1;
        else if (i + 1 == count) return 2;
        else if (!strcmp(words[i], "--beacons")) beacons = (uint32_t)atol(words[++i]);
        else if (!strcmp(words[i], "--seconds")) seconds = atof(words[++i]);
        else if (!strcmp(words[i], "--noise")) noise = atof(words[++i]);
        else if (!strcmp(words[i], "--format")) monitor = !strcmp(words[++i], "monitor");
        else return 2;
    }
    size_t room = (size_t)((beacons * (seconds * 10 + 1)) * (1 + noise)) + 1, used = 0;
    struct report *reports = malloc(room * sizeof *reports);
    FILE *file = count > 1 ? fopen(words[1], "wb") : NULL;
    if (!reports || !file) return 1;
    for (uint32_t beacon = 0; beacon < beacons; beacon++)
        for (double time = fraction() * 0.1; time < seconds; time += 0.1 + fraction() * 0.01)
            reports[used++] = (struct report){(uint64_t)(time * 1e6), beacon};
    for (size_t left = (size_t)((double)used * noise); left > 0; left--)
        reports[used++] = (struct report){(uint64_t)(fraction() * seconds * 1e6), NOBODY};
    qsort(reports, used, sizeof *reports, by_time);

    uint8_t record[24 + 260], *at = record;
    memcpy(record, "btsnoop", 8);
    at = big_endian(big_endian(record + 8, 1, 4), monitor ? 2001 : 1002, 4);
    fwrite(record, 1, (size_t)(at - record), file);
    for (size_t i = 0; i < used; i++) {
        uint8_t *packet = record + 24;
        if (!monitor) *packet++ = 4;
        packet += event(packet, reports[i].beacon, extended);
        uint64_t length = (uint64_t)(packet - record - 24);
        at = big_endian(big_endian(record, length, 4), length, 4);
        big_endian(big_endian(big_endian(at, 3, 4), 0, 4), BEGIN + reports[i].time, 8);
        fwrite(record, 1, (size_t)(packet - record), file);
    }
    return fclose(file) ? 1 : 0;
}
