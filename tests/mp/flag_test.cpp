// SPDX-License-Identifier: BSD-3-Clause
// Put with flag and notify: the target learns of the data without a fence of the origin.
#include <gtest/gtest.h>
#include <sched.h>

#include <cstring>

#include "support/check.h"
#include "support/global_memory.h"
#include "support/transfer.h"

namespace armci::mp {
namespace {

// Polls the word by plain loads, without a call of the library, which must make progress by itself.
void spin_until(const volatile int* flag, int value) {
    while (*flag != value) {
        sched_yield();
    }
}

// A ring of mailboxes: data and flag for the right neighbour, both in its slice.
class Mailbox {
  public:
    explicit Mailbox(int64_t bytes) : bytes_(bytes), memory_(bytes + 2 * kFlagBytes) {
        std::memset(memory_.mine(), 0, static_cast<size_t>(bytes + 2 * kFlagBytes));
        ARMCI_Barrier();
    }
    char* remote_data() const { return memory_.at(right()); }
    int* remote_flag() const { return flag_of(right()); }
    // For a rank that is neither origin nor target.
    char* data_at(int proc) const { return memory_.at(proc); }
    int* flag_at(int proc) const { return flag_of(proc); }
    const char* my_data() const { return memory_.mine(); }
    const volatile int* my_flag() const { return flag_of(me()); }
    int64_t bytes() const { return bytes_; }

  private:
    static constexpr int64_t kFlagBytes = 64;
    int* flag_of(int proc) const {
        return reinterpret_cast<int*>(memory_.at(proc, (bytes_ + 7) / 8 * 8));
    }
    int64_t bytes_;
    GlobalMemory memory_;
};

// Contents that depend on the round and the sender.
std::vector<char> message(int sender, int64_t round, int64_t bytes) {
    std::vector<char> data(static_cast<size_t>(bytes));
    for (size_t i = 0; i < data.size(); ++i) {
        data[i] = static_cast<char>(static_cast<size_t>(sender) * 31 +
                                    static_cast<size_t>(round) * 7 + i * 13 + 1);
    }
    return data;
}

// promise: flag.stored, flag.after-data, flag.frees-source
TEST(Flag, ContiguousDataIsThereWithTheFlag) {
    for (const int64_t bytes : {1, 8, 1000, 5000, 70000, 1000000}) {
        Mailbox box(bytes);
        for (int64_t round = 1; round <= scaled(16); ++round) {
            std::vector<char> data = message(me(), round, bytes);
            EXPECT_EQ(ARMCI_Put_flag(data.data(), box.remote_data(), static_cast<int>(bytes),
                                     box.remote_flag(), static_cast<int>(round), right()),
                      0);
            // Local completion: the buffer belongs to the caller again.
            std::fill(data.begin(), data.end(), 0x55);
            spin_until(box.my_flag(), static_cast<int>(round));
            expect_same_bytes(message(left(), round, bytes).data(), box.my_data(), bytes,
                              "data under a flag, " + std::to_string(bytes) + " bytes");
            sync();
        }
    }
}

// promise: flag.strided, flag.second-name, flag.frees-source, flag.after-data
TEST(Flag, StridedDataIsThereWithTheFlag) {
    constexpr int kRow = 96;
    constexpr int kRows = 40;
    constexpr int kWidth = 160;
    const Shape shape = strided_shape(0, {kRow}, 16, {kWidth}, {kRow, kRows});
    Mailbox box(int64_t{kWidth} * kRows);
    for (int64_t round = 1; round <= scaled(32); ++round) {
        std::vector<char> data = message(me(), round, int64_t{kRow} * kRows);
        int local_stride[1] = {kRow};
        int remote_stride[1] = {kWidth};
        int count[2] = {kRow, kRows};
        const auto put = round % 2 == 0 ? ARMCI_PutS_flag_dir : ARMCI_PutS_flag;
        EXPECT_EQ(put(data.data(), local_stride, box.remote_data() + 16, remote_stride, count, 1,
                      box.remote_flag(), static_cast<int>(round), right()),
                  0);
        std::fill(data.begin(), data.end(), 0x55);
        spin_until(box.my_flag(), static_cast<int>(round));
        std::vector<char> expected(static_cast<size_t>(box.bytes()), 0);
        Transfer transfer;
        transfer.shape = shape;
        std::vector<char> sent = message(left(), round, int64_t{kRow} * kRows);
        apply(transfer, sent.data(), expected.data());
        expect_same_bytes(expected.data(), box.my_data(), box.bytes(), "strided data under a flag");
        sync();
    }
}

// Earlier puts of the same origin to the same target are visible with the flag as well.
// promise: flag.after-earlier-puts
TEST(Flag, EarlierPutsAreVisible) {
    constexpr int64_t kPieces = 20;
    constexpr int64_t kPiece = 777;
    Mailbox box(kPieces * kPiece);
    for (int64_t round = 1; round <= scaled(16); ++round) {
        std::vector<char> data = message(me(), round, box.bytes());
        for (int64_t piece = 0; piece + 1 < kPieces; ++piece) {
            ARMCI_Put(data.data() + piece * kPiece, box.remote_data() + piece * kPiece, kPiece,
                      right());
        }
        ARMCI_Put_flag(data.data() + (kPieces - 1) * kPiece,
                       box.remote_data() + (kPieces - 1) * kPiece, kPiece, box.remote_flag(),
                       static_cast<int>(round), right());
        spin_until(box.my_flag(), static_cast<int>(round));
        expect_same_bytes(message(left(), round, box.bytes()).data(), box.my_data(), box.bytes(),
                          "puts before the flag");
        sync();
    }
}

// A third rank sees the flag by gets, and then gets the data.
// promise: flag.seen-remotely
TEST(Flag, ThirdRankSeesDataWithTheFlag) {
    const int writer = (me() + nproc() - 2) % nproc();  // to my left neighbour
    for (const int64_t bytes : {8, 3000, 300000}) {
        Mailbox box(bytes);
        for (int64_t round = 1; round <= scaled(16); ++round) {
            std::vector<char> data = message(me(), round, bytes);
            ARMCI_Put_flag(data.data(), box.remote_data(), static_cast<int>(bytes),
                           box.remote_flag(), static_cast<int>(round), right());
            while (ARMCI_GetValueInt(box.flag_at(left()), left()) != round) {
                sched_yield();
            }
            std::vector<char> found(static_cast<size_t>(bytes));
            ARMCI_Get(box.data_at(left()), found.data(), static_cast<int>(bytes), left());
            expect_same_bytes(message(writer, round, bytes).data(), found.data(), bytes,
                              "data under a flag that a third rank sees");
            sync();
        }
    }
}

// A flag without data is a plain remote store.
// promise: flag.stored
TEST(Flag, FlagWithoutDataIsAStore) {
    Mailbox box(8);
    EXPECT_EQ(ARMCI_Put_flag(nullptr, nullptr, 0, box.remote_flag(), 4711, right()), 0);
    spin_until(box.my_flag(), 4711);
    sync();
}

// Notifications are counted, and arrive after the data that was put before them.
// promise: notify.behind-all, notify.numbers, notify.wait
TEST(Notify, DataIsThereWithTheNotification) {
    constexpr int64_t kBytes = 3000;
    Mailbox box(kBytes);
    int sent_before = 0;
    for (int64_t round = 1; round <= scaled(40); ++round) {
        std::vector<char> data = message(me(), round, kBytes);
        ARMCI_Put(data.data(), box.remote_data(), kBytes, right());
        const int sent = armci_notify(right());
        if (round > 1) {
            EXPECT_EQ(sent, sent_before + 1) << "notify returns how many were sent";
        }
        sent_before = sent;
        int waited_for = -1;
        const int received = armci_notify_wait(left(), &waited_for);
        EXPECT_GE(received, waited_for);
        expect_same_bytes(message(left(), round, kBytes).data(), box.my_data(), kBytes,
                          "data before a notification");
        sync();
    }
}

// Several notifications may be under way. Each wait takes one.
// promise: notify.wait
TEST(Notify, EachWaitTakesOne) {
    constexpr int kCount = 10;
    for (int i = 0; i < kCount; ++i) {
        armci_notify(right());
        armci_notify(left());
    }
    int first = 0;
    armci_notify_wait(left(), &first);
    for (int i = 1; i < kCount; ++i) {
        int number = 0;
        armci_notify_wait(left(), &number);
        EXPECT_EQ(number, first + i);
    }
    for (int i = 0; i < kCount; ++i) {
        int number = 0;
        armci_notify_wait(right(), &number);
        if (left() != right()) {
            continue;
        }
        EXPECT_EQ(number, first + kCount + i);
    }
    sync();
}

}  // namespace
}  // namespace armci::mp
