#include <sqlite3.h>

/* SQLITE_TRANSIENT is a cast from an integer to a function's address, which Swift does not import: SQLite copies what is
   bound before the call returns. */
static inline int sightline_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
    return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}

static inline int sightline_bind_text(sqlite3_stmt *statement, int index, const char *text, int count) {
    return sqlite3_bind_text(statement, index, text, count, SQLITE_TRANSIENT);
}

/* Variadic, which Swift does not import: closing a damaged file does not copy its log into it. */
static inline int sightline_leave_log(sqlite3 *database) {
    return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}
