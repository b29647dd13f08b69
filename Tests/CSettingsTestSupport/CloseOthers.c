#if !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1
#endif
#include "CSettingsTestSupport.h"

#include <spawn.h>

int csettingstest_close_others(void *actions) {
#if defined(__GLIBC__)
#if __GLIBC_PREREQ(2, 34)
    return posix_spawn_file_actions_addclosefrom_np(actions, 3);
#endif
#endif
    (void)actions;
    return 0;
}
