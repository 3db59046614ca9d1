// SPDX-License-Identifier: BSD-3-Clause
// A SparseTable has an object for each of many numbers, of which few are used. An object is made at
// its first use. A number that is not used costs half a byte.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace armci::base {

template <class Object>
class SparseTable {
  public:
    // Numbers are below `count`.
    void open(size_t count) { pages_.resize((count + kPage - 1) / kPage); }
    void clear() { pages_.clear(); }

    // Returns nullptr if there is no object of that number.
    Object* find(int number) const {
        const std::unique_ptr<Page>& page = pages_[page_of(number)];
        return page ? (*page)[place_of(number)].get() : nullptr;
    }
    // There must be none of that number. It keeps its address until clear().
    Object& make(int number) {
        std::unique_ptr<Page>& page = pages_[page_of(number)];
        if (!page) {
            page = std::make_unique<Page>();
        }
        std::unique_ptr<Object>& object = (*page)[place_of(number)];
        object = std::make_unique<Object>();
        return *object;
    }
    // In the order of their numbers.
    template <class Visit>
    void for_each(Visit&& visit) const {
        for (const std::unique_ptr<Page>& page : pages_) {
            for (size_t i = 0; page && i < kPage; ++i) {
                if ((*page)[i]) {
                    visit(*(*page)[i]);
                }
            }
        }
    }
    // Returns the bytes of the table, without what objects own.
    size_t bytes() const {
        size_t bytes = pages_.capacity() * sizeof pages_[0];
        for (const std::unique_ptr<Page>& page : pages_) {
            bytes += page ? sizeof *page : 0;
        }
        for_each([&](const Object&) { bytes += sizeof(Object); });
        return bytes;
    }

  private:
    static constexpr size_t kPage = 16;
    using Page = std::array<std::unique_ptr<Object>, kPage>;

    static size_t page_of(int number) { return static_cast<size_t>(number) / kPage; }
    static size_t place_of(int number) { return static_cast<size_t>(number) % kPage; }

    std::vector<std::unique_ptr<Page>> pages_;
};

}  // namespace armci::base
