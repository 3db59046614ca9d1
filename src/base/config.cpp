// SPDX-License-Identifier: BSD-3-Clause
#include "base/config.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/config_value.h"

namespace armci::base {
namespace {

// Variables of other ARMCI implementations for mechanisms that this library does not have.
constexpr std::string_view kForeignNames[] = {
    "ARMCI_NONCOLLECTIVE_GROUPS",
    "ARMCI_CACHE_RANK_TRANSLATION",
    "ARMCI_SHR_BUF_METHOD",
    "ARMCI_STRIDED_METHOD",
    "ARMCI_IOV_METHOD",
    "ARMCI_IOV_CHECKS",
    "ARMCI_IOV_BATCHED_LIMIT",
    "ARMCI_IOV_DTYPE_CHUNK",
    "ARMCI_USE_WIN_ALLOCATE",
    "ARMCI_USE_ALLOC_SHM",
    "ARMCI_DISABLE_SHM_ACC",
    "ARMCI_USE_SAME_OP",
    "ARMCI_RMA_ORDERING",
    "ARMCI_RMA_NOCHECK",
    "ARMCI_ACCUMULATE_GRANULARITY",
    "ARMCI_RMA_ATOMICITY",
    "ARMCI_USE_REQUEST_ATOMICS",
    "ARMCI_FLUSH_REQUEST_ATOMICS",
    "ARMCI_MSG_BARRIER_SYNCS",
    "ARMCI_FLUSH_BARRIERS",
    "ARMCI_MEMKIND_POOL_PATH",
    "ARMCI_DEFAULT_SHMMAX",
    "ARMCI_HOSTNAME",
    "ARMCI_HOSTNAME_REPLACE",
    "ARMCI_NSERV_EQ_NPROC",
    "ARMCI_TEST_CONNECTIONS",
    "ARMCI_MAX_THREADS",
    "ARMCI_OPENIB_DEVICE",
    "ARMCI_OPENIB_USE_SL",
    "ARMCI_OPENIB_SERVER_POLL",
    "ARMCI_USE_ODCM",
    "ARMCI_MAX_CLIENT_TO_SERVER_FACTOR",
    // build systems of programs that link ARMCI
    "ARMCI_NETWORK",
    "ARMCI_SRC_DIR",
};

struct Renamed {
    std::string_view old_name;
    std::string_view name;
};

// Names of earlier versions, which still work.
constexpr Renamed kRenamed[] = {
    {.old_name = "ARMCI_FINALIZE_TIMEOUT_S", .name = "ARMCI_FINALIZE_TIMEOUT_SECONDS"},
    {.old_name = "ARMCI_CHECK_PATIENCE_S", .name = "ARMCI_CHECK_PATIENCE_SECONDS"},
    {.old_name = "ARMCI_RMA_MIN_RUN", .name = "ARMCI_RMA_MIN_BLOCK"},
};

enum class VariableClass { own, mirrored };
enum class Whose { job, rank };

// The last columns of a row of the table.
struct Traits {
    VariableClass kind;
    Whose whose;
    const char* help;
};

constexpr std::string_view kEnvironment = "environment";
constexpr std::string_view kStatsFile = "ARMCI_STATS_FILE";
constexpr std::string_view kProgressRanks = "GA_NUM_PROGRESS_RANKS_PER_NODE";

// Says whether the name is likely to be meant for ARMCI. ComEx is the implementation that comes
// with Global Arrays.
bool is_looked_at(std::string_view name) {
    return name.starts_with("ARMCI_") || name.starts_with("COMEX_") || name == kProgressRanks;
}

bool is_foreign(std::string_view name) {
    return !name.starts_with("ARMCI_") ||
           std::find(std::begin(kForeignNames), std::end(kForeignNames), name) !=
               std::end(kForeignNames);
}

std::string choice_text(const char* choices, int index) {
    std::string_view rest(choices);
    for (; index > 0; --index) {
        rest.remove_prefix(rest.find('|') + 1);
    }
    return std::string(rest.substr(0, rest.find('|')));
}

// A value as it was given, and where.
struct Given {
    std::string_view text;
    std::string_view source = kEnvironment;
};

// Fills one member at a time from what is given, and writes the row of each.
class Reader {
  public:
    // `files` and `environment` stay while this is used.
    Reader(const char* const* environment, const FileSettings& files) {
        result_.errors = files.errors;
        for (const Setting& setting : files.settings) {
            take(setting.name, {setting.value, setting.source});
        }
        std::map<std::string_view, std::string_view> last;
        for (; environment != nullptr && *environment != nullptr; ++environment) {
            const std::string_view entry(*environment);
            const size_t equals = entry.find('=');
            if (equals != std::string_view::npos && is_looked_at(entry.substr(0, equals))) {
                last[entry.substr(0, equals)] = entry.substr(equals + 1);
            }
        }
        drop_old_names_beside_present_ones(&last);
        for (const auto& [name, text] : last) {
            take(name, {text});
        }
    }

    void integer(int64_t* member, const char* name, int64_t low, int64_t high,
                 const Traits& traits) {
        number(
            member, name, low, high, traits, "integer", parse_integer,
            [](int64_t value) { return std::to_string(value); }, "a whole number");
    }

    void level(int64_t* member, const char* name, int64_t low, int64_t high, const Traits& traits) {
        number(
            member, name, low, high, traits, "integer", parse_level,
            [](int64_t value) { return std::to_string(value); }, "a whole number (or yes, no)");
    }

    void bytes(int64_t* member, const char* name, int64_t low, int64_t high, const Traits& traits) {
        number(member, name, low, high, traits, "bytes", parse_bytes, bytes_text,
               "a number of bytes, with K, M or G for units of 1024");
    }

    // Mirrored variables are judged by the first letter of a word, as other implementations do.
    void boolean(bool* member, const char* name, const Traits& traits) {
        const bool is_own = traits.kind == VariableClass::own;
        const std::string words =
            is_own ? kSwitchWords : "0 or 1, or a word that begins with t, y, f or n";
        ConfigRow row = start(name, "boolean", *member ? "1" : "0", words, traits);
        if (const Given* found = given(name)) {
            const std::string_view text = found->text;
            if (is_own ? parse_switch(text, member) : parse_bool(text, member)) {
                row.source = found->source;
            } else {
                malformed(name, *found, (is_own ? "one of " : "") + words, traits.kind,
                          row.default_value);
            }
        }
        row.value = *member ? "1" : "0";
        result_.rows.push_back(std::move(row));
    }

    void choice(int* member, const char* name, const char* choices, const Traits& traits) {
        ConfigRow row = start(name, "choice", choice_text(choices, *member), choices, traits);
        if (const Given* found = given(name)) {
            bool is_on = false;
            if (parse_choice(found->text, choices, member)) {
                row.source = found->source;
            } else if (std::string_view(choices).starts_with("0|1|") &&
                       parse_switch(found->text, &is_on)) {
                *member = is_on ? 1 : 0;
                row.source = found->source;
            } else {
                malformed(name, *found, std::string("one of ") + choices, traits.kind,
                          row.default_value);
            }
        }
        row.value = choice_text(choices, *member);
        result_.rows.push_back(std::move(row));
    }

    void text(std::string* member, const char* name, const Traits& traits) {
        ConfigRow row = start(name, "text", *member, "", traits);
        if (const Given* found = given(name)) {
            *member = found->text;
            row.source = found->source;
        }
        row.value = *member;
        result_.rows.push_back(std::move(row));
    }

    ConfigResult finish(const Config& config) {
        result_.config = config;
        PortRange ports;
        if (!parse_port_range(config.port_range, &ports)) {
            malformed("ARMCI_PORT_RANGE", *given("ARMCI_PORT_RANGE"),
                      "first-last, with ports in 1..65535", VariableClass::own, "");
        }
        warn_of_progress_ranks();
        warn_of_statistics_without_trigger();
        std::vector<std::string_view> known;
        for (const ConfigRow& row : result_.rows) {
            known.push_back(row.name);
        }
        for (const auto& [name, value] : given_) {
            if (std::find(known.begin(), known.end(), name) != known.end()) {
                continue;
            }
            if (is_foreign(name)) {
                result_.ignored.emplace_back(name);
                continue;
            }
            std::string warning =
                "unknown variable " + std::string(name) + place(value) + " has no effect";
            const std::string_view near = nearest_name(name, known);
            if (!near.empty()) {
                warning += "; did you mean " + std::string(near) + "?";
            } else {
                warning += "; armci-info lists the known ones";
            }
            result_.warnings.push_back(std::move(warning));
        }
        return std::move(result_);
    }

  private:
    // Takes a value over those that were given before.
    void take(std::string_view name, const Given& value) {
        const auto* renamed =
            std::find_if(std::begin(kRenamed), std::end(kRenamed),
                         [&](const Renamed& one) { return one.old_name == name; });
        if (renamed == std::end(kRenamed)) {
            given_[name] = value;
            return;
        }
        given_[renamed->name] = value;
        result_.warnings.push_back(std::string(name) + place(value) +
                                   " still works, but its name is now " +
                                   std::string(renamed->name) + "; set that instead");
    }

    // In the environment, which has no order, the present name wins.
    void drop_old_names_beside_present_ones(
        std::map<std::string_view, std::string_view>* environment) {
        for (const Renamed& renamed : kRenamed) {
            if (environment->contains(renamed.name) && environment->erase(renamed.old_name) > 0) {
                result_.warnings.push_back(std::string(renamed.old_name) +
                                           " has no effect beside " + std::string(renamed.name) +
                                           "; unset it");
            }
        }
    }

    // A user who sets this variable has started extra ranks for progress, which would compute here
    // or idle.
    void warn_of_progress_ranks() {
        if (const Given* found = given(kProgressRanks)) {
            result_.warnings.push_back(
                std::string(kProgressRanks) + "=" + std::string(found->text) +
                " has no effect: this library needs no progress ranks, and the program gets every "
                "rank that is started; start as many as shall compute, and unset it");
        }
    }

    // The table of ARMCI_STATS goes to standard error.
    void warn_of_statistics_without_trigger() {
        const Given* found = given(kStatsFile);
        // A site may name the place for those who ask for statistics.
        if (found != nullptr && found->source == kEnvironment && !found->text.empty() &&
            result_.config.stats_trigger.empty()) {
            result_.warnings.push_back(std::string(kStatsFile) + "=" + std::string(found->text) +
                                       " has no effect without ARMCI_STATS_TRIGGER; set that, for "
                                       "example to exit");
        }
    }

    const Given* given(std::string_view name) const {
        const auto found = given_.find(name);
        return found != given_.end() ? &found->second : nullptr;
    }

    // Returns where a value was given, for messages. The environment goes without saying.
    static std::string place(const Given& value) {
        return value.source == kEnvironment ? "" : " (" + std::string(value.source) + ")";
    }

    static ConfigRow start(const char* name, const char* type, std::string default_value,
                           std::string range, const Traits& traits) {
        ConfigRow row;
        row.name = name;
        row.type = type;
        row.default_value = std::move(default_value);
        row.range = std::move(range);
        row.source = "default";
        row.help = traits.help;
        row.mirrored = traits.kind == VariableClass::mirrored;
        row.is_jobs = traits.whose == Whose::job;
        return row;
    }

    template <class Parse, class Print>
    void number(int64_t* member, const char* name, int64_t low, int64_t high, const Traits& traits,
                const char* type, Parse parse, Print print, const char* expected) {
        const bool may_be_auto = *member == kAuto;
        const auto shown = [&](int64_t value) {
            return value == kAuto ? std::string("auto") : print(value);
        };
        const std::string numbers = print(low) + ".." + print(high);
        ConfigRow row =
            start(name, type, shown(*member), may_be_auto ? "auto or " + numbers : numbers, traits);
        if (const Given* found = given(name)) {
            int64_t value = 0;
            if (may_be_auto && found->text == "auto") {
                row.source = found->source;
            } else if (parse(found->text, &value) && value >= low && value <= high) {
                *member = value;
                row.source = found->source;
            } else {
                malformed(
                    name, *found,
                    (may_be_auto ? "auto or " : "") + std::string(expected) + " in " + numbers,
                    traits.kind, row.default_value);
            }
        }
        row.value = shown(*member);
        result_.rows.push_back(std::move(row));
    }

    void malformed(const char* name, const Given& value, const std::string& expected,
                   VariableClass kind, const std::string& default_value) {
        std::string message = std::string(name) + "=\"" + std::string(value.text) + "\"" +
                              place(value) + " is not " + expected;
        if (kind == VariableClass::own) {
            result_.errors.push_back(message + "; correct or unset it");
        } else {
            result_.warnings.push_back(message + "; the default " + default_value + " is used");
        }
    }

    std::map<std::string_view, Given> given_;
    ConfigResult result_;
};

}  // namespace

PortRange Config::ports() const {
    PortRange ports;
    parse_port_range(port_range, &ports);
    return ports;
}

ConfigResult read_config(const char* const* environment, const FileSettings& files) {
    Reader reader(environment, files);
    Config config;
#define ARMCI_READ_INTEGER(member, name, value, low, high, kind, whose, help) \
    reader.integer(&config.member, name, low, high, {VariableClass::kind, Whose::whose, help});
#define ARMCI_READ_LEVEL(member, name, value, low, high, kind, whose, help) \
    reader.level(&config.member, name, low, high, {VariableClass::kind, Whose::whose, help});
#define ARMCI_READ_BYTES(member, name, value, low, high, kind, whose, help) \
    reader.bytes(&config.member, name, low, high, {VariableClass::kind, Whose::whose, help});
#define ARMCI_READ_BOOL(member, name, value, kind, whose, help) \
    reader.boolean(&config.member, name, {VariableClass::kind, Whose::whose, help});
#define ARMCI_READ_CHOICE(member, name, value, choices, kind, whose, help) \
    reader.choice(&config.member, name, choices, {VariableClass::kind, Whose::whose, help});
#define ARMCI_READ_TEXT(member, name, value, kind, whose, help) \
    reader.text(&config.member, name, {VariableClass::kind, Whose::whose, help});
    ARMCI_CONFIG_TABLE(ARMCI_READ_INTEGER, ARMCI_READ_LEVEL, ARMCI_READ_BYTES, ARMCI_READ_BOOL,
                       ARMCI_READ_CHOICE, ARMCI_READ_TEXT)
#undef ARMCI_READ_INTEGER
#undef ARMCI_READ_LEVEL
#undef ARMCI_READ_BYTES
#undef ARMCI_READ_BOOL
#undef ARMCI_READ_CHOICE
#undef ARMCI_READ_TEXT
    return reader.finish(config);
}

}  // namespace armci::base
