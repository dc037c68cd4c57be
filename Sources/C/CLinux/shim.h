// The kernel calls that Swift's Glibc module leaves out.
#ifndef SIGHTLINE_CLINUX_H
#define SIGHTLINE_CLINUX_H

#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <sys/xattr.h>

// A GNU extension, which Swift's importer does not ask for.
int pthread_setname_np(pthread_t thread, const char *name);

static inline void sightline_set_thread_name(pthread_t thread, const char *name) {
    pthread_setname_np(thread, name);
}

// A macro with arithmetic behind it, and a call of any number of arguments: neither is imported.
static inline int sightline_terminal_size(int fd, struct winsize *size) {
    return ioctl(fd, TIOCGWINSZ, size);
}

#endif
