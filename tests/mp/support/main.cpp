// SPDX-License-Identifier: BSD-3-Clause
// The usual main program of a multi-rank test.
#include "support/harness.h"

int main(int argc, char** argv) {
    return armci::mp::run_tests(argc, argv);
}
