#include <stdlib.h>

// In the tests, and in the processes that they start, a lock that is taken out of order ends the process, and so does user
// code that is called with a lock held. See HeldLocks.swift.
__attribute__((constructor)) static void checkLocks(void) {
    setenv("SETTINGSKIT_CHECKS_LOCKS", "1", 0);
}
