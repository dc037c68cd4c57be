/* The yardstick for the speed of sightlined: the same task in C, reduced to the minimum.
 *
 *   yardstick CAPTURE >MESSAGES
 *
 * Reads a btsnoop capture (H4 or Linux monitor), folds iBeacons into windows of a second, and writes each window as the
 * contract's JSON. It has one thread, an unseeded hash, and neither filter nor bounds. It checks its input only as far as
 * necessary to stay inside the file. */
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define YEAR_1970 0x00dcddb30f2f8000ll

struct sighting {
    uint8_t identity[20]; /* UUID, major, minor as they are sent */
    int8_t power, min, max, last;
    uint32_t count, senders;
    int64_t sum, squares;
    uint64_t sender;
    int64_t first, seen, max_at; /* microseconds since 1970 */
    double milliwatts, moment;   /* the moment is about `first` */
};

/* The window's sightings in the order of arrival, and an index over them: number plus one, 0 for none. */
static struct sighting *sightings;
static uint32_t used, room, *index_slots, slot_mask;
static uint64_t reports, beacons, sequence;
static double milliwatts[256];

static char text[1 << 18];
static size_t written;

static void drain(void) {
    for (size_t from = 0; from < written;) {
        ssize_t count = write(1, text + from, written - from);
        if (count < 0) exit(1);
        from += (size_t)count;
    }
    written = 0;
}

static void put(const char *words, size_t length) {
    memcpy(text + written, words, length);
    written += length;
}
#define PUT(words) put(words, sizeof(words) - 1)

static void integer(int64_t value) {
    char digits[20];
    int at = 20;
    uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
    do digits[--at] = (char)('0' + rest % 10);
    while (rest /= 10);
    if (value < 0) text[written++] = '-';
    put(digits + at, (size_t)(20 - at));
}

/* Two digits behind the point at most. */
static void decimal(double value) {
    int64_t hundredths = llround(value * 100);
    if (hundredths < 0) text[written++] = '-', hundredths = -hundredths;
    integer(hundredths / 100);
    if (hundredths %= 100) {
        text[written++] = '.';
        text[written++] = (char)('0' + hundredths / 10);
        if (hundredths % 10) text[written++] = (char)('0' + hundredths % 10);
    }
}

static void uuid(const uint8_t *bytes) {
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < 16; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10) text[written++] = '-';
        text[written++] = digits[bytes[i] >> 4];
        text[written++] = digits[bytes[i] & 15];
    }
}

static void write_sighting(const struct sighting *s, int64_t start) {
    double n = s->count, mean = (double)s->sum / n;
    PUT("{\"type\":\"ibeacon\",\"uuid\":\""), uuid(s->identity);
    PUT("\",\"major\":"), integer(s->identity[16] << 8 | s->identity[17]);
    PUT(",\"minor\":"), integer(s->identity[18] << 8 | s->identity[19]);
    PUT(",\"measuredPower\":"), integer(s->power);
    PUT(",\"count\":"), integer(s->count);
    PUT(",\"rssi\":{\"min\":"), integer(s->min);
    PUT(",\"max\":"), integer(s->max);
    PUT(",\"mean\":"), decimal(mean);
    PUT(",\"stddev\":"), decimal(sqrt(fmax(0, (double)s->squares / n - mean * mean)));
    PUT(",\"last\":"), integer(s->last);
    PUT("},\"power\":{\"mean\":"), decimal(10 * log10(s->milliwatts / n));
    double centroid = (double)(s->first - start) + s->moment / s->milliwatts;
    PUT(",\"centroid\":"), integer(llround(centroid / 1000));
    PUT("},\"firstSeen\":"), integer((s->first - start) / 1000);
    PUT(",\"lastSeen\":"), integer((s->seen - start) / 1000);
    PUT(",\"maxAt\":"), integer((s->max_at - start) / 1000);
    PUT(",\"senders\":"), integer(s->senders), PUT("}");
}

static void write_window(int64_t second) {
    PUT("{\"v\":1,\"site\":\"local\",\"gateway\":\"local\","
        "\"session\":\"00000000-0000-7000-8000-000000000000\",\"seq\":");
    integer((int64_t)sequence++);
    PUT(",\"window\":{\"start\":"), integer(second * 1000);
    PUT(",\"end\":"), integer(second * 1000 + 1000);
    PUT("},\"clock\":\"synced\",\"radio\":{\"reports\":"), integer((int64_t)reports);
    PUT(",\"beacons\":"), integer((int64_t)beacons);
    PUT(",\"filtered\":0,\"malformed\":0,\"implausible\":0,\"dropped\":0},\"sightings\":[");
    for (uint32_t i = 0; i < used; i++) {
        if (i) PUT(",");
        write_sighting(&sightings[i], second * 1000000);
        if (written > sizeof text - 1024) drain();
    }
    PUT("]}\n");
    memset(index_slots, 0, (slot_mask + 1) * sizeof *index_slots);
    used = 0, reports = beacons = 0;
}

static uint32_t hash(const uint8_t *identity) {
    uint64_t high, low;
    uint32_t numbers;
    memcpy(&high, identity, 8), memcpy(&low, identity + 8, 8), memcpy(&numbers, identity + 16, 4);
    uint64_t mixed = (high ^ (low + numbers) * 0x9e3779b97f4a7c15ull) * 0xd6e8feb86659fd93ull;
    return (uint32_t)(mixed >> 32);
}

static void grow(void) {
    room = room ? room * 2 : 1024;
    slot_mask = room * 4 - 1;
    free(index_slots);
    sightings = realloc(sightings, room * sizeof *sightings);
    index_slots = calloc(slot_mask + 1, sizeof *index_slots);
    if (!sightings || !index_slots) exit(1);
    for (uint32_t i = 0; i < used; i++) {
        uint32_t slot = hash(sightings[i].identity) & slot_mask;
        while (index_slots[slot]) slot = (slot + 1) & slot_mask;
        index_slots[slot] = i + 1;
    }
}

static struct sighting *find(const uint8_t *identity, int64_t time) {
    uint32_t slot = hash(identity) & slot_mask;
    for (; index_slots[slot]; slot = (slot + 1) & slot_mask) {
        struct sighting *known = &sightings[index_slots[slot] - 1];
        if (!memcmp(known->identity, identity, 20)) return known;
    }
    if (used == room) {
        grow();
        return find(identity, time);
    }
    struct sighting *new = &sightings[used];
    memset(new, 0, sizeof *new);
    memcpy(new->identity, identity, 20);
    new->first = time, new->min = INT8_MAX, new->max = INT8_MIN;
    index_slots[slot] = ++used;
    return new;
}

static void count(const uint8_t *beacon, int8_t rssi, const uint8_t *address, int64_t time) {
    struct sighting *s = find(beacon, time);
    uint64_t sender = 0;
    memcpy(&sender, address, 6);
    if (sender != s->sender || !s->count) s->sender = sender, s->senders++;
    double power = milliwatts[rssi + 128];
    s->count++, s->sum += rssi, s->squares += rssi * rssi;
    s->milliwatts += power, s->moment += power * (double)(time - s->first);
    s->seen = time, s->last = rssi, s->power = (int8_t)beacon[20];
    if (rssi < s->min) s->min = rssi;
    if (rssi > s->max) s->max = rssi, s->max_at = time;
    beacons++;
}

/* The UUID, major, minor and power of the first iBeacon in advertising data. */
static const uint8_t *find_beacon(const uint8_t *data, const uint8_t *end) {
    while (data < end && *data && data + 1 + *data <= end) {
        if (*data >= 26 && data[1] == 0xff && !memcmp(data + 2, "\x4c\x00\x02\x15", 4))
            return data + 6;
        data += 1 + *data;
    }
    return NULL;
}

static void hear(const uint8_t *event, const uint8_t *end, int64_t time) {
    if (end - event < 4 || event[0] != 0x3e || (event[2] != 0x02 && event[2] != 0x0d)) return;
    int extended = event[2] == 0x0d, head = extended ? 24 : 9;
    const uint8_t *report = event + 4;
    for (int left = event[3]; left > 0 && report + head <= end; left--) {
        const uint8_t *data = report + head, *data_end = data + data[-1];
        if (data_end + !extended > end) return;
        const uint8_t *beacon = find_beacon(data, data_end);
        reports++;
        if (beacon)
            count(beacon, (int8_t)(extended ? report[13] : *data_end), report + 2 + extended, time);
        report = data_end + !extended;
    }
}

static uint64_t big_endian(const uint8_t *bytes, int length) {
    uint64_t value;
    memcpy(&value, bytes, 8);
    return __builtin_bswap64(value) >> (64 - 8 * length);
}

int main(int words, char **word) {
    struct stat file;
    int descriptor = words == 2 ? open(word[1], O_RDONLY) : -1;
    if (descriptor < 0 || fstat(descriptor, &file) || file.st_size < 16) return 2;
    const uint8_t *at = mmap(NULL, (size_t)file.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, descriptor, 0);
    if (at == MAP_FAILED) return 2;
    const uint8_t *end = at + file.st_size;
    int type_bytes = big_endian(at + 8, 8) == (1ull << 32 | 1002);
    int64_t second = -1;
    for (int i = 0; i < 256; i++) milliwatts[i] = pow(10, (i - 128) / 10.0);
    grow();
    for (at += 16; end - at >= 24;) {
        const uint8_t *packet = at + 24 + type_bytes, *next = at + 24 + big_endian(at + 4, 4);
        int64_t time = (int64_t)big_endian(at + 16, 8) - YEAR_1970;
        if (next > end) break;
        if (time / 1000000 != second) {
            if (second >= 0) write_window(second);
            second = time / 1000000;
        }
        hear(packet, next, time);
        at = next;
    }
    if (second >= 0) write_window(second);
    drain();
    return 0;
}
