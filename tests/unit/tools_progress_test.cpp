// SPDX-License-Identifier: BSD-3-Clause
#include "progress/progress.h"

#include <gtest/gtest.h>

#include "stderr_capture.h"

namespace armci::tools {
namespace {

TEST(ToolsProgress, DurationsAreRounded) {
    EXPECT_EQ(duration_text(0.4), "0 s");
    EXPECT_EQ(duration_text(89.4), "89 s");
    EXPECT_EQ(duration_text(100), "2 min");
    EXPECT_EQ(duration_text(3600), "60 min");
    EXPECT_EQ(duration_text(3 * 3600 + 5), "3 h");
}

TEST(ToolsProgress, OnlyLongRunsAreAnnounced) {
    const test::StderrCapture captured;
    {
        Progress run("a-tool", "7 rows", 4);
        Progress long_run("a-tool", "7 rows", 40);
        long_run.show(0.5);  // this is no terminal
    }
    EXPECT_EQ(captured.text(), "a-tool: 7 rows; takes at least 40 s\n");
}

}  // namespace
}  // namespace armci::tools
