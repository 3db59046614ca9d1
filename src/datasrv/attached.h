// SPDX-License-Identifier: BSD-3-Clause
// Changes and reads memory that ranks of the node have attached. It is private to their processes.
#pragma once

#include <cstdint>

#include "datasrv/refusal.h"
#include "node/attachments.h"
#include "node/shared_lock.h"
#include "strided/kernels.h"
#include "wire/frame.h"

namespace armci::datasrv {

// Stores what a put or accumulate frame, or one block, carries. With a scale it adds.
Outcome change_attached(node::StripedLocks& locks, const node::Attachment& process,
                        const wire::TransferView& view, const strided::AccScale* scale);
Outcome change_attached(node::StripedLocks& locks, const node::Attachment& process,
                        uint64_t address, const strided::AccScale* scale, const void* data,
                        int64_t bytes);
// Copies so many bytes from that address to `data`.
Outcome read_attached(const node::Attachment& process, uint64_t address, char* data, int64_t bytes);
// Sets *old to the word's value before.
Outcome rmw_attached(node::StripedLocks& locks, const node::Attachment& process,
                     const wire::RmwBody& body, wire::ValueBody* old);

}  // namespace armci::datasrv
