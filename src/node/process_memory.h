// SPDX-License-Identifier: BSD-3-Clause
// Access to the private memory of another process of the node, by system calls that copy many
// pieces (process_vm_readv and process_vm_writev). Memory that does not exist causes an error here,
// never a signal, so the data server uses these calls on its own process, too.
//
// They need what a debugger needs: the same user, and no rule of the system against it.
// docs/references.md: Buntinas 2006a
#pragma once

#include <sys/uio.h>

#include <cstdint>
#include <string>

#include "node/attachments.h"

namespace armci::node {

// Permits access by other processes, as far as this process can. Returns why they could not access
// its memory, or an empty text if no obstacle is known.
std::string allow_access_by_others();

struct AccessFailure {
    int error = 0;         // errno, or 0 without a failure
    uint64_t address = 0;  // in the accessed process

    // Says whether the memory does not exist or may not be written; otherwise the whole process is
    // out of reach.
    bool is_fault() const;
};

// Returns what went wrong and what to do about it, for a message.
std::string explain(const AccessFailure& failure);

// Copies pieces in order; they are collected and many are moved by one call. After a failure it
// does nothing more. One thread at a time may use it.
class ProcessMover {
  public:
    enum class Direction : uint8_t { from_process, to_process };
    ProcessMover(const Attachment& process, Direction direction);
    ProcessMover(const ProcessMover&) = delete;
    ProcessMover& operator=(const ProcessMover&) = delete;

    // Adds a piece, whose local memory stays in use until finish().
    void add(const void* local, const void* remote, int64_t bytes);
    // Moves what is still collected. Returns false if anything failed since the beginning.
    bool finish();
    const AccessFailure& failure() const { return failure_; }

  private:
    static constexpr int kMaxPieces = 256;  // of each side, in one call

    void move();
    int64_t call(const iovec* local, int local_count, const iovec* remote, int remote_count) const;

    int pid_;
    Direction direction_;
    AccessFailure failure_;
    int local_count_ = 0;
    int remote_count_ = 0;
    iovec local_[kMaxPieces];
    iovec remote_[kMaxPieces];
};

// Moves the next `bytes` bytes of a layout in the process, to or from a contiguous buffer. Returns
// false if that failed. The cursor moves on in any case.
template <class Cursor>
bool move_layout(ProcessMover& mover, Cursor& cursor, const void* buffer, int64_t bytes) {
    const char* local = static_cast<const char*>(buffer);
    while (bytes > 0) {
        const auto block = cursor.next(bytes);
        mover.add(local, block.data, block.bytes);
        local += block.bytes;
        bytes -= block.bytes;
    }
    return mover.finish();
}

}  // namespace armci::node
