// SPDX-License-Identifier: BSD-3-Clause
#include "node/dsa/engine.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/backoff.h"
#include "base/log.h"

namespace armci::node::dsa {
namespace {

constexpr size_t kMaxRequests = 64;
constexpr int kMaxSubmissions = 32;
constexpr int kMaxPieces = 64;  // of one batch
constexpr int64_t kBatchBytes = 256 << 10;
constexpr int kMaxTries = 8;
constexpr uint32_t kFlags = kFlagRecordValid | kFlagRecordWanted;

uint64_t address(const void* pointer) {
    return reinterpret_cast<uint64_t>(pointer);
}

Status status_of(const CompletionRecord& record) {
    const uint8_t bits =
        std::atomic_ref(const_cast<uint8_t&>(record.status)).load(std::memory_order_acquire);
    return static_cast<Status>(bits & kStatusMask);
}

// Returns whether no byte of a side occurs twice. Each level must step over all that is below it,
// in the order of the levels, so it is false for some layouts whose blocks are apart.
bool blocks_are_apart(const strided::Layout& layout) {
    int64_t below = layout.count[0];
    for (int i = 0; i < layout.levels; ++i) {
        const int64_t distance = std::abs(layout.stride[i]);
        if (distance < below) {
            return false;
        }
        below += (layout.count[i + 1] - 1) * distance;
    }
    return true;
}

}  // namespace

Engine::Engine(std::unique_ptr<WorkQueue> queue, int64_t min_block_bytes)
    : queue_(std::move(queue)), min_block_bytes_(min_block_bytes) {
    const QueueLimits& limits = queue_->limits();
    submissions_.resize(static_cast<size_t>(std::clamp(limits.descriptors, 1, kMaxSubmissions)));
    const auto pieces = static_cast<size_t>(std::clamp(limits.batch_descriptors, 1, kMaxPieces));
    for (Submission& submission : submissions_) {
        submission.pieces.resize(pieces);
        submission.records.resize(pieces);
    }
}

Engine::~Engine() {
    base::Backoff backoff;
    while (!requests_.empty()) {
        backoff.pause();
        progress();
    }
}

bool Engine::suits(const CopyRequest& request) const {
    if (is_broken_ || request.stripes != nullptr ||
        strided::block_bytes(request.layout) < std::max<int64_t>(min_block_bytes_, 1)) {
        return false;
    }
    const Request prepared = prepare(request);
    return prepared.from.remaining() > 0 && !prepared.read.overlaps(prepared.written) &&
           blocks_are_apart(request.direction == strided::Direction::to_remote
                                ? strided::remote_side(request.layout)
                                : strided::local_side(request.layout));
}

Engine::Request Engine::prepare(const CopyRequest& request) {
    const auto range = [](const char* base, const strided::Layout& side) {
        const strided::Extent extent = strided::extent(side);
        return Range{address(strided::offset_by(base, extent.begin)),
                     address(strided::offset_by(base, extent.end))};
    };
    strided::Layout from = strided::local_side(request.layout);
    strided::Layout to = strided::remote_side(request.layout);
    char* from_base = request.local;
    char* to_base = request.remote;
    if (request.direction == strided::Direction::to_local) {
        std::swap(from, to);
        std::swap(from_base, to_base);
    }
    Request prepared;
    prepared.from = strided::StridedCursor(from_base, from);
    prepared.to = strided::StridedCursor(to_base, to);
    prepared.block_bytes = strided::block_bytes(request.layout);
    prepared.left_in_block = prepared.block_bytes;
    prepared.read = range(from_base, from);
    prepared.written = range(to_base, to);
    return prepared;
}

int Engine::submit(const CopyRequest* requests, int count) {
    int taken = 0;
    while (taken < count && requests_.size() < kMaxRequests && suits(requests[taken])) {
        requests_.push_back(prepare(requests[taken]));
        ++taken;
    }
    progress();
    return taken;
}

uint64_t Engine::completed() {
    progress();
    return completed_;
}

void Engine::progress() {
    for (Submission& submission : submissions_) {
        if (submission.count > 0) {
            check(&submission);
        }
    }
    while (!requests_.empty() && requests_.front().is_complete()) {
        requests_.pop_front();
        ++completed_;
    }
    being_cut_ = std::max(being_cut_, completed_);
    while (start_next()) {
    }
}

bool Engine::must_wait(size_t index) const {
    const Request& request = requests_[index];
    return std::any_of(requests_.begin(), requests_.begin() + static_cast<std::ptrdiff_t>(index),
                       [&](const Request& earlier) {
                           return !earlier.is_complete() &&
                                  (request.written.overlaps(earlier.written) ||
                                   request.written.overlaps(earlier.read) ||
                                   request.read.overlaps(earlier.written));
                       });
}

// Cuts the next pieces of the first request that has some. Returns false if there is nothing to cut
// now, or no place for it.
bool Engine::start_next() {
    const auto place = std::find_if(submissions_.begin(), submissions_.end(),
                                    [](const Submission& entry) { return entry.count == 0; });
    while (being_cut_ < completed_ + requests_.size() &&
           requests_[being_cut_ - completed_].is_cut()) {
        ++being_cut_;
    }
    const size_t index = being_cut_ - completed_;
    if (place == submissions_.end() || index == requests_.size() || must_wait(index)) {
        return false;
    }
    place->request = being_cut_;
    cut(&requests_[index], &*place);
    queue_up(&*place);
    return true;
}

void Engine::cut(Request* request, Submission* submission) {
    int64_t bytes = 0;
    submission->count = 0;
    submission->tries = 0;
    while (!request->is_cut() && submission->count < static_cast<int>(submission->pieces.size()) &&
           (submission->count == 0 || bytes + request->left_in_block <= kBatchBytes)) {
        const int64_t length =
            std::min<int64_t>(request->left_in_block, queue_->limits().transfer_bytes);
        Descriptor& piece = submission->pieces[static_cast<size_t>(submission->count++)];
        piece = Descriptor();
        piece.flags_and_opcode = flags_and_opcode(Opcode::memmove, kFlags);
        piece.source = address(request->from.next(length).data);
        piece.destination = address(request->to.next(length).data);
        piece.length = static_cast<uint32_t>(length);
        bytes += length;
        request->left_in_block -= length;
        if (request->left_in_block == 0) {
            request->left_in_block = request->block_bytes;
        }
    }
    request->pieces_under_way += submission->count;
}

// Submits what is left of a submission. If the queue has no room, the next progress does.
void Engine::queue_up(Submission* submission) {
    if (is_broken_) {
        for (int i = 0; i < submission->count; ++i) {
            copy_by_processor(submission->pieces[static_cast<size_t>(i)]);
        }
        requests_[submission->request - completed_].pieces_under_way -= submission->count;
        submission->count = 0;
        return;
    }
    for (int i = 0; i < submission->count; ++i) {
        CompletionRecord& record = submission->records[static_cast<size_t>(i)];
        record = CompletionRecord();
        submission->pieces[static_cast<size_t>(i)].record = address(&record);
    }
    if (submission->count == 1) {
        submission->is_queued = queue_->submit(submission->pieces[0]);
        return;
    }
    submission->batch_record = CompletionRecord();
    submission->batch.flags_and_opcode = flags_and_opcode(Opcode::batch, kFlags);
    submission->batch.record = address(&submission->batch_record);
    submission->batch.source = address(submission->pieces.data());
    submission->batch.length = static_cast<uint32_t>(submission->count);
    submission->is_queued = queue_->submit(submission->batch);
}

// Takes the result of a submission, and submits again what the device has left.
void Engine::check(Submission* submission) {
    if (!submission->is_queued) {
        queue_up(submission);
        return;
    }
    const CompletionRecord& whole =
        submission->count == 1 ? submission->records[0] : submission->batch_record;
    const Status status = status_of(whole);
    if (status == Status::none) {
        return;
    }
    // Where the list of a batch had no page, it has one again after this.
    if (submission->count > 1 && status != Status::success && status != Status::batch_failed &&
        status != Status::batch_page_fault) {
        give_up(status);
    }
    submission->is_queued = false;
    Request& request = requests_[submission->request - completed_];
    bool has_moved = false;
    int left = 0;
    for (int i = 0; i < submission->count; ++i) {
        Descriptor piece = submission->pieces[static_cast<size_t>(i)];
        const bool is_done =
            take_result(&piece, submission->records[static_cast<size_t>(i)], &has_moved);
        if (is_done) {
            --request.pieces_under_way;
        } else {
            submission->pieces[static_cast<size_t>(left++)] = piece;
        }
    }
    submission->count = left;
    submission->tries = has_moved ? 0 : submission->tries + 1;
    if (left > 0 && submission->tries >= kMaxTries) {
        for (int i = 0; i < left; ++i) {
            copy_by_processor(submission->pieces[static_cast<size_t>(i)]);
        }
        request.pieces_under_way -= left;
        submission->count = 0;
    } else if (left > 0) {
        queue_up(submission);
    }
}

// Returns whether the piece is complete. If not, it becomes what is left of it.
bool Engine::take_result(Descriptor* piece, const CompletionRecord& record, bool* has_moved) {
    const Status status = status_of(record);
    if (status == Status::success) {
        *has_moved = true;
        return true;
    }
    if (status == Status::none) {  // of a batch that has ended before
        return false;
    }
    if (status != Status::page_fault) {
        give_up(status);
        return false;
    }
    const uint32_t done = std::min(record.done, piece->length);
    *has_moved |= done > 0;
    touch(*piece, record);
    piece->source += done;
    piece->destination += done;
    piece->length -= done;
    return piece->length == 0;
}

// Makes the kernel bring the page that was missing. A write leaves the byte as it is, whoever else
// writes to it.
void Engine::touch(const Descriptor& piece, const CompletionRecord& record) const {
    const bool is_write = (record.status & kStatusWasWrite) != 0;
    const uint64_t begin = is_write ? piece.destination : piece.source;
    // The record may name the begin of the page only.
    const uint64_t at = std::max(record.fault_address, begin);
    if (at >= begin + piece.length) {
        return;
    }
    if (is_write) {
        std::atomic_ref(*reinterpret_cast<uint8_t*>(at)).fetch_or(0, std::memory_order_relaxed);
    } else {
        *reinterpret_cast<const volatile uint8_t*>(at);
    }
}

void Engine::copy_by_processor(const Descriptor& piece) {
    std::memcpy(reinterpret_cast<void*>(piece.destination),
                reinterpret_cast<const void*>(piece.source), piece.length);
    ++copied_by_processor_;
}

void Engine::give_up(Status status) {
    if (is_broken_) {
        return;
    }
    is_broken_ = true;
    ARMCI_LOG_WARN(
        "the %s has failed with status 0x%02x (%s); the processor makes all further copies. See "
        "the kernel's messages (dmesg) about idxd, or set ARMCI_COPY_ENGINE=thread",
        queue_->name().c_str(), static_cast<unsigned>(status), describe(status));
}

}  // namespace armci::node::dsa
