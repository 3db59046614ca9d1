// SPDX-License-Identifier: BSD-3-Clause
// Requests of origins besides transfers: words, flags, mutexes, segments and fences, from several
// origins, with and without a thread of the server's own.
#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <cstdint>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "node/mutex_queue.h"
#include "node/word_atomics.h"
#include "pipeline/origin/request_task.h"
#include "server_fixture.h"
#include "transfer_pattern.h"

namespace armci::test {
namespace {

using node::WordOperation;
using pipeline::RequestTask;
using wire::FrameKind;

constexpr int kRequestRanks = 4;
constexpr size_t kRequestMemoryBytes = 64 << 10;

class ServerRequest : public ::testing::TestWithParam<bool> {
  protected:
    // Opening takes longer than the tests: they share a server of each kind until a test fails.
    void SetUp() override {
        TestNetwork*& network = networks_[GetParam() ? 1 : 0];
        if (network == nullptr) {
            NetworkOptions options;
            options.origin_count = kRequestRanks;
            options.memory_bytes = kRequestMemoryBytes;
            options.server_threads = GetParam();
            network = new TestNetwork(options);
        }
        ASSERT_EQ(network->error(), "");
        network_ = network;
        memory_ = network_->memory(0);
        std::fill_n(memory_, kRequestMemoryBytes, '\0');
        base_ = reinterpret_cast<uint64_t>(memory_);
    }
    void TearDown() override {
        if (HasFailure()) {
            TearDownTestSuite();
        }
    }
    static void TearDownTestSuite() {
        for (TestNetwork*& network : networks_) {
            delete std::exchange(network, nullptr);
        }
    }

    // A request under way.
    template <class Body>
    std::unique_ptr<RequestTask> start(int rank, FrameKind kind, const Body& body,
                                       RequestTask::Answer answer = RequestTask::Answer::expected) {
        auto task = std::make_unique<RequestTask>("request", kind, body, answer);
        network_->submit(rank, 0, *task);
        return task;
    }
    template <class Body>
    std::unique_ptr<RequestTask> ask(int rank, FrameKind kind, const Body& body) {
        std::unique_ptr<RequestTask> task = start(rank, kind, body);
        network_->wait(*task);
        return task;
    }
    template <class Body>
    void send(int rank, FrameKind kind, const Body& body) {
        network_->wait(*start(rank, kind, body, RequestTask::Answer::none));
    }
    std::unique_ptr<RequestTask> start_rmw(int rank, WordOperation operation, uint64_t address,
                                           int64_t operand) {
        return start(rank, FrameKind::rmw,
                     wire::RmwBody{address, operand, static_cast<uint32_t>(operation)});
    }
    int64_t rmw(int rank, WordOperation operation, uint64_t address, int64_t operand) {
        const auto task = start_rmw(rank, operation, address, operand);
        network_->wait(*task);
        return task->value();
    }
    // Waits until the server has executed everything that this rank has sent so far: an answer to
    // its last word.
    void settle(int rank) {
        rmw(rank, WordOperation::fetch_add_int, base_ + kRequestMemoryBytes - 8, 0);
    }
    template <class T>
    T word_at(uint64_t address) const {
        return __atomic_load_n(reinterpret_cast<T*>(address), __ATOMIC_ACQUIRE);
    }
    node::Mutex* make_mutex(size_t offset) { return new (memory_ + offset) node::Mutex; }
    wire::LockBody lock_body(const node::Mutex* mutex) const {
        return {reinterpret_cast<uint64_t>(mutex)};
    }

    // exit() must not destroy these: a signal in the middle of a test may call it.
    static inline TestNetwork* networks_[2] = {};
    TestNetwork* network_ = nullptr;
    char* memory_ = nullptr;
    uint64_t base_ = 0;
};

TEST_P(ServerRequest, OperatesOnWordsOfInt) {
    const uint64_t word = base_ + 4;
    EXPECT_EQ(rmw(0, WordOperation::fetch_add_int, word, 7), 0);
    EXPECT_EQ(rmw(1, WordOperation::fetch_add_int, word, -10), 7);
    EXPECT_EQ(rmw(2, WordOperation::swap_int, word, INT_MAX), -3);
    EXPECT_EQ(rmw(3, WordOperation::fetch_add_int, word, 1), INT_MAX);
    EXPECT_EQ(rmw(0, WordOperation::fetch_add_int, word, INT_MIN), INT_MIN);
    EXPECT_EQ(rmw(0, WordOperation::swap_int, word, 42), 0);
    EXPECT_EQ(word_at<int>(word), 42);
    EXPECT_EQ(word_at<int>(word - 4), 0);
    EXPECT_EQ(word_at<int>(word + 4), 0);
}

TEST_P(ServerRequest, OperatesOnWordsOfLong) {
    const uint64_t word = base_ + 8;
    constexpr int64_t kLong = 0x1234'5678'9abc'def0;
    EXPECT_EQ(rmw(0, WordOperation::swap_long, word, kLong), 0);
    EXPECT_EQ(rmw(1, WordOperation::fetch_add_long, word, -1), kLong);
    EXPECT_EQ(rmw(2, WordOperation::swap_long, word, LONG_MAX), kLong - 1);
    EXPECT_EQ(rmw(3, WordOperation::fetch_add_long, word, 2), LONG_MAX);
    EXPECT_EQ(rmw(0, WordOperation::fetch_add_long, word, 0), LONG_MIN + 1);
    EXPECT_EQ(word_at<long>(word), LONG_MIN + 1);
    EXPECT_EQ(word_at<long>(word - 8), 0);
    EXPECT_EQ(word_at<long>(word + 8), 0);
}

TEST_P(ServerRequest, FetchAddReturnsEachValueOnce) {
    constexpr int kTicketsPerRank = 100;
    for (const auto operation : {WordOperation::fetch_add_int, WordOperation::fetch_add_long}) {
        const uint64_t word = base_ + 128 + (operation == WordOperation::fetch_add_int ? 0 : 8);
        std::vector<std::unique_ptr<RequestTask>> tasks;
        for (int i = 0; i < kTicketsPerRank; ++i) {
            for (int rank = 0; rank < kRequestRanks; ++rank) {
                tasks.push_back(start_rmw(rank, operation, word, 1));
            }
        }
        std::vector<int64_t> tickets;
        std::vector<int64_t> last(kRequestRanks, -1);
        for (size_t i = 0; i < tasks.size(); ++i) {
            network_->wait(*tasks[i]);
            tickets.push_back(tasks[i]->value());
            // The values of one rank are in the order in which it asked.
            EXPECT_GT(tickets.back(), last[i % kRequestRanks]);
            last[i % kRequestRanks] = tickets.back();
        }
        std::sort(tickets.begin(), tickets.end());
        for (size_t i = 0; i < tickets.size(); ++i) {
            ASSERT_EQ(tickets[i], static_cast<int64_t>(i));
        }
    }
}

// A flag is set after everything that its rank sent before, by whichever route.
TEST_P(ServerRequest, SetsFlagsAfterTheirData) {
    constexpr int64_t kBytes = 3000;
    const Pattern pattern = contiguous_pattern(kBytes, 0, 512);
    std::vector<char> local(kBytes);
    const uint64_t flag = base_ + 256;
    for (int i = 1; i <= 60; ++i) {
        const auto value = static_cast<char>(i);
        std::fill(local.begin(), local.end(), value);
        const bool by_rma = i % 2 == 0 && network_->is_registered(0) &&
                            network_->origin(1).fences().writes_are_ordered_or_done(
                                network_->origin(1).tasks().last_submitted(), 0);
        const auto put =
            network_->start(1, 0, by_rma ? base::Route::rma : base::Route::server,
                            make_transfer(Operation{}, pattern, local.data(), memory_));
        const auto store =
            start(1, FrameKind::store, wire::StoreBody{flag, i}, RequestTask::Answer::none);
        network_->wait_until([&] { return word_at<int>(flag) == i; });
        ASSERT_TRUE(std::all_of(memory_ + 512, memory_ + 512 + kBytes, [&](char byte) {
            return byte == value;
        })) << i;
        network_->wait(*put);
        network_->wait(*store);
    }
    EXPECT_EQ(word_at<int>(flag + 4), 0);
}

TEST_P(ServerRequest, IncrementsLoseNoCount) {
    const uint64_t counter = base_ + 320;
    int64_t expected = 0;
    for (int i = 0; i < 100; ++i) {
        for (int rank = 0; rank < kRequestRanks; ++rank) {
            const int step = rank == 3 ? -i : i * (rank + 1);
            send(rank, FrameKind::increment, wire::StoreBody{counter, step});
            expected += step;
        }
    }
    network_->fence_all();
    EXPECT_EQ(word_at<int>(counter), expected);
    EXPECT_EQ(word_at<int>(counter + 4), 0);
}

TEST_P(ServerRequest, GrantsMutexesInOrderOfArrival) {
    const node::Mutex* mutex = make_mutex(1024);
    std::vector<int> order = {2, 0, 3, 1};
    Random random(11);
    for (int round = 0; round < 8; ++round) {
        SCOPED_TRACE(round);
        std::vector<std::unique_ptr<RequestTask>> locks;
        for (const int rank : order) {
            locks.push_back(start(rank, FrameKind::lock, lock_body(mutex)));
            settle(rank);
        }
        for (size_t i = 0; i < order.size(); ++i) {
            network_->wait(*locks[i]);
            EXPECT_EQ(mutex->holder, order[i]);
            for (size_t later = i + 1; later < order.size(); ++later) {
                settle(order[later]);
                EXPECT_FALSE(locks[later]->is_complete());
            }
            send(order[i], FrameKind::unlock, lock_body(mutex));
            settle(order[i]);
        }
        EXPECT_EQ(mutex->holder, node::kNoHolder);
        std::shuffle(order.begin(), order.end(), random);
    }
}

TEST_P(ServerRequest, TryLockTakesOnlyFreeMutexes) {
    const node::Mutex* mutex = make_mutex(1088);
    const node::Mutex* other = make_mutex(1152);
    const auto try_lock = [&](int rank, const node::Mutex* which) {
        return ask(rank, FrameKind::try_lock, lock_body(which))->value();
    };
    EXPECT_EQ(try_lock(0, mutex), 1);
    EXPECT_EQ(try_lock(1, mutex), 0);
    EXPECT_EQ(try_lock(1, other), 1);
    const auto lock = start(2, FrameKind::lock, lock_body(mutex));
    settle(2);
    EXPECT_EQ(try_lock(3, mutex), 0);
    EXPECT_FALSE(lock->is_complete());
    send(0, FrameKind::unlock, lock_body(mutex));
    network_->wait(*lock);
    EXPECT_EQ(mutex->holder, 2);
    EXPECT_EQ(try_lock(3, mutex), 0);
    send(2, FrameKind::unlock, lock_body(mutex));
    settle(2);
    EXPECT_EQ(try_lock(3, mutex), 1);
    EXPECT_EQ(other->holder, 1);
    send(3, FrameKind::unlock, lock_body(mutex));
    send(1, FrameKind::unlock, lock_body(other));
    settle(1);
    settle(3);
    EXPECT_EQ(mutex->holder, node::kNoHolder);
    EXPECT_EQ(other->holder, node::kNoHolder);
}

// Only a mutex keeps these words consistent: they are read and written by messages while the lock
// is held.
TEST_P(ServerRequest, MutexesExcludeOtherRanks) {
    const node::Mutex* mutex = make_mutex(1216);
    const uint64_t word = base_ + 1280;
    constexpr int kRounds = 25;
    struct Worker {
        int rounds = 0;
        std::unique_ptr<RequestTask> step;
        enum { locking, reading } state = locking;
    };
    Worker workers[kRequestRanks];
    for (int rank = 0; rank < kRequestRanks; ++rank) {
        workers[rank].step = start(rank, FrameKind::lock, lock_body(mutex));
    }
    network_->wait_until([&] {
        int done = 0;
        for (int rank = 0; rank < kRequestRanks; ++rank) {
            Worker& worker = workers[rank];
            if (worker.rounds == kRounds) {
                ++done;
            } else if (!worker.step->is_complete()) {
                continue;
            } else if (worker.state == Worker::locking) {
                worker.step = start_rmw(rank, WordOperation::fetch_add_long, word, 0);
                worker.state = Worker::reading;
            } else {
                const int64_t next = worker.step->value() + 1;
                send(rank, FrameKind::store, wire::StoreBody{word, static_cast<int32_t>(next)});
                send(rank, FrameKind::unlock, lock_body(mutex));
                worker.state = Worker::locking;
                if (++worker.rounds < kRounds) {
                    worker.step = start(rank, FrameKind::lock, lock_body(mutex));
                }
            }
        }
        return done == kRequestRanks;
    });
    network_->fence_all();
    EXPECT_EQ(word_at<int>(word), kRounds * kRequestRanks);
}

TEST_P(ServerRequest, ServesAddedSegmentsUntilTheyAreRemoved) {
    const uint64_t segment =
        base_ + kRequestMemoryBytes;  // part of the node's heap that is not used yet
    constexpr uint64_t kBytes = 8192;
    const wire::SegmentBody body{segment, kBytes};
    const Pattern pattern = contiguous_pattern(kBytes, 0, 0);
    std::vector<char> local(kBytes);
    std::vector<char> fetched(kBytes);
    for (int round = 0; round < 3; ++round) {
        SCOPED_TRACE(round);
        const int rank = round % kRequestRanks;
        const auto added = ask(rank, FrameKind::add_segment, body);
        EXPECT_EQ(added->segment().registered, network_->is_registered(0) ? 1u : 0u);
        std::fill(local.begin(), local.end(), static_cast<char>('a' + round));
        auto* remote = reinterpret_cast<char*>(segment);
        network_->wait(*network_->start(3, 0, base::Route::server,
                                        make_transfer(Operation{}, pattern, local.data(), remote)));
        network_->wait(*network_->start(
            3, 0, base::Route::server,
            make_transfer(Operation{base::OpKind::get}, pattern, fetched.data(), remote)));
        EXPECT_EQ(fetched, local);
        EXPECT_EQ(ask(rank, FrameKind::remove_segment, body)->value(), 1);
        EXPECT_EQ(ask(rank, FrameKind::remove_segment, body)->value(), 0);
    }
}

// The process of a server adds and removes segments without messages.
TEST_P(ServerRequest, ServesSegmentsThatItsProcessHasAdded) {
    const uint64_t segment = base_ + kRequestMemoryBytes;
    constexpr uint64_t kBytes = 8192;
    const wire::SegmentBody body{segment, kBytes};
    datasrv::Server& server = network_->server(0);
    const uint64_t executed = server.executed_frames();
    wire::SegmentReply reply;
    while (!server.try_add_segment(body, &reply)) {
        sched_yield();  // the server's thread is serving
    }
    EXPECT_EQ(server.executed_frames(), executed);
    EXPECT_EQ(reply.registered, network_->is_registered(0) ? 1u : 0u);
    for (int i = 0; i < 100; ++i) {
        ASSERT_FALSE(server.try_add_segment(body, &reply)) << "it is there already";
        ASSERT_FALSE(server.try_add_segment({segment + 4096, kBytes}, &reply)) << "it overlaps";
        ASSERT_FALSE(server.try_add_segment({uint64_t{4096}, kBytes}, &reply)) << "not in the heap";
        ASSERT_FALSE(server.try_remove_segment({segment + 4096, kBytes})) << "none begins there";
    }
    const Pattern pattern = contiguous_pattern(kBytes, 0, 0);
    std::vector<char> local(kBytes, 'q');
    std::vector<char> fetched(kBytes);
    auto* remote = reinterpret_cast<char*>(segment);
    network_->wait(*network_->start(3, 0, base::Route::server,
                                    make_transfer(Operation{}, pattern, local.data(), remote)));
    network_->wait(*network_->start(
        3, 0, base::Route::server,
        make_transfer(Operation{base::OpKind::get}, pattern, fetched.data(), remote)));
    EXPECT_EQ(fetched, local);
    while (!server.try_remove_segment(body)) {
        sched_yield();
    }
    EXPECT_EQ(ask(1, FrameKind::remove_segment, body)->value(), 0);
}

// A fence ends when all earlier operations are complete. It sends nothing if there were none.
TEST_P(ServerRequest, FencesWaitForEarlierOperations) {
    network_->fence_all();
    EXPECT_TRUE(network_->origin(0).fences().start(0).empty());
    EXPECT_TRUE(network_->origin(0).fences().start_all().empty());
    const uint64_t word = base_ + 2048;
    for (int i = 1; i <= 50; ++i) {
        send(0, FrameKind::increment, wire::StoreBody{word, 1});
        pipeline::Fence fence = network_->origin(0).fences().start(0);
        ASSERT_FALSE(fence.empty());
        network_->wait_until([&] { return network_->origin(0).fences().is_done(&fence); });
        ASSERT_EQ(word_at<int>(word), i);
        EXPECT_TRUE(network_->origin(0).fences().start(0).empty());
    }
    network_->fence_all();
    // Operations that change nothing need no fence.
    const node::Mutex* mutex = make_mutex(2112);
    EXPECT_EQ(ask(0, FrameKind::try_lock, lock_body(mutex))->value(), 1);
    EXPECT_TRUE(network_->origin(0).fences().start(0).empty());
}

INSTANTIATE_TEST_SUITE_P(, ServerRequest, ::testing::Bool(),
                         [](const ::testing::TestParamInfo<bool>& kind) {
                             return kind.param ? "threads" : "driven";
                         });

}  // namespace
}  // namespace armci::test
