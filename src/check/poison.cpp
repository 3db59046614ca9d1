// SPDX-License-Identifier: BSD-3-Clause
#include "check/poison.h"

#include <cstring>

namespace armci::check {
namespace {

unsigned char byte_at(const void* address) {
    const auto place = reinterpret_cast<uintptr_t>(address) % sizeof kPoison;
    return reinterpret_cast<const unsigned char*>(&kPoison)[place];
}

// Returns how many bytes there are before the next aligned word, at most `bytes`.
int64_t bytes_to_word(const char* address, int64_t bytes) {
    const auto place = static_cast<int64_t>(reinterpret_cast<uintptr_t>(address) % sizeof kPoison);
    const int64_t lead = place == 0 ? 0 : static_cast<int64_t>(sizeof kPoison) - place;
    return lead < bytes ? lead : bytes;
}

constexpr int64_t kWord = sizeof kPoison;

}  // namespace

void poison(void* memory, int64_t bytes) {
    char* next = static_cast<char*>(memory);
    char* const end = next + bytes;
    for (const char* words = next + bytes_to_word(next, bytes); next < words; ++next) {
        *next = static_cast<char>(byte_at(next));
    }
    for (; end - next >= kWord; next += kWord) {
        std::memcpy(next, &kPoison, kWord);
    }
    for (; next < end; ++next) {
        *next = static_cast<char>(byte_at(next));
    }
}

const char* find_damage(const void* memory, int64_t bytes) {
    const auto differs = [](const char* at) {
        return static_cast<unsigned char>(*at) != byte_at(at);
    };
    const char* next = static_cast<const char*>(memory);
    const char* const end = next + bytes;
    for (const char* words = next + bytes_to_word(next, bytes); next < words; ++next) {
        if (differs(next)) {
            return next;
        }
    }
    for (; end - next >= kWord; next += kWord) {
        if (std::memcmp(next, &kPoison, kWord) != 0) {
            break;
        }
    }
    for (; next < end; ++next) {
        if (differs(next)) {
            return next;
        }
    }
    return nullptr;
}

}  // namespace armci::check
