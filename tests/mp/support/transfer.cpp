// SPDX-License-Identifier: BSD-3-Clause
#include "support/transfer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

namespace armci::mp {
namespace {

constexpr int kGarbage = 0x5a5a5a5a;

// The stride and count arrays of one call, in arrays of exactly the documented length.
class StridedArguments {
  public:
    StridedArguments(const Shape& shape, char* local, char* remote)
        : local_(local + shape.local_start),
          remote_(remote + shape.remote_start),
          count_(shape.count),
          local_stride_(shape.local_stride),
          remote_stride_(shape.remote_stride) {}
    ~StridedArguments() {
        for (auto* array : {&count_, &local_stride_, &remote_stride_}) {
            std::fill(array->begin(), array->end(), kGarbage);
        }
    }
    StridedArguments(const StridedArguments&) = delete;
    StridedArguments& operator=(const StridedArguments&) = delete;

    char* local() { return local_; }
    char* remote() { return remote_; }
    int* count() { return count_.data(); }
    int levels() const { return static_cast<int>(count_.size()) - 1; }
    // NULL when there are no levels, which the contract allows.
    int* local_stride() { return local_stride_.empty() ? nullptr : local_stride_.data(); }
    int* remote_stride() { return remote_stride_.empty() ? nullptr : remote_stride_.data(); }

  private:
    char* local_;
    char* remote_;
    std::vector<int> count_;
    std::vector<int> local_stride_;
    std::vector<int> remote_stride_;
};

// The descriptors of one vector call.
class VectorArguments {
  public:
    VectorArguments(const Shape& shape, bool local_is_source, char* local, char* remote) {
        for (const Piece& block : shape.blocks) {
            local_.push_back(local + block.local);
            remote_.push_back(remote + block.remote);
        }
        for (size_t d = 0; d + 1 < shape.first.size(); ++d) {
            const size_t begin = shape.first[d];
            const size_t end = shape.first[d + 1];
            armci_giov_t descriptor{};
            descriptor.src_ptr_array = (local_is_source ? local_ : remote_).data() + begin;
            descriptor.dst_ptr_array = (local_is_source ? remote_ : local_).data() + begin;
            descriptor.bytes = begin < end ? static_cast<int>(shape.blocks[begin].bytes) : 0;
            descriptor.ptr_array_len = static_cast<int>(end - begin);
            descriptors_.push_back(descriptor);
        }
    }
    ~VectorArguments() {
        std::fill(local_.begin(), local_.end(), nullptr);
        std::fill(remote_.begin(), remote_.end(), nullptr);
        for (armci_giov_t& descriptor : descriptors_) {
            std::memset(&descriptor, kGarbage & 0xff, sizeof descriptor);
        }
    }
    VectorArguments(const VectorArguments&) = delete;
    VectorArguments& operator=(const VectorArguments&) = delete;

    armci_giov_t* descriptors() { return descriptors_.data(); }
    int length() const { return static_cast<int>(descriptors_.size()); }

  private:
    std::vector<void*> local_;
    std::vector<void*> remote_;
    std::vector<armci_giov_t> descriptors_;
};

int issue_contiguous(const Transfer& transfer, void* scale, char* local_base, char* remote_base,
                     int proc, bool blocking, armci_hdl_t* handle) {
    const Piece& block = transfer.shape.blocks.front();
    char* local = local_base + block.local;
    char* remote = remote_base + block.remote;
    const int bytes = static_cast<int>(block.bytes);
    switch (transfer.verb) {
        case Verb::put:
            return blocking ? ARMCI_Put(local, remote, bytes, proc)
                            : ARMCI_NbPut(local, remote, bytes, proc, handle);
        case Verb::get:
            return blocking ? ARMCI_Get(remote, local, bytes, proc)
                            : ARMCI_NbGet(remote, local, bytes, proc, handle);
        case Verb::acc:
            break;
    }
    return blocking ? ARMCI_Acc(transfer.type, scale, local, remote, bytes, proc)
                    : ARMCI_NbAcc(transfer.type, scale, local, remote, bytes, proc, handle);
}

int issue_strided(const Transfer& transfer, void* scale, char* local, char* remote, int proc,
                  bool blocking, armci_hdl_t* handle) {
    StridedArguments a(transfer.shape, local, remote);
    switch (transfer.verb) {
        case Verb::put:
            return blocking ? ARMCI_PutS(a.local(), a.local_stride(), a.remote(), a.remote_stride(),
                                         a.count(), a.levels(), proc)
                            : ARMCI_NbPutS(a.local(), a.local_stride(), a.remote(),
                                           a.remote_stride(), a.count(), a.levels(), proc, handle);
        case Verb::get:
            return blocking ? ARMCI_GetS(a.remote(), a.remote_stride(), a.local(), a.local_stride(),
                                         a.count(), a.levels(), proc)
                            : ARMCI_NbGetS(a.remote(), a.remote_stride(), a.local(),
                                           a.local_stride(), a.count(), a.levels(), proc, handle);
        case Verb::acc:
            break;
    }
    return blocking ? ARMCI_AccS(transfer.type, scale, a.local(), a.local_stride(), a.remote(),
                                 a.remote_stride(), a.count(), a.levels(), proc)
                    : ARMCI_NbAccS(transfer.type, scale, a.local(), a.local_stride(), a.remote(),
                                   a.remote_stride(), a.count(), a.levels(), proc, handle);
}

int issue_vector(const Transfer& transfer, void* scale, char* local, char* remote, int proc,
                 bool blocking, armci_hdl_t* handle) {
    VectorArguments a(transfer.shape, transfer.verb != Verb::get, local, remote);
    switch (transfer.verb) {
        case Verb::put:
            return blocking ? ARMCI_PutV(a.descriptors(), a.length(), proc)
                            : ARMCI_NbPutV(a.descriptors(), a.length(), proc, handle);
        case Verb::get:
            return blocking ? ARMCI_GetV(a.descriptors(), a.length(), proc)
                            : ARMCI_NbGetV(a.descriptors(), a.length(), proc, handle);
        case Verb::acc:
            break;
    }
    return blocking ? ARMCI_AccV(transfer.type, scale, a.descriptors(), a.length(), proc)
                    : ARMCI_NbAccV(transfer.type, scale, a.descriptors(), a.length(), proc, handle);
}

}  // namespace

const std::vector<Completion>& all_completions() {
    static const std::vector<Completion> completions = {
        Completion::blocking, Completion::handle_wait, Completion::handle_test,
        Completion::implicit_wait_proc, Completion::implicit_wait_all};
    return completions;
}

const char* name_of(Verb verb) {
    switch (verb) {
        case Verb::put:
            return "put";
        case Verb::get:
            return "get";
        case Verb::acc:
            break;
    }
    return "acc";
}

const char* name_of(Completion completion) {
    switch (completion) {
        case Completion::blocking:
            return "blocking";
        case Completion::handle_wait:
            return "handle, Wait";
        case Completion::handle_test:
            return "handle, Test";
        case Completion::implicit_wait_proc:
            return "implicit, WaitProc";
        case Completion::implicit_wait_all:
            break;
    }
    return "implicit, WaitAll";
}

std::string Transfer::describe() const {
    std::string text = name_of(verb);
    if (verb == Verb::acc) {
        text += std::string(" of ") + element_type(type).name;
    }
    return text + ' ' + shape.describe();
}

int issue(const Transfer& transfer, char* local, char* remote, int proc, bool blocking,
          armci_hdl_t* handle) {
    Scale scale = transfer.scale;
    int result = 0;
    switch (transfer.shape.form) {
        case Form::contiguous:
            result =
                issue_contiguous(transfer, scale.data(), local, remote, proc, blocking, handle);
            break;
        case Form::strided:
            result = issue_strided(transfer, scale.data(), local, remote, proc, blocking, handle);
            break;
        case Form::vector:
            result = issue_vector(transfer, scale.data(), local, remote, proc, blocking, handle);
            break;
    }
    // The compiler must not remove this write: the library could still read the memory.
    scale.storage.fill(0x5a);
    asm volatile("" : : "r"(scale.data()) : "memory");
    return result;
}

void run(const Transfer& transfer, char* local, char* remote, int proc, Completion completion) {
    if (completion == Completion::blocking) {
        EXPECT_EQ(issue(transfer, local, remote, proc, true, nullptr), 0) << transfer.describe();
        return;
    }
    const bool with_handle =
        completion == Completion::handle_wait || completion == Completion::handle_test;
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    EXPECT_EQ(issue(transfer, local, remote, proc, false, with_handle ? &handle : nullptr), 0)
        << transfer.describe();
    switch (completion) {
        case Completion::handle_wait:
            EXPECT_EQ(ARMCI_Wait(&handle), 0);
            break;
        case Completion::handle_test:
            while (ARMCI_Test(&handle) != 0) {
            }
            break;
        case Completion::implicit_wait_proc:
            EXPECT_EQ(ARMCI_WaitProc(proc), 0);
            break;
        case Completion::implicit_wait_all:
            EXPECT_EQ(ARMCI_WaitAll(), 0);
            break;
        case Completion::blocking:
            break;
    }
}

void apply(const Transfer& transfer, char* local, char* remote) {
    for (const Piece& block : transfer.shape.blocks) {
        const auto bytes = static_cast<size_t>(block.bytes);
        switch (transfer.verb) {
            case Verb::put:
                std::memcpy(remote + block.remote, local + block.local, bytes);
                break;
            case Verb::get:
                std::memcpy(local + block.local, remote + block.remote, bytes);
                break;
            case Verb::acc:
                accumulate_reference(element_type(transfer.type), transfer.scale,
                                     local + block.local, remote + block.remote, block.bytes);
                break;
        }
    }
}

}  // namespace armci::mp
