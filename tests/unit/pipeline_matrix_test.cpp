// SPDX-License-Identifier: BSD-3-Clause
// Every kind of transfer over few and many, small and large buffers, with a network that accepts
// all posts and with one that refuses most of them.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/sanitizers.h"
#include "fabric/faults.h"
#include "pipeline/costs/cost_model.h"
#include "server_fixture.h"
#include "stderr_capture.h"
#include "transfer_pattern.h"

namespace armci::test {
namespace {

using base::OpKind;
using base::Route;
using strided::AccType;

// registering: the provider needs local memory registered. locked: likewise, but the system allows
// no more of it than the library has at start.
enum class Weather { fair, storm, registering, locked };

struct MatrixSetting {
    int buffer_count;
    int64_t buffer_bytes;
    Weather weather;
    bool server_threads = false;
};

void PrintTo(const MatrixSetting& setting, std::ostream* out) {
    constexpr const char* kWeather[] = {"fair", "storm", "registering", "locked"};
    *out << setting.buffer_count << " x " << setting.buffer_bytes << ", "
         << kWeather[static_cast<int>(setting.weather)]
         << (setting.server_threads ? ", threads" : "");
}

std::string setting_name(const ::testing::TestParamInfo<MatrixSetting>& info) {
    std::string name = ::testing::PrintToString(info.param);
    std::replace_if(
        name.begin(), name.end(), [](char letter) { return std::isalnum(letter) == 0; }, '_');
    return name;
}

fabric::Faults faults_of(Weather weather) {
    fabric::Faults faults;
    if (weather == Weather::storm) {
        faults.refused_posts = 3;
        faults.of_posts = 4;
        faults.posts_in_burst = 7;
    }
    faults.local_registration_needed =
        weather == Weather::registering || weather == Weather::locked;
    return faults;
}

// Larger than all buffers together, but short enough for the time of a test.
int64_t max_bytes(const MatrixSetting& setting) {
    const int64_t arena = setting.buffer_count * setting.buffer_bytes;
    return std::max(std::min<int64_t>(arena + arena / 3 + 100, 3 << 20),
                    setting.buffer_bytes + 100);
}

// In a transfer whose blocks are a few bytes each.
constexpr int64_t kShortBlocksBytes = 400'000;

class PipelineMatrix : public ::testing::TestWithParam<MatrixSetting> {
  protected:
    PipelineMatrix() : random_(GetParam().buffer_count * 1000 + GetParam().buffer_bytes) {
        fabric::set_faults(faults_of(GetParam().weather));
    }
    ~PipelineMatrix() override {
        network_.reset();
        fabric::set_faults(fabric::Faults{});
    }

    void open(int nodes, int origins, int64_t memory_bytes) {
        NetworkOptions options;
        options.node_count = nodes;
        options.origin_count = origins;
        options.buffer_count = static_cast<size_t>(GetParam().buffer_count);
        options.buffer_bytes = static_cast<size_t>(GetParam().buffer_bytes);
        options.memory_bytes = static_cast<size_t>(memory_bytes);
        options.server_threads = GetParam().server_threads;
        network_ = std::make_unique<TestNetwork>(options);
        ASSERT_EQ(network_->error(), "");
        if (GetParam().weather == Weather::locked) {
            fabric::Faults faults = faults_of(Weather::locked);
            faults.registrations = 0;
            fabric::set_faults(faults);
            captured_ = std::make_unique<StderrCapture>();
        }
    }

    // The origin that reaches the limit warns once.
    void TearDown() override {
        if (captured_ != nullptr) {
            const std::string text = captured_->text();
            const size_t first = text.find("cannot be registered");
            EXPECT_NE(first, std::string::npos) << text;
            EXPECT_EQ(text.find("cannot be registered", first + 1), std::string::npos) << text;
        }
    }

    int64_t smallest_total() const { return GetParam().buffer_bytes / 3; }

    // A pattern of one of the kinds below for the operation, of about that many bytes.
    static constexpr int kKinds = 7;
    Pattern pattern(int kind, const Operation& operation, int64_t total_bytes) {
        const int64_t unit = unit_bytes(operation);
        const int64_t element = element_bytes(operation);
        const auto block_of = [&](int64_t bytes) {
            return std::max(element, std::min(bytes, total_bytes) / element * element);
        };
        switch (kind) {
            case 0:  // shortest blocks
                return strided_pattern(random_, 1, block_of(16),
                                       std::min(total_bytes, kShortBlocksBytes), unit);
            case 1:
                return strided_pattern(random_, 1, block_of(100 + draw(random_, 0, 60)),
                                       total_bytes, unit);
            case 2:  // blocks that end beside a chunk's end, again and again
                return strided_pattern(
                    random_, 1, block_of(GetParam().buffer_bytes / 2 + draw(random_, -40, 40)),
                    total_bytes, unit);
            case 3:
                return strided_pattern(random_, 2, block_of(48), total_bytes, unit);
            case 4:  // blocks longer than a buffer
                return strided_pattern(random_, 2, block_of(GetParam().buffer_bytes + 16),
                                       total_bytes, unit);
            case 5:
                return vector_pattern(random_, block_of(64),
                                      std::min(total_bytes, kShortBlocksBytes), unit);
            default:
                return vector_pattern(random_, block_of(GetParam().buffer_bytes + 32), total_bytes,
                                      unit);
        }
    }

    Random random_;
    std::unique_ptr<TestNetwork> network_;
    std::unique_ptr<StderrCapture> captured_;
};

// Memory for any pattern of that many bytes: the shortest blocks have the largest share of gaps,
// and are no more than kShortBlocksBytes.
int64_t memory_for(int64_t total_bytes) {
    return 3 * std::min(total_bytes, kShortBlocksBytes) + total_bytes + total_bytes / 2 + 4096;
}

struct Step {
    Operation operation;
    Route route;
};

constexpr Step kSteps[] = {
    {{OpKind::put}, Route::server},
    {{OpKind::get}, Route::server},
    {{OpKind::acc, AccType::int32, -3}, Route::server},
    {{OpKind::put}, Route::rma},
    {{OpKind::get}, Route::rma},
};

// One transfer after the other; all memory is compared after each.
TEST_P(PipelineMatrix, TransferMovesItsBytesAndNoOthers) {
    const int64_t max = max_bytes(GetParam());
    const int64_t memory_bytes = memory_for(max);
    open(1, 1, memory_bytes);
    std::vector<char> local(static_cast<size_t>(memory_bytes));
    char* remote = network_->memory(0);
    fill(random_, AccType::int32, local.data(), memory_bytes);
    fill(random_, AccType::int32, remote, memory_bytes);
    std::vector<char> expected_local = local;
    std::vector<char> expected_remote(remote, remote + memory_bytes);
    const int64_t sizes[] = {smallest_total(), GetParam().buffer_bytes - 100, max};
    // Large buffers take some of the combinations; small buffers take all.
    const int stride = GetParam().buffer_bytes < 1 << 20   ? 1
                       : GetParam().buffer_bytes < 8 << 20 ? 3
                                                           : 8;
    int turn = 0;
    for (int kind = 0; kind < kKinds; ++kind) {
        for (const Step& step : kSteps) {
            if (turn++ % stride != 0) {
                continue;
            }
            // An operation for each block takes long where they are short.
            const int64_t bytes = step.route == Route::rma && kind != 2 && kind != 4 && kind != 6
                                      ? std::min<int64_t>(sizes[turn % 3], 50'000)
                                      : sizes[turn % 3];
            const Pattern moved = pattern(kind, step.operation, bytes);
            SCOPED_TRACE(::testing::Message() << describe(step.operation) << " by "
                                              << base::name_of(step.route) << ", " << moved);
            ASSERT_LE(std::max(moved.local_end(), moved.remote_end()), memory_bytes);
            network_->wait(*network_->start(
                0, 0, step.route, make_transfer(step.operation, moved, local.data(), remote)));
            network_->fence_all();
            apply(step.operation, moved, expected_local.data(), expected_remote.data());
            ASSERT_TRUE(expect_equal(expected_local, local.data(), "local"));
            ASSERT_TRUE(expect_equal(expected_remote, remote, "remote"));
        }
    }
}

// Many transfers of two origins to three servers at once, over the same few buffers. Each has its
// own part of the memory. All are submitted before the first is waited for.
class PipelineSharing : public PipelineMatrix {};

TEST_P(PipelineSharing, TransfersToSeveralServersShareBuffers) {
    constexpr int kNodes = 3;
    constexpr int kOrigins = 2;
    constexpr int kTransfers = 12;  // of each origin to each node
    const int64_t each = std::min<int64_t>(2 * GetParam().buffer_bytes, 200 << 10) / 2;
    const int64_t stretch = memory_for(each);
    const int64_t slice = kTransfers * stretch;  // of an origin, in every node's memory
    open(kNodes, kOrigins, kOrigins * slice);
    const int64_t local_bytes = kNodes * slice;
    std::vector<std::vector<char>> local(kOrigins);
    std::vector<std::vector<char>> expected_remote;
    for (std::vector<char>& memory : local) {
        memory.resize(static_cast<size_t>(local_bytes));
        fill(random_, AccType::float64, memory.data(), local_bytes);
    }
    std::vector<std::vector<char>> expected_local = local;
    for (int node = 0; node < kNodes; ++node) {
        char* memory = network_->memory(node);
        fill(random_, AccType::float64, memory, kOrigins * slice);
        expected_remote.emplace_back(memory, memory + kOrigins * slice);
    }
    const Operation operations[] = {{OpKind::put},
                                    {OpKind::get},
                                    {OpKind::acc, AccType::float64, 2},
                                    {OpKind::acc, AccType::complex128, -1}};
    std::vector<std::unique_ptr<pipeline::Task>> tasks;
    for (int i = 0; i < kTransfers; ++i) {
        for (int node = 0; node < kNodes; ++node) {
            for (int rank = 0; rank < kOrigins; ++rank) {
                const auto at = static_cast<size_t>(rank);
                const Operation& operation = operations[draw(random_, 0, 3)];
                const Pattern moved =
                    pattern(static_cast<int>(draw(random_, 0, kKinds - 1)), operation,
                            draw(random_, 16, each))
                        .shifted(node * slice + i * stretch, rank * slice + i * stretch);
                ASSERT_LE(moved.local_end(), node * slice + (i + 1) * stretch);
                ASSERT_LE(moved.remote_end(), rank * slice + (i + 1) * stretch);
                apply(operation, moved, expected_local[at].data(),
                      expected_remote[static_cast<size_t>(node)].data());
                tasks.push_back(network_->start(
                    rank, node, Route::server,
                    make_transfer(operation, moved, local[at].data(), network_->memory(node))));
            }
        }
    }
    for (const auto& task : tasks) {
        network_->wait(*task);
    }
    network_->fence_all();
    for (int rank = 0; rank < kOrigins; ++rank) {
        expect_equal(expected_local[static_cast<size_t>(rank)],
                     local[static_cast<size_t>(rank)].data(), "local");
    }
    for (int node = 0; node < kNodes; ++node) {
        expect_equal(expected_remote[static_cast<size_t>(node)], network_->memory(node), "remote");
    }
}

// The same bytes again and again, by every route and in batches of small transfers. Each transfer
// is waited for, as a blocking call does, but there is no fence, and each sees the ones before it.
class PipelineOrder : public PipelineMatrix {
  protected:
    // Adds it to a batch, as for small transfers. False: it must be sent alone. `end` is that of a
    // get.
    bool append(const Operation& operation, const Pattern& pattern, char* local, char* remote,
                const pipeline::GetEnd& end) {
        std::vector<pipeline::SmallBlock> blocks;
        for (const auto& block : pattern.blocks) {
            blocks.push_back(
                {local + block.local, reinterpret_cast<uint64_t>(remote + block.remote)});
        }
        const pipeline::Transfer transfer = make_transfer(operation, pattern, local, remote);
        pipeline::Origin& origin = network_->origin(0);
        return origin.append(origin.channel(0),
                             {.op = operation.kind,
                              .blocks = blocks.data(),
                              .block_count = static_cast<int>(blocks.size()),
                              .block_bytes = static_cast<size_t>(pattern.block_bytes),
                              .scale = operation.kind == OpKind::acc ? &transfer.scale : nullptr,
                              .end = end},
                             pipeline::Batches::Leaving::when_due);
    }
};

TEST_P(PipelineOrder, TransfersOfTheSameBytesTakeEffectInOrder) {
    const int64_t each = std::min<int64_t>(GetParam().buffer_bytes + 104, 100 << 10);
    const int64_t stretch = memory_for(each);
    open(1, 1, stretch);
    char* remote = network_->memory(0);
    std::vector<char> local(static_cast<size_t>(stretch));
    fill(random_, AccType::int64, local.data(), stretch);
    fill(random_, AccType::int64, remote, stretch);
    std::vector<char> expected_local = local;
    std::vector<char> expected_remote(remote, remote + stretch);
    const Operation operations[] = {{OpKind::put}, {OpKind::get}, {OpKind::acc, AccType::int64, 5}};
    int appended = 0;
    for (int i = 0; i < 120; ++i) {
        const Operation& operation = operations[draw(random_, 0, 2)];
        const bool small = draw(random_, 0, 1) == 0;
        const bool by_rma = operation.kind != OpKind::acc && draw(random_, 0, 1) == 0;
        const Pattern moved =
            small ? vector_pattern(random_, 8 * draw(random_, 1, 16), draw(random_, 8, 1000), 8)
                  : pattern(static_cast<int>(draw(random_, 0, kKinds - 1)), operations[2], each);
        const char* how = small ? ", small" : by_rma ? ", by rma" : "";
        SCOPED_TRACE(::testing::Message()
                     << "step " << i << ": " << describe(operation) << how << ", " << moved);
        apply(operation, moved, expected_local.data(), expected_remote.data());
        bool has_come = operation.kind != OpKind::get;
        const pipeline::GetEnd end{[](void* come) { *static_cast<bool*>(come) = true; }, &has_come};
        if (small && std::ssize(moved.blocks) <= pipeline::kMaxSmallBlocks &&
            append(operation, moved, local.data(), remote, end)) {
            network_->wait_until([&] { return has_come; });
            ASSERT_TRUE(operation.kind != OpKind::get ||
                        expect_equal(expected_local, local.data(), "local"));
            ++appended;
            continue;
        }
        network_->wait(*network_->start(0, 0, by_rma ? Route::rma : Route::server,
                                        make_transfer(operation, moved, local.data(), remote)));
        ASSERT_TRUE(expect_equal(expected_local, local.data(), "local"));
    }
    network_->fence_all();
    expect_equal(expected_remote, remote, "remote");
    EXPECT_GT(appended, 0);
}

// A few of them where everything takes many times as long.
#if ARMCI_HAS_ASAN || ARMCI_HAS_TSAN
const MatrixSetting kAlone[] = {{1, 4 << 10, Weather::storm, true},
                                {3, 64 << 10, Weather::registering},
                                {2, 64 << 10, Weather::locked, true}};
const MatrixSetting kTogether[] = {{2, 16 << 10, Weather::storm, true}};
const MatrixSetting kInOrder[] = {{1, 4 << 10, Weather::storm, true},
                                  {1, 16 << 10, Weather::locked, true}};
#else
const MatrixSetting kAlone[] = {{1, 4 << 10, Weather::fair},    {1, 4 << 10, Weather::storm},
                                {2, 4 << 10, Weather::storm},   {3, 4 << 10, Weather::fair, true},
                                {16, 4 << 10, Weather::fair},   {1, 64 << 10, Weather::storm, true},
                                {2, 64 << 10, Weather::fair},   {3, 64 << 10, Weather::registering},
                                {16, 64 << 10, Weather::storm}, {1, 1 << 20, Weather::fair},
                                {3, 1 << 20, Weather::storm},   {16, 1 << 20, Weather::fair, true},
                                {1, 8 << 20, Weather::storm},   {2, 8 << 20, Weather::fair},
                                {2, 64 << 10, Weather::locked}};
const MatrixSetting kTogether[] = {{1, 4 << 10, Weather::fair},
                                   {1, 4 << 10, Weather::storm, true},
                                   {2, 4 << 10, Weather::registering},
                                   {3, 64 << 10, Weather::storm},
                                   {16, 64 << 10, Weather::fair, true}};
const MatrixSetting kInOrder[] = {{1, 4 << 10, Weather::storm, true},
                                  {3, 4 << 10, Weather::fair},
                                  {2, 64 << 10, Weather::storm},
                                  {2, 64 << 10, Weather::registering},
                                  {1, 16 << 10, Weather::locked}};
#endif

INSTANTIATE_TEST_SUITE_P(, PipelineMatrix, ::testing::ValuesIn(kAlone), setting_name);
INSTANTIATE_TEST_SUITE_P(, PipelineSharing, ::testing::ValuesIn(kTogether), setting_name);
INSTANTIATE_TEST_SUITE_P(, PipelineOrder, ::testing::ValuesIn(kInOrder), setting_name);

}  // namespace
}  // namespace armci::test
