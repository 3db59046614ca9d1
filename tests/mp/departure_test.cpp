// SPDX-License-Identifier: BSD-3-Clause
// A blocking operation is sent before the call returns: it takes effect at the target though the
// origin makes no further call, of the library or of MPI.
//
// Rank 0 makes one call and then reads a board, in memory that ranks share without the library,
// until the last rank has found the effect by plain loads. A test whose operation never arrives
// hangs until its time limit. The ranks are on one host, on nodes of their own or not.
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "armci/armcix.h"
#include "support/global_memory.h"
#include "support/transfer.h"

namespace armci::mp {
namespace {

constexpr int64_t kSlice = 2 << 20;
constexpr int kSmall = 8;
constexpr int kMedium = 2000;
constexpr int kLarge = 1 << 20;

// A word of each rank that all can load and store.
class Board {
  public:
    Board() {
        int* mine = nullptr;
        MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, harness_comm(), &mine,
                                &window_);
        *mine = 0;
        MPI_Aint bytes = 0;
        int unit = 0;
        int* word = nullptr;
        MPI_Win_shared_query(window_, 0, &bytes, &unit, &word);
        word_ = word;
        sync();
    }
    ~Board() { MPI_Win_free(&window_); }
    Board(const Board&) = delete;
    Board& operator=(const Board&) = delete;

    void write(int value) { __atomic_store_n(word_, value, __ATOMIC_RELEASE); }
    void wait_for(int value) const {
        volatile double work = 1.0;
        while (__atomic_load_n(word_, __ATOMIC_ACQUIRE) != value) {
            work = work * 1.0000001 + 1e-9;
            sched_yield();
        }
    }

  private:
    MPI_Win window_ = MPI_WIN_NULL;
    int* word_ = nullptr;
};

int origin() {
    return 0;
}
int target() {
    return nproc() - 1;
}

class Departure : public testing::Test {
  protected:
    Departure() : memory_(kSlice), local_(kSlice) {
        clear();
        ARMCI_Barrier();
    }

    char* remote() const { return memory_.at(target()); }
    int* remote_word() const { return memory_.element<int>(target(), kSlice / 4 - 1); }
    char* local() { return local_.data(); }

    // The origin fills its local memory with the bytes of `value` and calls `operation`. The target
    // waits, by plain loads, until the value is in the last of the bytes that the operation
    // changes.
    void check(const char* what, int64_t last_byte, const std::function<void()>& operation) {
        check_until(what, operation, [&](char value) { wait_for_byte(last_byte, value); });
    }

    void check_until(const char* what, const std::function<void()>& operation,
                     const std::function<void(char value)>& arrived, int64_t rounds = scaled(16)) {
        SCOPED_TRACE(what);
        for (int64_t i = 0; i < rounds; ++i) {
            const int round = ++round_;
            const auto value = static_cast<char>(1 + round % 100);
            if (me() == target()) {
                clear();
            }
            std::fill(local_.begin(), local_.end(), value);
            sync();
            if (me() == origin()) {
                operation();
            }
            if (me() == target()) {
                arrived(value);
                board_.write(round);
            }
            if (me() == origin()) {
                board_.wait_for(round);
            }
            sync();
        }
    }

    void wait_for_byte(int64_t offset, char value) const {
        const volatile char* found = memory_.mine() + offset;
        while (*found != value) {
            sched_yield();
        }
    }
    static void wait_for_int(const volatile int* found, int value) {
        while (*found != value) {
            sched_yield();
        }
    }

  private:
    void clear() { std::memset(memory_.mine(), 0, kSlice); }

    Board board_;
    int round_ = 0;
    GlobalMemory memory_;
    std::vector<char> local_;
};

// The elements are zero before, so that an accumulate leaves a known value.
int int_scale = 1;

// Rows of 64 bytes, 128 apart on the remote side.
struct Rows {
    explicit Rows(int rows) : count{64, rows}, last_byte((rows - 1) * 128 + 63) {
        for (int i = 0; i < rows; ++i) {
            offsets.push_back(i);
        }
    }
    int near[1] = {64};
    int far[1] = {128};
    int count[2];
    int64_t last_byte;
    std::vector<int> offsets;

    // The same rows, in reverse order for a vector.
    armci_giov_t vector(char* local, char* remote) {
        from.clear();
        to.clear();
        for (const int i : offsets) {
            // The blocks are not evenly spaced locally, so that it stays a vector.
            from.push_back(local + static_cast<ptrdiff_t>(i) * 64 + (i % 2) * 8);
            to.push_back(remote + static_cast<ptrdiff_t>(i) * 128);
        }
        return {from.data(), to.data(), 64, static_cast<int>(from.size())};
    }
    std::vector<void*> from;
    std::vector<void*> to;
};

const std::vector<int> kRowCounts = {2, 100, 1000};

// promise: completion.blocking-has-left
TEST_F(Departure, Put) {
    for (const int bytes : {kSmall, kMedium, kLarge}) {
        check("ARMCI_Put", bytes - 1, [&] { ARMCI_Put(local(), remote(), bytes, target()); });
    }
}

// promise: completion.blocking-has-left
TEST_F(Departure, PutS) {
    for (const int rows : kRowCounts) {
        Rows r(rows);
        check("ARMCI_PutS", r.last_byte,
              [&] { ARMCI_PutS(local(), r.near, remote(), r.far, r.count, 1, target()); });
    }
}

// promise: completion.blocking-has-left
TEST_F(Departure, PutV) {
    for (const int rows : kRowCounts) {
        Rows r(rows);
        check("ARMCI_PutV", r.last_byte, [&] {
            armci_giov_t vector = r.vector(local(), remote());
            ARMCI_PutV(&vector, 1, target());
        });
    }
}

// promise: completion.blocking-has-left
TEST_F(Departure, Acc) {
    for (const int bytes : {kSmall, kMedium, kLarge}) {
        check("ARMCI_Acc", bytes - 1,
              [&] { ARMCI_Acc(ARMCI_ACC_INT, &int_scale, local(), remote(), bytes, target()); });
    }
}

// promise: completion.blocking-has-left
TEST_F(Departure, AccS) {
    for (const int rows : kRowCounts) {
        Rows r(rows);
        check("ARMCI_AccS", r.last_byte, [&] {
            ARMCI_AccS(ARMCI_ACC_INT, &int_scale, local(), r.near, remote(), r.far, r.count, 1,
                       target());
        });
    }
}

// promise: completion.blocking-has-left
TEST_F(Departure, AccV) {
    for (const int rows : kRowCounts) {
        Rows r(rows);
        check("ARMCI_AccV", r.last_byte, [&] {
            armci_giov_t vector = r.vector(local(), remote());
            ARMCI_AccV(ARMCI_ACC_INT, &int_scale, &vector, 1, target());
        });
    }
}

template <typename T>
T first(const char* bytes) {
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return value;
}

// promise: completion.blocking-has-left
TEST_F(Departure, PutValue) {
    check("ARMCI_PutValueInt", sizeof(int) - 1,
          [&] { ARMCI_PutValueInt(first<int>(local()), remote(), target()); });
    check("ARMCI_PutValueLong", sizeof(long) - 1,
          [&] { ARMCI_PutValueLong(first<long>(local()), remote(), target()); });
    check("ARMCI_PutValueFloat", sizeof(float) - 1,
          [&] { ARMCI_PutValueFloat(first<float>(local()), remote(), target()); });
    check("ARMCI_PutValueDouble", sizeof(double) - 1,
          [&] { ARMCI_PutValueDouble(first<double>(local()), remote(), target()); });
}

TEST_F(Departure, NbPutValue) {
    const std::vector<std::function<void(armci_hdl_t*)>> puts = {
        [&](armci_hdl_t* handle) {
            ARMCI_NbPutValueInt(first<int>(local()), remote(), target(), handle);
        },
        [&](armci_hdl_t* handle) {
            ARMCI_NbPutValueLong(first<long>(local()), remote(), target(), handle);
        },
        [&](armci_hdl_t* handle) {
            ARMCI_NbPutValueFloat(first<float>(local()), remote(), target(), handle);
        },
        [&](armci_hdl_t* handle) {
            ARMCI_NbPutValueDouble(first<double>(local()), remote(), target(), handle);
        }};
    for (const auto& put : puts) {
        check("ARMCI_NbPutValue", 3, [&] {
            armci_hdl_t handle;
            ARMCI_INIT_HANDLE(&handle);
            put(&handle);
            ARMCI_Wait(&handle);
        });
    }
}

// promise: completion.blocking-has-left
TEST_F(Departure, PutFlag) {
    for (const int bytes : {0, kSmall, kMedium, kLarge}) {
        check_until(
            "ARMCI_Put_flag",
            [&] { ARMCI_Put_flag(local(), remote(), bytes, remote_word(), 77, target()); },
            [&](char value) {
                wait_for_int(remote_word(), 77);
                EXPECT_EQ(remote()[std::max(bytes - 1, 0)], bytes > 0 ? value : 0);
            });
    }
    Rows r(100);
    check_until(
        "ARMCI_PutS_flag",
        [&] {
            ARMCI_PutS_flag(local(), r.near, remote(), r.far, r.count, 1, remote_word(), 77,
                            target());
        },
        [&](char value) {
            wait_for_int(remote_word(), 77);
            EXPECT_EQ(remote()[r.last_byte], value);
        });
}

TEST_F(Departure, Rmw) {
    const auto arrived = [&](char value) {
        wait_for_int(reinterpret_cast<const volatile int*>(remote()), value);
    };
    for (const int op : {ARMCI_FETCH_AND_ADD, ARMCI_SWAP}) {
        check_until(
            "ARMCI_Rmw of an int",
            [&] {
                int word = local()[0];
                ARMCI_Rmw(op, &word, remote(), word, target());
            },
            arrived);
    }
    for (const int op : {ARMCI_FETCH_AND_ADD_LONG, ARMCI_SWAP_LONG}) {
        check_until(
            "ARMCI_Rmw of a long",
            [&] {
                long word = local()[0];
                ARMCI_Rmw(op, &word, remote(), static_cast<int>(word), target());
            },
            arrived);
    }
}

// It follows a small put, which must have arrived then.
TEST_F(Departure, Notify) {
    check_until(
        "armci_notify",
        [&] {
            ARMCI_Put(local(), remote(), kSmall, target());
            armci_notify(target());
        },
        [&](char value) {
            int waited = 0;
            armci_notify_wait(origin(), &waited);
            EXPECT_EQ(remote()[kSmall - 1], value);
        });
}

// The next holder waits in the library. The holder before does not call it again.
TEST_F(Departure, Unlock) {
    ASSERT_EQ(ARMCI_Create_mutexes(1), 0);
    for (int owner = 0; owner < nproc(); ++owner) {
        for (int64_t i = 0; i < scaled(16); ++i) {
            if (me() == origin()) {
                ARMCI_Lock(0, owner);
            }
            check_until(
                "ARMCI_Unlock",
                [&] {
                    ARMCI_Put(local(), remote(), kSmall, target());
                    ARMCI_Unlock(0, owner);
                },
                [&](char value) {
                    ARMCI_Lock(0, owner);
                    EXPECT_EQ(remote()[kSmall - 1], value);
                    ARMCI_Unlock(0, owner);
                },
                1);
        }
    }
    EXPECT_EQ(ARMCI_Destroy_mutexes(), 0);
}

struct End {
    const char* name;
    std::function<void(armci_hdl_t* handle)> call;
};

const std::vector<End>& ends() {
    static const std::vector<End> all = {
        {"ARMCI_Wait", [](armci_hdl_t* handle) { ARMCI_Wait(handle); }},
        {"ARMCI_Test",
         [](armci_hdl_t* handle) {
             while (ARMCI_Test(handle) != 0) {
                 sched_yield();
             }
         }},
        {"ARMCI_WaitProc", [](armci_hdl_t*) { ARMCI_WaitProc(target()); }},
        {"ARMCI_WaitAll", [](armci_hdl_t*) { ARMCI_WaitAll(); }},
        {"ARMCI_Fence", [](armci_hdl_t*) { ARMCI_Fence(target()); }},
        {"ARMCI_AllFence", [](armci_hdl_t*) { ARMCI_AllFence(); }}};
    return all;
}

// An operation that was waited for has left, too.
// promise: completion.waited-has-left
TEST_F(Departure, WaitedNonBlockingOperations) {
    Rows few(2);
    Rows many(1000);
    struct Start {
        const char* name;
        int64_t last_byte;
        std::function<void(armci_hdl_t* handle)> call;
    };
    std::vector<Start> starts;
    for (const int bytes : {kSmall, kMedium, kLarge}) {
        starts.push_back({"ARMCI_NbPut", bytes - 1, [&, bytes](armci_hdl_t* handle) {
                              ARMCI_NbPut(local(), remote(), bytes, target(), handle);
                          }});
        starts.push_back({"ARMCI_NbAcc", bytes - 1, [&, bytes](armci_hdl_t* handle) {
                              ARMCI_NbAcc(ARMCI_ACC_INT, &int_scale, local(), remote(), bytes,
                                          target(), handle);
                          }});
    }
    for (Rows* rows : {&few, &many}) {
        starts.push_back({"ARMCI_NbPutS", rows->last_byte, [&, rows](armci_hdl_t* handle) {
                              ARMCI_NbPutS(local(), rows->near, remote(), rows->far, rows->count, 1,
                                           target(), handle);
                          }});
        starts.push_back({"ARMCI_NbAccS", rows->last_byte, [&, rows](armci_hdl_t* handle) {
                              ARMCI_NbAccS(ARMCI_ACC_INT, &int_scale, local(), rows->near, remote(),
                                           rows->far, rows->count, 1, target(), handle);
                          }});
        starts.push_back({"ARMCI_NbPutV", rows->last_byte, [&, rows](armci_hdl_t* handle) {
                              armci_giov_t vector = rows->vector(local(), remote());
                              ARMCI_NbPutV(&vector, 1, target(), handle);
                          }});
        starts.push_back({"ARMCI_NbAccV", rows->last_byte, [&, rows](armci_hdl_t* handle) {
                              armci_giov_t vector = rows->vector(local(), remote());
                              ARMCI_NbAccV(ARMCI_ACC_INT, &int_scale, &vector, 1, target(), handle);
                          }});
    }
    for (const Start& start : starts) {
        for (const End& end : ends()) {
            SCOPED_TRACE(end.name);
            check_until(
                start.name,
                [&] {
                    armci_hdl_t handle;
                    ARMCI_INIT_HANDLE(&handle);
                    start.call(&handle);
                    end.call(&handle);
                },
                [&](char value) { wait_for_byte(start.last_byte, value); }, scaled(4));
        }
    }
}

// Many operations at a time, of which the last share frames.
// promise: completion.blocking-has-left
TEST_F(Departure, ManySmallOperations) {
    constexpr int kPuts = 60;
    for (const bool is_blocking : {true, false}) {
        check(is_blocking ? "blocking puts" : "non-blocking puts", kPuts * kSmall - 1, [&] {
            for (int i = 0; i < kPuts; ++i) {
                char* from = local() + static_cast<ptrdiff_t>(i) * kSmall;
                char* to = remote() + static_cast<ptrdiff_t>(i) * kSmall;
                if (is_blocking) {
                    ARMCI_Put(from, to, kSmall, target());
                } else {
                    ARMCI_NbPut(from, to, kSmall, target(), nullptr);
                }
            }
            ARMCI_WaitProc(target());
        });
    }
}

// A small operation leaves although a non-blocking put, which is not waited for and longer than
// what a network accepts at once, is before it.
// promise: completion.blocking-has-left
TEST_F(Departure, SmallOperationsWhileALargePutIsUnderWay) {
    constexpr int64_t kBytes = 32 << 20;
    const GlobalMemory large(kBytes);
    std::vector<char> source(kBytes, 1);
    ARMCI_Barrier();
    const auto check_behind = [&](const char* what, const std::function<void()>& operation,
                                  const std::function<void(char value)>& arrived) {
        check_until(
            what,
            [&] {
                ARMCI_NbPut(source.data(), large.at(target()), kBytes, target(), nullptr);
                operation();
            },
            arrived, scaled(4));
        ARMCI_WaitAll();
        ARMCI_Barrier();
    };
    const auto byte_arrives = [&](char value) { wait_for_byte(kSmall - 1, value); };
    check_behind(
        "ARMCI_Put", [&] { ARMCI_Put(local(), remote(), kSmall, target()); }, byte_arrives);
    check_behind(
        "two ARMCI_Put",
        [&] {
            ARMCI_Put(local(), remote() + kMedium, kSmall, target());
            ARMCI_Put(local(), remote(), kSmall, target());
        },
        [&](char value) {
            wait_for_byte(kSmall - 1, value);
            wait_for_byte(kMedium + kSmall - 1, value);
        });
    check_behind(
        "ARMCI_PutValueInt", [&] { ARMCI_PutValueInt(*local(), remote_word(), target()); },
        [&](char value) { wait_for_int(remote_word(), value); });
    check_behind(
        "ARMCI_Put_flag",
        [&] { ARMCI_Put_flag(local(), remote(), kSmall, remote_word(), *local(), target()); },
        [&](char value) {
            wait_for_int(remote_word(), value);
            EXPECT_EQ(remote()[kSmall - 1], value);
        });
    check_behind(
        "armci_notify", [&] { armci_notify(target()); },
        [&](char) {
            int waited = 0;
            armci_notify_wait(origin(), &waited);
        });
}

// Where a fence has followed each of the last puts, the next one may be written by RMA from a copy
// and end before the network has done anything with it.
// promise: completion.blocking-has-left
TEST_F(Departure, PutThatAFenceUsuallyFollows) {
    for (const int bytes : {kSmall, 16384, 16385}) {
        for (const bool is_after_large : {false, true}) {
            check(is_after_large ? "behind a large put" : "alone", bytes - 1, [&] {
                for (int i = 0; i < 3; ++i) {
                    ARMCI_Put(local(), remote() + kLarge, bytes, target());
                    ARMCI_Fence(target());
                }
                if (is_after_large) {
                    ARMCI_Put(local(), remote() + kLarge, kSlice - kLarge, target());
                }
                ARMCI_Put(local(), remote(), bytes, target());
            });
        }
    }
}

}  // namespace
}  // namespace armci::mp
