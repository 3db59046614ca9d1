// SPDX-License-Identifier: BSD-3-Clause
#include "armci-bench/workloads/transfer_workload.h"

#include <algorithm>

namespace armci::bench {

namespace {

int armci_type(ElementType type) {
    switch (type) {
        case ElementType::int32:
            return ARMCI_ACC_INT;
        case ElementType::int64:
            return ARMCI_ACC_LNG;
        case ElementType::float32:
            return ARMCI_ACC_FLT;
        case ElementType::float64:
            return ARMCI_ACC_DBL;
        case ElementType::complex64:
            return ARMCI_ACC_CPL;
        case ElementType::complex128:
            return ARMCI_ACC_DCP;
    }
    return ARMCI_ACC_DBL;
}

std::vector<int> to_ints(const std::vector<int64_t>& values) {
    std::vector<int> ints;
    ints.reserve(values.size());
    for (int64_t value : values) {
        ints.push_back(static_cast<int>(value));
    }
    return ints;
}

std::vector<void*> mixed(const std::vector<void*>& blocks) {
    const size_t count = blocks.size();
    const auto step = static_cast<size_t>(mixed_step(static_cast<int64_t>(count)));
    std::vector<void*> result;
    for (size_t i = 0; i < count; i++) {
        result.push_back(blocks[(i + 1) * step % count]);
    }
    return result;
}

}  // namespace

TransferWorkload::TransferWorkload(const Context& context)
    : CheckedWorkload(context, verb_of(context.row.op)),
      form_(context.row.shape.form),
      slots_(make_slots(context.row, context.options)),
      target_(context.roles.target),
      type_code_(armci_type(context.options.type)),
      scale_(make_scale(context.options.type, context.options.scale)) {
    const Shape& shape = context.row.shape;
    counts_ = to_ints(shape.repeats);
    counts_.insert(counts_.begin(), static_cast<int>(shape.block_bytes));
    levels_ = static_cast<int>(shape.repeats.size());
    source_strides_ = to_ints(shape.local_stride_bytes);
    destination_strides_ = to_ints(shape.remote_stride_bytes);
    if (verb_ == Verb::get) {
        std::swap(source_strides_, destination_strides_);
    }
    if (context.options.mixed_places) {
        step_ = mixed_step(slots_.count);
    }
    if (context.roles.acts()) {
        source_ = context.arena.local();
        source_slot_bytes_ = slots_.local_bytes;
        destination_ = context.arena.data(target_);
        destination_slot_bytes_ = slots_.remote_bytes;
        if (verb_ == Verb::get) {
            std::swap(source_, destination_);
            std::swap(source_slot_bytes_, destination_slot_bytes_);
        }
        if (form_ == Form::vector) {
            make_vectors();
        }
    }
    handles_.resize(static_cast<size_t>(
        context.options.handles == Handles::one_each ? context.options.window : 1));
}

void TransferWorkload::make_vectors() {
    const Shape& shape = context().row.shape;
    vectors_.resize(static_cast<size_t>(slots_.count));
    for (int64_t slot = 0; slot < slots_.count; slot++) {
        Vector& vector = vectors_[static_cast<size_t>(slot)];
        for_each_block(shape, [&](int64_t local_offset, int64_t remote_offset) {
            const bool is_get = verb_ == Verb::get;
            vector.source_blocks.push_back(static_cast<char*>(source(slot)) +
                                           (is_get ? remote_offset : local_offset));
            vector.destination_blocks.push_back(static_cast<char*>(destination(slot)) +
                                                (is_get ? local_offset : remote_offset));
        });
        if (context().options.mixed_segments) {
            vector.source_blocks = mixed(vector.source_blocks);
            vector.destination_blocks = mixed(vector.destination_blocks);
        }
        vector.descriptor.src_ptr_array = vector.source_blocks.data();
        vector.descriptor.dst_ptr_array = vector.destination_blocks.data();
        vector.descriptor.bytes = counts_[0];
        vector.descriptor.ptr_array_len = static_cast<int>(vector.source_blocks.size());
    }
}

int64_t TransferWorkload::batch_count() const {
    return context().row.mode == Mode::window ? context().options.window : 1;
}

void TransferWorkload::call(int64_t slot) {
    void* source = this->source(slot);
    void* destination = this->destination(slot);
    int* from = source_strides_.data();
    int* to = destination_strides_.data();
    int* counts = counts_.data();
    void* scale = scale_.value;
    switch (verb_) {
        case Verb::put:
            if (form_ == Form::contiguous) {
                ARMCI_Put(source, destination, counts[0], target_);
            } else if (form_ == Form::strided) {
                ARMCI_PutS(source, from, destination, to, counts, levels_, target_);
            } else {
                ARMCI_PutV(vector(slot), 1, target_);
            }
            break;
        case Verb::get:
            if (form_ == Form::contiguous) {
                ARMCI_Get(source, destination, counts[0], target_);
            } else if (form_ == Form::strided) {
                ARMCI_GetS(source, from, destination, to, counts, levels_, target_);
            } else {
                ARMCI_GetV(vector(slot), 1, target_);
            }
            break;
        default:
            if (form_ == Form::contiguous) {
                ARMCI_Acc(type_code_, scale, source, destination, counts[0], target_);
            } else if (form_ == Form::strided) {
                ARMCI_AccS(type_code_, scale, source, from, destination, to, counts, levels_,
                           target_);
            } else {
                ARMCI_AccV(type_code_, scale, vector(slot), 1, target_);
            }
            break;
    }
}

void TransferWorkload::start(int64_t slot, armci_hdl_t* handle) {
    void* source = this->source(slot);
    void* destination = this->destination(slot);
    int* from = source_strides_.data();
    int* to = destination_strides_.data();
    int* counts = counts_.data();
    void* scale = scale_.value;
    switch (verb_) {
        case Verb::put:
            if (form_ == Form::contiguous) {
                ARMCI_NbPut(source, destination, counts[0], target_, handle);
            } else if (form_ == Form::strided) {
                ARMCI_NbPutS(source, from, destination, to, counts, levels_, target_, handle);
            } else {
                ARMCI_NbPutV(vector(slot), 1, target_, handle);
            }
            break;
        case Verb::get:
            if (form_ == Form::contiguous) {
                ARMCI_NbGet(source, destination, counts[0], target_, handle);
            } else if (form_ == Form::strided) {
                ARMCI_NbGetS(source, from, destination, to, counts, levels_, target_, handle);
            } else {
                ARMCI_NbGetV(vector(slot), 1, target_, handle);
            }
            break;
        default:
            if (form_ == Form::contiguous) {
#if ARMCI_BENCH_NBACC
                ARMCI_NbAcc(type_code_, scale, source, destination, counts[0], target_, handle);
#else
                ARMCI_NbAccS(type_code_, scale, source, from, destination, to, counts, 0, target_,
                             handle);
#endif
            } else if (form_ == Form::strided) {
                ARMCI_NbAccS(type_code_, scale, source, from, destination, to, counts, levels_,
                             target_, handle);
            } else {
                ARMCI_NbAccV(type_code_, scale, vector(slot), 1, target_, handle);
            }
            break;
    }
}

void TransferWorkload::fence() {
    if (verb_ != Verb::get) {
        ARMCI_Fence(target_);
    }
}

void TransferWorkload::perform(int64_t count) {
    switch (plain_mode(context().row.mode)) {
        case Mode::latency:
            for (int64_t i = 0; i < count; i++) {
                call(take_slot());
                fence();
            }
            break;
        case Mode::stream:
            for (int64_t i = 0; i < count; i++) {
                call(take_slot());
            }
            fence();
            break;
        default:  // Mode::window
            perform_window(count);
            fence();
            break;
    }
}

void TransferWorkload::perform_window(int64_t count) {
    const int64_t window = context().options.window;
    for (int64_t left = count; left > 0; left -= window) {
        start_batch(std::min(left, window));
    }
}

// Starts up to a window of operations, on the slots in turn, and waits for them.
void TransferWorkload::start_batch(int64_t count) {
    const Handles kind = context().options.handles;
    armci_hdl_t* handle = nullptr;
    if (kind == Handles::aggregate) {
        handle = handles_.data();
        ARMCI_INIT_HANDLE(handle);
        ARMCI_SET_AGGREGATE_HANDLE(handle);
    }
    for (int64_t i = 0; i < count; i++) {
        if (kind == Handles::one_each) {
            handle = &handles_[static_cast<size_t>(i)];
            ARMCI_INIT_HANDLE(handle);
        }
        start(take_slot(), handle);
    }
    switch (kind) {
        case Handles::implicit:
            ARMCI_WaitProc(target_);
            break;
        case Handles::one_each:
            for (int64_t i = 0; i < count; i++) {
                ARMCI_Wait(&handles_[static_cast<size_t>(i)]);
            }
            break;
        case Handles::aggregate:
            ARMCI_Wait(handle);
            ARMCI_UNSET_AGGREGATE_HANDLE(handle);
            break;
    }
}

}  // namespace armci::bench
