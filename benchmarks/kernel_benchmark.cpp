// SPDX-License-Identifier: BSD-3-Clause
// Speed of the strided kernels within one process, as bytes of payload per second.
//
// Strided cases move 1 MiB in blocks of the length given as argument, with a stride of twice the
// block. Compare with Memcpy, which moves 1 MiB in one piece, and MemmovePerBlock, the plain loop
// over blocks.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "strided/accumulate_isa.h"
#include "strided/copy_pace.h"
#include "strided/cursor.h"
#include "strided/kernels.h"
#include "strided/layout.h"

namespace armci::strided {
namespace {

constexpr int64_t kTotalBytes = int64_t{1} << 20;

// Blocks of block_bytes with a gap of the same length on both sides.
PairLayout gapped_layout(int64_t block_bytes) {
    const int count[] = {static_cast<int>(block_bytes),
                         static_cast<int>(kTotalBytes / block_bytes)};
    const int stride[] = {static_cast<int>(2 * block_bytes)};
    PairLayout layout;
    if (make_pair(stride, stride, count, 1, &layout) != LayoutStatus::ok) {
        abort();
    }
    return layout;
}

void report(benchmark::State& state, int64_t bytes = kTotalBytes) {
    state.SetBytesProcessed(state.iterations() * bytes);
}

void Memcpy(benchmark::State& state) {
    std::vector<char> from(kTotalBytes, 1);
    std::vector<char> to(kTotalBytes, 2);
    for (auto _ : state) {
        std::memcpy(to.data(), from.data(), kTotalBytes);
        benchmark::ClobberMemory();
    }
    report(state);
}
BENCHMARK(Memcpy);

// The limit of contiguous puts and gets whose memory stays in the caches; the argument is bytes.
void MemcpyOf(benchmark::State& state) {
    const auto bytes = static_cast<size_t>(state.range(0));
    std::vector<char> from(bytes, 1);
    std::vector<char> to(bytes, 2);
    for (auto _ : state) {
        std::memcpy(to.data(), from.data(), bytes);
        benchmark::ClobberMemory();
    }
    state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(MemcpyOf)->Arg(8)->Arg(256)->Arg(4096)->Arg(65536)->Arg(1 << 20);

// --- Through the cache or past it: arguments are bytes, block length (0: contiguous), how, and
// whether the destination (and the source) is in the cache.

constexpr int64_t kPoolBytes = int64_t{256} << 20;

enum How { kMemcpy, kAutomatic, kCached, kStreamed };

void CopyThroughOrPastTheCache(benchmark::State& state) {
    const int64_t bytes = state.range(0);
    const int64_t block_bytes = state.range(1);
    const int64_t cold = state.range(3);
    static char* const source = static_cast<char*>(std::aligned_alloc(4096, kPoolBytes));
    static char* const target = static_cast<char*>(std::aligned_alloc(4096, kPoolBytes));
    static const bool touched =
        (std::memset(source, 1, kPoolBytes), std::memset(target, 2, kPoolBytes), true);
    benchmark::DoNotOptimize(touched);
    PairLayout layout = contiguous_pair(bytes);
    if (block_bytes > 0) {
        const int count[] = {static_cast<int>(block_bytes), static_cast<int>(bytes / block_bytes)};
        const int stride[] = {static_cast<int>(2 * block_bytes)};
        make_pair(stride, stride, count, 1, &layout);
    }
    const auto how = static_cast<How>(state.range(2));
    set_store_choice(how == kCached     ? StoreChoice::cached
                     : how == kStreamed ? StoreChoice::streamed
                                        : StoreChoice::automatic);
    const int64_t places = kPoolBytes / (2 * bytes);
    int64_t place = 0;
    for (auto _ : state) {
        place = (place + 1) % places;
        char* from = source + ((cold & 2) != 0 ? place * 2 * bytes : 0);
        char* to = target + ((cold & 1) != 0 ? place * 2 * bytes : 0);
        if (how != kMemcpy) {
            copy(layout, from, to, Direction::to_remote);
        } else if (block_bytes == 0) {
            std::memcpy(to, from, static_cast<size_t>(bytes));
        } else {
            for (int64_t at = 0; at < 2 * bytes; at += 2 * block_bytes) {
                std::memcpy(to + at, from + at, static_cast<size_t>(block_bytes));
            }
        }
        benchmark::ClobberMemory();
    }
    set_store_choice(StoreChoice::automatic);
    report(state, bytes);
    static const char* const kNames[] = {"memcpy", "automatic", "cached", "streamed"};
    static const char* const kWhere[] = {"both cached", "target not", "source not", "neither"};
    state.SetLabel(std::string(kNames[how]) + ", " + kWhere[cold]);
}

void CachePlaces(benchmark::internal::Benchmark* benchmark) {
    for (const int64_t bytes : {64 << 10, 1 << 20, 8 << 20, 16 << 20}) {
        for (const int64_t block_bytes : {0, 64, 128, 512, 4096, 16384}) {
            for (const int64_t cold : {0, 1, 2, 3}) {
                for (const int64_t how : {kMemcpy, kAutomatic, kCached, kStreamed}) {
                    benchmark->Args({bytes, block_bytes, how, cold});
                }
            }
        }
    }
}
BENCHMARK(CopyThroughOrPastTheCache)->Apply(CachePlaces);

void MemmovePerBlock(benchmark::State& state) {
    const PairLayout layout = gapped_layout(state.range(0));
    std::vector<char> from(2 * kTotalBytes, 1);
    std::vector<char> to(2 * kTotalBytes, 2);
    for (auto _ : state) {
        for_each_block(layout, from.data(), to.data(),
                       [](char* local, char* remote, int64_t bytes) {
                           std::memmove(remote, local, static_cast<size_t>(bytes));
                       });
        benchmark::ClobberMemory();
    }
    report(state);
}

void Pack(benchmark::State& state) {
    const Layout layout = local_side(gapped_layout(state.range(0)));
    std::vector<char> memory(2 * kTotalBytes, 1);
    std::vector<char> buffer(kTotalBytes, 2);
    for (auto _ : state) {
        StridedCursor cursor(memory.data(), layout);
        pack(cursor, buffer.data(), kTotalBytes);
        benchmark::ClobberMemory();
    }
    report(state);
}

void Unpack(benchmark::State& state) {
    const Layout layout = local_side(gapped_layout(state.range(0)));
    std::vector<char> memory(2 * kTotalBytes, 1);
    std::vector<char> buffer(kTotalBytes, 2);
    for (auto _ : state) {
        StridedCursor cursor(memory.data(), layout);
        unpack(cursor, buffer.data(), kTotalBytes);
        benchmark::ClobberMemory();
    }
    report(state);
}

void Copy(benchmark::State& state) {
    const PairLayout layout = gapped_layout(state.range(0));
    std::vector<char> local(2 * kTotalBytes, 1);
    std::vector<char> remote(2 * kTotalBytes, 2);
    for (auto _ : state) {
        copy(layout, local.data(), remote.data(), Direction::to_remote);
        benchmark::ClobberMemory();
    }
    report(state);
}

void BlockLengths(benchmark::internal::Benchmark* benchmark) {
    for (int block_bytes : {8, 12, 16, 32, 64, 100, 128, 232, 256, 512, 1024, 4096, 16384, 65536}) {
        benchmark->Arg(block_bytes);
    }
}
BENCHMARK(MemmovePerBlock)->Apply(BlockLengths);
BENCHMARK(Pack)->Apply(BlockLengths);
BENCHMARK(Unpack)->Apply(BlockLengths);
BENCHMARK(Copy)->Apply(BlockLengths);

// Packs in pieces of 1000 bytes, none of which ends with a block: the cost of stopping and
// continuing.
void PackInPieces(benchmark::State& state) {
    constexpr int64_t kPieceBytes = 1000;
    const Layout layout = local_side(gapped_layout(state.range(0)));
    std::vector<char> memory(2 * kTotalBytes, 1);
    std::vector<char> buffer(kPieceBytes);
    for (auto _ : state) {
        StridedCursor cursor(memory.data(), layout);
        while (cursor.remaining() > 0) {
            pack(cursor, buffer.data(), std::min(kPieceBytes, cursor.remaining()));
            benchmark::ClobberMemory();
        }
    }
    report(state);
}
BENCHMARK(PackInPieces)->Arg(16)->Arg(128)->Arg(4096);

// Rows of only four blocks, three levels: the cost of the carry.
void PackShortRows(benchmark::State& state) {
    const int block_bytes = static_cast<int>(state.range(0));
    const int count[] = {block_bytes, 4, 4, static_cast<int>(kTotalBytes / 16 / block_bytes)};
    const int stride[] = {2 * block_bytes, 9 * block_bytes, 37 * block_bytes};
    PairLayout pair;
    if (make_pair(stride, stride, count, 3, &pair) != LayoutStatus::ok) {
        abort();
    }
    const Layout layout = local_side(pair);
    std::vector<char> memory(static_cast<size_t>(extent(layout).end), 1);
    std::vector<char> buffer(kTotalBytes);
    for (auto _ : state) {
        StridedCursor cursor(memory.data(), layout);
        pack(cursor, buffer.data(), kTotalBytes);
        benchmark::ClobberMemory();
    }
    report(state);
}
BENCHMARK(PackShortRows)->Arg(8)->Arg(64)->Arg(1024);

// Blocks at random places of an area of 16 MiB.
std::vector<uint64_t> random_addresses(char* area, int64_t area_bytes, int64_t segment_bytes) {
    std::mt19937_64 random(1);
    std::vector<uint64_t> addresses(static_cast<size_t>(kTotalBytes / segment_bytes));
    for (uint64_t& address : addresses) {
        const uint64_t slot = random() % static_cast<uint64_t>(area_bytes / segment_bytes);
        address = reinterpret_cast<uint64_t>(area + slot * static_cast<uint64_t>(segment_bytes));
    }
    return addresses;
}

void PackVector(benchmark::State& state) {
    const int64_t segment_bytes = state.range(0);
    std::vector<char> memory(16 * kTotalBytes, 1);
    std::vector<char> buffer(kTotalBytes, 2);
    const auto addresses = random_addresses(memory.data(), 16 * kTotalBytes, segment_bytes);
    for (auto _ : state) {
        VectorCursor cursor(addresses.data(), static_cast<int64_t>(addresses.size()),
                            segment_bytes);
        pack(cursor, buffer.data(), kTotalBytes);
        benchmark::ClobberMemory();
    }
    report(state);
}

void UnpackVector(benchmark::State& state) {
    const int64_t segment_bytes = state.range(0);
    std::vector<char> memory(16 * kTotalBytes, 1);
    std::vector<char> buffer(kTotalBytes, 2);
    const auto addresses = random_addresses(memory.data(), 16 * kTotalBytes, segment_bytes);
    for (auto _ : state) {
        VectorCursor cursor(addresses.data(), static_cast<int64_t>(addresses.size()),
                            segment_bytes);
        unpack(cursor, buffer.data(), kTotalBytes);
        benchmark::ClobberMemory();
    }
    report(state);
}
BENCHMARK(PackVector)->Arg(8)->Arg(16)->Arg(128)->Arg(1024);
BENCHMARK(UnpackVector)->Arg(8)->Arg(16)->Arg(128)->Arg(1024);

// --- Accumulate: arguments are type, scale is one, instruction set, bytes per call ---------------

AccScale scale_of(AccType type, bool is_one) {
    const int32_t int32[] = {is_one ? 1 : 3};
    const int64_t int64[] = {is_one ? 1 : 3};
    const float float32[] = {is_one ? 1.0F : 0.5F, 0.0F};
    const double float64[] = {is_one ? 1.0 : 0.5, 0.0};
    switch (type) {
        case AccType::int32:
            return make_scale(type, int32);
        case AccType::int64:
            return make_scale(type, int64);
        case AccType::float32:
        case AccType::complex64:
            return make_scale(type, float32);
        case AccType::float64:
        case AccType::complex128:
            return make_scale(type, float64);
    }
    abort();
}

constexpr const char* kTypeNames[] = {"int32",   "int64",     "float32",
                                      "float64", "complex64", "complex128"};
constexpr const char* kIsaNames[] = {"baseline", "avx2", "avx512"};

void AccumulateIsa(benchmark::State& state) {
    const auto type = static_cast<AccType>(state.range(0));
    const auto isa = static_cast<Isa>(state.range(2));
    const int64_t bytes = state.range(3);
    state.SetLabel(std::string(kTypeNames[state.range(0)]) +
                   (state.range(1) ? " one " : " scaled ") + kIsaNames[state.range(2)]);
    if (!is_isa_available(isa)) {
        state.SkipWithError("not available on this processor");
        return;
    }
    const AccScale scale = scale_of(type, state.range(1) != 0);
    std::vector<char> target(static_cast<size_t>(bytes));
    std::vector<char> source(static_cast<size_t>(bytes));
    for (auto _ : state) {
        accumulate_with(isa, scale, target.data(), source.data(), bytes);
        benchmark::ClobberMemory();
    }
    report(state, bytes);
}
BENCHMARK(AccumulateIsa)
    ->ArgsProduct({{0, 1, 2, 3, 4, 5}, {0, 1}, {0, 1, 2}, {16 << 10, kTotalBytes}});

// Doubles, one call per block of the given length.
void AccumulateBlocks(benchmark::State& state) {
    const PairLayout layout = gapped_layout(state.range(0));
    const AccScale scale = scale_of(AccType::float64, state.range(1) != 0);
    std::vector<char> local(2 * kTotalBytes);
    std::vector<char> remote(2 * kTotalBytes);
    for (auto _ : state) {
        for_each_block(
            layout, local.data(), remote.data(),
            [&](char* from, char* to, int64_t bytes) { accumulate(scale, to, from, bytes); });
        benchmark::ClobberMemory();
    }
    report(state);
}
BENCHMARK(AccumulateBlocks)->ArgsProduct({{8, 16, 64, 128, 1024, 65536}, {1, 0}});

// --- Fixed costs ---------------------------------------------------------------------------------

void MakePair(benchmark::State& state) {
    const int count[] = {1024, 350, 1, 1};
    const int stride[] = {8000, 8000000, 80000000};
    for (auto _ : state) {
        PairLayout layout;
        benchmark::DoNotOptimize(make_pair(stride, stride, count, 3, &layout));
        benchmark::DoNotOptimize(layout);
    }
}
BENCHMARK(MakePair);

void SeekFourLevels(benchmark::State& state) {
    const int count[] = {8, 10, 10, 10, 10};
    const int stride[] = {16, 200, 3000, 40000};
    PairLayout layout;
    if (make_pair(stride, stride, count, 4, &layout) != LayoutStatus::ok) {
        abort();
    }
    StridedCursor cursor(nullptr, local_side(layout));
    int64_t position = 0;
    for (auto _ : state) {
        cursor.seek(position);
        benchmark::DoNotOptimize(cursor);
        position = (position + 7919) % 80000;
    }
}
BENCHMARK(SeekFourLevels);

}  // namespace
}  // namespace armci::strided
