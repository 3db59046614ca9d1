// SPDX-License-Identifier: BSD-3-Clause
// The message layer (message.h) over MPI: collectives and send/receive on communicators of the
// library's own, with progress of one-sided operations while they wait.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <deque>
#include <vector>

#include "core/job/checking.h"
#include "core/messages/communicators.h"
#include "core/messages/groups.h"
#include "core/progress/progress.h"

namespace armci::core {

// The element types of reductions, with the values of ARMCI_INT and so on.
enum class MessageType : int { int32 = 0, int64 = 1, long_long = 2, float32 = 3, float64 = 4 };

class Messages {
  public:
    Messages(Progress& progress, Communicators& communicators, Checking& checking)
        : progress_(progress), communicators_(communicators), checking_(checking) {}

    // Waits for an MPI request and makes progress of everything else. Only this thread calls MPI.
    void complete(MPI_Request* request,
                  const char* what = "a message or a collective operation of MPI");

    // Returns the communicator for the library's own collective operations on that group. All
    // members call this for each of them.
    MPI_Comm own_comm(const Group& group) { return communicators_.own(group); }

    // Any number of messages to the rank itself may be outstanding; they are copied.
    void send(int tag, const void* data, int bytes, int to);
    // Returns the received bytes. `from` may be MPI_ANY_SOURCE; *source is the sender.
    int receive(const char* function, int tag, void* buffer, int buffer_bytes, int from,
                int* source);

    void broadcast(const Group& group, void* data, int64_t bytes, int group_root);
    // Reduces in place, with the result on all ranks. `operation` is one of the API's strings; the
    // job ends on others.
    void reduce(const char* function, const Group& group, void* data, int count,
                const char* operation, MessageType type);
    // Gives all ranks the record with the smallest or largest leading value among the contributors.
    void select(const char* function, const Group& group, void* record, int bytes,
                const char* operation, MessageType type, bool contributes);

  private:
    struct SelfMessage {
        int tag;
        std::vector<char> data;
    };
    bool take_self_message(const char* function, int tag, void* buffer, int buffer_bytes,
                           int* bytes);

    void check_meeting(const char* function, const Group& group, Collective kind, int64_t n,
                       MessageType type);

    Progress& progress_;
    Communicators& communicators_;
    Checking& checking_;
    std::deque<SelfMessage> self_messages_;
};

}  // namespace armci::core
