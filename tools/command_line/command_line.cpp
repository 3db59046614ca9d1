// SPDX-License-Identifier: BSD-3-Clause
#include "command_line/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace armci::tools {

namespace {

// The usage before the description, as other tools of this kind have it.
class UsageFirst : public CLI::Formatter {
  public:
    explicit UsageFirst(const std::string& usage) : usage_("usage: " + usage + "\n") {
        column_width(22);
    }
    std::string make_usage(const CLI::App* app, std::string /*name*/) const override {
        return usage_ + "\n" + app->get_description() + "\n";
    }
    std::string make_description(const CLI::App* /*app*/) const override { return ""; }

  private:
    std::string usage_;
};

// CLI11 takes the next argument as the value of "--name=".
const std::string* find_empty_value(const std::vector<std::string>& arguments) {
    const auto found =
        std::find_if(arguments.begin(), arguments.end(), [](const std::string& argument) {
            return argument.starts_with("--") && argument.find('=') == argument.size() - 1;
        });
    return found != arguments.end() ? &*found : nullptr;
}

}  // namespace

CommandLine::CommandLine(const std::string& usage, const std::string& about)
    : app_(std::make_unique<CLI::App>(about)) {
    app_->formatter(std::make_shared<UsageFirst>(usage));
    app_->set_help_flag("-h,--help", "print this help");
    app_->option_defaults()->take_last();
}

CommandLine::~CommandLine() = default;

void CommandLine::add_flag(const std::string& names, bool* given, const std::string& help) {
    app_->add_flag_function(
            names, [given](int64_t count) { *given = count > 0; }, help)
        ->disable_flag_override()
        ->group(group_);
}

void CommandLine::add_value(const std::string& names, const std::string& value,
                            std::function<bool(const std::string&)> take, const std::string& help) {
    const std::string name = names.substr(names.find("--"));
    app_->add_option_function<std::string>(
            names,
            [name, take = std::move(take)](const std::string& text) {
                if (!take(text)) {
                    throw CLI::ValidationError(name, "cannot use the value '" + text + "'");
                }
            },
            help)
        ->type_name(value)
        ->group(group_);
}

void CommandLine::add_arguments(const std::string& value, std::vector<std::string>* given,
                                const std::string& help) {
    app_->add_option(value, *given, help)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
        ->type_name("");
}

void CommandLine::allow_one_option() {
    app_->require_option(0, 1);
}

void CommandLine::add_footer(const std::string& text) {
    app_->footer(text);
}

std::string CommandLine::parse(const std::vector<std::string>& arguments) {
    if (const std::string* argument = find_empty_value(arguments)) {
        return *argument + " needs a value";
    }
    try {
        // CLI11 takes them from the end.
        app_->parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    } catch (const CLI::CallForHelp&) {
        wants_help_ = true;
    } catch (const CLI::ParseError& error) {
        return error.what();
    }
    return "";
}

std::string CommandLine::help() const {
    return app_->help();
}

std::optional<int> read_arguments(const char* program, int argc, char** argv, CommandLine* line) {
    const std::string error = line->parse({argv + 1, argv + argc});
    if (error.empty() && !line->wants_help()) {
        return std::nullopt;
    }
    if (!is_other_rank()) {
        if (!error.empty()) {
            std::fprintf(stderr, "%s: %s\n", program, error.c_str());
        }
        std::fputs(line->help().c_str(), error.empty() ? stdout : stderr);
    }
    return error.empty() ? 0 : kExitUsage;
}

bool is_other_rank() {
    for (const char* name : {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"}) {
        if (const char* rank = std::getenv(name)) {
            return std::strcmp(rank, "0") != 0;
        }
    }
    return false;
}

}  // namespace armci::tools
