// The kernel calls that Swift's Glibc module leaves out.
#ifndef SIGHTLINE_CLINUX_H
#define SIGHTLINE_CLINUX_H

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/memfd.h>
#include <pthread.h>
#include <spawn.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/timex.h>
#include <sys/xattr.h>
#include <unistd.h>

// A GNU extension, which Swift's importer does not ask for.
int pthread_setname_np(pthread_t thread, const char *name);

static inline void sightline_set_thread_name(pthread_t thread, const char *name) {
    pthread_setname_np(thread, name);
}

// GNU extensions: a new file without a name, and the reservation of room for a file.
int fallocate(int fd, int mode, off_t offset, off_t length);

static inline int sightline_open_unnamed(const char *folder) {
    return open(folder, __O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
}

static inline int sightline_open_in_memory(const char *name) {
    return (int)syscall(SYS_memfd_create, name, MFD_CLOEXEC);
}

// A macro with arithmetic behind it, and a call of any number of arguments: neither is imported.
static inline int sightline_terminal_size(int fd, struct winsize *size) {
    return ioctl(fd, TIOCGWINSZ, size);
}

// Calls of any number of arguments, which are not imported.
static inline int sightline_clear_ambient_capabilities(void) {
    return prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
}

static inline int sightline_forbid_new_privileges(void) {
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

static inline int sightline_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

// Resources are values of an enum for the kernel, and macros for everybody else.
static inline void sightline_forbid_files_and_processes(void) {
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    setrlimit(RLIMIT_FSIZE, &none);
    setrlimit(RLIMIT_NPROC, &none);
}

static inline int sightline_set_parent_death_signal(int signal) {
    return prctl(PR_SET_PDEATHSIG, signal, 0, 0, 0);
}

static inline int sightline_clear_capabilities(void) {
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {{0}};
    struct __user_cap_data_struct held[_LINUX_CAPABILITY_U32S_3] = {{0}};
    // Where there is nothing to give up, a filter of system calls may forbid capset.
    if (syscall(SYS_capget, &header, held) == 0 && memcmp(held, none, sizeof none) == 0) return 0;
    return (int)syscall(SYS_capset, &header, none);
}

// A GNU extension of glibc 2.34.
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);

static inline int sightline_close_from(posix_spawn_file_actions_t *actions, int from) {
    return posix_spawn_file_actions_addclosefrom_np(actions, from);
}

#endif
