// SPDX-License-Identifier: BSD-3-Clause
#include "collectives.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <tuple>

#include "core/job/mpi_collectives.h"
#include "fiber.h"
#include "shared_bytes.h"
#include "simulation.h"
#include "threads.h"
#include "timeline.h"

namespace armci::sim {
namespace mpi {
namespace {

enum class Kind : uint8_t { barrier, broadcast, gather, scatter, all_gather, all_reduce };

// What a member says of a collective call; all members must agree.
struct Call {
    Kind kind = Kind::barrier;
    size_t bytes = 0;  // of each member
    int root = 0;
    MPI_Datatype type = MPI_BYTE;  // of a reduction
    MPI_Op op = MPI_MAX;
};

// One collective call on one communicator.
struct Collective {
    Call call;
    std::vector<std::vector<char>> given;  // by member
    std::vector<char*> results;
    std::vector<bool> has_arrived;
    size_t arrived = 0;
    size_t collected = 0;
    int64_t leaves_ns = kForever;         // in a timed run: not before
    std::shared_ptr<SharedBytes> shared;  // likewise: the result, where it is long
};

struct Communicator {
    std::vector<int> ranks;
    std::vector<size_t> calls;  // by member
    std::deque<Collective> under_way;
    size_t first = 0;  // number of the first of these
};

// Communicator, sender, receiver and tag of a message.
using Letter = std::tuple<size_t, int, int, int>;

// Of a collective call, or of a receive.
struct Request {
    size_t communicator = 0;
    size_t call = 0;
    size_t member = 0;
    Letter letter;
    char* buffer = nullptr;  // of a receive
    size_t buffer_bytes = 0;
};

// Members and tag of a communicator that is being made.
using New = std::pair<std::vector<int>, int>;

// Communicators that these members make or have made with that tag, one after the other.
struct Newcomers {
    std::vector<MPI_Comm> made;
    std::vector<size_t> arrived;  // by communicator: members that have called
    std::map<int, size_t> calls;  // of each member
};

struct LetterContent {
    std::vector<char> bytes;
    int64_t arrives_ns = 0;  // in a timed run
};

std::vector<Communicator> g_communicators;
std::map<int64_t, Request> g_requests;
std::map<Letter, std::deque<LetterContent>> g_letters;
std::map<New, Newcomers> g_newcomers;
std::vector<std::vector<int>> g_groups;
int64_t g_next_request = 1;
MpiUse g_use;

// Handles are integers with one MPI and pointers with another.
template <class Handle>
Handle make_handle(int64_t number) {
    Handle handle{};
    std::memcpy(&handle, &number, sizeof handle);
    return handle;
}

template <class Handle>
int64_t number_of(Handle handle) {
    int64_t number = 0;
    std::memcpy(&number, &handle, sizeof handle);
    return number;
}

constexpr int64_t kFirstHandle = 0x5100000;

size_t index_of(MPI_Comm comm) {
    const int64_t number = number_of(comm) - kFirstHandle;
    if (number < 0 || number >= static_cast<int64_t>(g_communicators.size())) {
        violation("an MPI call on a communicator that does not exist");
    }
    return static_cast<size_t>(number);
}

size_t member_of(const Communicator& communicator) {
    const auto same = static_cast<size_t>(acting_process());
    if (same < communicator.ranks.size() &&
        communicator.ranks[same] == acting_process()) {  // as in world
        return same;
    }
    const auto found =
        std::find(communicator.ranks.begin(), communicator.ranks.end(), acting_process());
    if (found == communicator.ranks.end()) {
        violation("rank %d calls MPI on a communicator that it is not in", acting_process());
    }
    return static_cast<size_t>(found - communicator.ranks.begin());
}

size_t bytes_of(MPI_Datatype type) {
    if (type == MPI_DATATYPE_NULL) {
        return 0;
    }
    if (type == MPI_BYTE || type == MPI_CHAR) {
        return 1;
    }
    if (type == MPI_INT) {
        return sizeof(int);
    }
    if (type == MPI_UINT64_T || type == MPI_INT64_T) {
        return sizeof(uint64_t);
    }
    violation("an MPI call with a type that is not simulated");
}

bool is_same(const Call& a, const Call& b) {
    return a.kind == b.kind && a.bytes == b.bytes && a.root == b.root && a.type == b.type &&
           a.op == b.op;
}

bool is_root_enough(const Collective& collective) {
    return collective.call.kind == Kind::broadcast || collective.call.kind == Kind::scatter;
}

// What an MPI takes whose collectives are trees, and that moves every byte once.
int64_t duration_ns(const Call& call, size_t size) {
    const auto rounds = static_cast<int64_t>(std::bit_width(size - 1));
    const bool is_for_each =
        call.kind == Kind::gather || call.kind == Kind::scatter || call.kind == Kind::all_gather;
    const auto bytes = static_cast<double>(call.bytes * (is_for_each ? size : 1));
    return rounds * (machine().latency_ns + 2 * machine().overhead_ns) +
           static_cast<int64_t>(bytes * machine().byte_ns);
}

// Notes that a member has entered the call. If all may leave now, each does so when MPI's messages
// would have reached it.
void time_arrival(const Communicator& communicator, size_t member, Collective* collective) {
    const size_t size = communicator.ranks.size();
    const Call& call = collective->call;
    const bool ends = is_root_enough(*collective) ? member == static_cast<size_t>(call.root)
                                                  : collective->arrived == size;
    if (!is_timed() || !ends) {
        return;
    }
    const int64_t ns = duration_ns(call, size);
    collective->leaves_ns = timed_ns() + ns;
    if (size > 1) {
        const bool is_for_each = call.kind == Kind::all_gather;
        g_use.ns += ns;
        g_use.bytes += static_cast<int64_t>(call.bytes * (is_for_each ? size : 1));
    }
    for (const int rank : communicator.ranks) {
        wake({rank, false}, collective->leaves_ns);
    }
}

// Begins the call. `data` is what this member gives, or nullptr; `result` is where it gets its own.
Request join(MPI_Comm comm, const Call& call, const void* data, size_t data_bytes, void* result) {
    const size_t index = index_of(comm);
    Communicator& communicator = g_communicators[index];
    const size_t member = member_of(communicator);
    const size_t size = communicator.ranks.size();
    const size_t number = communicator.calls[member]++;
    if (number - communicator.first == communicator.under_way.size()) {
        Collective next;
        next.call = call;
        next.given.resize(size);
        next.results.resize(size);
        next.has_arrived.resize(size);
        communicator.under_way.push_back(std::move(next));
    }
    Collective& collective = communicator.under_way[number - communicator.first];
    if (!is_same(collective.call, call)) {
        violation("rank %d calls another collective than the others", acting_process());
    }
    if (data != nullptr) {
        const char* begin = static_cast<const char*>(data);
        collective.given[member].assign(begin, begin + data_bytes);
    }
    collective.results[member] = static_cast<char*>(result);
    collective.has_arrived[member] = true;
    ++collective.arrived;
    time_arrival(communicator, member, &collective);
    record("collective", acting_process(), static_cast<int64_t>(index),
           static_cast<int64_t>(number));
    return {.communicator = index, .call = number, .member = member, .letter = {}};
}

// A member leaves as soon as MPI lets it: with what it needs from others, and no later.
bool may_leave(const Collective& collective, size_t member) {
    const auto root = static_cast<size_t>(collective.call.root);
    switch (collective.call.kind) {
        case Kind::broadcast:
        case Kind::scatter:
            return collective.has_arrived[root];
        case Kind::gather:
            return member != root || collective.arrived == collective.given.size();
        case Kind::barrier:
        case Kind::all_gather:
        case Kind::all_reduce:
            break;
    }
    return collective.arrived == collective.given.size();
}

template <class T>
void reduce(const Collective& collective, T* result) {
    const size_t count = collective.call.bytes / sizeof(T);
    for (size_t i = 0; i < count; ++i) {
        for (size_t member = 0; member < collective.given.size(); ++member) {
            T value;
            std::memcpy(&value, collective.given[member].data() + i * sizeof(T), sizeof value);
            result[i] = member == 0                     ? value
                        : collective.call.op == MPI_MAX ? std::max(result[i], value)
                        : collective.call.op == MPI_MIN ? std::min(result[i], value)
                                                        : result[i] + value;
        }
    }
}

void reduce_by_type(const Collective& collective, char* result) {
    const MPI_Op op = collective.call.op;
    if (op != MPI_MAX && op != MPI_MIN && op != MPI_SUM) {
        violation("an MPI reduction that is not simulated");
    }
    if (collective.call.type == MPI_INT) {
        reduce(collective, reinterpret_cast<int*>(result));
    } else if (collective.call.type == MPI_INT64_T) {
        reduce(collective, reinterpret_cast<int64_t*>(result));
    } else {
        reduce(collective, reinterpret_cast<uint64_t*>(result));
    }
}

// Returns whether the result was long enough for that.
bool give_shared(Collective& collective, char* result) {
    constexpr size_t kLong = 256 << 10;
    if (!is_timed() || collective.call.bytes * collective.given.size() < kLong) {
        return false;
    }
    if (collective.shared == nullptr) {
        collective.shared = std::make_shared<SharedBytes>(collective.given, result);
    }
    return collective.shared->put_at(result);
}

void give_result(Collective& collective, size_t member) {
    const auto root = static_cast<size_t>(collective.call.root);
    const size_t bytes = collective.call.bytes;
    char* result = collective.results[member];
    switch (collective.call.kind) {
        case Kind::barrier:
            return;
        case Kind::broadcast:
            if (member != root && bytes > 0) {
                std::memcpy(result, collective.given[root].data(), bytes);
            }
            return;
        case Kind::scatter:
            std::memcpy(result, collective.given[root].data() + member * bytes, bytes);
            return;
        case Kind::gather:
            if (member != root) {
                return;
            }
            break;
        case Kind::all_gather:
            if (give_shared(collective, result)) {
                return;
            }
            break;
        case Kind::all_reduce:
            reduce_by_type(collective, result);
            return;
    }
    for (size_t from = 0; from < collective.given.size() && bytes > 0; ++from) {
        std::memcpy(result + from * bytes, collective.given[from].data(), bytes);
    }
}

// For how long a member certainly stays, in a timed run.
int64_t wait_ns(const Collective& collective, size_t member) {
    const bool only_gives =
        collective.call.kind == Kind::gather && member != static_cast<size_t>(collective.call.root);
    return !is_timed() || only_gives           ? 0
           : collective.leaves_ns == kForever  ? kForever
           : collective.leaves_ns > timed_ns() ? collective.leaves_ns - timed_ns()
                                               : 0;
}

Collective& collective_of(const Request& request) {
    Communicator& communicator = g_communicators[request.communicator];
    return communicator.under_way[request.call - communicator.first];
}

void await_letter(const LetterContent& letter) {
    if (is_timed()) {
        spend(std::max<int64_t>(letter.arrives_ns - timed_ns(), 0) + machine().overhead_ns);
    }
}

// Takes a letter that has come.
void take_letter(const Letter& wanted, char* buffer, size_t buffer_bytes) {
    std::deque<LetterContent>& waiting = g_letters[wanted];
    await_letter(waiting.front());
    const std::vector<char>& bytes = waiting.front().bytes;
    if (bytes.size() > buffer_bytes) {
        violation("an MPI message is longer than its receive");
    }
    std::copy(bytes.begin(), bytes.end(), buffer);
    waiting.pop_front();
    if (waiting.empty()) {
        g_letters.erase(wanted);
    }
}

bool collect(const Request& request) {
    if (request.buffer != nullptr) {
        if (!g_letters.contains(request.letter)) {
            return false;
        }
        take_letter(request.letter, request.buffer, request.buffer_bytes);
        return true;
    }
    Communicator& communicator = g_communicators[request.communicator];
    Collective& collective = collective_of(request);
    if (!may_leave(collective, request.member) || wait_ns(collective, request.member) > 0) {
        return false;
    }
    give_result(collective, request.member);
    ++collective.collected;
    const size_t size = communicator.ranks.size();
    while (!communicator.under_way.empty() && communicator.under_way.front().collected == size) {
        communicator.under_way.pop_front();
        ++communicator.first;
    }
    return true;
}

// A call that blocks: the process does nothing else meanwhile.
void run(MPI_Comm comm, const Call& call, const void* data, size_t data_bytes, void* result) {
    const Request request = join(comm, call, data, data_bytes, result);
    while (!collect(request)) {
        wait_for_event(wait_ns(collective_of(request), request.member));
    }
}

// Returns when a letter of the acting process arrives.
int64_t time_letter(size_t communicator, int to) {
    if (!is_timed()) {
        return 0;
    }
    spend(machine().overhead_ns);
    const int64_t arrives_ns = timed_ns() + machine().latency_ns;
    wake({g_communicators[communicator].ranks[static_cast<size_t>(to)], false}, arrives_ns);
    return arrives_ns;
}

void begin(MPI_Comm comm, const Call& call, const void* data, size_t data_bytes, void* result,
           MPI_Request* request) {
    const int64_t number = g_next_request++;
    g_requests[number] = join(comm, call, data, data_bytes, result);
    *request = make_handle<MPI_Request>(kFirstHandle + number);
}

}  // namespace
}  // namespace mpi

void start_mpi() {
    mpi::g_communicators.clear();
    mpi::g_requests.clear();
    mpi::g_letters.clear();
    mpi::g_newcomers.clear();
    mpi::g_groups.clear();
    mpi::g_next_request = 1;
    mpi::g_use = {};
}

MpiUse mpi_use() {
    return mpi::g_use;
}

MPI_Comm make_communicator(std::vector<int> ranks) {
    mpi::Communicator communicator;
    communicator.calls.resize(ranks.size());
    communicator.ranks = std::move(ranks);
    mpi::g_communicators.push_back(std::move(communicator));
    return mpi::make_handle<MPI_Comm>(mpi::kFirstHandle +
                                      static_cast<int64_t>(mpi::g_communicators.size()) - 1);
}

void check_mpi_is_idle() {
    for (const mpi::Communicator& communicator : mpi::g_communicators) {
        if (!communicator.under_way.empty()) {
            violation("not all ranks have taken part in an MPI collective");
        }
    }
    if (!mpi::g_requests.empty() || !mpi::g_letters.empty()) {
        violation("%zu MPI requests and %zu messages are left", mpi::g_requests.size(),
                  mpi::g_letters.size());
    }
}

}  // namespace armci::sim

namespace mpi = armci::sim::mpi;

// In place of core/job/mpi_collectives.cpp: these wait without polls, which would take time.
namespace armci::core::mpi {

namespace sim = armci::sim::mpi;

void barrier(MPI_Comm comm) {
    sim::run(comm, {}, nullptr, 0, nullptr);
}

void bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
    const size_t bytes = static_cast<size_t>(count) * sim::bytes_of(type);
    sim::run(comm, {.kind = sim::Kind::broadcast, .bytes = bytes, .root = root}, data, bytes, data);
}

void allreduce(void* data, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
    const size_t bytes = static_cast<size_t>(count) * sim::bytes_of(type);
    sim::run(comm,
             {.kind = sim::Kind::all_reduce, .bytes = bytes, .root = 0, .type = type, .op = op},
             data, bytes, data);
}

void reduce(void*, int, MPI_Datatype, MPI_Op, int, MPI_Comm) {
    armci::sim::violation("a collective operation that is not simulated");
}

void gather(const void* mine, void* all, int bytes_each, int root, MPI_Comm comm) {
    const auto bytes = static_cast<size_t>(bytes_each);
    sim::run(comm, {.kind = sim::Kind::gather, .bytes = bytes, .root = root}, mine, bytes, all);
}

void scatter(const void* all, void* mine, int bytes_each, int root, MPI_Comm comm) {
    const sim::Communicator& communicator = sim::g_communicators[sim::index_of(comm)];
    const auto bytes = static_cast<size_t>(bytes_each);
    const bool is_root = static_cast<int>(sim::member_of(communicator)) == root;
    sim::run(comm, {.kind = sim::Kind::scatter, .bytes = bytes, .root = root},
             is_root ? all : nullptr, bytes * communicator.ranks.size(), mine);
}

void allgather(void* all, int bytes_each, MPI_Comm comm) {
    const auto bytes = static_cast<size_t>(bytes_each);
    const size_t member = sim::member_of(sim::g_communicators[sim::index_of(comm)]);
    sim::run(comm, {.kind = sim::Kind::all_gather, .bytes = bytes},
             static_cast<char*>(all) + member * bytes, bytes, all);
}

void wait(MPI_Request*) {
    armci::sim::violation("a wait for MPI that is not simulated");
}

int duplicate(MPI_Comm, MPI_Comm*) {
    armci::sim::violation("a communicator that is not simulated");
}

}  // namespace armci::core::mpi

extern "C" {

int MPI_Comm_rank(MPI_Comm comm, int* rank) {
    *rank = static_cast<int>(mpi::member_of(mpi::g_communicators[mpi::index_of(comm)]));
    return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm comm, int* size) {
    *size = static_cast<int>(mpi::g_communicators[mpi::index_of(comm)].ranks.size());
    return MPI_SUCCESS;
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
    mpi::begin(comm, {}, nullptr, 0, nullptr, request);
    return MPI_SUCCESS;
}

int MPI_Ibcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm,
               MPI_Request* request) {
    const size_t bytes = static_cast<size_t>(count) * mpi::bytes_of(type);
    mpi::begin(comm, {.kind = mpi::Kind::broadcast, .bytes = bytes, .root = root}, data, bytes,
               data, request);
    return MPI_SUCCESS;
}

int MPI_Iallgather(const void* mine, int count, MPI_Datatype type, void* all, int all_count,
                   MPI_Datatype all_type, MPI_Comm comm, MPI_Request* request) {
    const bool in_place = mine == MPI_IN_PLACE;
    const size_t bytes = static_cast<size_t>(in_place ? all_count : count) *
                         mpi::bytes_of(in_place ? all_type : type);
    const size_t member = mpi::member_of(mpi::g_communicators[mpi::index_of(comm)]);
    mpi::begin(comm, {.kind = mpi::Kind::all_gather, .bytes = bytes},
               in_place ? static_cast<char*>(all) + member * bytes : mine, bytes, all, request);
    return MPI_SUCCESS;
}

int MPI_Iallreduce(const void* mine, void* result, int count, MPI_Datatype type, MPI_Op op,
                   MPI_Comm comm, MPI_Request* request) {
    const size_t bytes = static_cast<size_t>(count) * mpi::bytes_of(type);
    mpi::begin(comm,
               {.kind = mpi::Kind::all_reduce, .bytes = bytes, .root = 0, .type = type, .op = op},
               mine == MPI_IN_PLACE ? result : mine, bytes, result, request);
    return MPI_SUCCESS;
}

int MPI_Sendrecv(const void* sent, int sent_count, MPI_Datatype sent_type, int to, int sent_tag,
                 void* received, int received_count, MPI_Datatype received_type, int from,
                 int received_tag, MPI_Comm comm, MPI_Status*) {
    const size_t index = mpi::index_of(comm);
    const auto me = static_cast<int>(mpi::member_of(mpi::g_communicators[index]));
    const char* begin_of_sent = static_cast<const char*>(sent);
    const char* end_of_sent =
        begin_of_sent + static_cast<size_t>(sent_count) * mpi::bytes_of(sent_type);
    const int64_t arrives_ns = mpi::time_letter(index, to);
    mpi::g_letters[{index, me, to, sent_tag}].push_back({{begin_of_sent, end_of_sent}, arrives_ns});
    armci::sim::record("letter", armci::sim::acting_process(), to);
    const mpi::Letter wanted{index, from, me, received_tag};
    while (mpi::g_letters.find(wanted) == mpi::g_letters.end()) {
        armci::sim::wait_for_event(armci::sim::kForever);
    }
    mpi::take_letter(wanted, static_cast<char*>(received),
                     static_cast<size_t>(received_count) * mpi::bytes_of(received_type));
    return MPI_SUCCESS;
}

// The message is copied at once, so the send is complete.
int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request* request) {
    const size_t index = mpi::index_of(comm);
    const auto me = static_cast<int>(mpi::member_of(mpi::g_communicators[index]));
    const char* begin = static_cast<const char*>(data);
    const char* end = begin + static_cast<size_t>(count) * mpi::bytes_of(type);
    const int64_t arrives_ns = mpi::time_letter(index, to);
    mpi::g_letters[{index, me, to, tag}].push_back({{begin, end}, arrives_ns});
    armci::sim::record("letter", armci::sim::acting_process(), to);
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
              MPI_Request* request) {
    const size_t index = mpi::index_of(comm);
    const auto me = static_cast<int>(mpi::member_of(mpi::g_communicators[index]));
    const int64_t number = mpi::g_next_request++;
    mpi::g_requests[number] = {.letter = {index, from, me, tag},
                               .buffer = static_cast<char*>(data),
                               .buffer_bytes = static_cast<size_t>(count) * mpi::bytes_of(type)};
    *request = mpi::make_handle<MPI_Request>(mpi::kFirstHandle + number);
    return MPI_SUCCESS;
}

int MPI_Comm_group(MPI_Comm comm, MPI_Group* group) {
    mpi::g_groups.push_back(mpi::g_communicators[mpi::index_of(comm)].ranks);
    *group = mpi::make_handle<MPI_Group>(mpi::kFirstHandle +
                                         static_cast<int64_t>(mpi::g_groups.size()) - 1);
    return MPI_SUCCESS;
}

int MPI_Group_incl(MPI_Group group, int count, const int ranks[], MPI_Group* made) {
    const std::vector<int> from =
        mpi::g_groups[static_cast<size_t>(mpi::number_of(group) - mpi::kFirstHandle)];
    std::vector<int> members;
    for (int i = 0; i < count; ++i) {
        members.push_back(from[static_cast<size_t>(ranks[i])]);
    }
    mpi::g_groups.push_back(std::move(members));
    *made = mpi::make_handle<MPI_Group>(mpi::kFirstHandle +
                                        static_cast<int64_t>(mpi::g_groups.size()) - 1);
    return MPI_SUCCESS;
}

int MPI_Group_free(MPI_Group* group) {
    *group = MPI_GROUP_NULL;
    return MPI_SUCCESS;
}

// All members wait for each other, as with any MPI.
int MPI_Comm_create_group(MPI_Comm, MPI_Group group, int tag, MPI_Comm* made) {
    const mpi::New key{
        mpi::g_groups[static_cast<size_t>(mpi::number_of(group) - mpi::kFirstHandle)], tag};
    mpi::Newcomers& newcomers = mpi::g_newcomers[key];
    const size_t call = newcomers.calls[armci::sim::acting_process()]++;
    if (call == newcomers.made.size()) {
        newcomers.made.push_back(armci::sim::make_communicator(key.first));
        newcomers.arrived.push_back(0);
    }
    ++newcomers.arrived[call];
    while (newcomers.arrived[call] < key.first.size()) {
        armci::sim::wait_for_event(0);
    }
    *made = newcomers.made[call];
    return MPI_SUCCESS;
}

int MPI_Comm_free(MPI_Comm* comm) {
    *comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

int MPI_Comm_get_attr(MPI_Comm, int, void* value, int* is_set) {
    static int largest_tag = 32767;
    *static_cast<int**>(value) = &largest_tag;
    *is_set = 1;
    return MPI_SUCCESS;
}

int MPI_Comm_get_errhandler(MPI_Comm, MPI_Errhandler* handler) {
    *handler = MPI_ERRORS_ARE_FATAL;
    return MPI_SUCCESS;
}

int MPI_Comm_set_errhandler(MPI_Comm, MPI_Errhandler) {
    return MPI_SUCCESS;
}

int MPI_Errhandler_free(MPI_Errhandler* handler) {
    *handler = MPI_ERRHANDLER_NULL;
    return MPI_SUCCESS;
}

int MPI_Iprobe(int, int, MPI_Comm, int* arrived, MPI_Status*) {
    *arrived = 0;
    return MPI_SUCCESS;
}

int MPI_Test(MPI_Request* request, int* done, MPI_Status*) {
    *done = 1;
    if (*request == MPI_REQUEST_NULL) {
        return MPI_SUCCESS;
    }
    const auto found = mpi::g_requests.find(mpi::number_of(*request) - mpi::kFirstHandle);
    *done = mpi::collect(found->second) ? 1 : 0;
    if (*done != 0) {
        mpi::g_requests.erase(found);
        *request = MPI_REQUEST_NULL;
    }
    return MPI_SUCCESS;
}

}  // extern "C"
