// SPDX-License-Identifier: BSD-3-Clause
#include "armci-bench/options/element.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace armci::bench {

namespace {

struct Traits {
    const char* name;
    int64_t bytes;
};

constexpr std::array<Traits, 6> kTraits{{{"int", sizeof(int)},
                                         {"long", sizeof(long)},
                                         {"float", sizeof(float)},
                                         {"double", sizeof(double)},
                                         {"complex", 2 * sizeof(float)},
                                         {"dcomplex", 2 * sizeof(double)}}};

const Traits& traits(ElementType type) {
    return kTraits[static_cast<size_t>(type)];
}

// Calls work with a null pointer to the type that the element consists of.
template <typename Work>
void with_part_type(ElementType type, Work work) {
    switch (type) {
        case ElementType::int32:
            return work(static_cast<int*>(nullptr));
        case ElementType::int64:
            return work(static_cast<long*>(nullptr));
        case ElementType::float32:
        case ElementType::complex64:
            return work(static_cast<float*>(nullptr));
        case ElementType::float64:
        case ElementType::complex128:
            return work(static_cast<double*>(nullptr));
    }
}

template <typename T>
T load(const void* memory, int64_t index) {
    T value;
    std::memcpy(&value, static_cast<const char*>(memory) + index * int64_t{sizeof(T)}, sizeof(T));
    return value;
}

template <typename T>
void store(void* memory, int64_t index, T value) {
    std::memcpy(static_cast<char*>(memory) + index * int64_t{sizeof(T)}, &value, sizeof(T));
}

}  // namespace

const char* element_name(ElementType type) {
    return traits(type).name;
}

bool parse_element(std::string_view name, ElementType* type) {
    for (size_t i = 0; i < kTraits.size(); i++) {
        if (name == kTraits[i].name) {
            *type = static_cast<ElementType>(i);
            return true;
        }
    }
    return false;
}

int64_t element_bytes(ElementType type) {
    return traits(type).bytes;
}

bool scale_fits(ElementType type, double factor) {
    if (type == ElementType::int32 || type == ElementType::int64) {
        return std::nearbyint(factor) == factor &&
               std::fabs(factor) <= std::numeric_limits<int>::max();
    }
    return std::isfinite(factor);
}

Scale make_scale(ElementType type, double factor) {
    Scale scale{};
    with_part_type(type, [&](auto* part) {
        using T = std::remove_pointer_t<decltype(part)>;
        store<T>(scale.value, 0, static_cast<T>(factor));
    });
    return scale;
}

void fill_elements(ElementType type, void* memory, int64_t bytes, uint64_t seed) {
    with_part_type(type, [&](auto* part) {
        using T = std::remove_pointer_t<decltype(part)>;
        uint64_t state = seed * 2 + 1;
        for (int64_t i = 0; i < bytes / int64_t{sizeof(T)}; i++) {
            state = state * 6364136223846793005U + 1442695040888963407U;
            store<T>(memory, i, static_cast<T>(state >> 60));
        }
    });
}

void add_scaled(ElementType type, double factor, const void* operand, void* target, int64_t bytes) {
    // The imaginary part of the factor is zero, so a complex product is taken part by part.
    with_part_type(type, [&](auto* part) {
        using T = std::remove_pointer_t<decltype(part)>;
        const T scale = static_cast<T>(factor);
        for (int64_t i = 0; i < bytes / int64_t{sizeof(T)}; i++) {
            store<T>(target, i, static_cast<T>(load<T>(target, i) + scale * load<T>(operand, i)));
        }
    });
}

}  // namespace armci::bench
