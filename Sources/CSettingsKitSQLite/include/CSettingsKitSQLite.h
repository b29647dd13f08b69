// The functions of SQLite's C interface that SettingsSQLite uses, declared by hand: machines have the library of the system
// without its headers. Each has been there since SQLite 3.7.17, so that a program links with any library it may meet, and an
// old one is reported when a database is opened. Documented at https://www.sqlite.org/c3ref/intro.html.
#ifndef CSETTINGSKITSQLITE_H
#define CSETTINGSKITSQLITE_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sqlite3 sqlite3;
typedef struct sqlite3_stmt sqlite3_stmt;

int sqlite3_libversion_number(void);
const char *sqlite3_errstr(int code);

int sqlite3_open_v2(const char *path, sqlite3 **database, int flags, const char *vfs);
int sqlite3_close_v2(sqlite3 *database);
int sqlite3_extended_result_codes(sqlite3 *database, int isOn);
int sqlite3_extended_errcode(sqlite3 *database);
const char *sqlite3_errmsg(sqlite3 *database);
int sqlite3_busy_timeout(sqlite3 *database, int milliseconds);
int sqlite3_busy_handler(sqlite3 *database, int (*handler)(void *context, int count), void *context);
void sqlite3_progress_handler(sqlite3 *database, int count, int (*handler)(void *context), void *context);
int sqlite3_db_readonly(sqlite3 *database, const char *name);
int sqlite3_get_autocommit(sqlite3 *database);
int sqlite3_changes(sqlite3 *database);
long long sqlite3_last_insert_rowid(sqlite3 *database);
int sqlite3_file_control(sqlite3 *database, const char *name, int operation, void *argument);
int sqlite3_set_authorizer(
    sqlite3 *database,
    int (*authorizer)(
        void *context, int action, const char *first, const char *second, const char *name, const char *trigger),
    void *context);

int sqlite3_prepare_v2(
    sqlite3 *database, const char *sql, int count, sqlite3_stmt **statement, const char **rest);
int sqlite3_step(sqlite3_stmt *statement);
int sqlite3_reset(sqlite3_stmt *statement);
int sqlite3_finalize(sqlite3_stmt *statement);
int sqlite3_stmt_readonly(sqlite3_stmt *statement);
int sqlite3_stmt_status(sqlite3_stmt *statement, int counter, int isReset);

int sqlite3_bind_parameter_count(sqlite3_stmt *statement);
int sqlite3_clear_bindings(sqlite3_stmt *statement);
int sqlite3_bind_null(sqlite3_stmt *statement, int index);
int sqlite3_bind_int64(sqlite3_stmt *statement, int index, long long value);
int sqlite3_bind_double(sqlite3_stmt *statement, int index, double value);
int sqlite3_bind_text(
    sqlite3_stmt *statement, int index, const char *text, int count, void (*destructor)(void *));
int sqlite3_bind_blob(
    sqlite3_stmt *statement, int index, const void *bytes, int count, void (*destructor)(void *));
int sqlite3_bind_zeroblob(sqlite3_stmt *statement, int index, int count);

int sqlite3_column_count(sqlite3_stmt *statement);
const char *sqlite3_column_name(sqlite3_stmt *statement, int index);
int sqlite3_column_type(sqlite3_stmt *statement, int index);
long long sqlite3_column_int64(sqlite3_stmt *statement, int index);
double sqlite3_column_double(sqlite3_stmt *statement, int index);
const unsigned char *sqlite3_column_text(sqlite3_stmt *statement, int index);
const void *sqlite3_column_blob(sqlite3_stmt *statement, int index);
int sqlite3_column_bytes(sqlite3_stmt *statement, int index);

// What the interface defines as macros.
enum {
    SQLITE_OK = 0, SQLITE_PERM = 3, SQLITE_BUSY = 5, SQLITE_LOCKED = 6, SQLITE_NOMEM = 7,
    SQLITE_READONLY = 8, SQLITE_INTERRUPT = 9, SQLITE_IOERR = 10, SQLITE_CORRUPT = 11, SQLITE_FULL = 13, SQLITE_CANTOPEN = 14,
    SQLITE_PROTOCOL = 15, SQLITE_TOOBIG = 18, SQLITE_CONSTRAINT = 19, SQLITE_AUTH = 23, SQLITE_NOTADB = 26,
    SQLITE_ROW = 100, SQLITE_DONE = 101,

    SQLITE_CONSTRAINT_TRIGGER = 19 | (7 << 8),
    SQLITE_IOERR_SHMSIZE = 10 | (19 << 8), SQLITE_IOERR_SHORT_READ = 10 | (2 << 8),

    SQLITE_OPEN_READONLY = 0x1, SQLITE_OPEN_READWRITE = 0x2, SQLITE_OPEN_NOMUTEX = 0x8000,

    SQLITE_INTEGER = 1, SQLITE_FLOAT = 2, SQLITE_TEXT = 3, SQLITE_BLOB = 4, SQLITE_NULL = 5,

    SQLITE_STMTSTATUS_REPREPARE = 5,

    // What an authorizer is asked, and answers.
    SQLITE_DELETE = 9, SQLITE_INSERT = 18, SQLITE_READ = 20, SQLITE_TRANSACTION = 22,
    SQLITE_UPDATE = 23, SQLITE_ATTACH = 24, SQLITE_DETACH = 25, SQLITE_DENY = 1,
};

// An open file of SQLite, and the first of its methods, which are the same in each version.
typedef struct csqlite_file csqlite_file;
typedef struct csqlite_file_methods {
    int version;
    int (*close)(csqlite_file *file);
    int (*read)(csqlite_file *file, void *buffer, int count, long long offset);
    int (*write)(csqlite_file *file, const void *buffer, int count, long long offset);
    int (*truncate)(csqlite_file *file, long long size);
    int (*synchronize)(csqlite_file *file, int flags);
} csqlite_file_methods;
struct csqlite_file {
    const csqlite_file_methods *methods;
};

// Reads the beginning of a database's file through the descriptor that SQLite has open, without a statement and without a lock.
// Returns what SQLite's `xRead` returns: SQLITE_IOERR_SHORT_READ if there are fewer bytes, the others being 0 then.
static inline int csqlite_read_beginning(sqlite3 *database, void *buffer, int count) {
    csqlite_file *file = 0;
    int code = sqlite3_file_control(database, "main", 7 /* SQLITE_FCNTL_FILE_POINTER */, &file);
    if (code != SQLITE_OK) return code;
    return file && file->methods ? file->methods->read(file, buffer, count, 0) : SQLITE_IOERR;
}

// Flushes the write-ahead log through the descriptor that SQLite has open, without a lock. A database without one has flushed each
// commit.
static inline int csqlite_synchronize_log(sqlite3 *database) {
    csqlite_file *file = 0;
    int code = sqlite3_file_control(database, "main", 28 /* SQLITE_FCNTL_JOURNAL_POINTER */, &file);
    if (code != SQLITE_OK) return code;
    return file && file->methods ? file->methods->synchronize(file, 3 /* SQLITE_SYNC_FULL */) : SQLITE_OK;
}

// Whether the present thread runs the closure of an access. (Swift has no variables of a thread.)
int csettingskit_is_inside_access(void);
void csettingskit_set_inside_access(int isInside);

#ifdef __cplusplus
}
#endif

#endif
