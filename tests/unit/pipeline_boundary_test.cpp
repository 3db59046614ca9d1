// SPDX-License-Identifier: BSD-3-Clause
// Where a chunk ends: transfers of every length around the ends of the first chunks, so that they
// fall on every byte of a block, of an element and of a gap between blocks.
//
// No test here knows how long a chunk is: lengths are swept byte by byte (element by element) over
// everything that fits into two buffers.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/sanitizers.h"
#include "fabric/faults.h"
#include "server_fixture.h"
#include "transfer_pattern.h"

namespace armci::test {
namespace {

using base::OpKind;
using base::Route;
using strided::AccType;

struct BoundarySetting {
    int64_t buffer_bytes;
    bool storm;
};

void PrintTo(const BoundarySetting& setting, std::ostream* out) {
    *out << setting.buffer_bytes << (setting.storm ? "_storm" : "_fair");
}

// Chunks are sent as messages, or written into granted receive buffers. Where everything takes many
// times as long, only some of the lengths are tested over one network.
#if ARMCI_HAS_ASAN || ARMCI_HAS_TSAN
constexpr int64_t kEvery = 17;
const BoundarySetting kNetworks[] = {{16384, true}};
#else
constexpr int64_t kEvery = 1;
const BoundarySetting kNetworks[] = {{4096, false}, {4096, true}, {16384, false}, {16384, true}};
#endif

class PipelineBoundary : public ::testing::TestWithParam<BoundarySetting> {
  protected:
    PipelineBoundary()
        : buffer_bytes_(GetParam().buffer_bytes),
          memory_bytes_(8 * buffer_bytes_),
          random_(buffer_bytes_),
          local_(static_cast<size_t>(memory_bytes_)) {
        if (GetParam().storm) {
            refuse_half_of_posts();
        }
        NetworkOptions options;
        options.buffer_count = 2;
        options.buffer_bytes = static_cast<size_t>(buffer_bytes_);
        options.memory_bytes = static_cast<size_t>(memory_bytes_);
        network_ = std::make_unique<TestNetwork>(options);
    }
    ~PipelineBoundary() override {
        network_.reset();
        fabric::set_faults(fabric::Faults{});
    }

    void SetUp() override {
        ASSERT_EQ(network_->error(), "");
        remote_ = network_->memory(0);
        fill(random_, AccType::int64, local_.data(), memory_bytes_);
        fill(random_, AccType::int64, remote_, memory_bytes_);
        expected_local_ = local_;
        expected_remote_.assign(remote_, remote_ + memory_bytes_);
    }

    bool check(const Operation& operation, const Pattern& pattern) {
        if (std::max(pattern.local_end(), pattern.remote_end()) > memory_bytes_) {
            ADD_FAILURE() << pattern << " does not fit in " << memory_bytes_;
            return false;
        }
        network_->wait(*network_->start(0, 0, Route::server,
                                        make_transfer(operation, pattern, local_.data(), remote_)));
        network_->fence_all();
        apply(operation, pattern, expected_local_.data(), expected_remote_.data());
        SCOPED_TRACE(::testing::Message() << describe(operation) << ", " << pattern << ", "
                                          << pattern.total_bytes() << " bytes");
        return expect_equal(expected_local_, local_.data(), "local") &&
               expect_equal(expected_remote_, remote_, "remote");
    }

    // Whether a transfer of that length is tried: all lengths around the ends of whole chunks, of
    // which a header takes a part, and a few others.
    bool is_tried(int64_t bytes) const {
        const int64_t in_buffer = bytes % buffer_bytes_;
        const bool is_near = in_buffer <= 64 || in_buffer >= buffer_bytes_ - 400;
        return bytes % kEvery == 0 && (is_near || bytes % (buffer_bytes_ / 512 - 1) == 0);
    }

    const int64_t buffer_bytes_;
    const int64_t memory_bytes_;
    Random random_;
    std::unique_ptr<TestNetwork> network_;
    char* remote_ = nullptr;
    std::vector<char> local_;
    std::vector<char> expected_local_;
    std::vector<char> expected_remote_;
};

// One block: the end of the transfer coincides with the end of the first and the second chunk.
TEST_P(PipelineBoundary, EveryLengthOfOneBlock) {
    for (int64_t bytes = 1; bytes <= 2 * buffer_bytes_ + 16; ++bytes) {
        for (const OpKind kind : {OpKind::put, OpKind::get}) {
            ASSERT_TRUE(!is_tried(bytes) ||
                        check({kind}, contiguous_pattern(bytes, bytes % 16, bytes % 13)));
        }
    }
}

TEST_P(PipelineBoundary, EveryNumberOfElements) {
    for (const AccType type : {AccType::int32, AccType::int64}) {
        const Operation operation{OpKind::acc, type, 3};
        const int64_t element = element_bytes(operation);
        for (int64_t bytes = element; bytes <= 2 * buffer_bytes_ + 16; bytes += element) {
            ASSERT_TRUE(!is_tried(bytes) ||
                        check(operation, contiguous_pattern(bytes, element, 2 * element)));
        }
    }
}

// The largest element: chunks would end inside it if the pipeline did not prevent that.
TEST_P(PipelineBoundary, ComplexElements) {
    const Operation operation{OpKind::acc, AccType::complex128, -2};
    fill(random_, operation.type, local_.data(), memory_bytes_);
    fill(random_, operation.type, remote_, memory_bytes_);
    expected_local_ = local_;
    expected_remote_.assign(remote_, remote_ + memory_bytes_);
    for (int64_t bytes = 16; bytes <= 2 * buffer_bytes_ + 64; bytes += 16) {
        if (!is_tried(bytes)) {
            continue;
        }
        ASSERT_TRUE(check(operation, contiguous_pattern(bytes, 8, 24)));
        ASSERT_TRUE(check(operation, vector_pattern(random_, 48, bytes, 8)));
    }
}

// Many blocks: chunks end on every byte of a block, between two, and on every level.
TEST_P(PipelineBoundary, EveryLengthOfManyBlocks) {
    for (int64_t block = 1; block <= 130; block += kEvery) {
        const int64_t total = 2 * buffer_bytes_ + draw(random_, -300, 300);
        for (const OpKind kind : {OpKind::put, OpKind::get}) {
            ASSERT_TRUE(check({kind}, strided_pattern(random_, 1 + static_cast<int>(block % 2),
                                                      block, total / (block < 4 ? 2 : 1), 1)));
            ASSERT_TRUE(
                check({kind}, vector_pattern(random_, block, block < 16 ? total / 8 : total, 1)));
        }
        ASSERT_TRUE(check({OpKind::acc, AccType::int32, -1},
                          strided_pattern(random_, 1 + static_cast<int>(block % 2), 4 * block,
                                          total / (block < 4 ? 2 : 1), 4)));
    }
}

INSTANTIATE_TEST_SUITE_P(, PipelineBoundary, ::testing::ValuesIn(kNetworks),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace armci::test
