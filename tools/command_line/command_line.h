// SPDX-License-Identifier: BSD-3-Clause
// How the tools read their arguments, so that all of them do it alike. CLI11 does the work.
//
// Both "--name value" and "--name=value" are read. If an option is repeated, its last value counts.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace armci::tools {

// The exit status of every tool whose arguments are wrong.
inline constexpr int kExitUsage = 2;

class CommandLine {
  public:
    // `usage` follows "usage: " in the help, and `about` follows the usage.
    CommandLine(const std::string& usage, const std::string& about);
    ~CommandLine();
    CommandLine(const CommandLine&) = delete;
    CommandLine& operator=(const CommandLine&) = delete;

    // The options that are added next appear below this heading in the help.
    void begin_group(const std::string& heading) { group_ = heading; }

    // `names` is "--long" or "-s,--long". In `help`, a line break continues the column.
    // Sets *given to true if the option is there.
    void add_flag(const std::string& names, bool* given, const std::string& help);

    // `take` stores the value and returns true, or returns false if it cannot use it. Options are
    // taken in the order in which they were added. `value` is the value's name in the help.
    void add_value(const std::string& names, const std::string& value,
                   std::function<bool(const std::string&)> take, const std::string& help);

    // Takes all arguments that are no options. `value` is their name in the help.
    void add_arguments(const std::string& value, std::vector<std::string>* given,
                       const std::string& help);

    // Refuses arguments with more than one option.
    void allow_one_option();

    // Text at the end of the help.
    void add_footer(const std::string& text);

    // Returns an empty text, or what is wrong with which argument. If help is asked for, no option
    // is taken.
    std::string parse(const std::vector<std::string>& arguments);

    bool wants_help() const { return wants_help_; }
    std::string help() const;

  private:
    std::unique_ptr<CLI::App> app_;
    std::string group_ = "Options";
    bool wants_help_ = false;
};

// Reads the arguments. Returns the exit status if the program has nothing else to do: help has been
// printed, or what is wrong with the arguments, followed by the help. Only the first rank prints.
std::optional<int> read_arguments(const char* program, int argc, char** argv, CommandLine* line);

// Whether a launcher has started this process as another rank than the first. The environment
// shows it, because options that need no job shall work where MPI does not.
bool is_other_rank();

}  // namespace armci::tools
