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
#include <sys/time.h>

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

// Reads a packet (recvmsg(2)) and the microseconds of the wall clock at which the kernel received it; -1 without them.
static inline ssize_t sightline_receive(int fd, void *buffer, size_t size, long long *microseconds) {
    union {
        struct cmsghdr header;
        char bytes[128];
    } control;
    struct iovec part = {buffer, size};
    struct msghdr message;
    memset(&message, 0, sizeof message);
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.bytes;
    message.msg_controllen = sizeof control.bytes;
    *microseconds = -1;
    ssize_t count = recvmsg(fd, &message, 0);
    if (count < 0) return count;
    for (struct cmsghdr *item = CMSG_FIRSTHDR(&message); item; item = CMSG_NXTHDR(&message, item)) {
        struct timeval time;
        int is_raw = item->cmsg_level == SOL_HCI && item->cmsg_type == HCI_CMSG_TSTAMP;
        int is_user = item->cmsg_level == SOL_SOCKET && item->cmsg_type == SCM_TIMESTAMP;
        if ((!is_raw && !is_user) || item->cmsg_len < CMSG_LEN(sizeof time)) continue;
        memcpy(&time, CMSG_DATA(item), sizeof time);
        *microseconds = (long long)time.tv_sec * 1000000 + time.tv_usec;
    }
    return count;
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
