// SPDX-License-Identifier: BSD-3-Clause
// The message layer: reductions, selection, send and receive, broadcast, trees.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

#include "armci/message.h"
#include "support/check.h"
#include "support/global_memory.h"

namespace armci::mp {
namespace {

char* text(const char* op) {
    return const_cast<char*>(op);
}

template <typename T>
struct TypeCode;
template <>
struct TypeCode<int> {
    static constexpr int value = ARMCI_INT;
};
template <>
struct TypeCode<long> {
    static constexpr int value = ARMCI_LONG;
};
template <>
struct TypeCode<long long> {
    static constexpr int value = ARMCI_LONG_LONG;
};
template <>
struct TypeCode<float> {
    static constexpr int value = ARMCI_FLOAT;
};
template <>
struct TypeCode<double> {
    static constexpr int value = ARMCI_DOUBLE;
};

void typed_gop(int* x, int n, char* op) {
    armci_msg_igop(x, n, op);
}
void typed_gop(long* x, int n, char* op) {
    armci_msg_lgop(x, n, op);
}
void typed_gop(long long* x, int n, char* op) {
    armci_msg_llgop(x, n, op);
}
void typed_gop(float* x, int n, char* op) {
    armci_msg_fgop(x, n, op);
}
void typed_gop(double* x, int n, char* op) {
    armci_msg_dgop(x, n, op);
}

void typed_gop(int* x, int n, char* op, ARMCI_Group* g) {
    armci_msg_group_igop(x, n, op, g);
}
void typed_gop(long* x, int n, char* op, ARMCI_Group* g) {
    armci_msg_group_lgop(x, n, op, g);
}
void typed_gop(long long* x, int n, char* op, ARMCI_Group* g) {
    armci_msg_group_llgop(x, n, op, g);
}
void typed_gop(float* x, int n, char* op, ARMCI_Group* g) {
    armci_msg_group_fgop(x, n, op, g);
}
void typed_gop(double* x, int n, char* op, ARMCI_Group* g) {
    armci_msg_group_dgop(x, n, op, g);
}

template <typename T>
struct Operator {
    const char* name;
    std::function<T(T, T)> combine;
    bool absolute = false;  // operands are replaced by their absolute values first
    bool logical = false;   // of a single operand only the truth value is defined
};

template <typename T>
T magnitude(T value) {
    return value < T{0} ? -value : value;
}

template <typename T>
std::vector<Operator<T>> operators() {
    const auto largest = [](T a, T b) { return std::max(a, b); };
    const auto smallest = [](T a, T b) { return std::min(a, b); };
    std::vector<Operator<T>> list = {
        {"+", [](T a, T b) { return a + b; }},
        {"*", [](T a, T b) { return a * b; }},
        {"max", largest},
        {"min", smallest},
        {"absmax", largest, true},
        {"absmin", smallest, true},
        {"maximum", largest},
    };
    if constexpr (std::is_integral_v<T>) {
        const auto bit_or = [](T a, T b) { return a | b; };
        const auto bit_and = [](T a, T b) { return a & b; };
        const auto both = [](T a, T b) { return static_cast<T>(a != 0 && b != 0); };
        const auto either = [](T a, T b) { return static_cast<T>(a != 0 || b != 0); };
        const std::vector<Operator<T>> integer = {{"or", bit_or},
                                                  {"|", bit_or},
                                                  {"bor", bit_or},
                                                  {"&", bit_and},
                                                  {"band", bit_and},
                                                  {"&&", both, false, true},
                                                  {"land", both, false, true},
                                                  {"||", either, false, true},
                                                  {"lor", either, false, true}};
        list.insert(list.end(), integer.begin(), integer.end());
    }
    return list;
}

// Element i of the rank's contribution: small, of both signs, with zeros, so that products do not
// overflow.
template <typename T>
T contribution(int rank, int64_t i) {
    return static_cast<T>((rank * 5 + i * 3) % 7 - 3);
}

template <typename T>
std::vector<T> expected_result(const Operator<T>& op, const std::vector<int>& ranks, int n) {
    std::vector<T> result(static_cast<size_t>(n));
    for (int i = 0; i < n; ++i) {
        const auto operand = [&](int rank) {
            const T value = contribution<T>(rank, i);
            return op.absolute ? magnitude(value) : value;
        };
        T value = operand(ranks[0]);
        if (op.logical) {
            value = static_cast<T>(value != T{0});
        }
        for (size_t k = 1; k < ranks.size(); ++k) {
            value = op.combine(value, operand(ranks[k]));
        }
        result[static_cast<size_t>(i)] = value;
    }
    return result;
}

template <typename T>
std::vector<T> my_contribution(int n) {
    std::vector<T> x(static_cast<size_t>(n));
    for (int i = 0; i < n; ++i) {
        x[static_cast<size_t>(i)] = contribution<T>(me(), i);
    }
    return x;
}

template <typename T>
void expect_result(const std::vector<T>& expected, const T* x, const std::string& what) {
    expect_same_bytes(expected.data(), x, static_cast<int64_t>(expected.size() * sizeof(T)), what);
}

// The same for the result of an operator.
template <typename T>
void expect_result(const Operator<T>& op, const std::vector<int>& ranks, std::vector<T> x,
                   const std::string& what) {
    if (op.logical && ranks.size() == 1) {
        for (T& value : x) {
            value = static_cast<T>(value != T{0});
        }
    }
    expect_result(expected_result(op, ranks, static_cast<int>(x.size())), x.data(),
                  what + ' ' + op.name);
}

std::vector<int> ranks_from(int first, int step) {
    std::vector<int> ranks;
    for (int rank = first; rank < nproc(); rank += step) {
        ranks.push_back(rank);
    }
    return ranks;
}

template <typename T>
class Reduction : public testing::Test {};
using ReductionTypes = testing::Types<int, long, long long, float, double>;
TYPED_TEST_SUITE(Reduction, ReductionTypes);

// promise: message.reductions, message.longer-names, message.masters
TYPED_TEST(Reduction, ReducesOverWorld) {
    using T = TypeParam;
    const std::vector<int> all_ranks = ranks_from(0, 1);
    for (const auto& op : operators<T>()) {
        for (const int n : {0, 3, 1000}) {
            auto x = my_contribution<T>(n);
            typed_gop(x.data(), n, text(op.name));
            expect_result(op, all_ranks, x, "typed");
            if (n != 3) {
                continue;
            }
            for (const int scope : {SCOPE_ALL, SCOPE_MASTERS}) {
                x = my_contribution<T>(n);
                armci_msg_gop_scope(scope, x.data(), n, text(op.name), TypeCode<T>::value);
                expect_result(op, all_ranks, x, "scoped");
                x = my_contribution<T>(n);
                armci_msg_reduce_scope(scope, x.data(), n, text(op.name), TypeCode<T>::value);
                expect_result(op, all_ranks, x, "reduce");
            }
        }
    }
}

// The caller's domain, which is one process by default and a node if configured.
// promise: message.node-scope
TYPED_TEST(Reduction, ReducesOverNodeScope) {
    using T = TypeParam;
    std::vector<int> ranks;
    for (int rank = 0; rank < nproc(); ++rank) {
        if (ARMCI_Same_node(rank) != 0) {
            ranks.push_back(rank);
        }
    }
    for (const auto& op : operators<T>()) {
        auto x = my_contribution<T>(5);
        armci_msg_gop_scope(SCOPE_NODE, x.data(), 5, text(op.name), TypeCode<T>::value);
        expect_result(op, ranks, x, "node");
    }
}

// The first process of each domain. The others keep their values.
TYPED_TEST(Reduction, ReducesOverMastersScope) {
    using T = TypeParam;
    const std::vector<int> ranks = ranks_from(0, armci_domain_nprocs(ARMCI_DOMAIN_SMP, -1));
    for (const auto& op : operators<T>()) {
        auto x = my_contribution<T>(5);
        armci_msg_gop_scope(SCOPE_MASTERS, x.data(), 5, text(op.name), TypeCode<T>::value);
        if (std::find(ranks.begin(), ranks.end(), me()) != ranks.end()) {
            expect_result(op, ranks, x, "masters");
        } else {
            expect_result(my_contribution<T>(5), x.data(), "not among the masters");
        }
    }
}

// promise: message.reductions
TYPED_TEST(Reduction, ReducesOverAGroup) {
    using T = TypeParam;
    std::vector<int> ranks = ranks_from(me() % 2, 2);
    ARMCI_Group group;
    ARMCI_Group_create(static_cast<int>(ranks.size()), ranks.data(), &group);
    for (const auto& op : operators<T>()) {
        auto x = my_contribution<T>(17);
        typed_gop(x.data(), 17, text(op.name), &group);
        expect_result(op, ranks, x, "group");
        x = my_contribution<T>(17);
        armci_msg_group_gop_scope(SCOPE_ALL, x.data(), 17, text(op.name), TypeCode<T>::value,
                                  &group);
        expect_result(op, ranks, x, "scoped group");
    }
    ARMCI_Group_free(&group);
}

TEST(Message, ReducesManyElements) {
    constexpr int kCount = 300000;
    const Operator<double> sum{"+", [](double a, double b) { return a + b; }};
    auto x = my_contribution<double>(kCount);
    armci_msg_dgop(x.data(), kCount, text("+"));
    expect_result(expected_result(sum, ranks_from(0, 1), kCount), x.data(), "a long sum");
}

TEST(Message, ReducesInGlobalMemory) {
    GlobalMemory memory(100 * static_cast<int64_t>(sizeof(int)));
    int* x = memory.element<int>(me());
    const auto mine = my_contribution<int>(100);
    std::copy(mine.begin(), mine.end(), x);
    armci_msg_igop(x, 100, text("+"));
    const Operator<int> sum{"+", [](int a, int b) { return a + b; }};
    expect_result(expected_result(sum, ranks_from(0, 1), 100), x, "a sum in global memory");
}

// As Global Arrays uses it: a record is a value, followed by any bytes of the caller.
template <typename T>
void check_selection(const char* op, bool largest) {
    constexpr int kRecordBytes = 88;
    for (int variant = 0; variant < 6; ++variant) {
        // Which ranks contribute: all, all but one, one, odd ranks, one in three, none.
        const auto contributes = [&](int rank) {
            switch (variant) {
                case 0:
                    return true;
                case 1:
                    return rank != nproc() / 2;
                case 2:
                    return rank == nproc() - 1;
                case 3:
                    return rank % 2 == 1;
                case 4:
                    return rank % 3 == 0;
                default:
                    return false;
            }
        };
        const auto value_of = [](int rank) { return static_cast<T>((rank * 3 + 1) % 4 - 2); };
        std::vector<char> record(kRecordBytes, static_cast<char>(me() + 1));
        const T mine = value_of(me());
        std::memcpy(record.data(), &mine, sizeof mine);
        int winner = -1;
        for (int rank = 0; rank < nproc(); ++rank) {
            if (contributes(rank) &&
                (winner < 0 || (largest ? value_of(rank) > value_of(winner)
                                        : value_of(rank) < value_of(winner)))) {
                winner = rank;
            }
        }
        const int source = winner < 0 ? me() : winner;  // no contribution: nothing changes
        std::vector<char> expected(kRecordBytes, static_cast<char>(source + 1));
        const T best = value_of(source);
        std::memcpy(expected.data(), &best, sizeof best);
        if (variant % 2 == 0) {
            armci_msg_sel(record.data(), kRecordBytes, text(op), TypeCode<T>::value,
                          contributes(me()) ? 1 : 0);
        } else {
            armci_msg_sel_scope(SCOPE_ALL, record.data(), kRecordBytes, text(op),
                                TypeCode<T>::value, contributes(me()) ? 1 : 0);
        }
        expect_same_bytes(
            expected.data(), record.data(), kRecordBytes,
            std::string("selection by ") + op + ", variant " + std::to_string(variant));
    }
}

// promise: message.select, message.select-of-some
TYPED_TEST(Reduction, SelectsTheExtremeOfTheContributions) {
    check_selection<TypeParam>("max", true);
    check_selection<TypeParam>("min", false);
}

// A rank that does not contribute has no value that could be selected.
// promise: message.select-of-some
TEST(Message, SelectsInfinityIfContributed) {
    const double infinity = std::numeric_limits<double>::infinity();
    for (const double value : {-infinity, infinity}) {
        const bool contributes = me() == nproc() - 1;
        double record = contributes ? value : 1.0;
        armci_msg_sel(&record, sizeof record, text(value < 0 ? "max" : "min"),
                      TypeCode<double>::value, contributes ? 1 : 0);
        EXPECT_EQ(record, value);
    }
}

// All ranks get one record, also where a contribution is no number, from which nothing differs.
// promise: message.select
TEST(Message, SelectsOneRecordAmongNumbersAndNone) {
    for (const char* op : {"max", "min"}) {
        struct Record {
            double value;
            int rank;
        } record{me() == 0 ? std::numeric_limits<double>::quiet_NaN() : me(), me()};
        armci_msg_sel(&record, sizeof record, text(op), TypeCode<double>::value, 1);
        int ranks[2] = {record.rank, -record.rank};
        MPI_Allreduce(MPI_IN_PLACE, ranks, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        EXPECT_EQ(ranks[0], -ranks[1]) << op;
    }
}

// promise: message.reductions
TEST(Message, TheLeastIntegerHasTheLargestAbsoluteValue) {
    for (const char* op : {"absmax", "absmin"}) {
        long value = me() == 0 ? std::numeric_limits<long>::min() : 7;
        armci_msg_lgop(&value, 1, text(op));
        const bool takes_it = nproc() == 1 || std::string(op) == "absmax";
        EXPECT_EQ(value, takes_it ? std::numeric_limits<long>::max() : 7) << op;
    }
}

// promise: message.ranks, message.timer
TEST(Message, ReportsRanksAndTime) {
    EXPECT_EQ(armci_msg_me(), me());
    EXPECT_EQ(armci_msg_nproc(), nproc());
    const double before = armci_timer();
    EXPECT_GE(armci_timer(), before);
}

// promise: message.send, message.receive
TEST(Message, SendsAndReceivesInARing) {
    for (const int bytes : {0, 1, 1000, 100000, 3000000}) {
        std::vector<char> sent(static_cast<size_t>(bytes), static_cast<char>(me() + bytes));
        std::vector<char> received(static_cast<size_t>(bytes) + 8, 0x66);
        int length = -1;
        const int tag = 7 + bytes;
        // Even ranks send first: no rank waits for a buffer of the library. (In a ring of odd
        // length rank 0 and the last both send first, which does not deadlock.)
        if (me() % 2 == 0) {
            armci_msg_snd(tag, sent.data(), bytes, right());
        }
        armci_msg_rcv(tag, received.data(), bytes + 8, &length, left());
        if (me() % 2 != 0) {
            armci_msg_snd(tag, sent.data(), bytes, right());
        }
        EXPECT_EQ(length, bytes);
        std::vector<char> expected(static_cast<size_t>(bytes), static_cast<char>(left() + bytes));
        expected.insert(expected.end(), 8, 0x66);
        expect_same_bytes(expected.data(), received.data(), bytes + 8, "a message in a ring");
    }
}

// Several messages to the rank itself may be under way, also large ones.
// promise: message.to-oneself, message.send, message.receive
TEST(Message, SendsToItself) {
    constexpr int kMessages = 4;
    constexpr int kBytes = 500000;
    for (int i = 0; i < kMessages; ++i) {
        std::vector<char> sent(kBytes, static_cast<char>(i + 1));
        armci_msg_snd(i, sent.data(), kBytes, me());
        std::fill(sent.begin(), sent.end(), 0);  // the buffer is free again
    }
    for (const int i : {2, 0, 3, 1}) {
        std::vector<char> received(kBytes, 0);
        armci_msg_rcv(i, received.data(), kBytes, nullptr, me());
        const std::vector<char> expected(kBytes, static_cast<char>(i + 1));
        expect_same_bytes(expected.data(), received.data(), kBytes, "a message to oneself");
    }
}

TEST(Message, KeepsTheOrderOfOnePair) {
    constexpr int kCount = 50;
    const int partner = nproc() - 1 - me();
    const auto send_all = [&] {
        for (int i = 0; i < kCount; ++i) {
            armci_msg_snd(3, &i, sizeof i, partner);
        }
    };
    if (me() <= partner) {
        send_all();
    }
    for (int i = 0; i < kCount; ++i) {
        int received = -1;
        int length = -1;
        armci_msg_rcv(3, &received, sizeof received, &length, partner);
        EXPECT_EQ(received, i);
        EXPECT_EQ(length, static_cast<int>(sizeof i));
    }
    if (me() > partner) {
        send_all();
    }
}

// promise: message.receive-any
TEST(Message, ReceivesFromAnyRank) {
    int rank = me();
    armci_msg_snd(11, &rank, sizeof rank, 0);  // also the receiver
    if (me() == 0) {
        std::vector<bool> seen(static_cast<size_t>(nproc()), false);
        for (int i = 0; i < nproc(); ++i) {
            rank = -1;
            int length = -1;
            const int source = armci_msg_rcvany(11, &rank, sizeof rank, &length);
            EXPECT_EQ(rank, source);
            EXPECT_EQ(length, static_cast<int>(sizeof rank));
            ASSERT_TRUE(source >= 0 && source < nproc());
            EXPECT_FALSE(seen[static_cast<size_t>(source)]);
            seen[static_cast<size_t>(source)] = true;
        }
    }
    sync();
}

// promise: message.broadcast
TEST(Message, BroadcastsFromEveryRoot) {
    for (int root = 0; root < nproc(); ++root) {
        for (const int bytes : {0, 1, 17, 200000}) {
            const std::vector<char> expected(static_cast<size_t>(bytes),
                                             static_cast<char>(root + bytes));
            const std::vector<char> other(static_cast<size_t>(bytes), 0x7e);
            const auto mine = [&] { return me() == root ? expected : other; };
            auto x = mine();
            armci_msg_bcast(x.data(), bytes, root);
            EXPECT_EQ(x, expected);
            x = mine();
            armci_msg_brdcst(x.data(), bytes, root);
            EXPECT_EQ(x, expected);
            x = mine();
            armci_msg_bcast_scope(SCOPE_ALL, x.data(), bytes, root);
            EXPECT_EQ(x, expected);
        }
    }
}

// The root of a group's broadcast is a rank of world.
// promise: message.group-broadcast
TEST(Message, BroadcastsInAGroup) {
    std::vector<int> ranks = ranks_from(me() % 2, 2);
    std::reverse(ranks.begin(), ranks.end());
    ARMCI_Group group;
    ARMCI_Group_create(static_cast<int>(ranks.size()), ranks.data(), &group);
    for (const int root : ranks) {
        long value = me() == root ? 1000 + root : -1;
        armci_msg_group_bcast_scope(SCOPE_ALL, &value, sizeof value, root, &group);
        EXPECT_EQ(value, 1000 + root);
        value = me();
        armci_msg_group_bcast_scope(SCOPE_NODE, &value, sizeof value, me(), &group);
        EXPECT_EQ(value, me());
    }
    ARMCI_Group_free(&group);
}

// promise: message.tree
TEST(Message, ReportsTheBinaryTree) {
    const auto existing = [](int rank) { return rank < nproc() ? rank : -1; };
    for (const int scope : {SCOPE_ALL, SCOPE_MASTERS}) {
        int root = -9;
        int up = -9;
        int left = -9;
        int right = -9;
        armci_msg_bintree(scope, &root, &up, &left, &right);
        EXPECT_EQ(root, 0);
        EXPECT_EQ(up, me() == 0 ? -1 : (me() - 1) / 2);
        EXPECT_EQ(left, existing(2 * me() + 1));
        EXPECT_EQ(right, existing(2 * me() + 2));
    }
    int root = -9;
    int up = -9;
    int left = -9;
    int right = -9;
    armci_msg_bintree(SCOPE_NODE, &root, &up, &left, &right);
    EXPECT_EQ(root, 0);
    EXPECT_EQ(left, -1);
    EXPECT_EQ(right, -1);
    EXPECT_EQ(up, -1);
}

// promise: message.barrier
TEST(Message, BarriersWaitForAllRanks) {
    // No rank leaves before the last has arrived: the counter is complete after the barrier.
    GlobalMemory memory(static_cast<int64_t>(sizeof(long)));
    *memory.element<long>(me()) = 0;
    ARMCI_Barrier();
    ARMCI_Group world;
    ARMCI_Group_get_world(&world);
    for (int64_t round = 1; round <= scaled(40); ++round) {
        long old = 0;
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, memory.at(0), 1, 0);
        if (round % 2 == 0) {
            armci_msg_barrier();
        } else {
            armci_msg_group_barrier(&world);
        }
        EXPECT_GE(ARMCI_GetValueLong(memory.at(0), 0), round * nproc());
    }
    ARMCI_Barrier();
}

// promise: message.exchange
TEST(Message, ExchangesAddresses) {
    std::vector<void*> addresses(static_cast<size_t>(nproc()), nullptr);
    // Any distinct values.
    addresses[static_cast<size_t>(me())] = reinterpret_cast<void*>(uintptr_t{0x1000} + 64U * me());
    armci_exchange_address(addresses.data(), nproc());
    for (int rank = 0; rank < nproc(); ++rank) {
        EXPECT_EQ(addresses[static_cast<size_t>(rank)],
                  reinterpret_cast<void*>(uintptr_t{0x1000} + 64U * rank));
    }
}

// In group rank order.
// promise: message.exchange
TEST(Message, ExchangesAddressesInAGroup) {
    std::vector<int> ranks = ranks_from(me() % 2, 2);
    std::reverse(ranks.begin(), ranks.end());
    ARMCI_Group group;
    ARMCI_Group_create(static_cast<int>(ranks.size()), ranks.data(), &group);
    int mine = -1;
    ARMCI_Group_rank(&group, &mine);
    std::vector<void*> addresses(ranks.size(), nullptr);
    addresses[static_cast<size_t>(mine)] = reinterpret_cast<void*>(uintptr_t{0x1000} + 64U * me());
    armci_exchange_address_grp(addresses.data(), static_cast<int>(ranks.size()), &group);
    for (size_t i = 0; i < ranks.size(); ++i) {
        EXPECT_EQ(addresses[i], reinterpret_cast<void*>(uintptr_t{0x1000} + 64U * ranks[i]));
    }
    ARMCI_Group_free(&group);
}

// Meanwhile the program waits for any message on MPI_COMM_WORLD, and gets only its own.
// promise: message.own-communicators
TEST(Message, NeverMatchesMessagesOfTheProgram) {
    int word = -1;
    MPI_Request any = MPI_REQUEST_NULL;
    MPI_Irecv(&word, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &any);
    std::vector<int> ranks = ranks_from(me() % 2, 2);
    ARMCI_Group group;
    ARMCI_Group_create(static_cast<int>(ranks.size()), ranks.data(), &group);
    for (int round = 0; round < 10; ++round) {
        int sent = me();
        int received = -1;
        armci_msg_snd(0, &sent, sizeof sent, right());
        armci_msg_rcv(0, &received, sizeof received, nullptr, left());
        EXPECT_EQ(received, left());
        armci_msg_snd(1, &sent, sizeof sent, right());
        EXPECT_EQ(armci_msg_rcvany(1, &received, sizeof received, nullptr), left());
        armci_msg_igop(&sent, 1, text("max"));
        armci_msg_group_igop(&sent, 1, text("max"), &group);
        armci_msg_brdcst(&sent, sizeof sent, round % nproc());
        armci_msg_group_bcast_scope(SCOPE_ALL, &sent, sizeof sent, ranks[0], &group);
        double record = 1.0;
        armci_msg_sel(&record, sizeof record, text("max"), ARMCI_DOUBLE, 1);
        armci_msg_barrier();
        armci_msg_group_barrier(&group);
    }
    int has_come = 1;
    MPI_Test(&any, &has_come, MPI_STATUS_IGNORE);
    EXPECT_EQ(has_come, 0);
    sync();
    const int own = 1000 + me();
    MPI_Send(&own, 1, MPI_INT, right(), 0, MPI_COMM_WORLD);
    MPI_Wait(&any, MPI_STATUS_IGNORE);
    EXPECT_EQ(word, 1000 + left());
    ARMCI_Group_free(&group);
    sync();
}

// promise: message.tags
TEST(Message, AcceptsTagsUpToTheLargestButOne) {
    int* largest = nullptr;
    int is_known = 0;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &largest, &is_known);
    ASSERT_NE(is_known, 0);
    for (const int tag : {0, 32767, *largest - 1}) {
        int sent = me();
        int received = -1;
        armci_msg_snd(tag, &sent, sizeof sent, right());
        armci_msg_rcv(tag, &received, sizeof received, nullptr, left());
        EXPECT_EQ(received, left());
    }
}

// promise: message.reduce
TEST(Message, ReduceLeavesTheResultEverywhere) {
    const Operator<long> sum{"+", [](long a, long b) { return a + b; }};
    auto x = my_contribution<long>(20);
    armci_msg_reduce(x.data(), 20, text("+"), ARMCI_LONG);
    expect_result(expected_result(sum, ranks_from(0, 1), 20), x.data(), "reduce");
}

// The arguments of ranks that do not contribute need not point to memory.
// promise: message.select-of-some
TEST(Message, SelectionDoesNotReadWhatIsNotContributed) {
    for (int winner = 0; winner < nproc(); ++winner) {
        struct {
            double value;
            int rank;
            int padding;
        } record = {std::nan(""), -1, 0};
        if (me() == winner) {
            record = {-5.0, me(), 0};
        }
        armci_msg_sel(&record, sizeof record, text("max"), ARMCI_DOUBLE, me() == winner ? 1 : 0);
        EXPECT_EQ(record.value, -5.0);
        EXPECT_EQ(record.rank, winner);
    }
}

}  // namespace
}  // namespace armci::mp
