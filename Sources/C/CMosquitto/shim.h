// libmosquitto, and what of OpenSSL's knowledge it does not pass on.
#ifndef SIGHTLINE_CMOSQUITTO_H
#define SIGHTLINE_CMOSQUITTO_H

#include <dlfcn.h>
#include <mosquitto.h>
#include <mqtt_protocol.h>
#include <stdbool.h>
#include <stddef.h>

// Why OpenSSL did not accept the broker's certificate, in OpenSSL's words; NULL when OpenSSL accepts it, or
// can't be asked. libmosquitto logs "certificate verify failed" for all reasons alike. Its OpenSSL is asked
// through the loader, so that it is the very one. To be called from the log callback: soon
// afterwards the library frees its TLS state.
static inline const char *sightline_certificate_fault(struct mosquitto *client) {
    void *tls = mosquitto_ssl_get(client);
    if (!tls) return NULL;
    long (*result)(const void *) = (long (*)(const void *))dlsym(NULL, "SSL_get_verify_result");
    const char *(*words)(long) = (const char *(*)(long))dlsym(NULL, "X509_verify_cert_error_string");
    if (!result || !words) return NULL;
    long code = result(tls);
    return code == 0 ? NULL : words(code);
}

// Whether the TLS handshake is complete (SSL_is_init_finished(3)); true if OpenSSL can't be asked.
static inline bool sightline_tls_is_connected(struct mosquitto *client) {
    const void *tls = mosquitto_ssl_get(client);
    if (!tls) return false;
    int (*is_finished)(const void *) = (int (*)(const void *))dlsym(NULL, "SSL_is_init_finished");
    return !is_finished || is_finished(tls) == 1;
}

#endif
