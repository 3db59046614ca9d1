// SPDX-License-Identifier: BSD-3-Clause
#include "base/config_files.h"

#include <fnmatch.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>

namespace armci::base {
namespace {

constexpr size_t kMaxFileBytes = 1 << 20;
constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed(std::string_view text) {
    const size_t begin = text.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) {
        return {};
    }
    return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

// Returns what is before the first `separator`, and removes both from `text`.
std::string_view take_until(char separator, std::string_view* text) {
    const size_t end = text->find(separator);
    const std::string_view first = text->substr(0, end);
    text->remove_prefix(end == std::string_view::npos ? text->size() : end + 1);
    return first;
}

bool is_variable_name(std::string_view name) {
    constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    return name.starts_with("ARMCI_") && name.find_first_not_of(kLetters) == std::string_view::npos;
}

bool matches(std::string_view pattern, const std::string& host) {
    const std::string text(pattern);
    return fnmatch(text.c_str(), host.c_str(), 0) == 0 ||
           fnmatch(text.c_str(), host.substr(0, host.find('.')).c_str(), 0) == 0;
}

// Says whether the lines after this heading, "[hosts PATTERN, ...]", hold for the host. Returns
// nothing if the line is no such heading.
std::optional<bool> holds_for(std::string_view line, const std::string& host) {
    constexpr std::string_view kHosts = "[hosts";
    if (!line.starts_with(kHosts) || !line.ends_with(']')) {
        return std::nullopt;
    }
    std::string_view patterns = line.substr(kHosts.size(), line.size() - kHosts.size() - 1);
    if (trimmed(patterns).empty() || kBlanks.find(patterns.front()) == std::string_view::npos) {
        return std::nullopt;
    }
    bool holds = false;
    while (!patterns.empty()) {
        const std::string_view pattern = trimmed(take_until(',', &patterns));
        if (pattern.empty()) {
            return std::nullopt;
        }
        holds |= matches(pattern, host);
    }
    return holds;
}

std::string host_name() {
    char name[256] = "";
    gethostname(name, sizeof name - 1);  // Linux has no names that are longer
    return name;
}

const char* value_of(const char* name, const char* const* environment) {
    const size_t length = std::strlen(name);
    const char* value = nullptr;
    for (; environment != nullptr && *environment != nullptr; ++environment) {
        if (std::strncmp(*environment, name, length) == 0 && (*environment)[length] == '=') {
            value = *environment + length + 1;
        }
    }
    return value;
}

struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
};

// Returns the reason why it cannot be read, 0 if it was.
int read_file(const char* path, std::string* text) {
    const std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path, "re"));
    if (file == nullptr) {
        return errno;
    }
    text->resize(kMaxFileBytes);
    errno = 0;
    text->resize(std::fread(text->data(), 1, text->size(), file.get()));
    if (std::ferror(file.get()) != 0) {
        return errno != 0 ? errno : EIO;
    }
    return text->size() == kMaxFileBytes ? EFBIG : 0;
}

void add_file(const char* path, const char* remedy, FileSettings* settings) {
    std::string text;
    if (const int reason = read_file(path, &text)) {
        settings->errors.push_back(std::string("the configuration file ") + path +
                                   " cannot be read (" + std::strerror(reason) + "); " + remedy);
        return;
    }
    if (text.find('\0') != std::string::npos) {  // it would be wrong in each of its many lines
        settings->errors.push_back(std::string("the configuration file ") + path + " is no text; " +
                                   remedy);
        return;
    }
    add_settings(path, text, host_name(), settings);
}

}  // namespace

void add_settings(const std::string& path, std::string_view text, const std::string& host,
                  FileSettings* settings) {
    bool holds = true;
    for (int number = 1; !text.empty(); ++number) {
        const std::string_view line = trimmed(take_until('\n', &text));
        const std::string place = path + ":" + std::to_string(number);
        if (line.empty() || line.front() == '#') {
            continue;
        }
        if (line.front() == '[') {
            const std::optional<bool> heading = holds_for(line, host);
            if (!heading) {
                settings->errors.push_back(place + ": \"" + std::string(line) +
                                           "\" is no heading; write [hosts PATTERN, ...]");
            }
            holds = heading.value_or(false);
            continue;
        }
        std::string_view value = line;
        const std::string_view name = trimmed(take_until('=', &value));
        if (line.find('=') == std::string_view::npos || !is_variable_name(name)) {
            settings->errors.push_back(place + ": \"" + std::string(line) +
                                       "\" sets no variable; write ARMCI_NAME = VALUE");
        } else if (name == kFileVariable) {
            settings->errors.push_back(place + ": " + kFileVariable +
                                       " has no effect in a file; set it in the environment");
        } else if (holds) {
            settings->settings.push_back({std::string(name), std::string(trimmed(value)), place});
        }
    }
}

FileSettings read_settings(const char* const* environment, const char* site_file) {
    FileSettings settings;
    // A site without a file is the usual case.
    if (access(site_file, F_OK) == 0) {
        add_file(site_file, "correct or remove it", &settings);
    }
    const char* users_file = value_of(kFileVariable, environment);
    if (users_file != nullptr && *users_file != '\0') {
        add_file(users_file, "correct or unset ARMCI_CONFIG", &settings);
    }
    return settings;
}

ConfigResult read_config_and_files(const char* const* environment) {
    return read_config(environment, read_settings(environment));
}

}  // namespace armci::base
