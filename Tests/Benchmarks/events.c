// The yardstick of the part events: libmicrohttpd without checks, limits and resume. Arguments and output are http-bench's.
#include <microhttpd.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

struct client { struct MHD_Connection *connection; long seen; int resting; struct client *next; };
static struct client *clients;
static long published, left;
static char event[65536];
static size_t length;

static ssize_t reading(void *cls, uint64_t pos, char *buf, size_t max) {
    struct client *c = cls;
    if (c->seen < published && max >= length) { c->seen++; memcpy(buf, event, length); return (ssize_t)length; }
    c->resting = 1;
    MHD_suspend_connection(c->connection);
    return (void)pos, 0;
}

static void gone(void *cls) {
    for (struct client **p = &clients; *p; p = &(*p)->next)
        if (*p == cls) { *p = (*p)->next; free(cls); left++; return; }
}

static enum MHD_Result answer(void *cls, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *data, size_t *size, void **context) {
    (void)cls, (void)url, (void)method, (void)version, (void)data, (void)size;
    if (!*context) return *context = "", MHD_YES;
    struct client *c = calloc(1, sizeof *c);
    *c = (struct client){connection, published, 0, clients};
    clients = c;
    struct MHD_Response *response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 1024, reading, c, gone);
    MHD_add_response_header(response, "Content-Type", "text/event-stream");
    enum MHD_Result result = MHD_queue_response(connection, 200, response);
    return MHD_destroy_response(response), result;
}

static double now(clockid_t clock) {
    struct timespec t;
    return clock_gettime(clock, &t), (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
    double pause = 1.0 / atoi(argv[argc - 2]), next = now(CLOCK_MONOTONIC) + pause;
    length = (size_t)sprintf(event, "id: 1\nevent: tick\ndata: %0*d\n\n", atoi(argv[argc - 1]), 0);
    struct MHD_Daemon *daemon = MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, answer, NULL,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)16384, MHD_OPTION_CONNECTION_LIMIT, 4000u, MHD_OPTION_END);
    printf("%d\n", MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
    fflush(stdout);
    while (clients || !left) {
        double wait = next - now(CLOCK_MONOTONIC);
        struct pollfd fd = {MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd, POLLIN, 0};
        poll(&fd, 1, wait > 0 ? (int)(wait * 1000) + 1 : 0);
        if (now(CLOCK_MONOTONIC) >= next) {
            next += pause, published++;
            for (struct client *c = clients; c; c = c->next)
                if (c->resting) c->resting = 0, MHD_resume_connection(c->connection);
        }
        MHD_run(daemon);
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%.0f %ld %ld\n", now(CLOCK_PROCESS_CPUTIME_ID) * 1e6, usage.ru_maxrss, published);
    return 0;
}
