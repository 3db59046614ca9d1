// SPDX-License-Identifier: BSD-3-Clause
// Collective allocation of global memory (ARMCI_Malloc and its relatives).
#pragma once

#include "core/runtime.h"

namespace armci::core {

// Each member of the group gets `bytes` (may differ and be 0); base_pointers[r] is group rank r's
// address, or null where 0 was asked. Collective. False, on all members, when memory is short; the
// reason has been printed. `segment` may be null.
bool allocate_global(Runtime& runtime, const char* function, const GroupRef& group, int64_t bytes,
                     void** base_pointers, Segment** segment);

// Collective over the allocation's group. `base` is this rank's slice, or null if it has none;
// `fallback_group` says who calls when that is all this rank knows.
void free_global(Runtime& runtime, const char* function, const GroupRef& fallback_group,
                 void* base);
void free_segment(Runtime& runtime, Segment* segment);

// Memory of one rank that others can address without a collective (ARMCI_Memget). What makes it
// usable elsewhere travels in `NodePart` and `Slice`.
struct DynamicMemory {
    Slice slice;
    NodePart part;
    uint32_t data_record = 0;
    uint32_t number = 0;  // of this owner's allocations of this kind
};
DynamicMemory allocate_dynamic(Runtime& runtime, const char* function, int64_t bytes);
void free_dynamic(Runtime& runtime, const DynamicMemory& memory);
// Makes another rank's dynamic memory addressable here, and undoes that. Idempotent. Whatever this
// rank still knew at these addresses of the owner has been freed meanwhile and is forgotten.
void attach_dynamic(Runtime& runtime, int owner, const DynamicMemory& memory);
void detach_dynamic(Runtime& runtime, int owner, const DynamicMemory& memory);

// Registers a range of this node's heap with the data server that it names (over the network, or
// not at all in a job of one node), and undoes that.
void publish(Runtime& runtime, const char* function, NodePart* part);
void withdraw(Runtime& runtime, const char* function, const NodePart& part);

// From the node heap; in checking mode after a look at what is freed there.
node::NodeHeap::Range take_from_heap(Runtime& runtime, const char* function, size_t bytes);

// The same if this node has so much memory now; without data and with *reason set if not.
node::NodeHeap::Range take_available(Runtime& runtime, const char* function, size_t bytes,
                                     std::string* reason);

}  // namespace armci::core
