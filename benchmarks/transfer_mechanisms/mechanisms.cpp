// SPDX-License-Identifier: BSD-3-Clause
#include "mechanisms.h"

#include "factories.h"

namespace armci::mechanisms {

namespace {

// Moves nothing: the cost of the hand-over that every latency includes.
class HandOverAlone : public Mechanism {
  public:
    Availability set_up(Pair&, char* own, size_t, char** area) override {
        *area = own;
        return {};
    }
    void tear_down() override {}
    void act(size_t, size_t) override {}
};

std::unique_ptr<Mechanism> make_hand_over_alone(const Kind&, const Sizes&) {
    return std::make_unique<HandOverAlone>();
}

constexpr Kind kKinds[] = {
    {"hand-over", Worker::none, false, true, "nothing is moved: the flags back and forth",
     make_hand_over_alone},
    {"mapped-put", Worker::source, true, true, "memcpy into the destination's mapped memory",
     make_mapped_copy},
    {"mapped-get", Worker::destination, true, true, "memcpy from the source's mapped memory",
     make_mapped_copy},
    {"mapped-put-nt", Worker::source, true, false, "the same with streaming stores",
     make_mapped_streaming},
    {"mapped-get-nt", Worker::destination, true, false, "the same with streaming stores",
     make_mapped_streaming},
    {"mapped-put-rep", Worker::source, true, true, "the same by the instruction rep movsb",
     make_mapped_string},
    {"mapped-get-rep", Worker::destination, true, true, "the same by the instruction rep movsb",
     make_mapped_string},
    {"double-buffer", Worker::both, true, true, "copy in and copy out by two shared buffers",
     make_shared_buffers},
    {"message-queue", Worker::both, true, true, "copy in and copy out by cells of lock-free queues",
     make_message_queue},
    {"process-vm-put", Worker::source, true, false, "process_vm_writev", make_process_vm},
    {"process-vm-get", Worker::destination, true, false, "process_vm_readv", make_process_vm},
    {"proc-mem-put", Worker::source, true, false, "pwrite to /proc/PID/mem", make_proc_mem},
    {"proc-mem-get", Worker::destination, true, false, "pread from /proc/PID/mem", make_proc_mem},
    {"ptrace-put", Worker::source, true, false, "attach, pwrite to /proc/PID/mem, detach",
     make_ptrace},
    {"ptrace-get", Worker::destination, true, false, "attach, pread from /proc/PID/mem, detach",
     make_ptrace},
    {"ptrace-alone", Worker::destination, false, false, "attach and detach, nothing is moved",
     make_ptrace_alone},
    {"ofi-tcp-put", Worker::source, true, false, "libfabric tcp;ofi_rxm, fi_write", make_ofi_tcp},
    {"ofi-tcp-get", Worker::destination, true, false, "libfabric tcp;ofi_rxm, fi_read",
     make_ofi_tcp},
    {"ofi-shm-put", Worker::source, true, false, "libfabric shm, fi_write", make_ofi_shm},
    {"ofi-shm-get", Worker::destination, true, false, "libfabric shm, fi_read", make_ofi_shm},
};

}  // namespace

std::span<const Kind> all_kinds() {
    return kKinds;
}

const Kind* find_kind(std::string_view name) {
    for (const Kind& kind : kKinds) {
        if (name == kind.name) {
            return &kind;
        }
    }
    return nullptr;
}

}  // namespace armci::mechanisms
