// SPDX-License-Identifier: BSD-3-Clause
// One copy between the processes' memory, of which one side's is mapped by both: what this library
// does inside a node.
#include "factories.h"
#include "shared_memory.h"

#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace armci::mechanisms {

namespace {

#if defined(__SSE2__)
constexpr bool kHasStreaming = true;

// Stores that do not bring the destination into the cache. Areas are aligned, and so are transfers.
void stream_copy(char* to, const char* from, size_t bytes) {
    size_t at = 0;
    for (; at + 64 <= bytes; at += 64) {
        const auto* source = reinterpret_cast<const __m128i*>(from + at);
        auto* target = reinterpret_cast<__m128i*>(to + at);
        const __m128i a = _mm_load_si128(source);
        const __m128i b = _mm_load_si128(source + 1);
        const __m128i c = _mm_load_si128(source + 2);
        const __m128i d = _mm_load_si128(source + 3);
        _mm_stream_si128(target, a);
        _mm_stream_si128(target + 1, b);
        _mm_stream_si128(target + 2, c);
        _mm_stream_si128(target + 3, d);
    }
    std::memcpy(to + at, from + at, bytes - at);
    _mm_sfence();  // streaming stores are not ordered with the flag that follows
}
#else
constexpr bool kHasStreaming = false;

void stream_copy(char* to, const char* from, size_t bytes) {
    std::memcpy(to, from, bytes);
}
#endif

#if defined(__x86_64__)
constexpr bool kHasStringCopy = true;

// The processor's own copy of a string of bytes.
void string_copy(char* to, const char* from, size_t bytes) {
    asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}
#else
constexpr bool kHasStringCopy = false;

void string_copy(char* to, const char* from, size_t bytes) {
    std::memcpy(to, from, bytes);
}
#endif

void library_copy(char* to, const char* from, size_t bytes) {
    std::memcpy(to, from, bytes);
}

struct Routine {
    void (*copy)(char* to, const char* from, size_t bytes);
    const char* absent;  // what it needs that is not here; nullptr if nothing is missing
};
constexpr Routine kMemcpy = {library_copy, nullptr};
constexpr Routine kStreaming = {stream_copy,
                                kHasStreaming ? nullptr : "streaming stores need an x86 processor"};
constexpr Routine kString = {string_copy,
                             kHasStringCopy ? nullptr : "rep movsb needs an x86-64 processor"};

class MappedCopy : public Mechanism {
  public:
    MappedCopy(Worker worker, const Routine& routine) : worker_(worker), routine_(routine) {}

    Availability set_up(Pair& pair, char* own, size_t bytes, char** area) override {
        bytes_ = bytes;
        shared_ = map_shared(pair, bytes);
        const Side worker_side = worker_ == Worker::source ? Side::source : Side::destination;
        own_ = pair.side() == worker_side ? own : shared_;
        *area = own_;
        if (routine_.absent != nullptr) {
            return {Availability::Kind::absent, routine_.absent};
        }
        return {};
    }

    void tear_down() override { munmap(shared_, bytes_); }

    void act(size_t offset, size_t bytes) override {
        char* to = (worker_ == Worker::source ? shared_ : own_) + offset;
        const char* from = (worker_ == Worker::source ? own_ : shared_) + offset;
        routine_.copy(to, from, bytes);
    }

  private:
    const Worker worker_;
    const Routine& routine_;
    size_t bytes_ = 0;
    char* shared_ = nullptr;
    char* own_ = nullptr;
};

}  // namespace

std::unique_ptr<Mechanism> make_mapped_copy(const Kind& kind, const Sizes&) {
    return std::make_unique<MappedCopy>(kind.worker, kMemcpy);
}

std::unique_ptr<Mechanism> make_mapped_streaming(const Kind& kind, const Sizes&) {
    return std::make_unique<MappedCopy>(kind.worker, kStreaming);
}

std::unique_ptr<Mechanism> make_mapped_string(const Kind& kind, const Sizes&) {
    return std::make_unique<MappedCopy>(kind.worker, kString);
}

}  // namespace armci::mechanisms
