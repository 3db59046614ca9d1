// SPDX-License-Identifier: BSD-3-Clause
#include "wire/frame.h"

#include <algorithm>

#include "strided/offsets.h"

namespace armci::wire {
namespace {

struct StridedHead {
    uint64_t base;
};
struct VectorHead {
    uint64_t segment_count;
    uint64_t segment_bytes;
    uint64_t base;  // the address from which offsets are counted
};

template <class T>
char* append(char* out, const T& value) {
    std::memcpy(out, &value, sizeof value);
    return out + sizeof value;
}

// Reads values from a range of bytes and never leaves it.
class Input {
  public:
    Input(const char* begin, const char* end) : next_(begin), end_(end) {}

    template <class T>
    bool read(T* value) {
        if (remaining() < sizeof(T)) {
            return false;
        }
        std::memcpy(value, next_, sizeof(T));
        next_ += sizeof(T);
        return true;
    }
    bool skip(size_t bytes) {
        if (remaining() < bytes) {
            return false;
        }
        next_ += bytes;
        return true;
    }
    size_t remaining() const { return static_cast<size_t>(end_ - next_); }
    const char* next() const { return next_; }

  private:
    const char* next_;
    const char* end_;
};

bool decode_strided(Input* input, int levels, LayoutView* view) {
    auto& side = view->side.emplace<strided::StridedSide>();
    if (levels > strided::kMaxLevels || !input->read(&side.base)) {
        return false;
    }
    side.layout.levels = levels;
    for (int i = 0; i <= levels; ++i) {
        if (!input->read(&side.layout.count[i])) {
            return false;
        }
    }
    for (int i = 0; i < levels; ++i) {
        if (!input->read(&side.layout.stride[i])) {
            return false;
        }
    }
    strided::Extent extent{};
    if (!strided::validate(side.layout, &view->total_bytes, &extent)) {
        return false;
    }
    // The extent must be a range of addresses that does not wrap.
    uint64_t begin = 0;
    uint64_t end = 0;
    const bool begin_wraps =
        extent.begin < 0
            ? __builtin_sub_overflow(side.base, static_cast<uint64_t>(-extent.begin), &begin)
            : __builtin_add_overflow(side.base, static_cast<uint64_t>(extent.begin), &begin);
    if (begin_wraps || __builtin_add_overflow(side.base, static_cast<uint64_t>(extent.end), &end) ||
        begin >= end) {
        return false;
    }
    view->extent = {begin, end - begin};
    return true;
}

bool decode_vector(Input* input, LayoutKind kind, LayoutView* view,
                   std::vector<uint64_t>* addresses) {
    VectorHead head{};
    const size_t entry_bytes = VectorForm{kind, 0}.entry_bytes();
    if (!input->read(&head) || head.segment_count == 0 || head.segment_bytes == 0 ||
        head.segment_count > input->remaining() / entry_bytes) {
        return false;
    }
    uint64_t total = 0;
    if (__builtin_mul_overflow(head.segment_count, head.segment_bytes, &total) ||
        total > static_cast<uint64_t>(INT64_MAX)) {
        return false;
    }
    const char* const entries = input->next();
    if (!input->skip(padded(head.segment_count * entry_bytes))) {
        return false;
    }
    const auto count = static_cast<int64_t>(head.segment_count);
    addresses->resize(head.segment_count);
    if (kind == LayoutKind::near_vector) {
        const strided::OffsetRange range =
            strided::read_offsets(entries, count, head.base, addresses->data());
        const uint64_t begin = head.base + range.lowest;
        const uint64_t bytes = range.highest - range.lowest + head.segment_bytes;
        const bool wraps = begin < head.base || begin + bytes < begin;
        view->extent = wraps ? strided::AddressRange{} : strided::AddressRange{begin, bytes};
    } else {
        std::memcpy(addresses->data(), entries, head.segment_count * sizeof(uint64_t));
        view->extent =
            strided::enclose(addresses->data(), count, static_cast<int64_t>(head.segment_bytes));
    }
    view->side =
        strided::VectorSide{addresses->data(), count, static_cast<int64_t>(head.segment_bytes)};
    view->total_bytes = static_cast<int64_t>(total);
    return true;
}

bool are_usable(const ReplyBuffersBody& reply_buffers) {
    return reply_buffers.count > 0 && reply_buffers.count <= kMaxReplyBuffers &&
           reply_buffers.further_rails <= kMaxFurtherRails &&
           reply_buffers.reply_buffer_bytes % 8 == 0 &&
           reply_buffers.reply_buffer_bytes >=
               sizeof(FrameHeader) + sizeof(DataBody) + kSealBytes + 8;
}

// Takes the reply buffers from the end of a request, if the header says that there are any. Returns
// false if they are inconsistent.
bool take_from_end(const FrameHeader& header, const char* begin, const char** end,
                   ReplyPlaces* reply_buffers) {
    *reply_buffers = {};
    if ((header.flags & kHasReplyBuffers) == 0) {
        return true;
    }
    ReplyBuffersBody& body = reply_buffers->body;
    if (static_cast<size_t>(*end - begin) < sizeof body) {
        return false;
    }
    *end -= sizeof body;
    std::memcpy(&body, *end, sizeof body);
    if (!are_usable(body)) {
        return false;
    }
    const size_t key_count = size_t{body.count} * body.further_rails;
    if (static_cast<size_t>(*end - begin) < key_count * sizeof(uint64_t)) {
        return false;
    }
    *end -= key_count * sizeof(uint64_t);
    reply_buffers->further_keys.resize(key_count);
    if (key_count > 0) {
        std::memcpy(reply_buffers->further_keys.data(), *end, key_count * sizeof(uint64_t));
    }
    return true;
}

}  // namespace

char* ReplyPlaces::encode(char* out) const {
    for (const uint64_t key : further_keys) {
        out = append(out, key);
    }
    return append(out, body);
}

size_t encoded_strided_bytes(int levels) {
    return sizeof(StridedHead) + sizeof(int64_t) * (2 * static_cast<size_t>(levels) + 1);
}

char* encode_strided(char* out, uint64_t base, const strided::Layout& layout) {
    out = append(out, StridedHead{base});
    for (int i = 0; i <= layout.levels; ++i) {
        out = append(out, layout.count[i]);
    }
    for (int i = 0; i < layout.levels; ++i) {
        out = append(out, layout.stride[i]);
    }
    return out;
}

VectorForm vector_form(const strided::AddressRange& extent) {
    const bool is_near = extent.bytes > 0 && extent.bytes <= uint64_t{1} << 32;
    return {is_near ? LayoutKind::near_vector : LayoutKind::far_vector, extent.begin};
}

size_t VectorForm::encoded_bytes(int64_t segment_count) const {
    return sizeof(VectorHead) + padded(entry_bytes() * static_cast<size_t>(segment_count));
}

char* VectorForm::encode(char* out, const uint64_t* addresses, int64_t segment_count,
                         int64_t segment_bytes) const {
    out = append(out, VectorHead{static_cast<uint64_t>(segment_count),
                                 static_cast<uint64_t>(segment_bytes), base});
    const size_t bytes = entry_bytes() * static_cast<size_t>(segment_count);
    if (kind == LayoutKind::near_vector) {
        strided::write_offsets(addresses, segment_count, base, out);
        std::memset(out + bytes, 0, padded(bytes) - bytes);
    } else {
        std::memcpy(out, addresses, bytes);
    }
    return out + padded(bytes);
}

bool decode_sender(const void* frame, size_t frame_bytes, Sender* sender) {
    if (frame_bytes < sizeof(FrameHeader)) {
        return false;
    }
    const char* begin = static_cast<const char*>(frame);
    std::memcpy(&sender->token, begin + offsetof(FrameHeader, token), sizeof sender->token);
    std::memcpy(&sender->number, begin + offsetof(FrameHeader, rank), sizeof sender->number);
    return true;
}

size_t take_written(void* memory, size_t memory_bytes, uint64_t token) {
    FrameHeader header;
    if (memory_bytes < sizeof header + kSealBytes) {
        return 0;
    }
    std::memcpy(&header, memory, sizeof header);
    if (!is_token(header.token, token) || header.frame_bytes < sizeof header ||
        header.frame_bytes > memory_bytes - kSealBytes) {
        return 0;
    }
    char* const seal_place = static_cast<char*>(memory) + header.frame_bytes;
    uint64_t last = kNoToken;
    std::memcpy(&last, seal_place, sizeof last);
    if (!is_token(last, token)) {
        return 0;
    }
    // The next frame here is often as long, and must not find this seal while it arrives.
    std::memcpy(seal_place, &kNoToken, sizeof kNoToken);
    std::memcpy(static_cast<char*>(memory) + offsetof(FrameHeader, token), &kNoToken,
                sizeof kNoToken);
    return header.frame_bytes;
}

bool decode_header(const void* frame, size_t frame_bytes, FrameHeader* header) {
    if (frame_bytes < sizeof(FrameHeader) ||
        reinterpret_cast<uintptr_t>(frame) % alignof(uint64_t) != 0) {
        return false;
    }
    std::memcpy(header, frame, sizeof *header);
    return header->magic == kMagic && header->version == kVersion &&
           header->frame_bytes == frame_bytes;
}

bool decode_transfer(const void* frame, size_t frame_bytes, const FrameHeader& header,
                     TransferView* view, std::vector<uint64_t>* addresses) {
    if (!decode_body(frame, frame_bytes, &view->body)) {
        return false;
    }
    const char* end = static_cast<const char*>(frame) + frame_bytes;
    if (header.kind == FrameKind::get &&
        !take_from_end(header, after_body<TransferBody>(frame), &end, &view->reply_buffers)) {
        return false;
    }
    Input input(after_body<TransferBody>(frame), end);
    const auto kind = static_cast<LayoutKind>(header.layout_kind);
    switch (kind) {
        case LayoutKind::strided:
            if (!decode_strided(&input, header.levels, &view->layout)) {
                return false;
            }
            break;
        case LayoutKind::near_vector:
        case LayoutKind::far_vector:
            if (!decode_vector(&input, kind, &view->layout, addresses)) {
                return false;
            }
            break;
        default:
            return false;
    }
    const auto total = static_cast<uint64_t>(view->layout.total_bytes);
    const TransferBody& body = view->body;
    if (body.data_bytes == 0 || body.offset > total || body.data_bytes > total - body.offset) {
        return false;
    }
    if (header.kind == FrameKind::get) {
        view->data = nullptr;
        return input.remaining() == 0 && body.window_bytes > 0;
    }
    if (header.kind == FrameKind::accumulate) {
        if (!strided::is_acc_type(header.acc_type)) {
            return false;
        }
        const auto element = static_cast<uint64_t>(
            strided::element_bytes(static_cast<strided::AccType>(header.acc_type)));
        const auto block = static_cast<uint64_t>(strided::block_bytes(view->layout.side));
        if (body.data_bytes % element != 0 || body.offset % element != 0 || block % element != 0) {
            return false;
        }
    }
    view->data = input.next();
    return input.remaining() == padded(body.data_bytes);
}

bool BatchReader::take_reply_buffers(const FrameHeader& header, ReplyPlaces* reply_buffers) {
    return take_from_end(header, next_, &end_, reply_buffers);
}

bool BatchReader::next(BatchView* view, bool* malformed) {
    Input input(next_, end_);
    *malformed = input.remaining() > 0;
    const BatchEntry& entry = view->entry;
    if (!input.read(&view->entry) || entry.operation > BatchOperation::get ||
        entry.data_bytes == 0) {
        return false;
    }
    view->scale = nullptr;
    view->data = nullptr;
    if (entry.operation == BatchOperation::accumulate) {
        view->scale = reinterpret_cast<const unsigned char*>(input.next());
        if (!input.skip(kScaleBytes) || !strided::is_acc_type(entry.acc_type) ||
            entry.data_bytes %
                    strided::element_bytes(static_cast<strided::AccType>(entry.acc_type)) !=
                0) {
            return false;
        }
    }
    if (entry.operation != BatchOperation::get) {
        view->data = input.next();
        if (!input.skip(padded(entry.data_bytes))) {
            return false;
        }
    }
    next_ = input.next();
    *malformed = false;
    return true;
}

int64_t data_bytes(const void* frame, size_t frame_bytes) {
    FrameHeader header;
    TransferBody body;
    if (!decode_body(frame, frame_bytes, &body)) {
        return -1;
    }
    std::memcpy(&header, frame, sizeof header);
    const bool has_data = header.kind == FrameKind::put || header.kind == FrameKind::accumulate;
    return has_data ? static_cast<int64_t>(body.data_bytes) : -1;
}

const char* name_of(FrameKind kind) {
    switch (kind) {
        case FrameKind::batch:
            return "batch";
        case FrameKind::want:
            return "want";
        case FrameKind::release_recv_buffers:
            return "release receive buffers";
        case FrameKind::grant:
            return "grant";
        case FrameKind::hello:
            return "hello";
        case FrameKind::put:
            return "put";
        case FrameKind::accumulate:
            return "accumulate";
        case FrameKind::get:
            return "get";
        case FrameKind::get_credit:
            return "get credit";
        case FrameKind::get_by_put:
            return "get by put";
        case FrameKind::rmw:
            return "rmw";
        case FrameKind::store:
            return "put flag";
        case FrameKind::increment:
            return "notify";
        case FrameKind::lock:
            return "lock";
        case FrameKind::try_lock:
            return "trylock";
        case FrameKind::unlock:
            return "unlock";
        case FrameKind::fence:
            return "fence";
        case FrameKind::add_segment:
            return "add segment";
        case FrameKind::remove_segment:
            return "remove segment";
        case FrameKind::find_attached:
            return "find attached";
        case FrameKind::attached:
            return "attached";
        case FrameKind::barrier:
            return "barrier";
        case FrameKind::data:
            return "data";
        case FrameKind::value:
            return "value";
        case FrameKind::locked:
            return "locked";
        case FrameKind::segment:
            return "segment";
        case FrameKind::acknowledge:
            return "acknowledge";
        case FrameKind::failed:
            return "failed";
    }
    return "unknown request";
}

const char* describe(Failure failure) {
    switch (failure) {
        case Failure::malformed:
            return "the request could not be decoded";
        case Failure::bad_address:
            return "the address range is neither inside global memory of that node nor inside "
                   "memory that is attached there";
        case Failure::not_a_mutex:
            return "there is no mutex at that place";
        case Failure::not_held:
            return "the mutex is not held by the rank that unlocks it";
        case Failure::misaligned:
            return "the address is not aligned for the operation";
        case Failure::no_room:
            return "the server has no room for another waiter";
        case Failure::not_mapped:
            return "the memory is attached, but not mapped any more, or read-only; call "
                   "ARMCIX_Detach before attached memory is freed or unmapped";
        case Failure::no_access:
            return "the data server may not access the memory of that process; let the processes "
                   "of the job trace each other (docs/semantics.md, Attached memory)";
    }
    return "unknown failure";
}

}  // namespace armci::wire
