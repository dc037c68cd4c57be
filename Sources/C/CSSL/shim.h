// OpenSSL, which libmosquitto speaks TLS with, for what that library does not tell: certificates' dates, and which of
// them is at fault. What are macros there stand here as functions.
#ifndef SIGHTLINE_CSSL_H
#define SIGHTLINE_CSSL_H

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

static inline int sightline_least_version(SSL_CTX *context) {
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
}

static inline int sightline_server_name(SSL *connection, const char *name) {
    return SSL_set_tlsext_host_name(connection, name);
}

static inline int sightline_chain_count(SSL *connection) {
    STACK_OF(X509) *chain = SSL_get0_verified_chain(connection);
    return chain ? sk_X509_num(chain) : 0;
}

// Belongs to the connection.
static inline const X509 *sightline_chain_certificate(SSL *connection, int index) {
    return sk_X509_value(SSL_get0_verified_chain(connection), index);
}

// Belongs to the connection.
static inline const X509 *sightline_peer(SSL *connection) {
    return SSL_get0_peer_certificate(connection);
}

#endif
