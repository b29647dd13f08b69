// What SettingsEtcd needs of libcurl, which is loaded when the first store is opened: a program that opens none does not need
// the library, and does not pay for it at start. Machines have the library of the system without its headers, so the few
// constants and functions are declared by hand; all have been there since libcurl 7.68. Documented at
// https://curl.se/libcurl/c/allfuncs.html.
#ifndef CSETTINGSKITCURL_H
#define CSETTINGSKITCURL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// A connection: an easy handle and the multi handle that it is used with. 0 is none. One thread uses it at a time, except for
// csettingskit_curl_wake.
typedef uintptr_t csettingskit_curl;

static const int CSETTINGSKIT_CURL_URL = 10002;
static const int CSETTINGSKIT_CURL_PROXY = 10004;
static const int CSETTINGSKIT_CURL_SSLCERT = 10025;
static const int CSETTINGSKIT_CURL_KEYPASSWD = 10026;
static const int CSETTINGSKIT_CURL_CAINFO = 10065;
static const int CSETTINGSKIT_CURL_SSLKEY = 10087;
static const int CSETTINGSKIT_CURL_POST = 47;
static const int CSETTINGSKIT_CURL_FOLLOWLOCATION = 52;
static const int CSETTINGSKIT_CURL_SSL_VERIFYPEER = 64;
static const int CSETTINGSKIT_CURL_SSL_VERIFYHOST = 81;
static const int CSETTINGSKIT_CURL_HTTP_VERSION = 84;
static const int CSETTINGSKIT_CURL_NOSIGNAL = 99;
static const int CSETTINGSKIT_CURL_TCP_NODELAY = 121;
static const int CSETTINGSKIT_CURL_CONNECTTIMEOUT_MS = 156;
static const int CSETTINGSKIT_CURL_PROTOCOLS = 181;
static const int CSETTINGSKIT_CURL_TCP_KEEPALIVE = 213;
static const int CSETTINGSKIT_CURL_TCP_KEEPIDLE = 214;
static const int CSETTINGSKIT_CURL_TCP_KEEPINTVL = 215;

// The codes of libcurl that SettingsEtcd tells apart.
static const int CSETTINGSKIT_CURL_OK = 0;
static const int CSETTINGSKIT_CURL_OPERATION_TIMEDOUT = 28;
static const int CSETTINGSKIT_CURL_SSL_CONNECT_ERROR = 35;
static const int CSETTINGSKIT_CURL_SEND_ERROR = 55;
static const int CSETTINGSKIT_CURL_RECV_ERROR = 56;
static const int CSETTINGSKIT_CURL_SSL_CERTPROBLEM = 58;
static const int CSETTINGSKIT_CURL_PEER_FAILED_VERIFICATION = 60;
static const int CSETTINGSKIT_CURL_SSL_CACERT_BADFILE = 77;
static const int CSETTINGSKIT_CURL_SSL_CRL_BADFILE = 82;
static const int CSETTINGSKIT_CURL_SSL_ISSUER_ERROR = 83;
static const int CSETTINGSKIT_CURL_SSL_CLIENTCERT = 98;
// Not libcurl's: the caller's functions ended the request.
static const int CSETTINGSKIT_CURL_STOPPED = -1;

// Loads the library. Call it once, before everything else.
//
// Returns 0, or a number that is not 0 if there is no libcurl, or an old one.
int csettingskit_curl_load(void);

csettingskit_curl csettingskit_curl_open(void);
void csettingskit_curl_close(csettingskit_curl connection);

// Each returns a code of libcurl. Texts are copied.
int csettingskit_curl_set_text(csettingskit_curl connection, int option, const char *text);
int csettingskit_curl_set_number(csettingskit_curl connection, int option, long number);
// Adds a header line to the next request.
int csettingskit_curl_add_header(csettingskit_curl connection, const char *line);

// What is known of a request.
typedef struct {
    // The HTTP status of the answer, 0 if there was none.
    long status;
    // How many bytes of the request were given to the network, over whatever connection; 0 if certainly none.
    long sent;
    // Whether a TLS connection was made for the request, up to the end of the handshake.
    int has_new_tls;
} csettingskit_curl_outcome;

// Sends a request with a body, and hands over what is received. Returns a code of libcurl, or CSETTINGSKIT_CURL_STOPPED.
//
// body: is read during the call only.
// receive: gets bytes of the answer. Returns 0 to stop.
// wait: is called before each wait. Returns the milliseconds to wait at most, or a negative number to stop.
int csettingskit_curl_perform(
    csettingskit_curl connection, const void *body, size_t size,
    int (*receive)(void *context, const void *bytes, size_t size), int (*wait)(void *context), void *context,
    csettingskit_curl_outcome *outcome);

// Libcurl's words for what went wrong in the last request, which may contain what the server has sent. Empty if nothing did.
const char *csettingskit_curl_problem(csettingskit_curl connection);

// Ends the wait of a request, or of the next one, so that its `wait` is called again. May be called by any thread.
void csettingskit_curl_wake(csettingskit_curl connection);

// Libcurl's words for a code.
const char *csettingskit_curl_message(int code);

#ifdef __cplusplus
}
#endif

#endif
