// SPDX-License-Identifier: BSD-3-Clause
#include "core/job/launcher.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace armci::core::test {
namespace {

std::string launched(std::vector<std::string> variables) {
    std::vector<char*> environment;
    for (std::string& variable : variables) {
        environment.push_back(variable.data());
    }
    environment.push_back(nullptr);
    return launched_processes(environment.data());
}

TEST(Launcher, ReportsALauncherInTheFirstOfSeveralProcesses) {
    EXPECT_EQ(launched({"PMI_RANK=0", "PMI_SIZE=4"}), "PMI_SIZE=4");
    EXPECT_EQ(launched({"OMPI_COMM_WORLD_SIZE=2", "OMPI_COMM_WORLD_RANK=0"}),
              "OMPI_COMM_WORLD_SIZE=2");
    EXPECT_EQ(launched({"SLURM_PROCID=0", "SLURM_STEP_NUM_TASKS=16", "SLURM_NTASKS=16"}),
              "SLURM_STEP_NUM_TASKS=16");
}

TEST(Launcher, ReportsNothingInOtherProcesses) {
    EXPECT_EQ(launched({"PMI_RANK=3", "PMI_SIZE=4"}), "");
    EXPECT_EQ(launched({"OMPI_COMM_WORLD_SIZE=2", "OMPI_COMM_WORLD_RANK=1"}), "");
}

TEST(Launcher, ReportsNothingForOneProcess) {
    EXPECT_EQ(launched({}), "");
    EXPECT_EQ(launched({"PMI_RANK=0", "PMI_SIZE=1"}), "");
}

// sbatch and salloc set the number of tasks for their shells, without a step.
TEST(Launcher, ReportsNothingInAnAllocationWithoutAStep) {
    EXPECT_EQ(launched({"SLURM_NTASKS=8", "SLURM_PROCID=0", "SLURM_JOB_ID=7"}), "");
}

TEST(Launcher, ReportsNothingForOneProcessInsideAnotherJob) {
    EXPECT_EQ(launched({"SLURM_STEP_NUM_TASKS=4", "SLURM_PROCID=0", "PMI_RANK=0", "PMI_SIZE=1"}),
              "");
    EXPECT_EQ(
        launched({"PMI_RANK=0", "PMI_SIZE=4", "OMPI_COMM_WORLD_SIZE=1", "OMPI_COMM_WORLD_RANK=0"}),
        "");
}

}  // namespace
}  // namespace armci::core::test
