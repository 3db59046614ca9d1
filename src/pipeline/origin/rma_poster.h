// SPDX-License-Identifier: BSD-3-Clause
// Posts the origin's remote memory access. It copies through a buffer where local memory is not
// registered, or registers that memory. It also copies short puts that end before they have
// arrived.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/slot_table.h"
#include "fabric/domain.h"
#include "fabric/endpoint.h"
#include "pipeline/buffers/registered_buffers.h"
#include "pipeline/costs/registration_costs.h"
#include "pipeline/costs/remote_place.h"
#include "pipeline/origin/channels.h"
#include "pipeline/origin/local_registration.h"
#include "pipeline/origin/origin_counters.h"
#include "pipeline/origin/origin_options.h"
#include "pipeline/origin/pending_tasks.h"
#include "pipeline/origin/turn.h"
#include "strided/layout.h"

namespace armci::pipeline {

// Returns how RMA names an address in registered memory.
inline fabric::RemoteMemory remote_memory(const RemotePlace& place, uint64_t address) {
    return {address + place.rma_distance, place.key, place.further_keys};
}

class RmaPoster {
  public:
    RmaPoster(fabric::Endpoint& endpoint, RegisteredBuffers& buffers, Channels& channels,
              PendingTasks& tasks, Turn& turn, OriginCounters& counters)
        : endpoint_(endpoint),
          buffers_(buffers),
          channels_(channels),
          tasks_(tasks),
          turn_(turn),
          counters_(counters) {}

    void open(fabric::Domain& domain, const OriginOptions& options, bool ordered_writes);
    // The endpoint must be closed before.
    void close() { operations_.clear(); }

    // Post RMA of at most max_blocks() blocks between the caller's memory and a target. `local` is
    // the registration of the caller's memory. Without one, where the provider wants it, the data
    // is copied through a buffer, and all blocks together are at most largest_bytes(). Return false
    // if not now.
    bool write(Channel& channel, Task* task, const fabric::RmaBlock* blocks, size_t block_count,
               const fabric::Region& local);
    bool read(Channel& channel, Task* task, const fabric::RmaBlock* blocks, size_t block_count,
              const fabric::Region& local);
    // Copies a block and writes the copy; the caller may change the block at once. A fence waits
    // until the write has arrived, and needs no message for that. Call it only if writes_copies(),
    // while nothing of the channel waits to be sent, what changes memory there has been executed,
    // and the copy before has arrived. Returns false if not now.
    bool write_copy(Channel& channel, const fabric::RmaBlock& block);
    // Returns whether the network tells when a copy has arrived.
    bool writes_copies() const { return writes_copies_; }
    size_t max_blocks() const { return endpoint_.max_rma_blocks(); }
    size_t largest_bytes(bool is_registered) const {
        return is_registered || !domain_->needs_local_registration() ? endpoint_.max_rma_bytes()
                                                                     : buffers_.buffer_bytes();
    }

    // Returns whether a transfer of that length may have to register its local memory.
    bool may_register_local(int64_t bytes) const {
        return domain_->needs_local_registration() && registrations_.may_register(bytes);
    }
    // Returns whether it should. Ask only if it can.
    bool registers_local(int64_t bytes) { return registrations_.should_register(bytes); }
    // Registers the memory of a transfer of that length. The region is invalid when the system
    // refuses, which is warned of once.
    LocalRegistration register_local(const strided::AddressRange& memory, fabric::Access access,
                                     int64_t transfer_bytes);
    // Does the same for memory that peers write into. After several refusals it does not try.
    fabric::Region register_sink(void* start, size_t bytes) {
        return registrations_.has_stopped()
                   ? fabric::Region()
                   : try_register(
                         start, bytes, fabric::Access::remote_sink,
                         ordered_writes_ ? endpoint_.on_first_rail() : endpoint_.on_rails());
    }
    const RegistrationCosts& registrations() const { return registrations_; }

  private:
    struct RmaOperation {
        fabric::Operation operation;
        RmaPoster* poster = nullptr;
        uint32_t slot = 0;  // in operations_
        Channel* channel = nullptr;
        Task* task = nullptr;  // a copy has none
        bool is_delivered_write = false;
        int64_t posted_ns = 0;  // for the timeline, like the next one
        int64_t bytes = 0;
        // When copied through a buffer: the piece, and for a read the places that its data goes to.
        char* bounce = nullptr;
        int64_t bounced_bytes = 0;
        size_t copied_blocks = 0;
        fabric::RmaBlock blocks[fabric::kMaxRmaBlocks];
    };

    fabric::Region try_register(void* start, size_t bytes, fabric::Access access,
                                fabric::Targets targets);
    RmaOperation* new_operation(Channel& channel, Task* task);
    void drop(RmaOperation* rma);
    bool needs_bounce(const fabric::Region& local) const {
        return !local.valid() && domain_->needs_local_registration();
    }
    bool lay_out_bounce(RmaOperation* rma, const fabric::RmaBlock* blocks, size_t block_count,
                        fabric::RmaBlock* bounced);
    // Copy blocks to or from the buffer of a bounced operation. Return how long that took, in ns,
    // if it is timed.
    int64_t copy_out(const RmaOperation& rma, const fabric::RmaBlock* blocks,
                     size_t block_count) const;
    int64_t copy_in(const RmaOperation& rma) const;
    void note_copy(const RmaOperation& rma, int64_t ns);
    static void on_complete(fabric::Operation* operation, const fabric::Completion& completion);
    // Does the same while the timeline is kept. Operations are posted with one of the two.
    static void on_traced_complete(fabric::Operation* operation,
                                   const fabric::Completion& completion);
    static void trace(RmaOperation* rma, const fabric::RmaBlock* blocks, size_t block_count);

    fabric::Endpoint& endpoint_;
    RegisteredBuffers& buffers_;
    Channels& channels_;
    PendingTasks& tasks_;
    Turn& turn_;
    OriginCounters& counters_;
    fabric::Domain* domain_ = nullptr;
    RegistrationCosts registrations_;
    bool ordered_writes_ = false;
    bool writes_copies_ = false;
    bool registration_warned_ = false;
    int refused_registrations_ = 0;  // consecutive ones
    base::SlotTable<RmaOperation> operations_;
};

}  // namespace armci::pipeline
