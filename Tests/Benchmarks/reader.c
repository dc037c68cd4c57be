/* Reads advertising reports and discards them: the least cost of listening.
 *
 *   reader PATH | hciN
 *
 * Starts the scan of a controller behind a Unix socket (H4), or reads the events of an adapter that another program scans
 * with (raw channel). Discards all data. */
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int controller(const char *path) {
    static const unsigned char scan_enable[] = {1, 0x0c, 0x20, 2, 1, 0};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, path, sizeof address.sun_path - 1);
    int wire = socket(AF_UNIX, SOCK_STREAM, 0);
    if (connect(wire, (struct sockaddr *)&address, sizeof address)) exit(1);
    if (write(wire, scan_enable, sizeof scan_enable) < 0) exit(1);
    return wire;
}

static int adapter(const char *name) {
    struct sockaddr_hci address = {.hci_family = AF_BLUETOOTH, .hci_dev = (unsigned short)atoi(name + 3)};
    struct hci_filter filter = {.type_mask = 1 << HCI_EVENT_PKT};
    filter.event_mask[EVT_LE_META_EVENT >> 5] = 1u << (EVT_LE_META_EVENT & 31);
    int wire = socket(AF_BLUETOOTH, SOCK_RAW, BTPROTO_HCI);
    if (setsockopt(wire, SOL_HCI, HCI_FILTER, &filter, sizeof filter)) exit(1);
    if (bind(wire, (struct sockaddr *)&address, sizeof address)) exit(1);
    return wire;
}

int main(int words, char **word) {
    static char nothing[65536];
    if (words != 2) return 2;
    int wire = strncmp(word[1], "hci", 3) ? controller(word[1]) : adapter(word[1]);
    while (read(wire, nothing, sizeof nothing) > 0) {}
    return 1;
}
