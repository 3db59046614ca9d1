// SPDX-License-Identifier: BSD-3-Clause
// What may happen to the operations under way, and how it is carried out.
#include "network.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <utility>

#include "simulation.h"
#include "timeline.h"

namespace armci::sim {
namespace network {
namespace {

// --- What may happen to an operation -------------------------------------------------------------

bool has_room(const SimQueue& queue) {
    return static_cast<int64_t>(queue.entries.size()) < rules().queue_room;
}

bool has_order(uint64_t bits) {
    return (rules().message_order & bits) != 0;
}

// Whether `later` has to wait for an earlier operation to the same endpoint.
bool follows(const Posted& later, const Posted& earlier) {
    if (rules().sabotage == Sabotage::overtaking) {
        return false;
    }
    const bool is_short = later.bytes <= (later.kind == Kind::read ? rules().ordered_read_bytes
                                                                   : rules().ordered_bytes);
    switch (later.kind) {
        case Kind::send:
            switch (earlier.kind) {
                case Kind::send:
                    return has_order(FI_ORDER_SAS) && !earlier.is_matched;
                case Kind::write:
                    return has_order(FI_ORDER_SAW) && !earlier.is_placed;
                case Kind::read:
                    return has_order(FI_ORDER_SAR) && !earlier.is_placed;
            }
            break;
        case Kind::write:
            switch (earlier.kind) {
                case Kind::send:
                    return has_order(FI_ORDER_WAS) && !earlier.is_matched;
                case Kind::write:
                    return has_order(FI_ORDER_WAW | FI_ORDER_RMA_WAW) && is_short &&
                           !earlier.is_placed;
                case Kind::read:
                    return has_order(FI_ORDER_WAR | FI_ORDER_RMA_WAR) && is_short &&
                           !earlier.is_placed;
            }
            break;
        case Kind::read:
            switch (earlier.kind) {
                case Kind::send:
                    return has_order(FI_ORDER_RAS) && !earlier.is_matched;
                case Kind::write:
                    return has_order(FI_ORDER_RAW | FI_ORDER_RMA_RAW) && is_short &&
                           !earlier.is_placed;
                case Kind::read:
                    return has_order(FI_ORDER_RAR | FI_ORDER_RMA_RAR) && !earlier.is_placed;
            }
            break;
    }
    return false;
}

bool may_begin(const Posted& operation) {
    for (const auto& earlier : provider().operations) {
        if (earlier.get() == &operation) {
            return true;
        }
        if (earlier->from == operation.from && earlier->to == operation.to &&
            !earlier->has_failed && follows(operation, *earlier)) {
            return false;
        }
    }
    return true;
}

// Completes the messages of one sender in the order in which they got their places.
bool may_be_announced(const Posted& operation) {
    if (operation.kind != Kind::send || !rules().in_order_completions) {
        return true;
    }
    for (const auto& earlier : provider().operations) {
        if (earlier.get() == &operation) {
            return true;
        }
        if (earlier->from == operation.from && earlier->to == operation.to &&
            earlier->kind == Kind::send && earlier->is_matched && !earlier->is_announced) {
            return false;
        }
    }
    return true;
}

// Whether it follows something that has not left yet. Messages do not wait for each other: one that
// has its place in order may need its sender again, while later ones complete.
bool is_behind_waiting(const Posted& operation) {
    for (const auto& earlier : provider().operations) {
        if (earlier.get() == &operation) {
            return false;
        }
        if (earlier->from == operation.from && earlier->to == operation.to &&
            earlier->waits_for_sender && !earlier->is_read && !earlier->has_failed &&
            (operation.kind == Kind::write || earlier->kind == Kind::write) &&
            follows(operation, *earlier)) {
            return true;
        }
    }
    return false;
}

// Whether it moves on at its target only while that is polled.
bool waits_for_polling(const Posted& operation) {
    switch (rules().polling) {
        case Polling::none:
            return false;
        case Polling::messages:
            return operation.kind == Kind::send;
        case Polling::everything:
            return true;
    }
    return true;
}

int moves_of(const Posted& operation, bool is_local_turn, Move* moves) {
    int count = 0;
    if (operation.from->is_dead && !operation.is_read) {
        return 0;
    }
    if (operation.to->is_dead || operation.has_failed) {
        if (!operation.has_failed && !operation.is_complete && !operation.from->is_dead &&
            has_room(*operation.from->queue) && rules().sabotage != Sabotage::unreported_death) {
            moves[count++] = Move::fail;
        }
        return count;
    }
    if (is_local_turn) {
        if (!operation.is_read && operation.is_buffered &&
            (!operation.waits_for_sender ||
             (provider().polled == operation.from && !is_behind_waiting(operation)))) {
            moves[count++] = Move::read;
        }
        const bool may_complete = operation.kind == Kind::read || operation.is_delivered_kind
                                      ? operation.is_placed
                                      : operation.is_read;
        if (may_complete && !operation.is_complete && !operation.from->is_dead &&
            step() >= operation.completes_from && has_room(*operation.from->queue)) {
            moves[count++] = Move::complete;
        }
    }
    if (waits_for_polling(operation) && provider().polled != operation.to) {
        return count;
    }
    if ((operation.is_buffered && !operation.is_read) || step() < operation.arrives_from) {
        return count;
    }
    if (operation.kind == Kind::send && !operation.is_matched) {
        if (!operation.to->posted.empty() && may_begin(operation)) {
            moves[count++] = Move::match;
        }
    } else if (!operation.is_placed) {
        if (operation.kind == Kind::send || may_begin(operation)) {
            moves[count++] = Move::place;
        }
    } else if (!operation.is_announced && has_room(*operation.to->queue) &&
               may_be_announced(operation)) {
        moves[count++] = Move::announce;
    }
    if (operation.has_immediate && !operation.is_announced && operation.is_read &&
        rules().sabotage == Sabotage::early_immediate) {
        moves[count++] = Move::announce;
    }
    return count;
}

// --- Carrying it out -----------------------------------------------------------------------------

void push(SimQueue& queue, const Entry& entry) {
    queue.entries.push_back(entry);
    if (is_timed()) {
        wake_waiter(queue);
    }
}

// As offsets from the buffer's start.
size_t begin_of_next(const Receive& receive) {
    const auto start = reinterpret_cast<uintptr_t>(receive.data);
    const size_t alignment = rules().alignment;
    const uintptr_t next = start + receive.filled + rules().gap;
    return (next + alignment - 1) / alignment * alignment - start;
}

}  // namespace

void match(Posted& operation) {
    SimEndpoint& to = *operation.to;
    Receive* receive = to.posted.front();
    const size_t begin = begin_of_next(*receive);
    if (begin + operation.bytes > receive->bytes) {
        violation("a message of %zu bytes for endpoint %lld, whose receives take %zu",
                  operation.bytes, static_cast<long long>(to.name()), to.smallest_space);
    }
    operation.receive = receive;
    operation.place = receive->data + begin;
    std::memset(operation.place - rules().gap, 0x5a, rules().gap);
    receive->filled = begin + operation.bytes;
    ++receive->arriving;
    operation.pieces = split(operation.buffered.data(), operation.place, operation.bytes);
    if (begin_of_next(*receive) + to.smallest_space > receive->bytes) {
        receive->is_full = true;
        operation.ends_receive = true;
        to.posted.pop_front();
    }
    operation.is_matched = true;
}

void place(Posted& operation) {
    const bool is_in_order = operation.kind == Kind::write && rules().writes_in_order;
    const auto index =
        is_in_order
            ? size_t{0}
            : static_cast<size_t>(draw(0, static_cast<int64_t>(operation.pieces.size()) - 1));
    const Piece piece = operation.pieces[index];
    operation.pieces.erase(operation.pieces.begin() + static_cast<std::ptrdiff_t>(index));
    if (operation.kind == Kind::read) {
        if (!sabotages(Sabotage::stale_read)) {
            std::memcpy(piece.local, piece.remote, piece.bytes);
        }
    } else {
        std::memcpy(piece.remote, piece.local, piece.bytes);
        if (is_in_order) {
            operation.to->queue->has_written = true;
        }
    }
    if (!operation.pieces.empty()) {
        return;
    }
    operation.is_placed = true;
    operation.is_read = true;
    const bool is_reported = operation.kind == Kind::send || operation.has_immediate;
    operation.is_announced = operation.is_announced || !is_reported;
}

void announce(Posted& operation) {
    SimQueue& queue = *operation.to->queue;
    operation.is_announced = true;
    Entry entry;
    if (operation.kind == Kind::write) {
        entry.data.flags = FI_RMA | FI_REMOTE_WRITE | FI_REMOTE_CQ_DATA;
        entry.data.len = operation.bytes;
        entry.data.data = operation.immediate;
        push(queue, entry);
        return;
    }
    Receive& receive = *operation.receive;
    check_context(receive.context);
    --receive.arriving;
    if (sabotages(Sabotage::lost_message)) {
        return;
    }
    entry.data.op_context = receive.context;
    entry.data.flags = FI_RECV | FI_MSG;
    entry.data.len = operation.bytes;
    entry.data.buf = operation.place;
    entry.receive = &receive;
    const bool is_early_end =
        rules().sabotage == Sabotage::early_end && operation.ends_receive && receive.arriving > 0;
    const bool is_last =
        rules().ends_early ? operation.ends_receive : receive.is_full && receive.arriving == 0;
    if (is_last && !rules().separate_ends) {
        entry.data.flags |= FI_MULTI_RECV;
    }
    ++receive.unread;
    push(queue, entry);
    if (sabotages(Sabotage::repeated_message)) {
        entry.data.flags &= ~uint64_t{FI_MULTI_RECV};
        ++receive.unread;
        push(queue, entry);
    }
    if (rules().separate_ends && receive.is_full && (receive.arriving == 0 || is_early_end)) {
        Entry end;
        end.data.op_context = receive.context;
        end.data.flags = FI_MULTI_RECV;
        end.receive = &receive;
        ++receive.unread;
        push(queue, end);
    }
}

namespace {

void carry_out(Posted& operation, Move move) {
    constexpr const char* kNames[][3] = {
        {"send: read", "write: read", ""},
        {"send: matched", "", ""},
        {"send: piece", "write: piece", "read: piece"},
        {"send: received", "write: immediate", ""},
        {"send: complete", "write: complete", "read: complete"},
        {"send: failed", "write: failed", "read: failed"},
    };
    record(kNames[static_cast<int>(move)][static_cast<int>(operation.kind)], operation.from->name(),
           operation.to->name(), operation.number);
    switch (move) {
        case Move::read:
            read_local(operation);
            break;
        case Move::match:
            match(operation);
            operation.arrives_from = draw_delay();
            break;
        case Move::place:
            place(operation);
            operation.arrives_from = draw_delay();
            break;
        case Move::announce:
            announce(operation);
            break;
        case Move::complete:
            complete(operation, 0);
            break;
        case Move::fail:
            operation.has_failed = true;
            complete(operation, FI_ECONNRESET);
            break;
    }
}

}  // namespace

int64_t draw_delay() {
    const bool is_late = !provider().are_delays_suspended && happens(rules().delays);
    return is_late ? step() + draw(1, rules().longest_delay) : 0;
}

std::vector<Piece> split(char* local, char* remote, size_t bytes) {
    std::vector<Piece> pieces;
    size_t done = 0;
    const int64_t max = happens(rules().whole) ? 1 : draw(2, 4);
    for (int64_t i = 1; i < max && done + 1 < bytes; ++i) {
        const auto length = static_cast<size_t>(draw(1, static_cast<int64_t>(bytes - done) - 1));
        pieces.push_back({local + done, remote != nullptr ? remote + done : nullptr, length});
        done += length;
    }
    pieces.push_back({local + done, remote != nullptr ? remote + done : nullptr, bytes - done});
    return pieces;
}

bool leaves_alone(const Posted& operation) {
    const size_t surely_taken = operation.kind == Kind::write ? 16 << 10 : 4 << 10;
    if (is_timed()) {
        return true;
    }
    size_t bytes = operation.bytes;
    for (const auto& earlier : provider().operations) {
        const bool is_in_the_way =
            earlier->from == operation.from && earlier->to == operation.to && !earlier->is_placed;
        bytes += is_in_the_way ? earlier->bytes : 0;
    }
    return rules().sends_alone && bytes <= surely_taken && !is_behind_waiting(operation);
}

void read_local(Posted& operation) {
    size_t total = 0;
    for (const Piece& piece : operation.pieces) {
        total += piece.bytes;
    }
    operation.buffered.resize(total);
    char* to = operation.buffered.data();
    for (Piece& piece : operation.pieces) {
        std::memcpy(to, piece.local, piece.bytes);
        piece.local = to;
        to += piece.bytes;
    }
    if (operation.kind == Kind::send && total > 48 && sabotages(Sabotage::wrong_byte)) {
        // Only data is changed, not a header: errors there are always noticed.
        operation.buffered[total - 8] = static_cast<char>(operation.buffered[total - 8] + 1);
    }
    operation.is_read = true;
}

namespace {

constexpr unsigned char kTaken = 0xc7;

size_t taken_bytes() {
    const Twin* twin = rules().twin;
    const uint64_t mode = twin != nullptr ? twin->mode : 0;
    return (mode & FI_CONTEXT2) != 0  ? sizeof(fi_context2)
           : (mode & FI_CONTEXT) != 0 ? sizeof(fi_context)
                                      : 0;
}

}  // namespace

void take_context(void* context) {
    std::memset(context, kTaken, taken_bytes());
}

void check_context(const void* context) {
    const auto* bytes = static_cast<const unsigned char*>(context);
    if (!std::all_of(bytes, bytes + taken_bytes(),
                     [](unsigned char byte) { return byte == kTaken; })) {
        violation("the context of an operation has changed before its completion");
    }
}

void complete(Posted& operation, int error) {
    check_context(operation.context);
    operation.is_complete = true;
    --operation.from->under_way;
    if (error == 0 && sabotages(Sabotage::lost_completion)) {
        return;
    }
    Entry entry;
    entry.data.op_context = operation.context;
    entry.data.flags = operation.kind == Kind::send    ? FI_SEND | FI_MSG
                       : operation.kind == Kind::write ? FI_RMA | FI_WRITE
                                                       : FI_RMA | FI_READ;
    if (operation.has_immediate && rules().twin != nullptr) {
        entry.data.flags |= rules().twin->own_writedata_flags;
    }
    entry.data.len = operation.bytes;
    entry.error = error;
    push(*operation.from->queue, entry);
}

void end_operations_of(SimEndpoint& endpoint) {
    auto& operations = provider().operations;
    const int64_t room = std::exchange(rules().queue_room, INT64_MAX);  // it waits at the target
    for (const auto& operation : operations) {
        SimEndpoint* to = operation->to;
        const bool has_left = operation->from == &endpoint && operation->is_read;
        if (!has_left || to == &endpoint || to->is_dead) {
            continue;
        }
        // What is complete was delivered, and a message that has its place arrives for certain.
        Move moves[4];
        operation->arrives_from = 0;
        provider().polled = to;
        for (bool arrives = operation->is_complete || operation->is_matched || happens(500);
             arrives && moves_of(*operation, false, moves) > 0;) {
            carry_out(*operation, moves[0]);
            operation->arrives_from = 0;
        }
        provider().polled = nullptr;
    }
    rules().queue_room = room;
    for (const auto& operation : operations) {
        if (operation->to == &endpoint && operation->from != &endpoint && !operation->is_complete &&
            !operation->from->is_dead) {
            complete(*operation, operation->is_placed ? 0 : FI_ECONNRESET);
        }
    }
    std::erase_if(operations, [&](const std::unique_ptr<Posted>& operation) {
        return operation->from == &endpoint || operation->to == &endpoint;
    });
}

bool move_something(bool is_local_turn) {
    auto& operations = provider().operations;
    if (operations.empty()) {
        return false;
    }
    const size_t count = operations.size();
    const auto first = static_cast<size_t>(draw(0, static_cast<int64_t>(count) - 1));
    for (size_t turn = 0; turn < count; ++turn) {
        const size_t index = (first + turn) % count;
        Posted& operation = *operations[index];
        Move moves[4];
        const int move_count = moves_of(operation, is_local_turn, moves);
        if (move_count == 0) {
            continue;
        }
        carry_out(operation, moves[draw(0, move_count - 1)]);
        if (operation.is_over()) {
            operations.erase(operations.begin() + static_cast<std::ptrdiff_t>(index));
        }
        return true;
    }
    return false;
}

}  // namespace network

using network::Kind;
using network::Posted;
using network::provider;
using network::rules;
using network::SimEndpoint;

void suspend_delays(bool are_suspended) {
    provider().are_delays_suspended = are_suspended;
    for (const auto& operation : provider().operations) {
        operation->arrives_from = 0;
        operation->completes_from = 0;
    }
}

bool step_network() {
    return network::move_something(true);
}

int64_t pending_operations() {
    return static_cast<int64_t>(provider().operations.size()) + provider().timed_operations;
}

void kill_process(int process) {
    for (SimEndpoint* endpoint : provider().endpoints) {
        if (endpoint != nullptr && endpoint->process == process) {
            endpoint->is_dead = true;
        }
    }
    // Operations that had not left yet never arrive.
    std::erase_if(provider().operations, [](const std::unique_ptr<Posted>& operation) {
        return operation->from->is_dead && (!operation->is_read || operation->kind == Kind::read);
    });
    for (const auto& operation : provider().operations) {
        provider().death_is_noticed |=
            operation->to->is_dead && !operation->from->is_dead && !operation->is_complete;
    }
}

int64_t refused_posts() {
    return provider().refused;
}

bool death_is_noticed() {
    return provider().death_is_noticed;
}

std::string describe_network() {
    std::string text;
    for (const auto& operation : provider().operations) {
        constexpr const char* kNames[] = {"send", "write", "read"};
        char line[160];
        std::snprintf(
            line, sizeof line, "  %s %lld from %lld to %lld, %zu bytes:%s%s%s%s%s\n",
            kNames[static_cast<int>(operation->kind)], static_cast<long long>(operation->number),
            static_cast<long long>(operation->from->name()),
            static_cast<long long>(operation->to->name()), operation->bytes,
            operation->is_read ? " read" : "", operation->is_matched ? " matched" : "",
            operation->is_placed ? " placed" : "", operation->is_announced ? " announced" : "",
            operation->is_complete ? " complete" : "");
        text += line;
    }
    for (const SimEndpoint* endpoint : provider().endpoints) {
        if (endpoint != nullptr) {
            char line[160];
            std::snprintf(line, sizeof line,
                          "  endpoint %lld: %zu completions, %zu receives, %lld posts under way\n",
                          static_cast<long long>(endpoint->name()), endpoint->queue->entries.size(),
                          endpoint->posted.size(), static_cast<long long>(endpoint->under_way));
            text += line;
        }
    }
    return text;
}

}  // namespace armci::sim
