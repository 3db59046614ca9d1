// SPDX-License-Identifier: BSD-3-Clause
// Access to the private memory of another process of the node: system calls that copy between both
// (process_vm_readv and process_vm_writev), many pieces to a call. Memory that is not there is an
// error here, never a signal, so the data server uses them on its own process, too.
//
// They need what a debugger needs: the same user, and no rule of the system against it.
// docs/references.md: Buntinas 2006a
#pragma once

#include <sys/uio.h>

#include <cstdint>
#include <string>

#include "node/attachments.h"

namespace armci::node {

// Why other processes of the node could not access this one's memory; empty if nothing is known
// against it. Asks the system for leave as far as that is in this process's hands.
std::string allow_access_by_others();

struct AccessFailure {
    int error = 0;         // as errno has it; 0: there was none
    uint64_t address = 0;  // in the process accessed

    // Whether the memory is not there, or may not be written; otherwise the process is out of
    // reach.
    bool is_fault() const;
};

// What went wrong and what to do about it, for a message.
std::string explain(const AccessFailure& failure);

// Copies pieces in order; they are collected and moved many at a time. After a failure nothing more
// is done. One thread at a time.
class ProcessMover {
  public:
    enum class Direction : uint8_t { from_process, to_process };
    ProcessMover(const Attachment& process, Direction direction);
    ProcessMover(const ProcessMover&) = delete;
    ProcessMover& operator=(const ProcessMover&) = delete;

    // The local piece stays in use until finish().
    void add(const void* local, const void* remote, int64_t bytes);
    // Moves what is still collected; false if anything failed since the beginning.
    bool finish();
    const AccessFailure& failure() const { return failure_; }

  private:
    static constexpr int kMaxPieces = 256;  // of a side, in one call

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

// The next `bytes` bytes of a layout in the process, to or from a contiguous buffer; false if that
// failed. The cursor moves on in any case.
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
