// SPDX-License-Identifier: BSD-3-Clause
// This file is built with -O3 for the vectoriser, and without contraction of multiply and add (see
// CMakeLists.txt).
#include <cstring>
#include <type_traits>

#include "strided/accumulate_isa.h"
#include "strided/block_copy.h"
#include "strided/kernels.h"

namespace armci::strided {

namespace {

template <class Blocks>
using Kernel = void (*)(const Blocks& blocks, const unsigned char* scale);

// The loops are inlined into one function for each instruction set. They load and store by memcpy,
// so alignment does not matter. The two sides may be the same memory, but no element of one is
// another element of the other. The macro states that, so that the compiler need not check it for
// each block.
#if defined(__clang__)
#define ARMCI_INDEPENDENT_ELEMENTS _Pragma("clang loop vectorize(assume_safety)")
#else
#define ARMCI_INDEPENDENT_ELEMENTS _Pragma("GCC ivdep")
#endif

template <class T>
struct Add {
    static constexpr int64_t kElementBytes = sizeof(T);
    [[gnu::always_inline]] static void apply(char* target, const char* source, int64_t bytes,
                                             const unsigned char*) {
        const int64_t count = bytes / int64_t{sizeof(T)};
        ARMCI_INDEPENDENT_ELEMENTS
        for (int64_t i = 0; i < count; ++i) {
            char* element = target + i * sizeof(T);
            const T term = load_bytes<T>(source + i * sizeof(T));
            store_bytes<T>(element, load_bytes<T>(element) + term);
        }
    }
};

template <class T>
struct ScaleAdd {
    static constexpr int64_t kElementBytes = sizeof(T);
    [[gnu::always_inline]] static void apply(char* target, const char* source, int64_t bytes,
                                             const unsigned char* scale) {
        const T factor = load_bytes<T>(reinterpret_cast<const char*>(scale));
        const int64_t count = bytes / int64_t{sizeof(T)};
        ARMCI_INDEPENDENT_ELEMENTS
        for (int64_t i = 0; i < count; ++i) {
            char* element = target + i * sizeof(T);
            const T term = factor * load_bytes<T>(source + i * sizeof(T));
            store_bytes<T>(element, load_bytes<T>(element) + term);
        }
    }
};

// T is the type of the real and the imaginary part.
template <class T>
struct ComplexAdd {
    static constexpr int64_t kElementBytes = 2 * sizeof(T);
    [[gnu::always_inline]] static void apply(char* target, const char* source, int64_t bytes,
                                             const unsigned char* scale) {
        Add<T>::apply(target, source, bytes - bytes % int64_t{2 * sizeof(T)}, scale);
    }
};

template <class T>
struct ComplexScaleAdd {
    static constexpr int64_t kElementBytes = 2 * sizeof(T);
    [[gnu::always_inline]] static void apply(char* target, const char* source, int64_t bytes,
                                             const unsigned char* scale) {
        const T factor_re = load_bytes<T>(reinterpret_cast<const char*>(scale));
        const T factor_im = load_bytes<T>(reinterpret_cast<const char*>(scale) + sizeof(T));
        const int64_t count = bytes / int64_t{2 * sizeof(T)};
        ARMCI_INDEPENDENT_ELEMENTS
        for (int64_t i = 0; i < count; ++i) {
            const char* term = source + i * 2 * sizeof(T);
            char* element = target + i * 2 * sizeof(T);
            const T re = load_bytes<T>(term);
            const T im = load_bytes<T>(term + sizeof(T));
            const T product_re = factor_re * re - factor_im * im;
            const T product_im = factor_re * im + factor_im * re;
            store_bytes<T>(element, load_bytes<T>(element) + product_re);
            store_bytes<T>(element + sizeof(T), load_bytes<T>(element + sizeof(T)) + product_im);
        }
    }
};

// Walks through the blocks of a row, one after the other.
class RowWalk {
  public:
    explicit RowWalk(const AccRow& row)
        : target_(static_cast<char*>(row.target)),
          source_(static_cast<const char*>(row.source)),
          target_stride_(row.target_stride),
          source_stride_(row.source_stride),
          block_bytes_(row.block_bytes),
          block_count_(row.block_count) {}
    int64_t block_bytes() const { return block_bytes_; }
    int64_t block_count() const { return block_count_; }
    char* target() const { return target_; }
    const char* source() const { return source_; }
    void advance() {
        target_ = offset_by(target_, target_stride_);
        source_ = offset_by(source_, source_stride_);
    }

  private:
    char* target_;
    const char* source_;
    int64_t target_stride_;
    int64_t source_stride_;
    int64_t block_bytes_;
    int64_t block_count_;
};

class SegmentWalk {
  public:
    explicit SegmentWalk(const AccSegments& segments) : segments_(segments) {}
    int64_t block_bytes() const { return segments_.segment_bytes; }
    int64_t block_count() const { return segments_.segment_count; }
    char* target() const { return segments_.target(index_); }
    const char* source() const { return segments_.source(index_); }
    void advance() { ++index_; }

  private:
    const AccSegments segments_;
    int64_t index_ = 0;
};

// Handles blocks whose length the compiler knows. Local copies of them cannot be aliases of other
// memory.
template <class Loop, int64_t kElements, class Walk>
[[gnu::always_inline]] inline void apply_to_blocks_of(Walk walk, const unsigned char* scale) {
    constexpr int64_t kBytes = kElements * Loop::kElementBytes;
    unsigned char factor[16];
    std::memcpy(factor, scale, sizeof factor);
    const int64_t count = walk.block_count();
    for (int64_t i = 0; i < count; ++i) {
        char sum[kBytes];
        char term[kBytes];
        std::memcpy(sum, walk.target(), kBytes);
        std::memcpy(term, walk.source(), kBytes);
        Loop::apply(sum, term, kBytes, factor);
        std::memcpy(walk.target(), sum, kBytes);
        walk.advance();
    }
}

// Chooses a loop for short blocks, which are common: columns of a matrix stored by rows, or single
// elements.
template <class Loop, class Walk>
[[gnu::always_inline]] inline void apply_to_blocks(Walk walk, const unsigned char* scale) {
    const int64_t count = walk.block_count();
    if (count > 1) {
        switch (walk.block_bytes() / Loop::kElementBytes) {
            case 1:
                return apply_to_blocks_of<Loop, 1>(walk, scale);
            case 2:
                return apply_to_blocks_of<Loop, 2>(walk, scale);
            case 4:
                return apply_to_blocks_of<Loop, 4>(walk, scale);
            case 8:
                return apply_to_blocks_of<Loop, 8>(walk, scale);
            default:
                break;
        }
    }
    for (int64_t i = 0; i < count; ++i) {
        Loop::apply(walk.target(), walk.source(), walk.block_bytes(), scale);
        walk.advance();
    }
}

template <class Loop>
struct Baseline {
    static void row(const AccRow& row, const unsigned char* scale) {
        apply_to_blocks<Loop>(RowWalk(row), scale);
    }
    static void segments(const AccSegments& segments, const unsigned char* scale) {
        apply_to_blocks<Loop>(SegmentWalk(segments), scale);
    }
};

#if defined(__x86_64__)
// Clang uses the widest registers without this option, and does not know it.
#if defined(__clang__)
#define ARMCI_AVX512_TARGET "avx512f,avx512vl,avx512dq"
#else
#define ARMCI_AVX512_TARGET "avx512f,avx512vl,avx512dq,prefer-vector-width=512"
#endif

template <class Loop>
struct Avx2 {
    [[gnu::target("avx2")]] static void row(const AccRow& row, const unsigned char* scale) {
        apply_to_blocks<Loop>(RowWalk(row), scale);
    }
    [[gnu::target("avx2")]] static void segments(const AccSegments& segments,
                                                 const unsigned char* scale) {
        apply_to_blocks<Loop>(SegmentWalk(segments), scale);
    }
};

template <class Loop>
struct Avx512 {
    [[gnu::target(ARMCI_AVX512_TARGET)]] static void row(const AccRow& row,
                                                         const unsigned char* scale) {
        apply_to_blocks<Loop>(RowWalk(row), scale);
    }
    [[gnu::target(ARMCI_AVX512_TARGET)]] static void segments(const AccSegments& segments,
                                                              const unsigned char* scale) {
        apply_to_blocks<Loop>(SegmentWalk(segments), scale);
    }
};
#endif

// One element is common, and the kernels for many of them take longer to begin than to add it. No
// instruction set makes a difference for it.
using OneKernel = void (*)(char* target, const char* source, const unsigned char* scale);
template <class Loop>
void apply_to_one(char* target, const char* source, const unsigned char* scale) {
    Loop::apply(target, source, Loop::kElementBytes, scale);
}

// Kernels by type and AccScale::is_one. Integers are added as unsigned, which wraps.
struct Kernels {
    Kernel<AccRow> row;
    Kernel<AccSegments> segments;
};
struct KernelTable {
    Kernels kernels[kAccTypeCount][2];
};

template <class Loops>
constexpr Kernels kKernels = {Loops::row, Loops::segments};

template <template <class> class For>
constexpr KernelTable kTable = {{
    {kKernels<For<ScaleAdd<uint32_t>>>, kKernels<For<Add<uint32_t>>>},
    {kKernels<For<ScaleAdd<uint64_t>>>, kKernels<For<Add<uint64_t>>>},
    {kKernels<For<ScaleAdd<float>>>, kKernels<For<Add<float>>>},
    {kKernels<For<ScaleAdd<double>>>, kKernels<For<Add<double>>>},
    {kKernels<For<ComplexScaleAdd<float>>>, kKernels<For<ComplexAdd<float>>>},
    {kKernels<For<ComplexScaleAdd<double>>>, kKernels<For<ComplexAdd<double>>>},
}};

constexpr OneKernel kOneKernels[kAccTypeCount][2] = {
    {apply_to_one<ScaleAdd<uint32_t>>, apply_to_one<Add<uint32_t>>},
    {apply_to_one<ScaleAdd<uint64_t>>, apply_to_one<Add<uint64_t>>},
    {apply_to_one<ScaleAdd<float>>, apply_to_one<Add<float>>},
    {apply_to_one<ScaleAdd<double>>, apply_to_one<Add<double>>},
    {apply_to_one<ComplexScaleAdd<float>>, apply_to_one<ComplexAdd<float>>},
    {apply_to_one<ComplexScaleAdd<double>>, apply_to_one<ComplexAdd<double>>},
};

#if defined(__x86_64__)
// Products of complex numbers use AVX2: with AVX-512, GCC 12 makes fused multiply-adds of them in
// spite of -ffp-contract=off.
constexpr KernelTable avx512_table() {
    KernelTable table = kTable<Avx512>;
    for (const AccType type : {AccType::complex64, AccType::complex128}) {
        table.kernels[static_cast<int>(type)][0] = kTable<Avx2>.kernels[static_cast<int>(type)][0];
    }
    return table;
}
constexpr KernelTable kAvx512Table = avx512_table();
#endif

const KernelTable& table_of(Isa isa) {
#if defined(__x86_64__)
    switch (isa) {
        case Isa::avx512:
            return kAvx512Table;
        case Isa::avx2:
            return kTable<Avx2>;
        case Isa::baseline:
            break;
    }
#else
    (void)isa;
#endif
    return kTable<Baseline>;
}

// Set once, when the library is loaded. Until then (in constructors of other files) the baseline is
// used, whose results are the same. A function-local static would add its guard to every short
// block.
const KernelTable* active_table = &kTable<Baseline>;

[[gnu::constructor]] void choose_table() {
    active_table = &table_of(best_isa());
}

const Kernels& kernels_for(const KernelTable& table, const AccScale& scale) {
    return table.kernels[static_cast<int>(scale.type)][scale.is_one ? 1 : 0];
}

void run(const KernelTable& table, const AccScale& scale, const AccRow& row) {
    kernels_for(table, scale).row(row, scale.value);
}

AccRow one_block(void* target, const void* source, int64_t bytes) {
    return {target, 0, source, 0, bytes, 1};
}

// Copies a real number, or the two parts of a complex one.
template <class T, int kParts>
AccScale copy_scale(AccType type, const void* scale) {
    T parts[kParts];
    std::memcpy(parts, scale, sizeof parts);
    AccScale result;
    result.type = type;
    std::memcpy(result.value, parts, sizeof parts);
    result.is_one = parts[0] == 1 && (kParts == 1 || parts[kParts - 1] == 0);
    return result;
}

}  // namespace

AccScale make_scale(AccType type, const void* scale) {
    switch (type) {
        case AccType::int32:
            return copy_scale<int32_t, 1>(type, scale);
        case AccType::int64:
            return copy_scale<int64_t, 1>(type, scale);
        case AccType::float32:
            return copy_scale<float, 1>(type, scale);
        case AccType::float64:
            return copy_scale<double, 1>(type, scale);
        case AccType::complex64:
            return copy_scale<float, 2>(type, scale);
        case AccType::complex128:
            return copy_scale<double, 2>(type, scale);
    }
    return {};
}

void accumulate_with(Isa isa, const AccScale& scale, void* target, const void* source,
                     int64_t bytes) {
    run(table_of(isa), scale, one_block(target, source, bytes));
}

void accumulate_row_with(Isa isa, const AccScale& scale, const AccRow& row) {
    run(table_of(isa), scale, row);
}

void accumulate(const AccScale& scale, void* target, const void* source, int64_t bytes) {
    if (bytes == element_bytes(scale.type)) {
        kOneKernels[static_cast<int>(scale.type)][scale.is_one ? 1 : 0](
            static_cast<char*>(target), static_cast<const char*>(source), scale.value);
        return;
    }
    run(*active_table, scale, one_block(target, source, bytes));
}

void accumulate_row(const AccScale& scale, const AccRow& row) {
    run(*active_table, scale, row);
}

void accumulate_segments_with(Isa isa, const AccScale& scale, const AccSegments& segments) {
    kernels_for(table_of(isa), scale).segments(segments, scale.value);
}

void accumulate_segments(const AccScale& scale, const AccSegments& segments) {
    kernels_for(*active_table, scale).segments(segments, scale.value);
}

}  // namespace armci::strided
