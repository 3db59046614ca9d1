// SPDX-License-Identifier: BSD-3-Clause
// The atomic operations of ARMCI_Rmw on a word of node memory. Local ranks and the data server use
// the same functions, so both kinds of access agree.
#pragma once

#include <cstdint>
#include <type_traits>

namespace armci::node {

// The values are those of wire::RmwBody::operation.
enum class WordOperation : uint32_t {
    fetch_add_int = 0,
    fetch_add_long = 1,
    swap_int = 2,
    swap_long = 3,
};

constexpr int64_t word_bytes(WordOperation operation) {
    const bool is_int =
        operation == WordOperation::fetch_add_int || operation == WordOperation::swap_int;
    return is_int ? sizeof(int) : sizeof(long);
}

template <class T>
T fetch_add(void* address, int64_t operand) {
    // The addition is unsigned, so that overflow wraps.
    using Unsigned = std::make_unsigned_t<T>;
    return static_cast<T>(__atomic_fetch_add(static_cast<Unsigned*>(address),
                                             static_cast<Unsigned>(operand), __ATOMIC_SEQ_CST));
}

template <class T>
T exchange(void* address, int64_t operand) {
    return __atomic_exchange_n(static_cast<T*>(address), static_cast<T>(operand), __ATOMIC_SEQ_CST);
}

// Carries out the operation and returns the old value. `address` is aligned to word_bytes().
inline int64_t read_modify_write(WordOperation operation, void* address, int64_t operand) {
    switch (operation) {
        case WordOperation::fetch_add_int:
            return fetch_add<int>(address, operand);
        case WordOperation::fetch_add_long:
            return fetch_add<long>(address, operand);
        case WordOperation::swap_int:
            return exchange<int>(address, operand);
        case WordOperation::swap_long:
            break;
    }
    return exchange<long>(address, operand);
}

}  // namespace armci::node
