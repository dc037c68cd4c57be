// The kernel's HCI socket interface as BlueZ's headers have it: what Swift's importer can't read
// (ioctl numbers, macros with casts, anonymous initialisers) stands here as functions and constants.
#ifndef SIGHTLINE_CBLUEZ_H
#define SIGHTLINE_CBLUEZ_H

#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <bluetooth/hci_lib.h>
#include <errno.h>
#include <linux/sock_diag.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

static const int sightline_no_device = HCI_DEV_NONE;
static const int sightline_channel_raw = HCI_CHANNEL_RAW;
static const int sightline_channel_user = HCI_CHANNEL_USER;

static const int sightline_max_devices = HCI_MAX_DEV;

static const int sightline_device_down = HCI_DEV_DOWN;
static const int sightline_device_removed = HCI_DEV_UNREG;
static const int sightline_device_added = HCI_DEV_REG;
static const int sightline_device_up = HCI_DEV_UP;

// SOCK_RAW and the flags are enumerators of different C types: one call spares the casts.
static inline int sightline_hci_socket(void) {
    return socket(AF_BLUETOOTH, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, BTPROTO_HCI);
}

static inline int sightline_hci_bind(int fd, int device, int channel) {
    struct sockaddr_hci address;
    memset(&address, 0, sizeof address);
    address.hci_family = AF_BLUETOOTH;
    address.hci_dev = (unsigned short)device;
    address.hci_channel = (unsigned short)channel;
    return bind(fd, (struct sockaddr *)&address, sizeof address);
}

// Lets through event packets whose codes are given and, if wanted, the commands of others, and nothing else.
static inline int sightline_hci_filter(int fd, const unsigned char *codes, int count, int commands) {
    struct hci_filter filter;
    hci_filter_clear(&filter);
    hci_filter_set_ptype(HCI_EVENT_PKT, &filter);
    if (commands) hci_filter_set_ptype(HCI_COMMAND_PKT, &filter);
    for (int i = 0; i < count; i++) hci_filter_set_event(codes[i], &filter);
    return setsockopt(fd, SOL_HCI, HCI_FILTER, &filter, sizeof filter);
}

// 1 up, 0 down, -1 with errno (ENODEV: no such adapter).
static inline int sightline_hci_is_up(int fd, int device) {
    struct hci_dev_info info;
    memset(&info, 0, sizeof info);
    info.dev_id = (uint16_t)device;
    if (ioctl(fd, HCIGETDEVINFO, &info) < 0) return -1;
    return hci_test_bit(HCI_UP, &info.flags) ? 1 : 0;
}

// The adapters' indices, `capacity` of them at most; how many there are, or -1 with errno.
static inline int sightline_hci_devices(int fd, unsigned short *devices, int capacity) {
    struct {
        struct hci_dev_list_req head;
        struct hci_dev_req entries[HCI_MAX_DEV];
    } list;
    memset(&list, 0, sizeof list);
    list.head.dev_num = HCI_MAX_DEV;
    if (ioctl(fd, HCIGETDEVLIST, &list) < 0) return -1;
    int count = list.head.dev_num < capacity ? list.head.dev_num : capacity;
    for (int i = 0; i < count; i++) devices[i] = list.entries[i].dev_id;
    return count;
}

// The adapter's own address as a number; 0 while the kernel does not know it, -1 with errno.
static inline long long sightline_hci_address(int fd, int device) {
    struct hci_dev_info info;
    memset(&info, 0, sizeof info);
    info.dev_id = (uint16_t)device;
    if (ioctl(fd, HCIGETDEVINFO, &info) < 0) return -1;
    long long address = 0;
    for (int i = 5; i >= 0; i--) address = address << 8 | info.bdaddr.b[i];
    return address;
}

// Needs CAP_NET_ADMIN; bringing one up waits for the controller's answers.
static inline int sightline_hci_power(int fd, int device, int on) {
    return ioctl(fd, on ? HCIDEVUP : HCIDEVDOWN, device);
}

// 1 when somebody has the device to himself: every other question about it is then answered with EBUSY.
static inline int sightline_hci_is_taken(int fd) {
    struct hci_conn_info_req request;
    memset(&request, 0, sizeof request);
    return ioctl(fd, HCIGETCONNINFO, &request) < 0 && errno == EBUSY;
}

// The forced size needs CAP_NET_ADMIN; without it the kernel's limit holds.
static inline void sightline_receive_buffer(int fd, int bytes) {
    if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) < 0)
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

// Lets `sightline_receive` tell when the kernel received a packet (hci_sock.c: each channel has an option of its own).
static inline int sightline_stamp_packets(int fd, int channel) {
    int on = 1;
    if (channel == HCI_CHANNEL_RAW) return setsockopt(fd, SOL_HCI, HCI_TIME_STAMP, &on, sizeof on);
    return setsockopt(fd, SOL_SOCKET, SO_TIMESTAMP, &on, sizeof on);
}

enum { sightline_most_packets = 64 };

// The packets of one read. glibc shows struct mmsghdr only to GNU programs, which Swift's importer is not.
struct sightline_packets {
    int received;
    struct {
        struct msghdr header;
        unsigned size;
    } messages[sightline_most_packets];
    struct iovec parts[sightline_most_packets];
    union {
        struct cmsghdr header;
        char bytes[64];
    } controls[sightline_most_packets];
    // The longest event or command, with its H4 type byte.
    unsigned char bytes[sightline_most_packets][HCI_MAX_EVENT_SIZE + 4];
};

static const size_t sightline_packets_size = sizeof(struct sightline_packets);

// Prepares zeroed memory of `sightline_packets_size` bytes.
static inline void sightline_packets_prepare(void *memory) {
    struct sightline_packets *packets = (struct sightline_packets *)memory;
    for (int i = 0; i < sightline_most_packets; i++) {
        struct msghdr *header = &packets->messages[i].header;
        packets->parts[i].iov_base = packets->bytes[i];
        packets->parts[i].iov_len = sizeof packets->bytes[i];
        header->msg_iov = &packets->parts[i];
        header->msg_iovlen = 1;
        header->msg_control = packets->controls[i].bytes;
        header->msg_controllen = sizeof packets->controls[i].bytes;
    }
}

// Reads the packets of a queue, `sightline_most_packets` of them at most (recvmmsg(2)). Fewer of them: no more are queued,
// or an error follows. -1 with errno if there is none.
static inline int sightline_receive(int fd, void *memory) {
    struct sightline_packets *packets = (struct sightline_packets *)memory;
    // The kernel has written the sizes of the former packets.
    for (int i = 0; i < packets->received; i++)
        packets->messages[i].header.msg_controllen = sizeof packets->controls[i].bytes;
    int count = (int)syscall(SYS_recvmmsg, fd, packets->messages, sightline_most_packets, MSG_DONTWAIT, NULL);
    packets->received = count < 0 ? 0 : count;
    return count;
}

// The bytes of a received packet, and the microseconds of the wall clock at which the kernel received it; -1 without them.
static inline const void *sightline_packet(void *memory, int index, size_t *size, long long *microseconds) {
    struct sightline_packets *packets = (struct sightline_packets *)memory;
    struct msghdr *header = &packets->messages[index].header;
    *size = packets->messages[index].size;
    *microseconds = -1;
    for (struct cmsghdr *item = CMSG_FIRSTHDR(header); item; item = CMSG_NXTHDR(header, item)) {
        struct timeval time;
        int is_raw = item->cmsg_level == SOL_HCI && item->cmsg_type == HCI_CMSG_TSTAMP;
        int is_user = item->cmsg_level == SOL_SOCKET && item->cmsg_type == SCM_TIMESTAMP;
        if ((!is_raw && !is_user) || item->cmsg_len < CMSG_LEN(sizeof time)) continue;
        memcpy(&time, CMSG_DATA(item), sizeof time);
        *microseconds = (long long)time.tv_sec * 1000000 + time.tv_usec;
    }
    return packets->bytes[index];
}

// Packets that found the receive buffer full, since the socket was made; 0 where the kernel can't tell.
static inline unsigned sightline_receive_drops(int fd) {
    unsigned info[SK_MEMINFO_VARS];
    socklen_t size = sizeof info;
    memset(info, 0, sizeof info);
    if (getsockopt(fd, SOL_SOCKET, SO_MEMINFO, info, &size) < 0) return 0;
    return size > SK_MEMINFO_DROPS * sizeof info[0] ? info[SK_MEMINFO_DROPS] : 0;
}

// A stack-internal event's device notice: which device, and what happened to it; -1 for any other packet.
static inline int sightline_device_notice(const unsigned char *packet, long size, int *device) {
    evt_stack_internal internal;
    evt_si_device notice;
    if (size < (long)(1 + HCI_EVENT_HDR_SIZE + EVT_STACK_INTERNAL_SIZE + EVT_SI_DEVICE_SIZE)) return -1;
    if (packet[0] != HCI_EVENT_PKT || packet[1] != EVT_STACK_INTERNAL) return -1;
    memcpy(&internal, packet + 1 + HCI_EVENT_HDR_SIZE, EVT_STACK_INTERNAL_SIZE);
    if (internal.type != EVT_SI_DEVICE) return -1;
    memcpy(&notice, packet + 1 + HCI_EVENT_HDR_SIZE + EVT_STACK_INTERNAL_SIZE, EVT_SI_DEVICE_SIZE);
    *device = notice.dev_id;
    return notice.event;
}

#endif
