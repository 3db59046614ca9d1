// SPDX-License-Identifier: BSD-3-Clause
// Why a request was not carried out. Its origin receives the refusal and ends the job.
#pragma once

#include <cstdint>
#include <optional>

#include "node/attachments.h"
#include "node/process_memory.h"
#include "wire/frame.h"

namespace armci::datasrv {

struct Refusal {
    wire::Failure failure{};
    uint64_t address = 0;
    uint64_t bytes = 0;
    int32_t rank = -1;  // whose memory it is, if that is known
};

// Returns the refusal of a request for memory that a rank has attached.
inline Refusal access_refusal(const node::Attachment& process, const node::AccessFailure& failure,
                              int64_t bytes) {
    return {failure.is_fault() ? wire::Failure::not_mapped : wire::Failure::no_access,
            failure.address, static_cast<uint64_t>(bytes), process.rank};
}

// The result of a request: no value when it was carried out.
using Outcome = std::optional<Refusal>;

}  // namespace armci::datasrv
