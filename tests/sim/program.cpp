// SPDX-License-Identifier: BSD-3-Clause
#include "program.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "armci/armci.h"
#include "armci/armcix.h"
#include "base/log.h"
#include "simulation.h"

namespace armci::sim {
namespace {

using base::OpKind;
using test::Operation;
using test::Pattern;

constexpr char kScribble = 0x5a;

// The scale of an accumulate in its type.
struct Scale {
    alignas(16) char bytes[16];

    Scale(strided::AccType type, int factor) {
        const auto put = [&](auto value) { std::memcpy(bytes, &value, sizeof value); };
        switch (type) {
            case strided::AccType::int32:
                put(static_cast<int>(factor));
                return;
            case strided::AccType::int64:
                put(static_cast<long>(factor));
                return;
            case strided::AccType::float32:
                put(static_cast<float>(factor));
                return;
            case strided::AccType::float64:
                put(static_cast<double>(factor));
                return;
            case strided::AccType::complex64:
                put(std::array<float, 2>{static_cast<float>(factor), 0});
                return;
            case strided::AccType::complex128:
                put(std::array<double, 2>{static_cast<double>(factor), 0});
                return;
        }
    }
};

}  // namespace

Program::Program(Job& job, int life)
    : job_(job), ranks_(static_cast<size_t>(size())), meetings_(size()) {
    const Plan& plan = job.plan();
    const auto count = static_cast<size_t>(size());
    phase_ends_ = dice()();
    for (size_t number = 0; number < count; ++number) {
        Rank& rank = ranks_[number];
        rank.random.seed(seed() * 1000 + static_cast<uint64_t>(life) * 100 + number);
        rank.expected.resize(static_cast<size_t>(segments()));
        for (auto& by_target : rank.expected) {
            by_target.assign(count, std::vector<char>(static_cast<size_t>(plan.part_bytes)));
        }
    }
    sums_.assign(count, std::vector<char>(static_cast<size_t>(plan.sum_bytes)));
    counted_.resize(count);
    counted_small_.resize(count);
    swapped_in_.resize(count);
    swapped_out_.resize(count);
    for (int owner = 0; owner < size(); ++owner) {
        for (int number = 0; number < plan.mutexes; ++number) {
            MutexState& mutex = mutexes_.emplace_back();
            mutex.owner = owner;
            mutex.number = number;
        }
    }
}

// --- Memory --------------------------------------------------------------------------------------

int64_t Program::slice_bytes() const {
    const Plan& plan = job_.plan();
    return size() * plan.part_bytes + plan.sum_bytes + static_cast<int64_t>(sizeof(Words));
}

char* Program::part(int origin, int segment, int target) {
    return static_cast<char*>(
               rank(origin).slices[static_cast<size_t>(segment)][static_cast<size_t>(target)]) +
           origin * job_.plan().part_bytes;
}

char* Program::sums(int origin, int target) {
    return static_cast<char*>(rank(origin).slices[0][static_cast<size_t>(target)]) +
           size() * job_.plan().part_bytes;
}

Program::Words* Program::words(int origin, int target) {
    return reinterpret_cast<Words*>(sums(origin, target) + job_.plan().sum_bytes);
}

std::vector<char>& Program::expected(int origin, int segment, int target) {
    return rank(origin).expected[static_cast<size_t>(segment)][static_cast<size_t>(target)];
}

void Program::check_part(int me, int segment, int target, const char* when) {
    const std::vector<char>& wanted = expected(me, segment, target);
    const char* found = part(me, segment, target);
    if (std::memcmp(wanted.data(), found, wanted.size()) != 0) {
        const auto place = std::mismatch(wanted.begin(), wanted.end(), found);
        violation(
            "%s: what rank %d did to segment %d of rank %d is not all there: offset %lld of "
            "its %zu bytes is 0x%02x instead of 0x%02x",
            when, me, segment, target, static_cast<long long>(place.first - wanted.begin()),
            wanted.size(), static_cast<unsigned char>(*place.second),
            static_cast<unsigned char>(*place.first));
    }
}

void Program::check_parts_on(int me, int target, const char* when) {
    for (int segment = 0; segment < segments(); ++segment) {
        check_part(me, segment, target, when);
    }
}

void Program::check_all_parts(int me, const char* when) {
    for (int target = 0; target < size(); ++target) {
        check_parts_on(me, target, when);
    }
}

// --- Put, get and accumulate ---------------------------------------------------------------------

Pattern Program::make_pattern(int me, const Operation& operation, int64_t max_bytes) {
    Random& random = rank(me).random;
    const int64_t unit = test::unit_bytes(operation);
    const int64_t element = test::element_bytes(operation);
    for (int64_t max = max_bytes;; max /= 2) {
        if (max < 4 * element) {
            return test::contiguous_pattern(element, 0, 0);
        }
        // Short and long patterns are equally frequent.
        const int64_t total =
            std::max(element, max >> pick(me, 0, std::bit_width(static_cast<uint64_t>(max)) - 1));
        Pattern pattern;
        const int64_t kind = pick(me, 0, 3);
        if (kind == 0) {
            pattern = test::contiguous_pattern(total / element * element, 0, 0);
        } else {
            int64_t block_bytes = std::max(element, total / pick(me, 1, 40) / element * element);
            block_bytes = std::max(block_bytes, (total / 1000 / element + 1) * element);
            pattern = kind == 1 ? test::vector_pattern(random, block_bytes, total, unit)
                                : test::strided_pattern(random, static_cast<int>(pick(me, 1, 3)),
                                                        block_bytes, total, unit);
        }
        const int64_t room = max_bytes - pattern.remote_end();
        if (room >= 0) {
            return pattern.shifted(0, pick(me, 0, room / unit) * unit);
        }
    }
}

void Program::issue(int me, const Operation& operation, const Pattern& pattern, char* local,
                    char* remote, int target, bool is_blocking, void* handle) {
    record("operation", me, target, pattern.total_bytes());
    auto* hdl = static_cast<armci_hdl_t*>(handle);
    Scale scale(operation.type, operation.factor);
    const int type = static_cast<int>(operation.type);
    const bool is_get = operation.kind == OpKind::get;
    const bool is_acc = operation.kind == OpKind::acc;
    if (pattern.is_vector) {
        std::vector<void*> from;
        std::vector<void*> to;
        for (const test::Block& block : pattern.blocks) {
            from.push_back(is_get ? remote + block.remote : local + block.local);
            to.push_back(is_get ? local + block.local : remote + block.remote);
        }
        armci_giov_t vector{};
        vector.src_ptr_array = from.data();
        vector.dst_ptr_array = to.data();
        vector.ptr_array_len = static_cast<int>(from.size());
        vector.bytes = static_cast<int>(pattern.block_bytes);
        if (is_acc) {
            is_blocking ? ARMCI_AccV(type, scale.bytes, &vector, 1, target)
                        : ARMCI_NbAccV(type, scale.bytes, &vector, 1, target, hdl);
        } else if (is_get) {
            is_blocking ? ARMCI_GetV(&vector, 1, target) : ARMCI_NbGetV(&vector, 1, target, hdl);
        } else {
            is_blocking ? ARMCI_PutV(&vector, 1, target) : ARMCI_NbPutV(&vector, 1, target, hdl);
        }
        return;
    }
    local += pattern.blocks.front().local;
    remote += pattern.blocks.front().remote;
    const int levels = static_cast<int>(pattern.count.size()) - 1;
    if (levels == 0) {
        const int bytes = static_cast<int>(pattern.block_bytes);
        if (is_acc) {
            is_blocking ? ARMCI_Acc(type, scale.bytes, local, remote, bytes, target)
                        : ARMCI_NbAcc(type, scale.bytes, local, remote, bytes, target, hdl);
        } else if (is_get) {
            is_blocking ? ARMCI_Get(remote, local, bytes, target)
                        : ARMCI_NbGet(remote, local, bytes, target, hdl);
        } else {
            is_blocking ? ARMCI_Put(local, remote, bytes, target)
                        : ARMCI_NbPut(local, remote, bytes, target, hdl);
        }
        return;
    }
    auto count = pattern.count;
    auto near = pattern.local_stride;
    auto far = pattern.remote_stride;
    if (is_acc) {
        is_blocking ? ARMCI_AccS(type, scale.bytes, local, near.data(), remote, far.data(),
                                 count.data(), levels, target)
                    : ARMCI_NbAccS(type, scale.bytes, local, near.data(), remote, far.data(),
                                   count.data(), levels, target, hdl);
    } else if (is_get) {
        is_blocking
            ? ARMCI_GetS(remote, far.data(), local, near.data(), count.data(), levels, target)
            : ARMCI_NbGetS(remote, far.data(), local, near.data(), count.data(), levels, target,
                           hdl);
    } else {
        is_blocking
            ? ARMCI_PutS(local, near.data(), remote, far.data(), count.data(), levels, target)
            : ARMCI_NbPutS(local, near.data(), remote, far.data(), count.data(), levels, target,
                           hdl);
    }
}

// Whether the order of the two would be undefined and the result depends on it.
bool Program::conflicts(int me, const Pending& wanted) {
    const auto& pending = rank(me).pending;
    return std::any_of(pending.begin(), pending.end(), [&](const auto& other) {
        const bool overlaps = other->target == wanted.target && other->segment == wanted.segment &&
                              other->begin < wanted.end && wanted.begin < other->end;
        const bool are_gets =
            other->operation.kind == OpKind::get && wanted.operation.kind == OpKind::get;
        const bool are_sums = other->operation.kind == OpKind::acc &&
                              wanted.operation.kind == OpKind::acc &&
                              other->operation.type == wanted.operation.type;
        return overlaps && !are_gets && !are_sums;
    });
}

void Program::settle(int me, const Pending& pending) {
    if (pending.operation.kind == OpKind::get && pending.local != pending.wanted) {
        const auto place =
            std::mismatch(pending.wanted.begin(), pending.wanted.end(), pending.local.begin());
        violation(
            "rank %d: a get of %lld bytes from segment %d of rank %d does not see what it "
            "did before: offset %lld is 0x%02x instead of 0x%02x",
            me, static_cast<long long>(pending.pattern.total_bytes()), pending.segment,
            pending.target, static_cast<long long>(place.first - pending.wanted.begin()),
            static_cast<unsigned char>(*place.second), static_cast<unsigned char>(*place.first));
    }
}

void Program::settle_target(int me, int target) {
    std::erase_if(rank(me).pending, [&](const std::unique_ptr<Pending>& pending) {
        if (pending->target != target) {
            return false;
        }
        settle(me, *pending);
        delete static_cast<armci_hdl_t*>(pending->handle);
        return true;
    });
}

void Program::settle_all(int me) {
    for (int target = 0; target < size(); ++target) {
        settle_target(me, target);
    }
}

// Gets without a handle are complete, and the buffers of other operations belong to the caller
// again.
void Program::settle_fenced(int me, int target) {
    std::erase_if(rank(me).pending, [&](const std::unique_ptr<Pending>& pending) {
        const bool is_get = pending->operation.kind == OpKind::get;
        const bool is_explicit = pending->handle != nullptr;
        if (pending->target != target || (is_get && is_explicit)) {
            return false;
        }
        settle(me, *pending);
        std::fill(pending->local.begin(), pending->local.end(), kScribble);
        return !is_explicit;
    });
}

void Program::settle_all_fenced(int me) {
    for (int target = 0; target < size(); ++target) {
        settle_fenced(me, target);
    }
}

void Program::wait_for_something(int me) {
    const auto& pending = rank(me).pending;
    if (pending.empty()) {
        return;
    }
    const auto index = static_cast<size_t>(pick(me, 0, static_cast<int64_t>(pending.size()) - 1));
    const int segment = pending[index]->segment;
    const int target = pending[index]->target;
    const bool is_change = pending[index]->operation.kind != OpKind::get && segment >= 0;
    wait_for_pending(me, index);
    if (is_change && often(me, 100)) {
        see_arrive(me, segment, target);
    }
}

// Everything that is complete afterwards is checked.
void Program::wait_for_pending(int me, size_t index) {
    auto& pending = rank(me).pending;
    auto* handle = static_cast<armci_hdl_t*>(pending[index]->handle);
    switch (pick(me, 0, 3)) {
        case 0:
            ARMCI_WaitAll();
            record("waited for all", me);
            settle_all(me);
            return;
        case 1: {
            const int target = pending[index]->target;
            ARMCI_WaitProc(target);
            record("waited for rank", me, target);
            settle_target(me, target);
            return;
        }
        case 2:
            if (handle != nullptr) {
                while (ARMCI_Test(handle) != 0) {
                    Fiber::yield();
                }
                break;
            }
            [[fallthrough]];
        default:
            ARMCI_Wait(handle);
            if (handle == nullptr) {
                settle_all(me);
                return;
            }
    }
    record("waited for one", me);
    settle(me, *pending[index]);
    delete handle;
    pending.erase(pending.begin() + static_cast<std::ptrdiff_t>(index));
}

void Program::transfer(int me) {
    const Plan& plan = job_.plan();
    auto made = std::make_unique<Pending>();
    made->target = static_cast<int>(pick(me, 0, size() - 1));
    made->segment = static_cast<int>(pick(me, 0, segments() - 1));
    Operation& operation = made->operation;
    operation.kind = std::array{OpKind::put, OpKind::get, OpKind::acc}[pick(me, 0, 2)];
    operation.type = often(me, 500) ? strided::AccType::int32 : strided::AccType::int64;
    operation.factor = static_cast<int>(pick(me, 1, 3));
    made->pattern = make_pattern(me, operation, plan.part_bytes);
    const bool is_blocking = often(me, 500);
    carry_out(me, std::move(made), is_blocking);
    if (!is_blocking && often(me, 200)) {
        wait_for_something(me);
    }
}

// Many small operations to one rank, most of them non-blocking gets.
void Program::window(int me) {
    constexpr int64_t kMost = 40;
    constexpr int64_t kSmallBytes = 2048;
    const int target = static_cast<int>(pick(me, 0, size() - 1));
    const int segment = static_cast<int>(pick(me, 0, segments() - 1));
    const int64_t bytes = std::min(job_.plan().part_bytes, kSmallBytes >> pick(me, 0, 6));
    for (int64_t left = pick(me, 2, kMost); left > 0; --left) {
        auto made = std::make_unique<Pending>();
        made->target = target;
        made->segment = segment;
        const int64_t kind = pick(me, 0, 9);
        made->operation.kind = kind < 7 ? OpKind::get : kind < 9 ? OpKind::put : OpKind::acc;
        made->pattern = make_pattern(me, made->operation, bytes);
        carry_out(me, std::move(made), often(me, 100));
    }
}

// A flag without data, somewhere in the part. No fence is expected behind it.
void Program::put_flag_only(int me, int segment, int target) {
    while (!rank(me).pending.empty()) {
        wait_for_something(me);
    }
    ARMCI_Fence(target);
    record("fenced", me, target);
    const int64_t at = pick(me, 0, job_.plan().part_bytes / 8 - 1) * 8;
    const int value = static_cast<int>(pick(me, 0, INT32_MAX));
    int nothing = 0;
    ARMCI_Put_flag(&nothing, part(me, segment, target) + at, 0,
                   reinterpret_cast<int*>(part(me, segment, target) + at), value, target);
    record("flagged", me, target);
    std::memcpy(expected(me, segment, target).data() + at, &value, sizeof value);
}

// Puts of one block to one rank with a fence behind each, and then operations with none before
// them.
void Program::fenced_puts(int me) {
    const int target = static_cast<int>(pick(me, 0, size() - 1));
    const int segment = static_cast<int>(pick(me, 0, segments() - 1));
    const int64_t puts = pick(me, 3, 5);
    Pattern pattern;
    for (int64_t number = 1; number <= puts + pick(me, 0, 3); ++number) {
        auto made = std::make_unique<Pending>();
        made->target = target;
        made->segment = segment;
        made->operation.kind =
            number <= puts ? OpKind::put
                           : std::array{OpKind::put, OpKind::get, OpKind::acc}[pick(me, 0, 2)];
        if (number <= puts || often(me, 300)) {
            constexpr int64_t kCopied = 4 << 10;  // at most
            const int64_t most =
                often(me, 500) ? std::min(job_.plan().part_bytes, kCopied) : job_.plan().part_bytes;
            const int64_t bytes = pick(me, 1, most / 8) * 8;
            pattern = test::contiguous_pattern(
                bytes, 0, pick(me, 0, (job_.plan().part_bytes - bytes) / 8) * 8);
        }
        made->pattern = pattern;
        carry_out(me, std::move(made), number <= puts || often(me, 500));
        if (number == puts - 1 && often(me, 500)) {
            put_flag_only(me, segment, target);
        } else if (number < puts) {
            ARMCI_Fence(target);
            record("fenced", me, target);
            settle_fenced(me, target);
            check_parts_on(me, target, "after ARMCI_Fence");
        }
    }
}

// The long one may have ended while the network still has most of it to send.
void Program::short_put_behind_long_one(int me) {
    const int target = static_cast<int>(pick(me, 0, size() - 1));
    const int segment = static_cast<int>(pick(me, 0, segments() - 1));
    for (const int64_t bytes : {job_.plan().part_bytes, int64_t{8}}) {
        auto made = std::make_unique<Pending>();
        made->target = target;
        made->segment = segment;
        made->operation.kind = bytes == 8 || often(me, 500) ? OpKind::put : OpKind::acc;
        made->pattern = test::contiguous_pattern(bytes, 0, 0);
        carry_out(me, std::move(made), true);
    }
    see_arrive(me, segment, target);
}

// Runs or starts an operation whose kind, pattern and place are given.
void Program::carry_out(int me, std::unique_ptr<Pending> made, bool is_blocking) {
    const Operation& operation = made->operation;
    const Pattern& pattern = made->pattern;
    made->begin = INT64_MAX;
    for (const test::Block& block : pattern.blocks) {
        made->begin = std::min(made->begin, block.remote);
        made->end = std::max(made->end, block.remote + pattern.block_bytes);
    }
    while (conflicts(me, *made)) {
        wait_for_something(me);
    }
    made->local.resize(static_cast<size_t>(pattern.local_end()));
    std::generate(made->local.begin(), made->local.end(), [&, value = pick(me, 0, 255)]() mutable {
        return static_cast<char>(value += 7);
    });
    char* model = expected(me, made->segment, made->target).data();
    const bool is_get = operation.kind == OpKind::get;
    if (is_get) {
        made->wanted = made->local;
        test::apply(operation, pattern, made->wanted.data(), model);
    } else {
        test::apply(operation, pattern, made->local.data(), model);
    }
    char* remote = part(me, made->segment, made->target);
    if (is_blocking) {
        issue(me, operation, pattern, made->local.data(), remote, made->target, true, nullptr);
        settle(me, *made);
        if (job_.plan().no_flush_local && !is_get) {
            check_parts_on(me, made->target, "after a change with ARMCI_NO_FLUSH_LOCAL");
        }
        // The memory belongs to the caller again.
        std::fill(made->local.begin(), made->local.end(), kScribble);
        if (!is_get && often(me, 100)) {
            see_arrive(me, made->segment, made->target);
        }
        return;
    }
    armci_hdl_t* handle = nullptr;
    if (often(me, 600)) {
        handle = new armci_hdl_t;
        ARMCI_INIT_HANDLE(handle);
    }
    made->handle = handle;
    issue(me, operation, pattern, made->local.data(), remote, made->target, false, handle);
    rank(me).pending.push_back(std::move(made));
}

// What is complete has left: it arrives though the rank makes no call of the library.
void Program::see_arrive(int me, int segment, int target) {
    const auto& pending = rank(me).pending;
    const bool has_pending = std::any_of(
        pending.begin(), pending.end(), [&](const auto& other) { return other->target == target; });
    if (has_pending || !job_.plan().server_threads) {
        return;
    }
    const std::vector<char>& wanted = expected(me, segment, target);
    const char* found = part(me, segment, target);
    job_.wait_outside(me, [&] { return std::memcmp(wanted.data(), found, wanted.size()) == 0; });
    record("arrived", me, target);
}

// --- What all origins change ---------------------------------------------------------------------

void Program::accumulate_sum(int me) {
    const Plan& plan = job_.plan();
    const int target = static_cast<int>(pick(me, 0, size() - 1));
    Operation operation;
    operation.kind = OpKind::acc;
    operation.type = plan.sum_type;
    operation.factor = static_cast<int>(pick(me, 1, 3));
    const Pattern pattern = make_pattern(me, operation, plan.sum_bytes);
    auto made = std::make_unique<Pending>();
    made->operation = operation;
    made->pattern = pattern;
    made->target = target;
    made->segment = -1;
    made->local.resize(
        static_cast<size_t>(wire::padded(static_cast<uint64_t>(pattern.local_end()))));
    test::fill(rank(me).random, plan.sum_type, made->local.data(),
               static_cast<int64_t>(made->local.size()));
    test::apply(operation, pattern, made->local.data(), sums_[static_cast<size_t>(target)].data());
    const bool is_blocking = often(me, 500);
    issue(me, operation, pattern, made->local.data(), sums(me, target), target, is_blocking,
          nullptr);
    if (!is_blocking) {
        rank(me).pending.push_back(std::move(made));
    }
}

void Program::count_up(int me) {
    const int target = static_cast<int>(pick(me, 0, size() - 1));
    const auto index = static_cast<size_t>(target);
    record("rmw", me, target);
    if (often(me, 500)) {
        long old = -1;
        const int step = static_cast<int>(pick(me, 1, 3));
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, &words(me, target)->counter, step, target);
        counted_[index] += step;
        if (old < 0) {
            violation("rank %d fetched %ld from a counter of rank %d", me, old, target);
        }
    } else {
        int old = -1;
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &old, &words(me, target)->small_counter, 1, target);
        // Each value is fetched once. This is checked when all are there.
        rank(me).fetched.push_back(int64_t{target} << 32 | old);
        ++counted_small_[index];
    }
}

void Program::swap(int me) {
    const int target = static_cast<int>(pick(me, 0, size() - 1));
    const auto index = static_cast<size_t>(target);
    const int64_t mine = next_swap_++;
    long word = mine;
    swapped_in_[index].insert(mine);
    record("swap", me, target, mine);
    ARMCI_Rmw(ARMCI_SWAP_LONG, &word, &words(me, target)->swapped, 0, target);
    swapped_out_[index].insert(word);
}

void Program::critical_section(int me) {
    const Plan& plan = job_.plan();
    const int owner = static_cast<int>(pick(me, 0, size() - 1));
    const int number = static_cast<int>(pick(me, 0, plan.mutexes - 1));
    MutexState& mutex = mutexes_[static_cast<size_t>(owner * plan.mutexes + number)];
    record("lock", me, owner, number);
    if (often(me, 200)) {
        core::Runtime& runtime = job_.runtime(me);
        if (!runtime.mutexes.try_lock("ARMCIX_Trylock_hdl", runtime.mutexes.of_world(), number,
                                      owner)) {
            return;
        }
    } else {
        ARMCI_Lock(number, owner);
    }
    record("locked", me, owner, number);
    if (mutex.inside >= 0) {
        violation("ranks %d and %d are both in the critical section of mutex %d of rank %d",
                  mutex.inside, me, number, owner);
    }
    // The rank that waited at the end of the last turn has not had its turn in this one, which is
    // this rank's.
    if (mutex.holder != me && !mutex.waiting.empty() && mutex.waiting.front() != me) {
        violation("rank %d gets mutex %d of rank %d, for which rank %d has waited longer", me,
                  number, owner, mutex.waiting.front());
    }
    mutex.inside = me;
    ++mutex.entered;
    int64_t* word = &words(me, owner)->guarded[number];
    int64_t value = -1;
    ARMCI_Get(word, &value, sizeof value, owner);
    if (value != mutex.entered - 1) {
        violation(
            "rank %d finds %lld under mutex %d of rank %d, where the holder before it left "
            "%lld",
            me, static_cast<long long>(value), number, owner,
            static_cast<long long>(mutex.entered - 1));
    }
    if (often(me, 300)) {
        compute(me);
    }
    ++value;
    if (often(me, 500)) {
        ARMCI_Put(&value, word, sizeof value, owner);
    } else {
        armci_hdl_t handle;
        ARMCI_INIT_HANDLE(&handle);
        ARMCI_NbPut(&value, word, sizeof value, owner, &handle);
        ARMCI_Wait(&handle);
    }
    mutex.inside = -1;
    ARMCI_Unlock(number, owner);
    record("unlocked", me, owner, number);
    // The next holders only add to it.
    if (*word < value) {
        violation(
            "rank %d has released mutex %d of rank %d, and the word under it is %lld, not %lld", me,
            number, owner, static_cast<long long>(*word), static_cast<long long>(value));
    }
    settle_all_fenced(me);
    check_all_parts(me, "after ARMCI_Unlock");
}

// Compares the queues of all mutexes with those of one turn before: ranks join at the end, and
// leave at the beginning when they acquire the mutex.
void Program::watch_mutexes() {
    if (with_mutexes_ < size()) {
        return;
    }
    for (MutexState& state : mutexes_) {
        const node::Mutex& mutex = *state.memory;
        state.holder = mutex.holder;
        if (mutex.first_waiter == 0 && state.waiting.empty()) {
            continue;
        }
        node::WaiterPoolState& pool = job_.runtime(state.owner).node.heap.control().waiters;
        std::vector<int32_t> waiting;
        for (uint32_t waiter = mutex.first_waiter; waiter != 0; waiter = pool[waiter].next) {
            waiting.push_back(pool[waiter].rank);
        }
        if (waiting == state.waiting) {
            continue;
        }
        bool is_fifo = false;
        for (size_t left = 0; left <= state.waiting.size() && !is_fifo; ++left) {
            const size_t stayed = state.waiting.size() - left;
            is_fifo = stayed <= waiting.size() &&
                      std::equal(state.waiting.begin() + static_cast<std::ptrdiff_t>(left),
                                 state.waiting.end(), waiting.begin());
        }
        if (!is_fifo) {
            violation(
                "the queue of mutex %d of rank %d is not first in, first out: %zu waited, "
                "then %zu, held by rank %d",
                state.number, state.owner, state.waiting.size(), waiting.size(), mutex.holder);
        }
        state.waiting = waiting;
    }
}

// --- Synchronisation -----------------------------------------------------------------------------

void Program::fence(int me) {
    if (often(me, 300)) {
        ARMCI_AllFence();
        record("fenced all", me);
        settle_all_fenced(me);
        check_all_parts(me, "after ARMCI_AllFence");
        return;
    }
    const int target = static_cast<int>(pick(me, 0, size() - 1));
    ARMCI_Fence(target);
    record("fenced", me, target);
    settle_fenced(me, target);
    check_parts_on(me, target, "after ARMCI_Fence");
}

// Without a call of the library.
void Program::compute(int me) {
    for (int64_t left = pick(me, 0, 30); left > 0; --left) {
        Fiber::yield();
    }
}

// Every rank announces to another one that its part there is correct, by a notification or a flag
// after the data, and waits until that one has looked. A rank that waits for a flag makes no call
// of the library meanwhile, so everything that it has sent must have left.
void Program::pass_on(int me, int64_t phase) {
    const int distance = static_cast<int>(phase_ends_ >> (8 * (phase % 7)) & 0xff) % size();
    const int to = (me + distance) % size();
    const int from = (me + size() - distance) % size();
    // A rank that waits for a flag by loads alone makes no inline progress.
    const bool by_flag = (phase_ends_ >> (phase % 50) & 1) != 0 && job_.plan().server_threads;
    while (!rank(me).pending.empty()) {
        wait_for_something(me);
    }
    const auto flag = static_cast<int>(phase + 1);
    if (by_flag) {
        char last = static_cast<char>(pick(me, 0, 255));
        expected(me, 0, to).back() = last;
        char* at = part(me, 0, to) + job_.plan().part_bytes - 1;
        // Blocking puts also leave at once, and take effect in order.
        if (often(me, 500)) {
            ARMCI_Put_flag(&last, at, 1, &words(me, to)->flag, flag, to);
        } else {
            int value = flag;
            ARMCI_Put(&last, at, 1, to);
            ARMCI_Put(&value, &words(me, to)->flag, sizeof value, to);
            value = 0;
        }
        last = kScribble;
    } else {
        armci_notify(to);
    }
    record("passed on", me, to);
    if (by_flag) {
        const int32_t& mine = words(me, me)->flag;
        job_.wait_outside(me, [&] { return __atomic_load_n(&mine, __ATOMIC_ACQUIRE) == flag; });
    } else {
        int waited = 0;
        armci_notify_wait(from, &waited);
    }
    record("passed to", me, from);
    check_parts_on(from, me, by_flag ? "after a flag" : "after a notification");
}

void Program::end_phase(int me, int64_t phase) {
    const auto kind = (phase_ends_ >> (20 + 3 * (phase % 10))) % 4;
    if (kind < 2) {
        pass_on(me, phase);
    }
    if (kind != 1) {
        fence(me);
    }
    meetings_.meet(me);
    if (phase % 2 == 1) {
        meetings_.leave(me);
        meetings_.make(me);
    }
    ARMCI_Barrier();
    record("barrier", me, phase);
    settle_all_fenced(me);
    check_all_parts(me, "after ARMCI_Barrier");
}

void Program::do_something(int me) {
    switch (pick(me, 0, 18)) {
        case 0:
            return count_up(me);
        case 1:
            return swap(me);
        case 2:
            return critical_section(me);
        case 3:
            return fence(me);
        case 4:
            return compute(me);
        case 5:
            return wait_for_something(me);
        case 6:
        case 7:
        case 8:
            return accumulate_sum(me);
        case 9:
            return window(me);
        case 10:
            return fenced_puts(me);
        case 11:
            return short_put_behind_long_one(me);
        default:
            return transfer(me);
    }
}

// Memory of the rank's own. The others learn its address in the barrier of set_up().
void Program::attach(int me) {
    constexpr size_t kPage = 4096;
    const size_t bytes = (static_cast<size_t>(slice_bytes()) + kPage - 1) / kPage * kPage;
    rank(me).own.reset(static_cast<char*>(std::aligned_alloc(kPage, bytes)));
    std::memset(rank(me).own.get(), 0, bytes);
    if (ARMCIX_Attach(rank(me).own.get(), bytes) != 0) {
        violation("rank %d cannot attach its memory", me);
    }
}

void Program::set_up(int me) {
    const Plan& plan = job_.plan();
    for (int segment = 0; segment < plan.segments; ++segment) {
        auto& slices = rank(me).slices.emplace_back(static_cast<size_t>(size()));
        if (ARMCI_Malloc(slices.data(), slice_bytes()) != 0) {
            violation("rank %d has no memory", me);
        }
        std::memset(slices[static_cast<size_t>(me)], 0, static_cast<size_t>(slice_bytes()));
    }
    ARMCI_Create_mutexes(plan.mutexes);
    for (MutexState& state : mutexes_) {
        if (state.owner == me) {
            const core::Segment& segment = *job_.runtime(me).mutexes.of_world().segment;
            state.memory = reinterpret_cast<node::Mutex*>(segment.slice(me).base) + state.number;
        }
    }
    ++with_mutexes_;
    if (plan.attaches) {
        attach(me);
    }
    ARMCI_Barrier();
    if (plan.attaches) {
        auto& slices = rank(me).slices.emplace_back();
        for (const Rank& other : ranks_) {
            slices.push_back(other.own.get());
        }
    }
    meetings_.make(me);
    record("set up", me);
}

void Program::check_sums_and_words(int me) {
    const auto index = static_cast<size_t>(me);
    if (std::memcmp(sums_[index].data(), sums(me, me), sums_[index].size()) != 0) {
        violation("the sums of rank %d are wrong: an accumulate was lost or made twice", me);
    }
    const Words& found = *words(me, me);
    if (found.counter != counted_[index] || found.small_counter != counted_small_[index]) {
        violation("the counters of rank %d are %lld and %d instead of %lld and %lld", me,
                  static_cast<long long>(found.counter), found.small_counter,
                  static_cast<long long>(counted_[index]),
                  static_cast<long long>(counted_small_[index]));
    }
    std::set<int64_t> fetched;
    for (const Rank& other : ranks_) {
        for (const int64_t value : other.fetched) {
            if (value >> 32 == me && !fetched.insert(value & 0xffffffff).second) {
                violation("two ranks fetched %lld from the counter of rank %d",
                          static_cast<long long>(value & 0xffffffff), me);
            }
        }
    }
    // A value that was put in and did not come out is still there. Zero came out first.
    std::multiset<int64_t> there = swapped_in_[index];
    there.insert(0);
    for (const int64_t value : swapped_out_[index]) {
        const auto place = there.find(value);
        if (place == there.end()) {
            violation("a swap with the word of rank %d gave %lld, which was not there", me,
                      static_cast<long long>(value));
        }
        there.erase(place);
    }
    if (there.size() != 1 || *there.begin() != found.swapped) {
        violation("the word of rank %d that was swapped is %lld in the end", me,
                  static_cast<long long>(found.swapped));
    }
    for (const MutexState& mutex : mutexes_) {
        if (mutex.owner == me && found.guarded[mutex.number] != mutex.entered) {
            violation("the word under mutex %d of rank %d is %lld after %lld critical sections",
                      mutex.number, me, static_cast<long long>(found.guarded[mutex.number]),
                      static_cast<long long>(mutex.entered));
        }
    }
}

void Program::tear_down(int me) {
    while (!rank(me).pending.empty()) {
        wait_for_something(me);
    }
    ARMCI_Barrier();
    for (int origin = 0; origin < size(); ++origin) {
        check_parts_on(origin, me, "in the end");
    }
    check_sums_and_words(me);
    ARMCI_Barrier();
    --with_mutexes_;
    meetings_.leave(me);
    if (job_.plan().leaves_all) {
        leave_all(me);
        return;
    }
    if (job_.plan().attaches && ARMCIX_Detach(rank(me).own.get()) != 0) {
        violation("rank %d cannot detach its memory", me);
    }
    ARMCI_Destroy_mutexes();
    for (int segment = job_.plan().segments - 1; segment >= 0; --segment) {
        ARMCI_Free(rank(me).slices[static_cast<size_t>(segment)][static_cast<size_t>(me)]);
    }
}

// The stop finds memory that was not freed, and puts that nobody has waited for.
void Program::leave_all(int me) {
    constexpr int kPuts = 8;
    const auto bytes = static_cast<size_t>(job_.plan().part_bytes);
    rank(me).last.resize(bytes);
    for (int i = 0; i < kPuts; ++i) {
        const int target = static_cast<int>(pick(me, 0, size() - 1));
        ARMCI_NbPut(rank(me).last.data(), part(me, 0, target), static_cast<int>(bytes), target,
                    nullptr);
    }
}

void Program::run(int me) {
    const Plan& plan = job_.plan();
    set_up(me);
    for (int phase = 0; phase < plan.phases; ++phase) {
        for (int i = 0; i < plan.operations; ++i) {
            do_something(me);
        }
        end_phase(me, phase);
    }
    tear_down(me);
}

}  // namespace armci::sim
