// A global allocation that lives as long as the object. Construction and destruction are
// collective.
#pragma once

#include <cstdint>
#include <vector>

#include "armci/armci.h"
#include "support/job.h"

namespace armci::mp {

class GlobalMemory {
  public:
    // Every rank contributes `bytes`, which may differ.
    explicit GlobalMemory(int64_t bytes) : slices_(static_cast<size_t>(nproc()), nullptr) {
        if (ARMCI_Malloc(slices_.data(), bytes) != 0) {
            give_up("ARMCI_Malloc failed");
        }
    }
    ~GlobalMemory() { ARMCI_Free(slices_[static_cast<size_t>(me())]); }
    GlobalMemory(const GlobalMemory&) = delete;
    GlobalMemory& operator=(const GlobalMemory&) = delete;

    char* at(int proc, int64_t offset_bytes = 0) const {
        return static_cast<char*>(slices_[static_cast<size_t>(proc)]) + offset_bytes;
    }
    char* mine() const { return at(me()); }

    template <typename T>
    T* element(int proc, int64_t index = 0) const {
        return static_cast<T*>(slices_[static_cast<size_t>(proc)]) + index;
    }

  private:
    std::vector<void*> slices_;
};

}  // namespace armci::mp
