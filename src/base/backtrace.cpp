// SPDX-License-Identifier: BSD-3-Clause
#include "base/backtrace.h"

#include <cxxabi.h>
#include <pthread.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/config_value.h"
#include "base/descriptor.h"
#include "base/elf_symbols.h"
#include "base/source_lines.h"

namespace armci::base {
namespace {

constexpr int kMaxFrames = 40;

enum class Wanted : int { unknown, no, yes };
std::atomic<Wanted> g_wanted{Wanted::unknown};

bool is_wanted() {
    const Wanted wanted = g_wanted.load();
    bool value = true;
    if (wanted == Wanted::unknown) {
        const char* text = std::getenv("ARMCI_BACKTRACE");
        return text == nullptr || !parse_switch(text, &value) || value;
    }
    return wanted == Wanted::yes;
}

struct Frames {
    std::array<uintptr_t, kMaxFrames> addresses{};
    int count = 0;
};

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* data) {
    Frames& frames = *static_cast<Frames*>(data);
    int is_exact = 0;
    const uintptr_t address = _Unwind_GetIPInfo(context, &is_exact);
    if (address == 0 || frames.count == kMaxFrames) {
        return _URC_END_OF_STACK;
    }
    // A return address may be that of the next function.
    frames.addresses[static_cast<size_t>(frames.count++)] = address - (is_exact == 0 ? 1 : 0);
    return _URC_NO_REASON;
}

bool begins(std::string_view text, std::string_view prefix) {
    return text.substr(0, prefix.size()) == prefix;
}

// Of this file and log.h, where every error ends.
bool is_of_reporting(const CodePlace& place) {
    const std::string_view name = place.function;
    return begins(name, "_ZN5armci4base15write_backtrace") ||
           begins(name, "_ZN5armci4base5fatal") || begins(name, "_ZN5armci4base15fatal_with_code");
}

// A function that programs call, also those of the Fortran module (with gfortran's names).
bool is_of_interface(const CodePlace& place) {
    for (const std::string_view prefix : {"ARMCI_", "PARMCI_", "ARMCIX_", "armci_msg_", "parmci_",
                                          "armci_notify", "armci_fortran_", "__armci_MOD_"}) {
        if (begins(place.function, prefix)) {
            return true;
        }
    }
    return false;
}

// Collects lines and writes them at once, so that those of several ranks do not mix.
class Lines {
  public:
    explicit Lines(int rank) : rank_(rank) {}

    __attribute__((format(printf, 2, 3))) void add(const char* format, ...) {
        if (rank_ >= 0) {
            append("[%d] ", rank_);
        }
        va_list arguments;
        va_start(arguments, format);
        append_list(format, arguments);
        va_end(arguments);
        append("\n");
    }

    void write() const { write_all(STDERR_FILENO, {text_.data(), used_}); }

  private:
    __attribute__((format(printf, 2, 3))) void append(const char* format, ...) {
        va_list arguments;
        va_start(arguments, format);
        append_list(format, arguments);
        va_end(arguments);
    }
    void append_list(const char* format, va_list arguments) {
        const int length =
            std::vsnprintf(text_.data() + used_, text_.size() - used_, format, arguments);
        used_ = std::min(used_ + static_cast<size_t>(std::max(length, 0)), text_.size() - 1);
    }

    int rank_;
    std::array<char, 16384> text_{};
    size_t used_ = 0;
};

// "FUNCTION (FILE:LINE)", or what there is of it.
void describe(const CodePlace& place, const SourceLines& lines, uintptr_t address, char* text,
              size_t size) {
    char where[320];
    int line = 0;
    const char* const source = lines.find(address, &line);
    if (source != nullptr) {
        std::snprintf(where, sizeof where, "%s:%d", source, line);
    } else {
        std::snprintf(where, sizeof where, "%s+0x%zx", *place.file != '\0' ? place.file : "?",
                      static_cast<size_t>(address - place.load_base));
    }
    int status = 0;
    char* const plain = abi::__cxa_demangle(place.function, nullptr, nullptr, &status);
    const char* const name = plain != nullptr ? plain : place.function;
    std::snprintf(text, size, "%.200s (%s)", *name != '\0' ? name : "?", where);
    std::free(plain);
}

}  // namespace

void set_backtrace(bool wanted) {
    g_wanted.store(wanted ? Wanted::yes : Wanted::no);
}

void write_backtrace(int rank) {
    if (!is_wanted()) {
        return;
    }
    Frames frames;
    _Unwind_Backtrace(add_frame, &frames);
    const SourceLines source_lines;
    Lines lines(rank);
    int first = 0;
    int call_site = -1;
    for (int i = 0; i < frames.count; ++i) {
        const CodePlace place = find_code(frames.addresses[static_cast<size_t>(i)]);
        first = is_of_reporting(place) ? i + 1 : first;
        call_site = is_of_interface(place) ? i + 1 : call_site;
    }
    char text[640];
    const auto describe_frame = [&](int i) {
        const uintptr_t address = frames.addresses[static_cast<size_t>(i)];
        describe(find_code(address), source_lines, address, text, sizeof text);
        return text;
    };
    if (call_site >= 0 && call_site < frames.count) {
        lines.add("  called by %s", describe_frame(call_site));
    } else {
        char name[16] = "?";
        pthread_getname_np(pthread_self(), name, sizeof name);
        lines.add("  in thread \"%s\"", name);
    }
    for (int i = first; i < frames.count; ++i) {
        lines.add("    #%-2d %s", i - first, describe_frame(i));
    }
    lines.add("  (without these lines: ARMCI_BACKTRACE=0)");
    lines.write();
}

}  // namespace armci::base
