// SPDX-License-Identifier: BSD-3-Clause
#include "core/messages/messages.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <string_view>

#include "base/log.h"
#include "core/progress/wait_for_mpi.h"
#include "core/progress/wait_for_ranks.h"

namespace armci::core {
namespace {

MPI_Datatype mpi_type(MessageType type) {
    switch (type) {
        case MessageType::int32:
            return MPI_INT;
        case MessageType::int64:
            return MPI_LONG;
        case MessageType::long_long:
            return MPI_LONG_LONG;
        case MessageType::float32:
            return MPI_FLOAT;
        case MessageType::float64:
            break;
    }
    return MPI_DOUBLE;
}

// Calls f with a null pointer of the element type.
template <class Function>
auto with_type(MessageType type, Function&& f) {
    switch (type) {
        case MessageType::int32:
            return f(static_cast<int*>(nullptr));
        case MessageType::int64:
            return f(static_cast<long*>(nullptr));
        case MessageType::long_long:
            return f(static_cast<long long*>(nullptr));
        case MessageType::float32:
            return f(static_cast<float*>(nullptr));
        case MessageType::float64:
            break;
    }
    return f(static_cast<double*>(nullptr));
}

bool is_integer(MessageType type) {
    return type != MessageType::float32 && type != MessageType::float64;
}

struct Operation {
    std::string_view name;
    MPI_Op op;
    bool of_absolute_values;
    bool integers_only;
};

// Names are matched by prefix, so longer names come before their prefixes.
const Operation* find_operation(const char* name) {
    static const Operation operations[] = {
        {"absmax", MPI_MAX, true, false}, {"absmin", MPI_MIN, true, false},
        {"max", MPI_MAX, false, false},   {"min", MPI_MIN, false, false},
        {"+", MPI_SUM, false, false},     {"*", MPI_PROD, false, false},
        {"land", MPI_LAND, false, true},  {"lor", MPI_LOR, false, true},
        {"band", MPI_BAND, false, true},  {"bor", MPI_BOR, false, true},
        {"&&", MPI_LAND, false, true},    {"||", MPI_LOR, false, true},
        {"&", MPI_BAND, false, true},     {"|", MPI_BOR, false, true},
        {"or", MPI_BOR, false, true},
    };
    const std::string_view wanted(name);
    for (const Operation& operation : operations) {
        if (wanted.starts_with(operation.name)) {
            return &operation;
        }
    }
    return nullptr;
}

// The most negative integer has no absolute value in its type, and gets the nearest.
template <class T>
void absolute_values(T* values, int count) {
    if constexpr (std::numeric_limits<T>::is_integer) {
        for (int i = 0; i < count; ++i) {
            if (values[i] < 0) {
                values[i] = values[i] == std::numeric_limits<T>::min()
                                ? std::numeric_limits<T>::max()
                                : static_cast<T>(-values[i]);
            }
        }
    } else {
        for (int i = 0; i < count; ++i) {
            values[i] = std::fabs(values[i]);
        }
    }
}

template <class T>
T highest_value() {
    using Limits = std::numeric_limits<T>;
    return Limits::has_infinity ? Limits::infinity() : Limits::max();
}

template <class T>
T lowest_value() {
    using Limits = std::numeric_limits<T>;
    return Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
}

}  // namespace

void Messages::complete(MPI_Request* request, const char* what) {
    wait_for_mpi(progress_, request, what);
}

void Messages::send(int tag, const void* data, int bytes, int to) {
    if (to == progress_.world().rank) {
        const char* begin = static_cast<const char*>(data);
        self_messages_.push_back(SelfMessage{tag, std::vector<char>(begin, begin + bytes)});
        return;
    }
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(data, bytes, MPI_BYTE, to, tag, progress_.world().comm, &request);
    complete(&request);
}

bool Messages::take_self_message(const char* function, int tag, void* buffer, int buffer_bytes,
                                 int* bytes) {
    const auto found = std::find_if(self_messages_.begin(), self_messages_.end(),
                                    [&](const SelfMessage& message) { return message.tag == tag; });
    if (found == self_messages_.end()) {
        return false;
    }
    *bytes = static_cast<int>(found->data.size());
    if (*bytes > buffer_bytes) {
        base::fatal(function,
                    "argument buflen = %d: the message with tag %d has %d bytes; "
                    "receive into a larger buffer",
                    buffer_bytes, tag, *bytes);
    }
    std::copy(found->data.begin(), found->data.end(), static_cast<char*>(buffer));
    self_messages_.erase(found);
    return true;
}

int Messages::receive(const char* function, int tag, void* buffer, int buffer_bytes, int from,
                      int* source) {
    const bool is_from_any = from == MPI_ANY_SOURCE;
    const bool may_be_self = from == progress_.world().rank || is_from_any;
    int bytes = 0;
    MPI_Status status;
    MPI_Message message = MPI_MESSAGE_NULL;
    int arrived = 0;
    bool was_self = false;
    wait_for_ranks(
        progress_,
        is_from_any ? WaitCause{function, "a message of any rank"}
                    : WaitCause{function, "a message of rank", from},
        [&] {
            if (may_be_self && take_self_message(function, tag, buffer, buffer_bytes, &bytes)) {
                was_self = true;
                return true;
            }
            if (from != progress_.world().rank) {
                MPI_Improbe(from, tag, progress_.world().comm, &arrived, &message, &status);
            }
            return arrived != 0;
        },
        [&](int64_t waited_ns) { nap_between_looks(progress_, waited_ns); });
    if (was_self) {
        *source = progress_.world().rank;
        return bytes;
    }
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    if (bytes > buffer_bytes) {
        base::fatal(function,
                    "argument buflen = %d: the message with tag %d from rank %d has "
                    "%d bytes; receive into a larger buffer",
                    buffer_bytes, tag, status.MPI_SOURCE, bytes);
    }
    *source = status.MPI_SOURCE;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Imrecv(buffer, bytes, MPI_BYTE, &message, &request);
    complete(&request);
    return bytes;
}

void Messages::broadcast(const Group& group, void* data, int64_t bytes, int group_root) {
    if (group.size() == 1) {
        return;
    }
    // MPI counts in int.
    auto* next = static_cast<char*>(data);
    while (bytes > 0) {
        const int piece = static_cast<int>(std::min<int64_t>(bytes, 1 << 30));
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Ibcast(next, piece, MPI_BYTE, group_root, own_comm(group), &request);
        complete(&request);
        next += piece;
        bytes -= piece;
    }
}

void Messages::check_meeting(const char* function, const Group& group, Collective kind, int64_t n,
                             MessageType type) {
    constexpr int64_t kTypes = 8;
    checking_->meet(function, group, kind, n * kTypes + static_cast<int64_t>(type));
}

void Messages::reduce(const char* function, const Group& group, void* data, int count,
                      const char* name, MessageType type) {
    const Operation* operation = find_operation(name);
    if (operation == nullptr) {
        base::fatal(function,
                    "argument op = \"%s\": not a reduction; use one of + * max min absmax "
                    "absmin or land lor band bor && || & |",
                    name);
    }
    if (operation->integers_only && !is_integer(type)) {
        base::fatal(function, "argument op = \"%s\" is defined for integers only", name);
    }
    check_meeting(function, group, Collective::reduce, count, type);
    if (operation->of_absolute_values) {
        with_type(type,
                  [&](auto* tag) { absolute_values(static_cast<decltype(tag)>(data), count); });
    }
    if (count == 0 || group.size() == 1) {
        return;
    }
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(MPI_IN_PLACE, data, count, mpi_type(type), operation->op, own_comm(group),
                   &request);
    complete(&request);
}

void Messages::select(const char* function, const Group& group, void* record, int bytes,
                      const char* name, MessageType type, bool contributes) {
    const std::string_view wanted(name);
    const bool is_max = wanted.starts_with("max");
    if (!is_max && !wanted.starts_with("min")) {
        base::fatal(function, "argument op = \"%s\": use \"min\" or \"max\"", name);
    }
    check_meeting(function, group, Collective::select, bytes, type);
    if (group.size() == 1) {
        return;
    }
    // The winning value is found first, then the lowest rank that has it, then its record.
    int winner = with_type(type, [&](auto* tag) {
        using T = std::remove_pointer_t<decltype(tag)>;
        T mine{};
        if (contributes) {
            std::memcpy(&mine, record, sizeof mine);
        } else {
            mine = is_max ? lowest_value<T>() : highest_value<T>();
        }
        T best = mine;
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Iallreduce(MPI_IN_PLACE, &best, 1, mpi_type(type), is_max ? MPI_MAX : MPI_MIN,
                       own_comm(group), &request);
        complete(&request);
        // NaN is neither less nor greater, so a rank that meets one has the best. Some rank has.
        const bool is_best = !(mine < best) && !(mine > best);
        return contributes && is_best ? group.rank() : group.size();
    });
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallreduce(MPI_IN_PLACE, &winner, 1, MPI_INT, MPI_MIN, own_comm(group), &request);
    complete(&request);
    if (winner < group.size()) {
        broadcast(group, record, bytes, winner);
    }
}

}  // namespace armci::core
