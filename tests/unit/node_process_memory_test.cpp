// SPDX-License-Identifier: BSD-3-Clause
// Copies to and from the memory of another process, and accumulate there. The other process is a
// child, which shares only a mapping for the results.
#include "node/process_memory.h"

#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "base/futex.h"
#include "child_process.h"
#include "node/process_accumulate.h"
#include "strided/cursor.h"
#include "task_state.h"
#include "test_heap.h"

namespace armci::test {
namespace {

using node::AccessFailure;
using node::Attachment;
using node::ProcessAccumulator;
using node::ProcessMover;
using node::StripedLocks;
using Direction = node::ProcessMover::Direction;

constexpr size_t kPage = 4096;

Attachment process(int pid) {
    Attachment entry{};
    entry.pid = pid;
    entry.pid_namespace = node::own_pid_namespace();
    return entry;
}

void* map_pages(size_t bytes, int flags) {
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(memory, MAP_FAILED);
    return memory;
}

// A child process with a private copy of `bytes` bytes at memory(), which it frees when it is asked
// to end. Both processes use the same addresses.
class Neighbour {
  public:
    explicit Neighbour(size_t bytes)
        : bytes_(bytes),
          memory_(static_cast<char*>(map_pages(bytes, MAP_PRIVATE))),
          result_(static_cast<char*>(map_pages(bytes, MAP_SHARED))),
          stop_(new (map_pages(kPage, MAP_SHARED)) std::atomic<uint32_t>(0)) {
        for (size_t i = 0; i < bytes; ++i) {
            memory_[i] = static_cast<char>(i * 7 + i / 251);
        }
        expected_.assign(memory_, memory_ + bytes);
        int ready[2] = {};
        EXPECT_EQ(pipe(ready), 0);
        child_ = std::make_unique<ChildProcess>([&] {
            const int pid = getpid();
            if (!node::allow_access_by_others().empty() ||
                write(ready[1], &pid, sizeof pid) != sizeof pid) {
                return 1;
            }
            while (stop_->load() == 0) {
                base::futex_wait(stop_, 0, kWaitUs);
            }
            std::memcpy(result_, memory_, bytes_);
            return 0;
        });
        EXPECT_EQ(read(ready[0], &pid_, sizeof pid_), static_cast<ssize_t>(sizeof pid_));
        close(ready[0]);
        close(ready[1]);
    }
    ~Neighbour() {
        end();
        child_.reset();
        munmap(memory_, bytes_);
        munmap(result_, bytes_);
        munmap(stop_, kPage);
    }
    Neighbour(const Neighbour&) = delete;
    Neighbour& operator=(const Neighbour&) = delete;

    char* memory() const { return memory_; }  // here; it has the same address in the child
    std::vector<char>& expected() { return expected_; }
    Attachment entry() const { return process(pid_); }

    // Ends the child and compares its memory with the expected contents. The memory of this process
    // must not have changed.
    void check() {
        end();
        ASSERT_EQ(child_->wait(), 0);
        for (size_t i = 0; i < bytes_; ++i) {
            ASSERT_EQ(result_[i], expected_[i]) << "byte " << i;
            ASSERT_EQ(memory_[i], static_cast<char>(i * 7 + i / 251)) << "ours, byte " << i;
        }
    }

  private:
    static constexpr int64_t kWaitUs = 100'000'000;

    void end() {
        stop_->store(1);
        base::futex_wake(stop_, 1);
    }

    size_t bytes_;
    char* memory_;
    char* result_;
    std::atomic<uint32_t>* stop_;
    std::vector<char> expected_;
    int pid_ = 0;
    std::unique_ptr<ChildProcess> child_;
};

// More blocks than one call takes, dense and scattered, of many lengths.
TEST(ProcessMover, MovesManyBlocksInBothDirections) {
    Neighbour neighbour(64 * kPage);
    std::mt19937_64 random(3);
    std::vector<char> sent(64 * kPage);
    for (char& byte : sent) {
        byte = static_cast<char>(random());
    }
    ProcessMover writer(neighbour.entry(), Direction::to_process);
    size_t at = 0;
    for (int piece = 0; piece < 1500; ++piece) {
        const size_t bytes = 1 + random() % 97;
        const size_t place = at + (piece % 3 == 0 ? 0 : random() % 50);
        writer.add(&sent[at], neighbour.memory() + place, static_cast<int64_t>(bytes));
        std::memcpy(&neighbour.expected()[place], &sent[at], bytes);
        at = place + bytes;
    }
    ASSERT_TRUE(writer.finish());
    std::vector<char> received(neighbour.expected().size());
    ProcessMover reader(neighbour.entry(), Direction::from_process);
    for (size_t begin = 0; begin < received.size(); begin += 100) {
        const size_t bytes = std::min<size_t>(100, received.size() - begin);
        reader.add(&received[begin], neighbour.memory() + begin, static_cast<int64_t>(bytes));
    }
    ASSERT_TRUE(reader.finish());
    EXPECT_EQ(received, neighbour.expected());
    neighbour.check();
}

TEST(ProcessMover, MovesLayoutsFromAnyByte) {
    Neighbour neighbour(16 * kPage);
    strided::Layout layout;
    layout.levels = 2;
    layout.count[0] = 24;
    layout.count[1] = 10;
    layout.count[2] = 7;
    layout.stride[0] = 56;
    layout.stride[1] = 1000;
    const int64_t total = strided::total_bytes(layout);
    std::vector<char> sent(static_cast<size_t>(total), 'x');
    // In chunks that end anywhere.
    ProcessMover mover(neighbour.entry(), Direction::to_process);
    strided::StridedCursor cursor(neighbour.memory(), layout);
    for (int64_t done = 0; done < total;) {
        const int64_t bytes = std::min<int64_t>(total - done, 101);
        ASSERT_TRUE(node::move_layout(mover, cursor, &sent[static_cast<size_t>(done)], bytes));
        done += bytes;
    }
    strided::StridedCursor oracle(neighbour.expected().data(), layout);
    strided::unpack(oracle, sent.data(), total);
    neighbour.check();
}

// Memory that does not exist, or is read-only, is an error that names its address. The blocks
// before it are moved.
TEST(ProcessMover, ReportsMissingAndReadOnlyMemory) {
    char* memory = static_cast<char*>(map_pages(4 * kPage, MAP_PRIVATE));
    ASSERT_EQ(mprotect(memory + 2 * kPage, kPage, PROT_READ), 0);
    ASSERT_EQ(munmap(memory + 3 * kPage, kPage), 0);
    std::vector<char> sent(2 * kPage, 'y');
    std::vector<char> received(2 * kPage);
    const auto failure_of = [&](Direction direction, size_t at, size_t bytes) {
        ProcessMover mover(process(getpid()), direction);
        mover.add(direction == Direction::to_process ? sent.data() : received.data(), memory + at,
                  static_cast<int64_t>(bytes));
        const bool moved = mover.finish();
        EXPECT_EQ(moved, mover.failure().error == 0);
        return mover.failure();
    };
    EXPECT_EQ(failure_of(Direction::from_process, 2 * kPage, kPage).error, 0);
    EXPECT_EQ(failure_of(Direction::to_process, 0, 2 * kPage).error, 0);
    const auto address = [&](size_t at) { return reinterpret_cast<uint64_t>(memory + at); };
    AccessFailure failure = failure_of(Direction::to_process, kPage, 2 * kPage);
    EXPECT_TRUE(failure.is_fault());
    EXPECT_EQ(failure.address, address(2 * kPage));
    failure = failure_of(Direction::from_process, 2 * kPage + 8, kPage);
    EXPECT_TRUE(failure.is_fault());
    EXPECT_EQ(failure.address, address(3 * kPage));
    EXPECT_EQ(memory[kPage], 'y');
    EXPECT_NE(node::explain(failure).find("ARMCIX_Detach"), std::string::npos);
    munmap(memory, 3 * kPage);
}

TEST(ProcessMover, ReportsProcessesThatDoNotExist) {
    int word = 5;
    char byte = 0;
    ProcessMover reader(process(INT32_MAX), Direction::from_process);  // no process has that number
    reader.add(&byte, &word, 1);
    EXPECT_FALSE(reader.finish());
    EXPECT_EQ(reader.failure().error, ESRCH);
    EXPECT_FALSE(reader.failure().is_fault());
    EXPECT_NE(node::explain(reader.failure()).find("ptrace_scope"), std::string::npos);
    // In this process the number means another process.
    Attachment elsewhere = process(getpid());
    ++elsewhere.pid_namespace;
    ProcessMover writer(elsewhere, Direction::to_process);
    const int other = 6;
    writer.add(&other, &word, sizeof word);
    EXPECT_FALSE(writer.finish());
    EXPECT_EQ(word, 5);
}

// Makes the calls fail as containers do. Returns false if the system has no filters.
bool forbid_process_calls() {
    const sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_writev, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog program{static_cast<unsigned short>(std::size(rules)),
                             const_cast<sock_filter*>(rules)};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

// Where the calls are forbidden, a process still reaches itself, and reports others as unreachable
// early.
TEST(ProcessMover, ReportsForbiddenCalls) {
    constexpr int kNoFilters = 77;
    ChildProcess child([] {
        if (!forbid_process_calls()) {
            return kNoFilters;
        }
        int word = 5;
        int seen = 0;
        ProcessMover reader(process(getpid()), Direction::from_process);
        reader.add(&seen, &word, sizeof word);
        if (!reader.finish() || seen != 5) {
            return 1;
        }
        seen = 9;
        ProcessMover writer(process(getpid()), Direction::to_process);
        writer.add(&seen, &word, sizeof word);
        if (!writer.finish() || word != 9) {
            return 2;
        }
        ProcessMover other(process(getppid()), Direction::from_process);
        other.add(&seen, &word, sizeof word);
        if (other.finish() || other.failure().error != EPERM) {
            return 3;
        }
        return node::allow_access_by_others().find("seccomp") != std::string::npos ? 0 : 4;
    });
    const int status = child.wait();
    if (status == kNoFilters) {
        GTEST_SKIP() << "no system call filters here";
    }
    EXPECT_EQ(status, 0);
}

// Compares with plain arithmetic: random blocks, in any order, overlapping, across granules.
TEST(ProcessAccumulator, RandomBlocksAgreeWithTheReference) {
    constexpr size_t kBytes = 12 * StripedLocks::kGranuleBytes;
    Neighbour neighbour(kBytes);
    const auto locks = std::make_unique<StripedLocks>();
    std::mt19937_64 random(11);
    const int64_t three = 3;
    const strided::AccScale scale = strided::make_scale(strided::AccType::int64, &three);
    std::vector<int64_t> source(4096);
    for (int64_t& number : source) {
        number = static_cast<int64_t>(random());
    }
    constexpr size_t kNumbers = kBytes / sizeof(int64_t);
    auto* target = reinterpret_cast<int64_t*>(neighbour.memory());
    auto* expected = reinterpret_cast<uint64_t*>(neighbour.expected().data());
    for (int round = 0; round < 20; ++round) {
        ProcessAccumulator accumulator(*locks, scale, neighbour.entry());
        size_t place = 0;
        for (int turn = 0; turn < 400; ++turn) {
            const size_t count = 1 + random() % (turn % 50 == 0 ? 4000 : 20);
            place = turn % 5 == 0 ? random() : place + (turn % 3);
            place %= kNumbers - count;
            accumulator.add(source.data(), target + place, static_cast<int64_t>(8 * count));
            for (size_t i = 0; i < count; ++i) {
                expected[place + i] += 3 * static_cast<uint64_t>(source[i]);
            }
        }
        ASSERT_TRUE(accumulator.finish());
    }
    neighbour.check();
}

TEST(ProcessAccumulator, AddsComplexNumbersAcrossGranules) {
    constexpr size_t kBytes = 3 * StripedLocks::kGranuleBytes;
    Neighbour neighbour(kBytes);
    const auto locks = std::make_unique<StripedLocks>();
    // Whole numbers, so that sums can be compared.
    std::vector<double> zero(kBytes / sizeof(double), 1.0);
    ProcessMover writer(neighbour.entry(), Direction::to_process);
    writer.add(zero.data(), neighbour.memory(), static_cast<int64_t>(kBytes));
    ASSERT_TRUE(writer.finish());
    const double factor[2] = {2.0, 1.0};
    const strided::AccScale scale = strided::make_scale(strided::AccType::complex128, factor);
    // One component further, so that the end of every granule splits a complex number.
    std::vector<double> source(kBytes / sizeof(double) - 2);
    for (size_t i = 0; i < source.size(); ++i) {
        source[i] = static_cast<double>(i % 9);
    }
    ProcessAccumulator accumulator(*locks, scale, neighbour.entry());
    accumulator.add(source.data(), neighbour.memory() + sizeof(double),
                    static_cast<int64_t>(source.size() * sizeof(double)));
    ASSERT_TRUE(accumulator.finish());
    auto* expected = reinterpret_cast<double*>(neighbour.expected().data());
    std::copy(zero.begin(), zero.end(), expected);
    for (size_t i = 0; i < source.size(); i += 2) {
        expected[1 + i] += 2 * source[i] - source[i + 1];
        expected[2 + i] += 2 * source[i + 1] + source[i];
    }
    neighbour.check();
}

TEST(ProcessAccumulator, ReportsMissingMemoryAndReleasesTheLock) {
    const auto locks = std::make_unique<StripedLocks>();
    char* memory = static_cast<char*>(map_pages(2 * kPage, MAP_PRIVATE));
    ASSERT_EQ(munmap(memory + kPage, kPage), 0);
    const int one = 1;
    const strided::AccScale scale = strided::make_scale(strided::AccType::int32, &one);
    std::vector<int> source(2 * kPage / sizeof(int), 1);
    for (int round = 0; round < 2; ++round) {
        ProcessAccumulator accumulator(*locks, scale, process(getpid()));
        accumulator.add(source.data(), memory + kPage, static_cast<int64_t>(kPage));
        EXPECT_FALSE(accumulator.finish());
        EXPECT_TRUE(accumulator.failure().is_fault());
        EXPECT_EQ(accumulator.failure().address, reinterpret_cast<uint64_t>(memory + kPage));
    }
    munmap(memory, kPage);
}

// Another thread has the lock of that place: nothing is added there, and no word changes, before it
// is released.
TEST(ProcessAccumulator, ChangesNothingWithoutTheLock) {
    const auto locks = std::make_unique<StripedLocks>();
    auto* number = static_cast<int64_t*>(map_pages(kPage, MAP_PRIVATE));
    node::SharedLock& lock = (*locks)[StripedLocks::stripe_of(number)];
    const std::function<bool()> changes[] = {
        [&] {
            const int64_t one = 1;
            const strided::AccScale scale = strided::make_scale(strided::AccType::int64, &one);
            ProcessAccumulator accumulator(*locks, scale, process(getpid()));
            accumulator.add(&one, number, sizeof one);
            return accumulator.finish();
        },
        [&] {
            int64_t old = 0;
            AccessFailure failure;
            return node::read_modify_write(*locks, process(getpid()),
                                           node::WordOperation::fetch_add_long, number, 1, &old,
                                           &failure);
        }};
    for (const std::function<bool()>& change : changes) {
        *number = 0;
        lock.lock();
        std::atomic<int> tid{0};
        std::atomic<bool> is_done{false};
        std::thread other([&] {
            tid.store(gettid());
            EXPECT_TRUE(change());
            is_done.store(true);
        });
        // A thread that waits long for the lock sleeps.
        while (!is_done.load() &&
               (tid.load() == 0 || !is_blocked_in(task_of(tid.load()), SYS_clock_nanosleep))) {
            std::this_thread::yield();
        }
        EXPECT_FALSE(is_done.load());
        EXPECT_EQ(std::atomic_ref(*number).load(), 0);
        lock.unlock();
        other.join();
        EXPECT_EQ(*number, 1);
    }
    munmap(number, kPage);
}

// Children add to and count in one child's memory at the same time, and no addition is missing.
TEST(ProcessAccumulator, ConcurrentAccumulatesAndWordsAreAtomic) {
    constexpr int kChildren = 4;
    constexpr int kRounds = 300;
    constexpr size_t kNumbers = 3000;
    constexpr size_t kBytes = 6 * kPage + kPage;
    TestHeap heap(1 << 20);
    Neighbour neighbour(kBytes);
    const Attachment entry = neighbour.entry();
    auto* target = reinterpret_cast<int64_t*>(neighbour.memory());
    int64_t* word = target + kNumbers;
    {
        std::vector<ChildProcess> children;
        for (int child = 0; child < kChildren; ++child) {
            children.emplace_back([&] {
                const std::vector<int64_t> ones(kNumbers, 1);
                const int64_t one = 1;
                const strided::AccScale scale = strided::make_scale(strided::AccType::int64, &one);
                for (int round = 0; round < kRounds; ++round) {
                    ProcessAccumulator accumulator(heap->stripes(), scale, entry);
                    accumulator.add(ones.data(), target, static_cast<int64_t>(8 * kNumbers));
                    int64_t old = 0;
                    AccessFailure failure;
                    if (!accumulator.finish() ||
                        !node::read_modify_write(heap->stripes(), entry,
                                                 node::WordOperation::fetch_add_long, word, 1, &old,
                                                 &failure)) {
                        return 1;
                    }
                }
                return 0;
            });
        }
        for (ChildProcess& child : children) {
            EXPECT_EQ(child.wait(), 0);
        }
    }
    auto* expected = reinterpret_cast<int64_t*>(neighbour.expected().data());
    for (size_t i = 0; i <= kNumbers; ++i) {
        expected[i] += int64_t{kChildren} * kRounds;
    }
    neighbour.check();
}

}  // namespace
}  // namespace armci::test
