// Calls libcurl by pointers: Swift can neither load it late nor call its functions with variable arguments.
#include "CSettingsKitCurl.h"

#if !defined(_WIN32)
#include <dlfcn.h>
#endif
#include <stdlib.h>
#include <string.h>

enum { WRITEDATA = 10001, POSTFIELDS = 10015, HTTPHEADER = 10023, WRITEFUNCTION = 20011 };
enum { ERRORBUFFER = 10010, POSTFIELDSIZE_LARGE = 30120, MESSAGE_DONE = 1, GLOBAL_ALL = 3 };
enum { RESPONSE_CODE = 0x200002, REQUEST_SIZE = 0x20000C, NUM_CONNECTS = 0x20001A, APPCONNECT_TIME = 0x600038 };

typedef struct {
    int kind;
    void *easy;
    union {
        void *whatever;
        int result;
    } data;
} Message;

static struct {
    int (*global_init)(long flags);
    void *(*easy_init)(void);
    void (*easy_cleanup)(void *easy);
    int (*easy_setopt)(void *easy, int option, ...);
    int (*easy_getinfo)(void *easy, int info, ...);
    const char *(*easy_strerror)(int code);
    void *(*slist_append)(void *list, const char *text);
    void (*slist_free_all)(void *list);
    void *(*multi_init)(void);
    int (*multi_cleanup)(void *multi);
    int (*multi_add_handle)(void *multi, void *easy);
    int (*multi_remove_handle)(void *multi, void *easy);
    int (*multi_perform)(void *multi, int *running);
    int (*multi_poll)(void *multi, void *extra, unsigned int count, int milliseconds, int *ready);
    int (*multi_wakeup)(void *multi);
    Message *(*multi_info_read)(void *multi, int *left);
} curl;

typedef struct {
    void *easy;
    void *multi;
    void *headers;
    // As large as libcurl demands.
    char problem[256];
} Connection;

int csettingskit_curl_load(void) {
    static const char *const names[] = {
#if defined(__APPLE__)
        "libcurl.4.dylib",
#else
        "libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.so",
#endif
    };
    void *library = NULL;
    for (size_t index = 0; library == NULL && index < sizeof names / sizeof *names; index++)
        library = dlopen(names[index], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) return 1;
#define FIND(name)                                                                                                             \
    *(void **)&curl.name = dlsym(library, "curl_" #name);                                                                      \
    if (curl.name == NULL) return 2
    FIND(global_init);
    FIND(easy_init);
    FIND(easy_cleanup);
    FIND(easy_setopt);
    FIND(easy_getinfo);
    FIND(easy_strerror);
    FIND(slist_append);
    FIND(slist_free_all);
    FIND(multi_init);
    FIND(multi_cleanup);
    FIND(multi_add_handle);
    FIND(multi_remove_handle);
    FIND(multi_perform);
    FIND(multi_poll);
    FIND(multi_wakeup);
    FIND(multi_info_read);
#undef FIND
    return curl.global_init(GLOBAL_ALL);
}

csettingskit_curl csettingskit_curl_open(void) {
    Connection *connection = calloc(1, sizeof *connection);
    if (connection == NULL) return 0;
    connection->easy = curl.easy_init();
    connection->multi = curl.multi_init();
    if (connection->easy == NULL || connection->multi == NULL) {
        csettingskit_curl_close((csettingskit_curl)connection);
        return 0;
    }
    curl.easy_setopt(connection->easy, ERRORBUFFER, connection->problem);
    return (csettingskit_curl)connection;
}

void csettingskit_curl_close(csettingskit_curl handle) {
    Connection *connection = (Connection *)handle;
    if (connection == NULL) return;
    if (connection->easy != NULL) curl.easy_cleanup(connection->easy);
    if (connection->multi != NULL) curl.multi_cleanup(connection->multi);
    if (connection->headers != NULL) curl.slist_free_all(connection->headers);
    free(connection);
}

int csettingskit_curl_set_text(csettingskit_curl handle, int option, const char *text) {
    return curl.easy_setopt(((Connection *)handle)->easy, option, text);
}

int csettingskit_curl_set_number(csettingskit_curl handle, int option, long number) {
    return curl.easy_setopt(((Connection *)handle)->easy, option, number);
}

int csettingskit_curl_add_header(csettingskit_curl handle, const char *line) {
    Connection *connection = (Connection *)handle;
    void *list = curl.slist_append(connection->headers, line);
    if (list == NULL) return 27;
    connection->headers = list;
    return 0;
}

typedef struct {
    int (*receive)(void *context, const void *bytes, size_t size);
    void *context;
    int isStopped;
} Receiver;

static size_t write_bytes(char *bytes, size_t size, size_t count, void *data) {
    Receiver *receiver = data;
    if (receiver->receive(receiver->context, bytes, size * count)) return size * count;
    receiver->isStopped = 1;
    // Another number than the one received ends the request.
    return size * count == 0 ? 1 : 0;
}

int csettingskit_curl_perform(
    csettingskit_curl handle, const void *bytes, size_t size, int (*receive)(void *context, const void *bytes, size_t size),
    int (*wait)(void *context), void *context, csettingskit_curl_outcome *outcome) {
    Connection *connection = (Connection *)handle;
    void *easy = connection->easy, *multi = connection->multi;
    Receiver receiver = {receive, context, 0};
    *outcome = (csettingskit_curl_outcome){0, 0, 0};
    connection->problem[0] = 0;
    // Libcurl may send it again by itself when a kept connection ends before an answer.
    curl.easy_setopt(easy, POSTFIELDSIZE_LARGE, (long long)size);
    curl.easy_setopt(easy, POSTFIELDS, bytes);
    curl.easy_setopt(easy, HTTPHEADER, connection->headers);
    curl.easy_setopt(easy, WRITEFUNCTION, write_bytes);
    curl.easy_setopt(easy, WRITEDATA, (void *)&receiver);
    int result = curl.multi_add_handle(multi, easy) == 0 ? 0 : 2;
    int running = 1;
    while (result == 0 && running) {
        if (curl.multi_perform(multi, &running) != 0) result = 2;
        if (result != 0 || !running) break;
        int milliseconds = wait(context);
        if (milliseconds < 0) receiver.isStopped = 1;
        if (receiver.isStopped) break;
        int ready = 0;
        curl.multi_poll(multi, NULL, 0, milliseconds, &ready);
    }
    int left;
    for (Message *message; (message = curl.multi_info_read(multi, &left)) != NULL;)
        if (message->kind == MESSAGE_DONE && message->easy == easy && result == 0) result = message->data.result;
    if (receiver.isStopped) result = CSETTINGSKIT_CURL_STOPPED;
    long connections = 0;
    long long handshake = 0;
    curl.easy_getinfo(easy, RESPONSE_CODE, &outcome->status);
    curl.easy_getinfo(easy, REQUEST_SIZE, &outcome->sent);
    curl.easy_getinfo(easy, NUM_CONNECTS, &connections);
    curl.easy_getinfo(easy, APPCONNECT_TIME, &handshake);
    outcome->has_new_tls = connections > 0 && handshake > 0;
    curl.multi_remove_handle(multi, easy);
    // Nothing of this request stays behind.
    curl.easy_setopt(easy, POSTFIELDS, NULL);
    curl.easy_setopt(easy, HTTPHEADER, NULL);
    if (connection->headers != NULL) curl.slist_free_all(connection->headers);
    connection->headers = NULL;
    return result;
}

const char *csettingskit_curl_problem(csettingskit_curl handle) { return ((Connection *)handle)->problem; }

void csettingskit_curl_wake(csettingskit_curl handle) {
    if (handle != 0) curl.multi_wakeup(((Connection *)handle)->multi);
}

const char *csettingskit_curl_message(int code) { return curl.easy_strerror(code); }
