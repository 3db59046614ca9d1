// SPDX-License-Identifier: BSD-3-Clause
#include "node/dsa/descriptor.h"

#if defined(__linux__) && __has_include(<linux/idxd.h>)
#include <linux/idxd.h>

namespace armci::node::dsa {
namespace {

constexpr bool is(Status status, int kernels) {
    return static_cast<int>(status) == kernels;
}
constexpr bool is(Opcode opcode, int kernels) {
    return static_cast<int>(opcode) == kernels;
}

static_assert(sizeof(Descriptor) == sizeof(dsa_hw_desc) &&
              offsetof(Descriptor, record) == offsetof(dsa_hw_desc, completion_addr) &&
              offsetof(Descriptor, source) == offsetof(dsa_hw_desc, src_addr) &&
              offsetof(Descriptor, source) == offsetof(dsa_hw_desc, desc_list_addr) &&
              offsetof(Descriptor, destination) == offsetof(dsa_hw_desc, dst_addr) &&
              offsetof(Descriptor, length) == offsetof(dsa_hw_desc, xfer_size) &&
              offsetof(Descriptor, length) == offsetof(dsa_hw_desc, desc_count) &&
              offsetof(Descriptor, interrupt_handle) == offsetof(dsa_hw_desc, int_handle) &&
              offsetof(Descriptor, operation_specific) == offsetof(dsa_hw_desc, op_specific));
static_assert(sizeof(CompletionRecord) == sizeof(dsa_completion_record) &&
              offsetof(CompletionRecord, status) == offsetof(dsa_completion_record, status) &&
              offsetof(CompletionRecord, result) == offsetof(dsa_completion_record, result) &&
              offsetof(CompletionRecord, done) ==
                  offsetof(dsa_completion_record, bytes_completed) &&
              offsetof(CompletionRecord, fault_address) ==
                  offsetof(dsa_completion_record, fault_addr));
static_assert(is(Opcode::noop, DSA_OPCODE_NOOP) && is(Opcode::batch, DSA_OPCODE_BATCH) &&
              is(Opcode::drain, DSA_OPCODE_DRAIN) && is(Opcode::memmove, DSA_OPCODE_MEMMOVE));
static_assert(kFlagFence == IDXD_OP_FLAG_FENCE && kFlagBlockOnFault == IDXD_OP_FLAG_BOF &&
              kFlagRecordValid == IDXD_OP_FLAG_CRAV && kFlagRecordWanted == IDXD_OP_FLAG_RCR);
static_assert(is(Status::none, DSA_COMP_NONE) && is(Status::success, DSA_COMP_SUCCESS) &&
              is(Status::page_fault, DSA_COMP_PAGE_FAULT_NOBOF) &&
              is(Status::batch_failed, DSA_COMP_BATCH_FAIL) &&
              is(Status::batch_page_fault, DSA_COMP_BATCH_PAGE_FAULT) &&
              is(Status::bad_opcode, DSA_COMP_BAD_OPCODE) &&
              is(Status::invalid_flags, DSA_COMP_INVALID_FLAGS) &&
              is(Status::reserved_not_zero, DSA_COMP_NOZERO_RESERVE) &&
              is(Status::bad_length, DSA_COMP_XFER_ERANGE) &&
              is(Status::bad_count, DSA_COMP_DESC_CNT_ERANGE) &&
              is(Status::overlap, DSA_COMP_OVERLAP_BUFFERS) &&
              is(Status::list_misaligned, DSA_COMP_DESCLIST_ALIGN) &&
              is(Status::record_misaligned, DSA_COMP_CRA_ALIGN) &&
              is(Status::hardware_error, DSA_COMP_HW_ERR1) &&
              is(Status::translation_failed, DSA_COMP_TRANSLATION_FAIL));
static_assert(kStatusMask == DSA_COMP_STATUS_MASK && kStatusWasWrite == DSA_COMP_STATUS_WRITE);

}  // namespace
}  // namespace armci::node::dsa
#endif

namespace armci::node::dsa {

const char* describe(Status status) {
    switch (status) {
        case Status::none:
            return "not complete";
        case Status::success:
            return "success";
        case Status::page_fault:
            return "page fault";
        case Status::batch_failed:
            return "a descriptor of the batch failed";
        case Status::batch_page_fault:
            return "page fault in the list of a batch";
        case Status::bad_opcode:
            return "operation not supported";
        case Status::invalid_flags:
            return "flags not supported";
        case Status::reserved_not_zero:
            return "a reserved field is not zero";
        case Status::bad_length:
            return "length out of range";
        case Status::bad_count:
            return "batch too short or too long";
        case Status::overlap:
            return "source and destination overlap";
        case Status::list_misaligned:
            return "the list of a batch is misaligned";
        case Status::record_misaligned:
            return "the completion record is misaligned";
        case Status::hardware_error:
            return "hardware error";
        case Status::translation_failed:
            return "an address has no translation";
    }
    return "status unknown to this library";
}

}  // namespace armci::node::dsa
