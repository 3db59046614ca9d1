// SPDX-License-Identifier: BSD-3-Clause
#include "support/harness.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "armci/armci.h"
#include "support/job.h"

namespace armci::mp {
namespace {

// Rank 0 keeps the printer of GoogleTest. This listener prints the failures of the other ranks,
// adds the seed, and makes a failure on one rank a failure on all when a test ends.
class JobListener : public testing::EmptyTestEventListener {
  public:
    void OnTestPartResult(const testing::TestPartResult& result) override {
        if (!result.failed() || muted_) {
            return;
        }
        const std::string where =
            result.file_name() != nullptr
                ? std::string(result.file_name()) + ":" + std::to_string(result.line_number())
                : "(unknown file)";
        if (me() != 0) {
            std::fprintf(stdout, "[rank %d] %s: Failure\n%s\n", me(), where.c_str(),
                         result.message());
        }
        std::fprintf(stdout, "[rank %d] repeat with TEST_SEED=%llu\n", me(),
                     static_cast<unsigned long long>(base_seed()));
        std::fflush(stdout);
    }

    void OnTestEnd(const testing::TestInfo& test) override {
        const int mine = test.result()->Failed() ? 1 : 0;
        std::vector<int> failed(nproc());
        MPI_Request gathered = MPI_REQUEST_NULL;
        MPI_Iallgather(&mine, 1, MPI_INT, failed.data(), 1, MPI_INT, harness_comm(), &gathered);
        finish(gathered);
        std::string ranks;
        for (int rank = 0; rank < nproc(); ++rank) {
            if (failed[rank] != 0) {
                ranks += (ranks.empty() ? "" : ", ") + std::to_string(rank);
            }
        }
        if (!ranks.empty() && mine == 0) {
            muted_ = true;
            ADD_FAILURE() << "failed on rank " << ranks;
            muted_ = false;
        }
    }

  private:
    bool muted_ = false;
};

void install_listener() {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    if (me() != 0) {
        delete listeners.Release(listeners.default_result_printer());
        delete listeners.Release(listeners.default_xml_generator());
    }
    // GoogleTest owns it and calls OnTestEnd in reverse order: before the printer on rank 0.
    listeners.Append(new JobListener);
}

// Prints the overall result on rank 0. The build's test driver looks for the word "skipped".
bool job_failed(int status) {
    const auto* tests = testing::UnitTest::GetInstance();
    int failed = status != 0 ? 1 : 0;
    if (tests->test_to_run_count() == 0 && !GTEST_FLAG_GET(list_tests)) {
        std::fprintf(stderr, "[rank %d] no test was selected\n", me());
        failed = 1;
    }
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, harness_comm());
    if (me() == 0 && failed == 0 && tests->test_to_run_count() > 0 &&
        tests->skipped_test_count() == tests->test_to_run_count()) {
        std::printf("ALL TESTS SKIPPED\n");
    }
    return failed != 0;
}

// TEST_INIT=plain uses ARMCI_Init, whatever the thread level, as Global Arrays does.
bool starts_plainly() {
    const char* value = std::getenv("TEST_INIT");
    return value != nullptr && std::string(value) == "plain";
}

}  // namespace

int run_tests(int argc, char** argv, const Program& program) {
    int provided = MPI_THREAD_SINGLE;
    MPI_Init_thread(&argc, &argv, program.thread_level, &provided);
    testing::InitGoogleTest(&argc, argv);
    begin_job();
    if (provided < program.thread_level) {
        give_up("MPI does not offer the thread level the test needs");
    }
    if (program.start_armci) {
        const bool asks = program.thread_level != MPI_THREAD_SINGLE && !starts_plainly();
        if ((asks ? ARMCI_Init_thread(program.thread_level) : ARMCI_Init()) != 0) {
            give_up("the library does not start");
        }
    }
    install_listener();
    const bool failed = job_failed(RUN_ALL_TESTS());
    if (program.start_armci && ARMCI_Finalize() != 0) {
        give_up("ARMCI_Finalize failed");
    }
    end_job();
    MPI_Finalize();
    return failed ? 1 : 0;
}

}  // namespace armci::mp
