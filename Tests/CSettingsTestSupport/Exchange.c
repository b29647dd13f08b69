#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include "CSettingsTestSupport.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>

int csettingstest_exchange(const char *path, const char *other) {
#if defined(__linux__)
    return renameat2(AT_FDCWD, path, AT_FDCWD, other, RENAME_EXCHANGE);
#else
    (void)path;
    (void)other;
    errno = ENOSYS;
    return -1;
#endif
}
