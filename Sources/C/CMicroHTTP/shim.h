// libmicrohttpd 0.9.75 or later. Its start and its questions take any number of arguments, its enums admit no unknown
// value, and its log is a printf: Swift imports none of these well.
#ifndef SIGHTLINE_CMICROHTTP_H
#define SIGHTLINE_CMICROHTTP_H

#include <microhttpd.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

// The owner's side of a daemon. It must stay at its address until the daemon has ended.
struct sightline_http_callbacks {
    void *context;
    void (*log)(void *context, const char *line);
    void (*closed)(void *context, struct MHD_Connection *connection);
    // The request line has arrived; `target` is not decoded.
    void (*began)(void *context, struct MHD_Connection *connection, const char *target);
    // The headers have arrived. `is_whole` is 0 when they have bytes that the library does not show. 0 closes the connection.
    int (*headers)(
        void *context, struct MHD_Connection *connection, const char *method, int is_whole);
    // For each part of the body, last with no bytes. 0 closes the connection.
    int (*advanced)(
        void *context, struct MHD_Connection *connection, const char *bytes, size_t count);
    void (*ended)(void *context, struct MHD_Connection *connection);
};

// Until 1.0, the library ends each text at a NUL byte and passes over the rest of its line, as in "Host: localhost\0.evil".
// All texts of a request stand in one buffer, in their order: more than a line's end between two of them is such a rest,
// or a folded line. Later versions refuse both.
#if MHD_VERSION < 0x01000000
struct sightline_http_texts {
    const char *end;
    int are_whole;
};

static inline void sightline_http_next(
    struct sightline_http_texts *texts, const char *start, const char *end, ptrdiff_t most) {
    texts->are_whole &= start > texts->end && start - texts->end <= most;
    texts->end = end;
}

static inline enum MHD_Result sightline_http_check(
    void *context, enum MHD_ValueKind kind, const char *name, size_t name_count, const char *value,
    size_t value_count) {
    (void)kind;
    (void)name_count;
    sightline_http_next(context, name, value + value_count, 2);
    return MHD_YES;
}

static inline int sightline_http_is_whole(
    struct MHD_Connection *connection, const char *method, const char *target,
    const char *target_end, const char *version) {
    struct sightline_http_texts texts = {method + strlen(method), target_end != NULL};
    sightline_http_next(&texts, target, target_end, 1);
    sightline_http_next(&texts, version, version + strlen(version), 1);
    MHD_get_connection_values_n(connection, MHD_HEADER_KIND, &sightline_http_check, &texts);
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    if (info) sightline_http_next(&texts, method + info->header_size, NULL, 4);
    return texts.are_whole;
}
#endif

// A content reader's answers, which are macros with casts.
static const ssize_t sightline_http_end_of_stream = MHD_CONTENT_READER_END_OF_STREAM;
static const ssize_t sightline_http_end_with_error = MHD_CONTENT_READER_END_WITH_ERROR;

static inline void sightline_http_log(void *cls, const char *format, va_list arguments) {
    struct sightline_http_callbacks *callbacks = cls;
    char line[256];
    vsnprintf(line, sizeof line, format, arguments);
    callbacks->log(callbacks->context, line);
}

static inline void sightline_http_connection(
    void *cls, struct MHD_Connection *connection, void **socket_context,
    enum MHD_ConnectionNotificationCode code) {
    struct sightline_http_callbacks *callbacks = cls;
    (void)socket_context;
    if (code == MHD_CONNECTION_NOTIFY_CLOSED) callbacks->closed(callbacks->context, connection);
}

static inline void *sightline_http_target(
    void *cls, const char *target, struct MHD_Connection *connection) {
    struct sightline_http_callbacks *callbacks = cls;
    if (target == NULL) target = "";
    callbacks->began(callbacks->context, connection, target);
    return (void *)(target + strlen(target));
}

static inline enum MHD_Result sightline_http_access(
    void *cls, struct MHD_Connection *connection, const char *url, const char *method,
    const char *version, const char *bytes, size_t *count, void **request_context) {
    struct sightline_http_callbacks *callbacks = cls;
    size_t all = *count;
    *count = 0;
    if (*request_context == cls)
        return callbacks->advanced(callbacks->context, connection, bytes, all) ? MHD_YES : MHD_NO;
    int is_whole = 1;
#if MHD_VERSION < 0x01000000
    is_whole = sightline_http_is_whole(connection, method, url, *request_context, version);
#endif
    *request_context = cls;
    return callbacks->headers(callbacks->context, connection, method, is_whole) ? MHD_YES : MHD_NO;
}

static inline void sightline_http_completed(
    void *cls, struct MHD_Connection *connection, void **request_context,
    enum MHD_RequestTerminationCode code) {
    struct sightline_http_callbacks *callbacks = cls;
    (void)request_context;
    (void)code;
    callbacks->ended(callbacks->context, connection);
}

// Targets are decoded elsewhere, with checks.
static inline size_t sightline_http_unescape(
    void *cls, struct MHD_Connection *connection, char *text) {
    (void)cls;
    (void)connection;
    return strlen(text);
}

// Until 1.0, a strict library answers a request without Host twice: the guard answers it instead. Later, only a strict one
// refuses folded lines, and line feeds alone.
#if MHD_VERSION < 0x01000000
#define SIGHTLINE_HTTP_STRICTNESS 0
#else
#define SIGHTLINE_HTTP_STRICTNESS 1
#endif

// A daemon without a listener and without threads; NULL when it does not start. The log comes first, since the options
// after it are logged. Its own time-outs are off.
static inline struct MHD_Daemon *sightline_http_start(
    struct sightline_http_callbacks *callbacks, unsigned int connections, size_t memory) {
    return MHD_start_daemon(
        MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG,
        0, NULL, NULL, &sightline_http_access, callbacks,
        MHD_OPTION_EXTERNAL_LOGGER, &sightline_http_log, callbacks,
        MHD_OPTION_CONNECTION_LIMIT, connections,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory,
        MHD_OPTION_CONNECTION_TIMEOUT, 0u,
        MHD_OPTION_STRICT_FOR_CLIENT, SIGHTLINE_HTTP_STRICTNESS,
        MHD_OPTION_NOTIFY_CONNECTION, &sightline_http_connection, callbacks,
        MHD_OPTION_URI_LOG_CALLBACK, &sightline_http_target, callbacks,
        MHD_OPTION_UNESCAPE_CALLBACK, &sightline_http_unescape, callbacks,
        MHD_OPTION_NOTIFY_COMPLETED, &sightline_http_completed, callbacks,
        MHD_OPTION_END);
}

// −1 when the daemon has none.
static inline int sightline_http_epoll(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info ? info->epoll_fd : -1;
}

// Milliseconds until the daemon wants to run; −1 for never. MHD_get_timeout64 is newer than Debian 12.
static inline long long sightline_http_timeout(struct MHD_Daemon *daemon) {
    MHD_UNSIGNED_LONG_LONG timeout = 0;
    if (MHD_get_timeout(daemon, &timeout) != MHD_YES) return -1;
    return timeout > 3600000 ? 3600000 : (long long)timeout;
}

// −1 when there is none.
static inline int sightline_http_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

typedef enum MHD_Result (*sightline_http_field)(
    void *context, enum MHD_ValueKind kind, const char *name, size_t name_count, const char *value,
    size_t value_count);

static inline void sightline_http_headers(
    struct MHD_Connection *connection, sightline_http_field field, void *context) {
    MHD_get_connection_values_n(connection, MHD_HEADER_KIND, field, context);
}

// The blanks at the end of a value, which are no part of it. Until 1.0, the library keeps them.
static inline size_t sightline_http_blanks(const char *value, size_t count) {
    size_t blanks = 0;
    while (blanks < count && (value[count - blanks - 1] == ' ' || value[count - blanks - 1] == '\t'))
        blanks++;
    return blanks;
}

static inline struct MHD_Response *sightline_http_response(const void *bytes, size_t count) {
    return MHD_create_response_from_buffer(count, (void *)bytes, MHD_RESPMEM_MUST_COPY);
}

// A negative size is an unknown one. A body of unknown size goes through the connection's own buffer.
static inline struct MHD_Response *sightline_http_stream(
    int64_t size, MHD_ContentReaderCallback read, void *context, MHD_ContentReaderFreeCallback release) {
    uint64_t known = size < 0 ? MHD_SIZE_UNKNOWN : (uint64_t)size;
    // Each piece takes a turn of the loop. The slowest client must take one within HTTPLimits.silence.
    size_t piece = size < 1024 ? 1024 : size < 65536 ? (size_t)size : 65536;
    return MHD_create_response_from_callback(known, piece, read, context, release);
}

#endif
