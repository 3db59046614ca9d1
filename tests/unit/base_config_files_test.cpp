// SPDX-License-Identifier: BSD-3-Clause
#include "base/config_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "system_files.h"

namespace armci::base::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

FileSettings settings_of(const std::string& text, const std::string& host = "cn7.example.org") {
    FileSettings settings;
    add_settings("/f", text, host, &settings);
    return settings;
}

std::vector<std::string> shown(const FileSettings& settings) {
    std::vector<std::string> lines;
    for (const Setting& setting : settings.settings) {
        lines.push_back(setting.source + " " + setting.name + "=" + setting.value);
    }
    return lines;
}

const ConfigRow& row_of(const ConfigResult& result, const std::string& name) {
    const auto found = std::find_if(result.rows.begin(), result.rows.end(),
                                    [&](const ConfigRow& one) { return one.name == name; });
    EXPECT_NE(found, result.rows.end()) << name;
    return *found;
}

TEST(ConfigFiles, LinesSetVariables) {
    const FileSettings settings =
        settings_of("# a remark\n\n  ARMCI_STATS = 1\t\r\nARMCI_TRACE=/tmp/a b=c\nARMCI_PROFILE=");
    EXPECT_THAT(settings.errors, IsEmpty());
    EXPECT_THAT(shown(settings), ElementsAre("/f:3 ARMCI_STATS=1", "/f:4 ARMCI_TRACE=/tmp/a b=c",
                                             "/f:5 ARMCI_PROFILE="));
}

TEST(ConfigFiles, HeadingsChooseHosts) {
    const std::string text =
        "ARMCI_STATS=1\n[hosts gpu*, cn?]\nARMCI_STATS=2\n[hosts cn7.example.*]\nARMCI_STATS=3\n"
        "[hosts login]\nARMCI_STATS=4\n[hosts *]\nARMCI_STATS=5\n";
    EXPECT_THAT(shown(settings_of(text)), ElementsAre("/f:1 ARMCI_STATS=1", "/f:3 ARMCI_STATS=2",
                                                      "/f:5 ARMCI_STATS=3", "/f:9 ARMCI_STATS=5"));
    EXPECT_THAT(shown(settings_of(text, "login")),
                ElementsAre("/f:1 ARMCI_STATS=1", "/f:7 ARMCI_STATS=4", "/f:9 ARMCI_STATS=5"));
    EXPECT_THAT(shown(settings_of(text, "cn77")),
                ElementsAre("/f:1 ARMCI_STATS=1", "/f:9 ARMCI_STATS=5"));
}

TEST(ConfigFiles, MalformedLinesAreErrorsOnEveryHost) {
    for (const char* line :
         {"ARMCI_STATS", "stats=1", "ARMCI_stats=1", "=1", "export ARMCI_STATS=1", "[hosts]",
          "[hosts a,,b]", "[hosts a", "[hostsa]", "[provider tcp]", "ARMCI_CONFIG=/x"}) {
        const FileSettings settings =
            settings_of("[hosts other]\n" + std::string(line) + "\nARMCI_STATS=1\n");
        EXPECT_THAT(settings.errors, ElementsAre(HasSubstr("/f:2: "))) << line;
        EXPECT_THAT(settings.settings, IsEmpty()) << line;
    }
}

TEST(ConfigFiles, LaterFilesWinAndTheEnvironmentWinsOverBoth) {
    FileSettings files;
    add_settings("/site", "ARMCI_HANG_SECONDS=1\nARMCI_LOST_RANK_SECONDS=2\nARMCI_STATS=1\n", "h",
                 &files);
    add_settings("/user", "ARMCI_LOST_RANK_SECONDS=3\nARMCI_STATS=0\n", "h", &files);
    const char* environment[] = {"ARMCI_STATS=1", nullptr};
    const ConfigResult result = read_config(environment, files);
    EXPECT_EQ(result.config.hang_seconds, 1);
    EXPECT_EQ(row_of(result, "ARMCI_HANG_SECONDS").source, "/site:1");
    EXPECT_EQ(result.config.lost_rank_seconds, 3);
    EXPECT_EQ(row_of(result, "ARMCI_LOST_RANK_SECONDS").source, "/user:1");
    EXPECT_TRUE(result.config.stats);
    EXPECT_EQ(row_of(result, "ARMCI_STATS").source, "environment");
    EXPECT_THAT(result.errors, IsEmpty());
}

TEST(ConfigFiles, MessagesNameFileAndLine) {
    const ConfigResult result =
        read_config(nullptr, settings_of("ARMCI_HANG_SECONDS=soon\nARMCI_STATZ=1\n"));
    EXPECT_THAT(result.errors,
                ElementsAre(AllOf(HasSubstr("ARMCI_HANG_SECONDS=\"soon\" (/f:1) is not"))));
    EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("ARMCI_STATZ (/f:2)")));
}

TEST(ConfigFiles, APlaceForStatisticsAloneIsNoMistake) {
    const ConfigResult result = read_config(nullptr, settings_of("ARMCI_STATS_FILE = /tmp/s\n"));
    EXPECT_THAT(result.warnings, IsEmpty());
}

TEST(ConfigFiles, OldNamesWorkInFilesToo) {
    const ConfigResult result = read_config(nullptr, settings_of("ARMCI_RMA_MIN_RUN=512\n"));
    EXPECT_EQ(result.config.rma_min_block, 512);
    EXPECT_EQ(row_of(result, "ARMCI_RMA_MIN_BLOCK").source, "/f:1");
    EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("ARMCI_RMA_MIN_BLOCK")));
}

TEST(ConfigFiles, OldNamesWinOverPresentOnesOfEarlierSources) {
    FileSettings files;
    add_settings("/site", "ARMCI_RMA_MIN_BLOCK=1\n", "h", &files);
    add_settings("/user", "ARMCI_RMA_MIN_RUN=2\n", "h", &files);
    EXPECT_EQ(read_config(nullptr, files).config.rma_min_block, 2);
    const char* environment[] = {"ARMCI_RMA_MIN_RUN=3", nullptr};
    const ConfigResult result = read_config(environment, files);
    EXPECT_EQ(result.config.rma_min_block, 3);
    EXPECT_EQ(row_of(result, "ARMCI_RMA_MIN_BLOCK").source, "environment");
    EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("ARMCI_RMA_MIN_RUN (/user:1) still works"),
                                             HasSubstr("ARMCI_RMA_MIN_RUN still works")));
}

TEST(ConfigFiles, FilesAreReadFromTheirPlaces) {
    const armci::test::SystemFiles files;
    files.write("site", "ARMCI_STATS=1\nARMCI_HANG_SECONDS=5\n");
    files.write("user", "ARMCI_STATS=0\n");
    const std::string directory = std::filesystem::path(files.files().meminfo).parent_path();
    const std::string site = directory + "/site";
    const std::string user = "ARMCI_CONFIG=" + directory + "/user";
    const char* environment[] = {"ARMCI_CONFIG=/absent", user.c_str(), nullptr};
    EXPECT_THAT(shown(read_settings(environment, site.c_str())),
                ElementsAre(site + ":1 ARMCI_STATS=1", site + ":2 ARMCI_HANG_SECONDS=5",
                            directory + "/user:1 ARMCI_STATS=0"));
    EXPECT_THAT(shown(read_settings(nullptr, site.c_str())), testing::SizeIs(2));
}

TEST(ConfigFiles, OnlyTheSitesFileMayBeMissing) {
    const char* environment[] = {"ARMCI_CONFIG=/absent/file", nullptr};
    const FileSettings settings = read_settings(environment, "/absent/site");
    EXPECT_THAT(settings.errors, ElementsAre(AllOf(HasSubstr("/absent/file"), HasSubstr("No such"),
                                                   HasSubstr("unset ARMCI_CONFIG"))));
    const char* directory[] = {"ARMCI_CONFIG=/", nullptr};
    EXPECT_THAT(read_settings(directory, "/absent/site").errors, ElementsAre(HasSubstr("file /")));
    const char* empty[] = {"ARMCI_CONFIG=", nullptr};
    EXPECT_THAT(read_settings(empty, "/absent/site").errors, IsEmpty());
}

TEST(ConfigFiles, AProgramIsOneError) {
    const armci::test::SystemFiles files;
    files.write("program", std::string("ELF\n\0\n\n\1\n", 9));
    const std::string path =
        std::filesystem::path(files.files().meminfo).parent_path().string() + "/program";
    EXPECT_THAT(read_settings(nullptr, path.c_str()).errors,
                ElementsAre(HasSubstr("file " + path + " is no text; correct or remove it")));
}

}  // namespace
}  // namespace armci::base::test
