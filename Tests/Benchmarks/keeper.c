// The yardstick of the part chain: reads MQTT messages and stores their bytes unread, with the server's settings of SQLite.
// A commit takes 16 messages, or those of 100 ms. Arguments: PORT FILE. Prints a line for each thousand stored messages.
#include <mosquitto.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static sqlite3 *store;
static sqlite3_stmt *insert;
static long waiting, stored;

static void check(int code) {
    if (code != SQLITE_OK && code != SQLITE_DONE) fprintf(stderr, "keeper: %s\n", sqlite3_errmsg(store)), exit(1);
}

static void run(const char *text) { check(sqlite3_exec(store, text, NULL, NULL, NULL)); }

static void on_connect(struct mosquitto *client, void *context, int code) {
    (void)context;
    if (code) exit(1);
    mosquitto_subscribe(client, NULL, "sightline/v1/+/+/sightings", 1);
}

static void on_subscribe(struct mosquitto *client, void *context, int id, int count, const int *granted) {
    (void)client, (void)context, (void)id, (void)count, (void)granted;
    puts("subscribed");
    fflush(stdout);
}

static void on_message(struct mosquitto *client, void *context, const struct mosquitto_message *message) {
    (void)client, (void)context;
    if (!waiting++) run("BEGIN IMMEDIATE");
    sqlite3_bind_text(insert, 1, message->topic, -1, SQLITE_STATIC);
    sqlite3_bind_blob(insert, 2, message->payload, message->payloadlen, SQLITE_STATIC);
    check(sqlite3_step(insert));
    check(sqlite3_reset(insert));
}

static long now(void) {
    struct timespec t;
    return clock_gettime(CLOCK_MONOTONIC, &t), t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int main(int words, char **word) {
    if (words != 3 || sqlite3_open(word[2], &store)) return 2;
    run("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=512; CREATE TABLE facts(topic TEXT, body BLOB)");
    check(sqlite3_prepare_v2(store, "INSERT INTO facts VALUES(?,?)", -1, &insert, NULL));
    mosquitto_lib_init();
    struct mosquitto *client = mosquitto_new("keeper", 1, NULL);
    mosquitto_connect_callback_set(client, on_connect);
    mosquitto_subscribe_callback_set(client, on_subscribe);
    mosquitto_message_callback_set(client, on_message);
    if (mosquitto_connect(client, "127.0.0.1", atoi(word[1]), 60)) return 1;
    for (long due = now() + 100; mosquitto_loop(client, 100, 1) == MOSQ_ERR_SUCCESS;) {
        if (waiting < 16 && now() < due) continue;
        if (waiting) run("COMMIT");
        if ((stored + waiting) / 1000 > stored / 1000) printf("%ld\n", (stored + waiting) / 1000 * 1000), fflush(stdout);
        stored += waiting, waiting = 0, due = now() + 100;
    }
    return 1;
}
