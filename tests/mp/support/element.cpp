// SPDX-License-Identifier: BSD-3-Clause
#include "support/element.h"

#include <cmath>
#include <cstring>
#include <type_traits>

#include "armci/armci.h"

namespace armci::mp {
namespace {

template <typename Part>
struct Complex {
    Part re;
    Part im;
};

template <typename T>
T load(const void* memory, int64_t index) {
    T value;
    std::memcpy(&value, static_cast<const char*>(memory) + index * sizeof(T), sizeof(T));
    return value;
}

template <typename T>
void store(void* memory, int64_t index, const T& value) {
    std::memcpy(static_cast<char*>(memory) + index * sizeof(T), &value, sizeof(T));
}

template <typename T>
T add_scaled(T remote, T scale, T local) {
    if constexpr (std::is_integral_v<T>) {
        using Wrapping = std::make_unsigned_t<T>;
        return static_cast<T>(static_cast<Wrapping>(remote) +
                              static_cast<Wrapping>(scale) * static_cast<Wrapping>(local));
    } else {
        return remote + scale * local;
    }
}

template <typename Part>
Complex<Part> add_scaled(Complex<Part> remote, Complex<Part> scale, Complex<Part> local) {
    return {remote.re + (scale.re * local.re - scale.im * local.im),
            remote.im + (scale.re * local.im + scale.im * local.re)};
}

template <typename T>
T random_value(Rng& rng, int64_t limit) {
    return static_cast<T>(rng.between(-limit, limit));
}

template <typename T>
struct Draw {
    static T value(Rng& rng, int64_t limit) { return random_value<T>(rng, limit); }
    static T one() { return T{1}; }
    static bool large(T value) { return std::is_floating_point_v<T> && std::fabs(value) > 4e6; }
};

template <typename Part>
struct Draw<Complex<Part>> {
    static Complex<Part> value(Rng& rng, int64_t limit) {
        const Part re = random_value<Part>(rng, limit);
        return {re, random_value<Part>(rng, limit)};
    }
    static Complex<Part> one() { return {Part{1}, Part{0}}; }
    static bool large(Complex<Part> value) {
        return std::fabs(value.re) > 4e6 || std::fabs(value.im) > 4e6;
    }
};

// Calls `body` with a value of the C++ type behind the code.
template <typename Body>
void with_type(const ElementType& type, Body body) {
    switch (type.code) {
        case ARMCI_ACC_INT:
            body(int{});
            break;
        case ARMCI_ACC_LNG:
            body(long{});
            break;
        case ARMCI_ACC_FLT:
            body(float{});
            break;
        case ARMCI_ACC_DBL:
            body(double{});
            break;
        case ARMCI_ACC_CPL:
            body(Complex<float>{});
            break;
        case ARMCI_ACC_DCP:
            body(Complex<double>{});
            break;
        default:
            give_up("unknown element type");
    }
}

constexpr int64_t kScaleLimit = 3;
constexpr int64_t kValueLimit = 100;

}  // namespace

const std::vector<ElementType>& element_types() {
    static const std::vector<ElementType> types = {
        {ARMCI_ACC_INT, "int", sizeof(int), alignof(int)},
        {ARMCI_ACC_LNG, "long", sizeof(long), alignof(long)},
        {ARMCI_ACC_FLT, "float", sizeof(float), alignof(float)},
        {ARMCI_ACC_DBL, "double", sizeof(double), alignof(double)},
        {ARMCI_ACC_CPL, "complex", 2 * sizeof(float), alignof(float)},
        {ARMCI_ACC_DCP, "double complex", 2 * sizeof(double), alignof(double)},
    };
    return types;
}

const ElementType& element_type(int code) {
    for (const ElementType& type : element_types()) {
        if (type.code == code) {
            return type;
        }
    }
    give_up("unknown element type");
}

Scale random_scale(const ElementType& type, Rng& rng) {
    Scale scale;
    with_type(type, [&](auto zero) {
        using T = decltype(zero);
        store(scale.data(), 0, Draw<T>::value(rng, kScaleLimit));
    });
    return scale;
}

Scale unit_scale(const ElementType& type) {
    Scale scale;
    with_type(type, [&](auto zero) {
        using T = decltype(zero);
        store(scale.data(), 0, Draw<T>::one());
    });
    return scale;
}

void fill_elements(const ElementType& type, Rng& rng, void* memory, int64_t bytes) {
    with_type(type, [&](auto zero) {
        using T = decltype(zero);
        for (int64_t i = 0; i < bytes / static_cast<int64_t>(sizeof(T)); ++i) {
            store(memory, i, Draw<T>::value(rng, kValueLimit));
        }
    });
}

void accumulate_reference(const ElementType& type, const Scale& scale, const void* local,
                          void* remote, int64_t bytes) {
    with_type(type, [&](auto zero) {
        using T = decltype(zero);
        const T factor = load<T>(scale.data(), 0);
        for (int64_t i = 0; i < bytes / static_cast<int64_t>(sizeof(T)); ++i) {
            store(remote, i, add_scaled(load<T>(remote, i), factor, load<T>(local, i)));
        }
    });
}

bool needs_refill(const ElementType& type, const void* memory, int64_t bytes) {
    bool large = false;
    with_type(type, [&](auto zero) {
        using T = decltype(zero);
        for (int64_t i = 0; i < bytes / static_cast<int64_t>(sizeof(T)); ++i) {
            large = large || Draw<T>::large(load<T>(memory, i));
        }
    });
    return large;
}

}  // namespace armci::mp
