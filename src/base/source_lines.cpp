// SPDX-License-Identifier: BSD-3-Clause
#include "base/source_lines.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cstring>

namespace armci::base {
namespace {

// The part of elfutils/libdwfl.h that is used here; its library has had one version since 2005.
struct Callbacks {
    void* find_elf;
    int (*find_debuginfo)(void*, void**, const char*, uint64_t, const char*, const char*, uint32_t,
                          char**);
    void* section_address;
    char** debuginfo_path;
};
using Begin = void* (*)(const Callbacks*);
using ReportProcess = int (*)(void* session, pid_t);
using ReportEnd = int (*)(void* session, void* removed, void* argument);
using GetSource = void* (*)(void* session, uint64_t address);
using LineInfo = const char* (*)(void* line, uint64_t* address, int* line_number, int* column,
                                 uint64_t* time, uint64_t* length);
using End = void (*)(void* session);

// Lines come from the files that are loaded. A search elsewhere might ask a server on the network.
int find_no_other_file(void* /*module*/, void** /*data*/, const char* /*name*/, uint64_t /*base*/,
                       const char* /*file*/, const char* /*link*/, uint32_t /*checksum*/,
                       char** /*found*/) {
    return -1;
}

template <class Function>
Function function_of(void* library, const char* name) {
    return reinterpret_cast<Function>(::dlsym(library, name));
}

Callbacks g_callbacks{nullptr, find_no_other_file, nullptr, nullptr};

}  // namespace

SourceLines::SourceLines() {
    library_ = ::dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) {
        return;
    }
    const auto begin = function_of<Begin>(library_, "dwfl_begin");
    const auto report = function_of<ReportProcess>(library_, "dwfl_linux_proc_report");
    const auto report_end = function_of<ReportEnd>(library_, "dwfl_report_end");
    g_callbacks.find_elf = ::dlsym(library_, "dwfl_linux_proc_find_elf");
    const bool has_rest = function_of<GetSource>(library_, "dwfl_getsrc") != nullptr &&
                          function_of<LineInfo>(library_, "dwfl_lineinfo") != nullptr &&
                          function_of<End>(library_, "dwfl_end") != nullptr;
    if (begin == nullptr || report == nullptr || report_end == nullptr ||
        g_callbacks.find_elf == nullptr || !has_rest) {
        return;
    }
    void* const session = begin(&g_callbacks);
    if (session != nullptr && report(session, ::getpid()) == 0 &&
        report_end(session, nullptr, nullptr) == 0) {
        session_ = session;
    } else if (session != nullptr) {
        function_of<End>(library_, "dwfl_end")(session);
    }
}

SourceLines::~SourceLines() {
    if (session_ != nullptr) {
        function_of<End>(library_, "dwfl_end")(session_);
    }
    if (library_ != nullptr) {
        ::dlclose(library_);
    }
}

const char* SourceLines::find(uintptr_t address, int* line) const {
    if (session_ == nullptr) {
        return nullptr;
    }
    void* const source = function_of<GetSource>(library_, "dwfl_getsrc")(session_, address);
    if (source == nullptr) {
        return nullptr;
    }
    const char* const path = function_of<LineInfo>(library_, "dwfl_lineinfo")(
        source, nullptr, line, nullptr, nullptr, nullptr);
    const char* const slash = path != nullptr ? std::strrchr(path, '/') : nullptr;
    return slash != nullptr ? slash + 1 : path;
}

}  // namespace armci::base
