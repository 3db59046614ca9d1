// SPDX-License-Identifier: BSD-3-Clause
// Concurrent accumulates of all ranks, including the owner, onto the same elements lose no
// addition.
#include <gtest/gtest.h>

#include <cstring>

#include "support/check.h"
#include "support/global_memory.h"
#include "support/transfer.h"

namespace armci::mp {
namespace {

// Adds element by element what every rank contributed to `totals`, in the type's own arithmetic.
void sum_elements(const ElementType& type, std::vector<char>& totals) {
    const auto parts = static_cast<int>(static_cast<int64_t>(totals.size()) / type.align_bytes);
    MPI_Datatype part = MPI_DATATYPE_NULL;
    switch (type.code) {
        case ARMCI_ACC_INT:
            part = MPI_INT;
            break;
        case ARMCI_ACC_LNG:
            part = MPI_LONG;
            break;
        case ARMCI_ACC_FLT:
        case ARMCI_ACC_CPL:
            part = MPI_FLOAT;
            break;
        default:
            part = MPI_DOUBLE;
            break;
    }
    MPI_Request summed = MPI_REQUEST_NULL;
    MPI_Iallreduce(MPI_IN_PLACE, totals.data(), parts, part, MPI_SUM, harness_comm(), &summed);
    finish(summed);
}

constexpr int64_t kElements = 200;  // few, so that the ranks conflict all the time
constexpr int64_t kGuardElements = 16;

// All ranks accumulate into one region at every target at once; the owner then checks each element.
class Contention {
  public:
    explicit Contention(const ElementType& type)
        : type_(type),
          region_bytes_(kElements * type.bytes),
          guard_bytes_(kGuardElements * type.bytes),
          memory_(region_bytes_ + 2 * guard_bytes_),
          source_(static_cast<size_t>(region_bytes_)),
          mine_(static_cast<size_t>(nproc()),
                std::vector<char>(static_cast<size_t>(region_bytes_), 0)) {
        std::memset(memory_.mine(), 0, static_cast<size_t>(region_bytes_ + 2 * guard_bytes_));
        ARMCI_Barrier();
    }

    Room room() const {
        Room room{region_bytes_, region_bytes_, region_bytes_ / 2};
        room.unit_bytes = type_.bytes;
        room.align_bytes = type_.align_bytes;
        room.local_overlap = true;
        room.remote_overlap = true;
        room.max_levels = 4;
        return room;
    }

    void fill_source(Rng& rng) { fill_elements(type_, rng, source_.data(), region_bytes_); }

    void accumulate(const Shape& shape, const Scale& scale, int target, bool blocking) {
        Transfer transfer;
        transfer.verb = Verb::acc;
        transfer.type = type_.code;
        transfer.scale = scale;
        transfer.shape = shape;
        EXPECT_EQ(issue(transfer, source_.data(), memory_.at(target, guard_bytes_), target,
                        blocking, nullptr),
                  0);
        apply(transfer, source_.data(), mine_[static_cast<size_t>(target)].data());
    }

    // Collective.
    void check(const std::string& what) {
        ARMCI_WaitAll();
        ARMCI_Barrier();
        for (int owner = 0; owner < nproc(); ++owner) {
            sum_elements(type_, mine_[static_cast<size_t>(owner)]);
        }
        const std::vector<char> guard(static_cast<size_t>(guard_bytes_), 0);
        expect_same_bytes(guard.data(), memory_.mine(), guard_bytes_, what + ", before the region");
        expect_same_bytes(mine_[static_cast<size_t>(me())].data(), memory_.at(me(), guard_bytes_),
                          region_bytes_, what);
        expect_same_bytes(guard.data(), memory_.at(me(), guard_bytes_ + region_bytes_),
                          guard_bytes_, what + ", behind the region");
        sync();
    }

  private:
    const ElementType& type_;
    int64_t region_bytes_;
    int64_t guard_bytes_;
    GlobalMemory memory_;
    std::vector<char> source_;
    std::vector<std::vector<char>> mine_;  // by target: what this rank added there
};

// promise: acc.atomic
TEST(AccumulateContention, RandomShapesOfEveryTypeLoseNoAddition) {
    for (const ElementType& type : element_types()) {
        Contention contention(type);
        Rng rng = rank_rng(static_cast<uint64_t>(type.code));
        contention.fill_source(rng);
        for (int64_t i = 0; i < scaled(150); ++i) {
            const int target = static_cast<int>(rng.between(0, nproc() - 1));
            const Scale scale = rng.chance(50) ? unit_scale(type) : random_scale(type, rng);
            contention.accumulate(random_shape(rng, contention.room()), scale, target,
                                  rng.chance(50));
            if (rng.chance(10)) {
                ARMCI_WaitAll();
            }
        }
        contention.check(std::string("contended accumulates of ") + type.name);
    }
}

// All ranks add to the same area of one rank with the same three shapes.
// promise: acc.atomic
TEST(AccumulateContention, OneTargetOfAllRanksLosesNoAddition) {
    const ElementType& type = element_type(ARMCI_ACC_DBL);
    for (const int target : {0, nproc() - 1}) {
        Contention contention(type);
        Rng rng = rank_rng(static_cast<uint64_t>(target));
        contention.fill_source(rng);
        const auto size = static_cast<int>(type.bytes);
        const std::vector<Shape> shapes = {
            contiguous_shape(0, 0, kElements * size),
            strided_shape(0, {10 * size}, 0, {10 * size}, {5 * size, 20}),
            vector_shape({{0, 0, size}, {size, 0, size}, {0, 3 * size, size}})};
        for (int64_t i = 0; i < scaled(300); ++i) {
            contention.accumulate(shapes[static_cast<size_t>(i) % shapes.size()], unit_scale(type),
                                  target, i % 4 != 0);
        }
        contention.check("one hot target");
    }
}

// These blocks take so long that the accumulates certainly overlap in time.
// promise: acc.atomic
TEST(AccumulateContention, LargeBlocksLoseNoAddition) {
    constexpr int64_t kBytes = 1 << 20;
    GlobalMemory memory(kBytes);
    const auto elements = static_cast<size_t>(kBytes) / sizeof(double);
    std::fill_n(memory.element<double>(me()), elements, 0.0);
    std::vector<double> source(elements);
    for (size_t i = 0; i < elements; ++i) {
        source[i] = static_cast<double>(i % 1000 + 1);
    }
    ARMCI_Barrier();
    const int64_t rounds = scaled(8);
    double scale = 2.0;
    for (int64_t round = 0; round < rounds; ++round) {
        EXPECT_EQ(ARMCI_Acc(ARMCI_ACC_DBL, &scale, source.data(), memory.at(0), kBytes, 0), 0);
    }
    ARMCI_Barrier();
    if (me() == 0) {
        for (double& value : source) {
            value *= scale * static_cast<double>(rounds) * nproc();
        }
        expect_same_bytes(source.data(), memory.mine(), kBytes, "large contended accumulates");
    }
    ARMCI_Barrier();
}

}  // namespace
}  // namespace armci::mp
