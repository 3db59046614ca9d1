// SPDX-License-Identifier: BSD-3-Clause
#include "area.h"

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace armci::mechanisms {

namespace {

// Never 0, which is the value of cleared places.
uint64_t word_at(size_t offset) {
    return (offset * 0x9E37'79B9'7F4A'7C15U) | 1U;
}

size_t count_words_other_than(const char* area, size_t begin, size_t end, bool cleared) {
    size_t wrong = 0;
    for (size_t offset = begin; offset < end; offset += sizeof(uint64_t)) {
        uint64_t word = 0;
        std::memcpy(&word, area + offset, sizeof word);
        wrong += word != (cleared ? 0 : word_at(offset)) ? 1 : 0;
    }
    return wrong;
}

}  // namespace

PrivateMemory::PrivateMemory(size_t bytes) : bytes_(bytes) {
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        std::fprintf(stderr, "transfer_mechanisms: no %zu bytes of memory; use smaller sizes\n",
                     bytes);
        std::_Exit(1);
    }
    start_ = static_cast<char*>(memory);
}

PrivateMemory::~PrivateMemory() {
    munmap(start_, bytes_);
}

void fill(char* area, size_t bytes) {
    for (size_t offset = 0; offset + sizeof(uint64_t) <= bytes; offset += sizeof(uint64_t)) {
        const uint64_t word = word_at(offset);
        std::memcpy(area + offset, &word, sizeof word);
    }
}

void clear(char* area, const Places& places) {
    std::memset(area + places.begin, 0, places.end() - places.begin);
}

size_t count_wrong_words(const char* area, const Places& places) {
    size_t wrong = 0;
    for (size_t number = 0; number < places.count; number++) {
        const size_t begin = places.offset(number);
        const size_t end = begin + places.bytes;
        wrong += count_words_other_than(area, begin, end, false);
        wrong += count_words_other_than(area, end, places.offset(number + 1), true);
    }
    return wrong;
}

}  // namespace armci::mechanisms
