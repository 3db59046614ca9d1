// SPDX-License-Identifier: BSD-3-Clause
// Lines of source files by the addresses of code, where programs have them (-g) and libdw of
// elfutils is installed. It is loaded when it is needed, so that nothing depends on it.
#pragma once

#include <cstdint>

namespace armci::base {

class SourceLines {
  public:
    SourceLines();
    ~SourceLines();
    SourceLines(const SourceLines&) = delete;
    SourceLines& operator=(const SourceLines&) = delete;

    // Returns the source file without its folders, valid as long as this object, or null.
    const char* find(uintptr_t address, int* line) const;

  private:
    void* library_ = nullptr;
    void* session_ = nullptr;  // null if there are no lines
};

}  // namespace armci::base
