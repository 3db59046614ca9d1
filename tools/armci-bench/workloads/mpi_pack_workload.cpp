// SPDX-License-Identifier: BSD-3-Clause
#include "armci-bench/workloads/mpi_pack_workload.h"

#include "armci-bench/workloads/implementation.h"

#include <cstring>

namespace armci::bench {

namespace {

// The kinds of messages to and from the target.
enum Tag : int {
    kTagPut = 1,       // data to unpack
    kTagPutAcked = 2,  // same, and answer when done
    kTagGet = 3,       // pack and send the data
    kTagFlush = 4,     // answer
    kTagStop = 5,
    kTagAnswer = 6,
    kTagData = 7,
};

void copy_block(char* to, const char* from, int64_t bytes) {
    if (bytes == 8) {
        std::memcpy(to, from, 8);  // one load and store, as a loop over doubles would be
    } else {
        std::memcpy(to, from, static_cast<size_t>(bytes));
    }
}

}  // namespace

MpiPackWorkload::MpiPackWorkload(const Context& context)
    : CheckedWorkload(context, context.row.op == Op::mpi_pack_get ? Verb::get : Verb::put),
      buffer_(static_cast<size_t>(context.row.shape.total_bytes())) {}

void MpiPackWorkload::pack(Side side, const char* memory) {
    const int64_t block_bytes = context().row.shape.block_bytes;
    char* to = buffer_.data();
    for_each_block(context().row.shape, [&](int64_t local_offset, int64_t remote_offset) {
        copy_block(to, memory + (side == Side::local ? local_offset : remote_offset), block_bytes);
        to += block_bytes;
    });
}

void MpiPackWorkload::unpack(Side side, char* memory) {
    const int64_t block_bytes = context().row.shape.block_bytes;
    const char* from = buffer_.data();
    for_each_block(context().row.shape, [&](int64_t local_offset, int64_t remote_offset) {
        copy_block(memory + (side == Side::local ? local_offset : remote_offset), from,
                   block_bytes);
        from += block_bytes;
    });
}

void MpiPackWorkload::send(int rank, int tag, bool with_data) {
    const int bytes = with_data ? static_cast<int>(buffer_.size()) : 0;
    MPI_Send(buffer_.data(), bytes, MPI_BYTE, rank, tag, world());
}

int MpiPackWorkload::receive(int rank, int tag) {
    MPI_Status status;
    MPI_Recv(buffer_.data(), static_cast<int>(buffer_.size()), MPI_BYTE, rank, tag, world(),
             &status);
    return status.MPI_TAG;
}

void MpiPackWorkload::perform(int64_t count) {
    const int target = context().roles.target;
    char* memory = context().arena.local();
    for (int64_t i = 0; i < count; i++) {
        if (verb_ == Verb::get) {
            send(target, kTagGet, false);
            receive(target, kTagData);
            unpack(Side::local, memory);
        } else if (context().row.mode == Mode::latency) {
            pack(Side::local, memory);
            send(target, kTagPutAcked, true);
            receive(target, kTagAnswer);
        } else {
            pack(Side::local, memory);
            send(target, kTagPut, true);
        }
    }
    if (verb_ == Verb::put && context().row.mode == Mode::stream) {
        send(target, kTagFlush, false);
        receive(target, kTagAnswer);
    }
}

void MpiPackWorkload::serve() {
    const int origin = context().roles.origin;
    char* memory = context().arena.data(context().roles.rank);
    const DirectAccess access(memory);
    for (;;) {
        switch (receive(origin, MPI_ANY_TAG)) {
            case kTagPut:
                unpack(Side::remote, memory);
                break;
            case kTagPutAcked:
                unpack(Side::remote, memory);
                send(origin, kTagAnswer, false);
                break;
            case kTagGet:
                pack(Side::remote, memory);
                send(origin, kTagData, true);
                break;
            case kTagFlush:
                send(origin, kTagAnswer, false);
                break;
            default:
                return;  // kTagStop
        }
    }
}

void MpiPackWorkload::dismiss() {
    send(context().roles.target, kTagStop, false);
}

}  // namespace armci::bench
