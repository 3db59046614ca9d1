// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/costs/cost_profile.h"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <string_view>

namespace armci::pipeline {
namespace {

using base::OpKind;

struct Field {
    std::string name;
    double* value;
    double max;
};

// No machine needs longer for anything, so more is an error in the file.
constexpr double kMaxUs = 1e9;

// Returns every constant with its name. Only this function knows the file's keys.
std::vector<Field> fields_of(CostConstants* constants) {
    std::vector<Field> fields;
    const auto add = [&](const std::string& name, double* value, double max = kMaxUs) {
        fields.push_back({name, value, max});
    };
    const auto add_curve = [&](const std::string& prefix, const auto& block_bytes, auto* block_us) {
        for (size_t i = 0; i < block_bytes.size(); ++i) {
            add(prefix + std::to_string(block_bytes[i]) + ".run_us", &(*block_us)[i]);
        }
    };
    for (const OpKind op : {OpKind::put, OpKind::get}) {
        const std::string prefix = std::string("rma.") + base::name_of(op) + ".";
        RmaCosts& costs = constants->rma[static_cast<size_t>(op)];
        add(prefix + "latency_us", &costs.latency_us);
        add_curve(prefix, kRmaBlockBytes, &costs.blocks.block_us);
        add(prefix + "far_byte_us", &costs.far_byte_us);
    }
    for (const OpKind op : {OpKind::put, OpKind::get, OpKind::acc}) {
        const std::string prefix = std::string("server.") + base::name_of(op) + ".";
        ServerCosts& costs = constants->server[static_cast<size_t>(op)];
        add(prefix + "request_us", &costs.request_us);
        add(prefix + "chunk_us", &costs.chunk_us);
        add(prefix + "byte_us", &costs.byte_us);
        add(prefix + "overlap", &costs.overlap, 1);
        add(prefix + "far_byte_us", &costs.far_byte_us);
        if (op != OpKind::get) {
            add(prefix + "small_us", &costs.small_us);
        }
    }
    add_curve("pack.", kCopyBlockBytes, &constants->pack.block_us);
    add_curve("unpack.", kCopyBlockBytes, &constants->unpack.block_us);
    add_curve("accumulate.", kCopyBlockBytes, &constants->accumulate.block_us);
    return fields;
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kBlank = " \t\r";
    const size_t begin = text.find_first_not_of(kBlank);
    if (begin == std::string_view::npos) {
        return {};
    }
    return text.substr(begin, text.find_last_not_of(kBlank) - begin + 1);
}

bool parse_number(std::string_view text, double max, double* out) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *out);
    return error == std::errc() && end == text.data() + text.size() && std::isfinite(*out) &&
           *out >= 0 && *out <= max;
}

class Parser {
  public:
    Parser(std::vector<CostProfile>* profiles, std::string* error)
        : profiles_(profiles), error_(error) {}

    bool parse(std::string_view text) {
        while (!text.empty()) {
            const size_t end = text.find('\n');
            ++line_number_;
            if (!take_line(trimmed(text.substr(0, end)))) {
                return false;
            }
            text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        }
        return finish_entry() && (!profiles_->empty() || fail("has no entry", false));
    }

  private:
    bool fail(const std::string& what, bool with_line = true) {
        *error_ = with_line ? "line " + std::to_string(line_number_) + " " + what : "it " + what;
        return false;
    }

    bool take_line(std::string_view line) {
        if (line.empty() || line.front() == '#') {
            return true;
        }
        const size_t equals = line.find('=');
        if (equals == std::string_view::npos) {
            return fail("is not \"name = value\"");
        }
        return take(trimmed(line.substr(0, equals)), trimmed(line.substr(equals + 1)));
    }

    bool take(std::string_view name, std::string_view value) {
        if (name == "version") {
            version_known_ = value == std::to_string(kProfileVersion);
            return version_known_ ||
                   fail("says version " + std::string(value) + ", but this library reads version " +
                        std::to_string(kProfileVersion));
        }
        if (!version_known_) {
            return fail("comes before the version");
        }
        if (name == "provider") {
            if (value.empty()) {
                return fail("names no provider");
            }
            if (!finish_entry()) {
                return false;
            }
            for (const CostProfile& profile : *profiles_) {
                if (profile.provider == value) {
                    return fail("begins a second entry for " + std::string(value));
                }
            }
            entry_open_ = true;
            entry_ = CostProfile{};
            entry_.provider = value;
            fields_ = fields_of(&entry_.constants);
            return true;
        }
        if (!entry_open_) {
            return fail("comes before the provider");
        }
        if (name == "machine" || name == "date") {
            (name == "date" ? entry_.date : entry_.machine) = value;
            return true;
        }
        return take_constant(name, value);
    }

    // A constant that is taken leaves the list, so those left at the end are missing in the file.
    bool take_constant(std::string_view name, std::string_view value) {
        for (size_t i = 0; i < fields_.size(); ++i) {
            if (fields_[i].name != name) {
                continue;
            }
            if (!parse_number(value, fields_[i].max, fields_[i].value)) {
                return fail("has no usable number for " + std::string(name));
            }
            fields_.erase(fields_.begin() + static_cast<ptrdiff_t>(i));
            return true;
        }
        return fail("has the name " + std::string(name) + ", which is unknown or there twice");
    }

    bool finish_entry() {
        if (!entry_open_) {
            return true;
        }
        if (!fields_.empty()) {
            return fail("has no " + fields_.front().name + " for " + entry_.provider, false);
        }
        profiles_->push_back(entry_);
        entry_open_ = false;
        return true;
    }

    std::vector<CostProfile>* profiles_;
    std::string* error_;
    int line_number_ = 0;
    bool version_known_ = false;
    bool entry_open_ = false;
    CostProfile entry_;
    std::vector<Field> fields_;  // of entry_ and not read yet
};

}  // namespace

bool parse_profiles(const std::string& text, std::vector<CostProfile>* profiles,
                    std::string* error) {
    profiles->clear();
    return Parser(profiles, error).parse(text);
}

std::string format_profile(const CostProfile& profile) {
    CostConstants constants = profile.constants;
    std::string text = "# armci-ofi: what transfers cost, for ARMCI_PROFILE\nversion = " +
                       std::to_string(kProfileVersion) + "\n\nprovider = " + profile.provider +
                       "\nmachine = " + profile.machine + "\ndate = " + profile.date + "\n";
    for (const Field& field : fields_of(&constants)) {
        char number[32];
        std::snprintf(number, sizeof number, "%.6g", *field.value);
        text += field.name + " = " + number + "\n";
    }
    return text;
}

}  // namespace armci::pipeline
