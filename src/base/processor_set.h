// SPDX-License-Identifier: BSD-3-Clause
// A set of processors: hwloc's bitmap with an owner.
#pragma once

#include <hwloc.h>

#include <cstdlib>
#include <memory>
#include <string>

namespace armci::base {

class ProcessorSet {
  public:
    ProcessorSet() : bitmap_(hwloc_bitmap_alloc()) {}
    explicit ProcessorSet(hwloc_const_bitmap_t other) : bitmap_(hwloc_bitmap_dup(other)) {}
    // Takes what text() returned. Anything else gives an empty set. (hwloc reads beyond the end of
    // an empty text.)
    explicit ProcessorSet(const std::string& text) : ProcessorSet() {
        if (text.empty() || hwloc_bitmap_sscanf(get(), text.c_str()) != 0) {
            hwloc_bitmap_zero(get());
        }
    }

    hwloc_bitmap_t get() const { return bitmap_.get(); }
    bool is_empty() const { return hwloc_bitmap_iszero(get()) != 0; }
    bool intersects(const ProcessorSet& other) const {
        return hwloc_bitmap_intersects(get(), other.get()) != 0;
    }
    void add(const ProcessorSet& other) { hwloc_bitmap_or(get(), get(), other.get()); }
    void keep(const ProcessorSet& other) { hwloc_bitmap_and(get(), get(), other.get()); }
    void remove(const ProcessorSet& other) { hwloc_bitmap_andnot(get(), get(), other.get()); }
    std::string text() const { return written(hwloc_bitmap_asprintf); }
    // Returns "0-15,64-79".
    std::string list_text() const { return written(hwloc_bitmap_list_asprintf); }

  private:
    std::string written(int (*write)(char**, hwloc_const_bitmap_t)) const {
        char* text = nullptr;
        if (write(&text, get()) < 0) {
            return {};
        }
        std::string result(text);
        std::free(text);
        return result;
    }

    struct Free {
        void operator()(hwloc_bitmap_t bitmap) const { hwloc_bitmap_free(bitmap); }
    };
    std::unique_ptr<hwloc_bitmap_s, Free> bitmap_;
};

}  // namespace armci::base
