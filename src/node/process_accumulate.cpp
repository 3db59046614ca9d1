// SPDX-License-Identifier: BSD-3-Clause
#include "node/process_accumulate.h"

#include <mutex>

namespace armci::node {

using Direction = ProcessMover::Direction;

void ProcessAccumulator::add(const void* source, void* target, int64_t bytes) {
    for_each_stripe(
        scale_, static_cast<const char*>(source), static_cast<char*>(target), bytes,
        [&](const strided::AccScale& scale, char* to, const char* from, int64_t piece_bytes) {
            const bool is_component = &scale != &scale_;
            if (is_component || !fits(to, piece_bytes)) {
                apply(scale_);
            }
            blocks_[block_count_++] = {to, from, piece_bytes};
            block_bytes_ += piece_bytes;
            if (is_component) {
                apply(scale);
            }
        });
}

bool ProcessAccumulator::finish() {
    apply(scale_);
    return failure_.error == 0;
}

// Two blocks with common bytes must both be added, so they are never read together.
bool ProcessAccumulator::fits(const char* target, int64_t bytes) const {
    if (block_count_ == 0) {
        return true;
    }
    const Block& last = blocks_[block_count_ - 1];
    return block_count_ < kMaxBlocks && target >= last.target + last.bytes &&
           block_bytes_ + bytes <= StripedLocks::kGranuleBytes &&
           StripedLocks::stripe_of(target) == StripedLocks::stripe_of(last.target);
}

void ProcessAccumulator::apply(const strided::AccScale& scale) {
    if (failure_.error == 0 && block_count_ > 0) {
        const std::lock_guard<SharedLock> lock(locks_[StripedLocks::stripe_of(blocks_[0].target)]);
        const auto move = [&](Direction direction) {
            ProcessMover mover(process_, direction);
            char* copy = copy_;
            for (int i = 0; i < block_count_; ++i) {
                mover.add(copy, blocks_[i].target, blocks_[i].bytes);
                copy += blocks_[i].bytes;
            }
            mover.finish();
            failure_ = mover.failure();
            return failure_.error == 0;
        };
        if (move(Direction::from_process)) {
            char* copy = copy_;
            for (int i = 0; i < block_count_; ++i) {
                strided::accumulate(scale, copy, blocks_[i].source, blocks_[i].bytes);
                copy += blocks_[i].bytes;
            }
            move(Direction::to_process);
        }
    }
    block_count_ = 0;
    block_bytes_ = 0;
}

bool read_modify_write(StripedLocks& locks, const Attachment& process, WordOperation operation,
                       void* address, int64_t operand, int64_t* old, AccessFailure* failure) {
    const std::lock_guard<SharedLock> lock(locks[StripedLocks::stripe_of(address)]);
    alignas(8) char word[8] = {};
    const auto move = [&](Direction direction) {
        ProcessMover mover(process, direction);
        mover.add(word, address, word_bytes(operation));
        mover.finish();
        *failure = mover.failure();
        return failure->error == 0;
    };
    if (!move(Direction::from_process)) {
        return false;
    }
    *old = read_modify_write(operation, word, operand);
    return move(Direction::to_process);
}

}  // namespace armci::node
