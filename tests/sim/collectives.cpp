// SPDX-License-Identifier: BSD-3-Clause
#include "collectives.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>

#include "simulation.h"

namespace armci::sim {
namespace {

// One collective call on one communicator. Every member contributes the same number of bytes, and
// receives what `combine` makes of all of them when the last member has called.
struct Collective {
    size_t bytes = 0;
    bool is_maximum = false;
    std::vector<char> all;  // by member
    std::vector<void*> results;
    size_t arrived = 0;
    size_t collected = 0;
};

struct Communicator {
    std::vector<int> ranks;
    std::vector<size_t> calls;  // by member
    std::deque<Collective> under_way;
    size_t first = 0;  // number of the first of these
};

struct Request {
    size_t communicator = 0;
    size_t call = 0;
    size_t member = 0;
};

std::vector<Communicator> g_communicators;
std::map<int64_t, Request> g_requests;
int64_t g_next_request = 1;
int g_rank = 0;

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

Communicator& communicator_of(MPI_Comm comm) {
    const int64_t number = number_of(comm) - kFirstHandle;
    if (number < 0 || number >= static_cast<int64_t>(g_communicators.size())) {
        violation("an MPI call on a communicator that does not exist");
    }
    return g_communicators[static_cast<size_t>(number)];
}

size_t member_of(const Communicator& communicator) {
    const auto found = std::find(communicator.ranks.begin(), communicator.ranks.end(), g_rank);
    if (found == communicator.ranks.end()) {
        violation("rank %d calls MPI on a communicator that it is not in", g_rank);
    }
    return static_cast<size_t>(found - communicator.ranks.begin());
}

void join(MPI_Comm comm, const void* data, size_t bytes, void* result, bool is_maximum,
          MPI_Request* request) {
    Communicator& communicator = communicator_of(comm);
    const size_t member = member_of(communicator);
    const size_t size = communicator.ranks.size();
    const size_t call = communicator.calls[member]++;
    if (call - communicator.first == communicator.under_way.size()) {
        Collective next;
        next.bytes = bytes;
        next.is_maximum = is_maximum;
        next.all.resize(bytes * size);
        next.results.resize(size);
        communicator.under_way.push_back(std::move(next));
    }
    Collective& collective = communicator.under_way[call - communicator.first];
    if (collective.bytes != bytes || collective.is_maximum != is_maximum) {
        violation("rank %d calls another collective than the others", g_rank);
    }
    if (bytes > 0) {
        std::memcpy(collective.all.data() + member * bytes, data, bytes);
    }
    collective.results[member] = result;
    ++collective.arrived;
    record("collective", g_rank, number_of(comm) - kFirstHandle, static_cast<int64_t>(call));
    const int64_t number = g_next_request++;
    g_requests[number] = {static_cast<size_t>(number_of(comm) - kFirstHandle), call, member};
    *request = make_handle<MPI_Request>(kFirstHandle + number);
}

bool collect(const Request& request) {
    Communicator& communicator = g_communicators[request.communicator];
    Collective& collective = communicator.under_way[request.call - communicator.first];
    const size_t size = communicator.ranks.size();
    if (collective.arrived < size) {
        return false;
    }
    void* result = collective.results[request.member];
    if (collective.is_maximum) {
        uint64_t max = 0;
        for (size_t i = 0; i < size; ++i) {
            uint64_t value = 0;
            std::memcpy(&value, collective.all.data() + i * sizeof value, sizeof value);
            max = std::max(max, value);
        }
        std::memcpy(result, &max, sizeof max);
    } else if (collective.bytes > 0) {
        std::memcpy(result, collective.all.data(), collective.all.size());
    }
    ++collective.collected;
    while (!communicator.under_way.empty() && communicator.under_way.front().collected == size) {
        communicator.under_way.pop_front();
        ++communicator.first;
    }
    return true;
}

}  // namespace

void start_mpi() {
    g_communicators.clear();
    g_requests.clear();
    g_next_request = 1;
}

MPI_Comm make_communicator(std::vector<int> ranks) {
    Communicator communicator;
    communicator.calls.resize(ranks.size());
    communicator.ranks = std::move(ranks);
    g_communicators.push_back(std::move(communicator));
    return make_handle<MPI_Comm>(kFirstHandle + static_cast<int64_t>(g_communicators.size()) - 1);
}

void set_calling_rank(int rank) {
    g_rank = rank;
}

}  // namespace armci::sim

using armci::sim::collect;
using armci::sim::join;

extern "C" {

int MPI_Comm_rank(MPI_Comm comm, int* rank) {
    *rank = static_cast<int>(armci::sim::member_of(armci::sim::communicator_of(comm)));
    return MPI_SUCCESS;
}

int MPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
    join(comm, nullptr, 0, nullptr, false, request);
    return MPI_SUCCESS;
}

int MPI_Iprobe(int, int, MPI_Comm, int* arrived, MPI_Status*) {
    *arrived = 0;
    return MPI_SUCCESS;
}

int MPI_Iallgather(const void* mine, int bytes, MPI_Datatype, void* all, int, MPI_Datatype,
                   MPI_Comm comm, MPI_Request* request) {
    join(comm, mine, static_cast<size_t>(bytes), all, false, request);
    return MPI_SUCCESS;
}

// The library uses only one reduction: the maximum of a number, in place.
int MPI_Iallreduce(const void*, void* value, int, MPI_Datatype, MPI_Op, MPI_Comm comm,
                   MPI_Request* request) {
    join(comm, value, sizeof(uint64_t), value, true, request);
    return MPI_SUCCESS;
}

int MPI_Test(MPI_Request* request, int* done, MPI_Status*) {
    *done = 1;
    if (*request == MPI_REQUEST_NULL) {
        return MPI_SUCCESS;
    }
    const auto found =
        armci::sim::g_requests.find(armci::sim::number_of(*request) - armci::sim::kFirstHandle);
    *done = collect(found->second) ? 1 : 0;
    if (*done != 0) {
        armci::sim::g_requests.erase(found);
        *request = MPI_REQUEST_NULL;
    }
    return MPI_SUCCESS;
}

}  // extern "C"
