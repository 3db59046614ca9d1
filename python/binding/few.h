// SPDX-License-Identifier: BSD-3-Clause
// A vector for one number or so for each dimension of an array. It has its elements in itself, so
// that a transfer allocates nothing for them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace armci::python {

constexpr size_t kMaxDimensions = 16;  // of an array, and levels that the library takes

/** At most kMaxDimensions elements, which the caller sees to. T is a plain structure. */
template <class T>
class Few {
  public:
    Few() {}  // leaves the elements without values
    explicit Few(size_t size) : size_(size) { std::fill_n(items_.begin(), size, T{}); }
    // A copy touches no cache line of elements that are not there.
    Few(const Few& other) { *this = other; }
    Few& operator=(const Few& other) {
        if (this != &other) {
            size_ = other.size_;
            std::copy_n(other.items_.begin(), size_, items_.begin());
        }
        return *this;
    }

    [[nodiscard]] size_t size() const { return size_; }
    [[nodiscard]] bool empty() const { return size_ == 0; }
    T& operator[](size_t i) { return items_[i]; }
    const T& operator[](size_t i) const { return items_[i]; }
    T& back() { return items_[size_ - 1]; }
    const T* begin() const { return items_.data(); }
    const T* end() const { return items_.data() + size_; }

    void push_back(const T& item) { items_[size_++] = item; }
    void push_front(const T& item) {
        std::copy_backward(items_.begin(), items_.begin() + size_, items_.begin() + size_ + 1);
        items_[0] = item;
        ++size_;
    }
    void erase(size_t i) {
        std::copy(items_.begin() + i + 1, items_.begin() + size_, items_.begin() + i);
        --size_;
    }

  private:
    size_t size_ = 0;
    std::array<T, kMaxDimensions> items_;
};

}  // namespace armci::python
