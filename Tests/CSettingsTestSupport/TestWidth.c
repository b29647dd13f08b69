#include <stdlib.h>

// Swift Testing starts all test cases at once, thousands of them, on as many threads as there are processors. A test that
// waits for something then waits for all the others, too, and runs into its time limit. Nothing in a package can bound
// the number of tests that run at a time but this variable, which Swift Testing reads when it begins. A value that the
// environment has already, or the option `--experimental-maximum-parallelization-width`, wins.
__attribute__((constructor)) static void setTestWidth(void) {
    setenv("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", "4", 0);
}
