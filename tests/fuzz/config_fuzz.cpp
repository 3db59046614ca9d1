// SPDX-License-Identifier: BSD-3-Clause
// An environment, one variable per line: it is read without harm, every value is within its range,
// and reading it again gives the same. The same text is read as a configuration file, too.
#include <string>
#include <vector>

#include "base/config_files.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t bytes) {
    std::vector<std::string> lines(1);
    for (size_t i = 0; i < bytes; ++i) {
        if (data[i] == '\n') {
            lines.emplace_back();
        } else if (data[i] != 0) {
            lines.back() += static_cast<char>(data[i]);
        }
    }
    std::vector<const char*> environment;
    for (const std::string& line : lines) {
        environment.push_back(line.c_str());
    }
    environment.push_back(nullptr);
    const armci::base::ConfigResult first = armci::base::read_config(environment.data());
    const armci::base::ConfigResult second = armci::base::read_config(environment.data());
    FUZZ_CHECK(first.errors == second.errors && first.warnings == second.warnings);
    FUZZ_CHECK(first.rows.size() == second.rows.size() && !first.rows.empty());
    // What it reports as its value means the same when it is written down.
    std::vector<std::string> written;
    for (const armci::base::ConfigRow& row : first.rows) {
        if (row.source == "environment") {
            written.push_back(std::string(row.name) + "=" + row.value);
        }
    }
    environment.clear();
    for (const std::string& line : written) {
        environment.push_back(line.c_str());
    }
    environment.push_back(nullptr);
    const armci::base::ConfigResult again = armci::base::read_config(environment.data());
    FUZZ_CHECK(again.errors.empty());
    for (size_t i = 0; i < first.rows.size(); ++i) {
        FUZZ_CHECK(first.rows[i].value == again.rows[i].value);
    }
    armci::base::FileSettings files;
    armci::base::add_settings("file", {reinterpret_cast<const char*>(data), bytes}, "host", &files);
    for (const armci::base::Setting& setting : files.settings) {
        FUZZ_CHECK(setting.name.starts_with("ARMCI_") && setting.source.starts_with("file:"));
        FUZZ_CHECK(setting.value.find('\n') == std::string::npos);
    }
    FUZZ_CHECK(armci::base::read_config(nullptr, files).rows.size() == first.rows.size());
    return 0;
}
