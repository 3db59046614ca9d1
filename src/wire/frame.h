// SPDX-License-Identifier: BSD-3-Clause
// Wire format: the frames that origins send to data servers and that servers answer with.
//
// A frame is one libfabric message: a FrameHeader, the fixed body of its kind, for transfers an
// encoded layout, and then user data. All fields are in host byte order (a job runs on one
// architecture; the header's magic catches anything else) and every part is padded to 8 bytes,
// frames as a whole too: providers lay messages end to end into a receive buffer. Every chunk of a
// transfer describes itself completely (layout and byte offset), so a server keeps no state between
// chunks.
//
// Decoding trusts nothing: every function here returns false on a frame that is too short, has
// unknown kinds, or does not add up, and never reads outside it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "strided/kernels.h"
#include "strided/layout.h"
#include "strided/side.h"

namespace armci::wire {

inline constexpr uint16_t kMagic = 0xa4c1;
inline constexpr uint8_t kVersion = 3;

enum class FrameKind : uint8_t {
    // from origins to servers
    hello = 1,       // the sender's fabric address; must be a client's first frame
    put = 2,         // a chunk to store
    accumulate = 3,  // a chunk to add
    get = 4,         // a whole layout to read; answered with data frames
    get_credit = 5,  // the origin has taken data of a streamed get
    rmw = 6,         // answered with a value
    store = 7,       // one int, stored atomically after everything before it
    increment = 8,   // one int, incremented atomically after everything before it
    lock = 9,        // answered with granted, when it is
    try_lock = 10,   // answered with a value: 1 acquired, 0 busy
    unlock = 11,
    fence = 12,                 // nothing but its acknowledgement
    add_segment = 13,           // from ranks of the server's own node: register a range; answered
    remove_segment = 14,        // answered with a value
    batch = 15,                 // small puts and accumulates, executed one after the other
    want = 16,                  // nothing but the header's count of wanted slots
    release_recv_buffers = 17,  // granted receive buffers that the origin has no use for
    find_attached = 18,         // answered with attached
    // from servers to origins
    data = 32,
    value = 33,
    granted = 34,
    segment = 35,
    acknowledge = 36,
    failed = 37,
    grant = 38,  // granted receive buffers for the origin's next chunks
    attached = 39,
    // from a node's first rank to another's
    barrier = 48,  // the header says which: its node, as request_id the round, its number
};

// Frames that name addresses say whose they are: kGlobal for global memory, else 1 + the number of
// a rank among those of the server's node, for memory that it has attached (and global memory).
inline constexpr uint32_t kGlobal = 0;

enum FrameFlags : uint8_t {
    kAcknowledgeNow = 1,   // the sender waits for room or for completion: answer without delay
    kHasReplyBuffers = 4,  // get: a ReplyBuffersBody follows the layout
};

struct FrameHeader {
    uint16_t magic = kMagic;
    uint8_t version = kVersion;
    FrameKind kind{};
    uint8_t flags = 0;
    uint8_t acc_type = 0;      // accumulate: strided::AccType
    uint8_t layout_kind = 0;   // LayoutKind, for frames with a layout
    uint8_t levels = 0;        // of a strided layout
    int32_t rank = 0;          // origin frames: the sender; server frames: the server's number
    uint32_t frame_bytes = 0;  // of the whole frame
    uint64_t request_id = 0;   // chosen by the origin, returned in the answer
    // Origin frames: the number of this frame among those to this server, from 1. Frames are
    // executed in this order: providers match messages in order, but may complete a small one
    // before a large one. Server frames: how many of the addressee's frames have been executed.
    uint64_t sequence = 0;
    // Origin frames: granted receive buffers that it could use beyond those it holds. Server
    // frames: the bytes of the addressee's messages that have been executed.
    uint64_t flow = 0;
};
static_assert(sizeof(FrameHeader) == 40);

// A vector travels as the distances of its segments from one address, in 4 bytes each, or as their
// addresses where they are too far from each other for that.
enum class LayoutKind : uint8_t { none = 0, strided = 1, near_vector = 2, far_vector = 3 };

// put, accumulate, get. `data_bytes` at `offset` of the layout's bytes.
struct TransferBody {
    uint64_t offset = 0;
    uint64_t data_bytes = 0;
    unsigned char scale[16] = {};  // accumulate
    uint32_t window_bytes = 0;     // get: how much may be on its way to the origin at a time
    uint32_t owner = kGlobal;
};
inline constexpr size_t kTransferHeadBytes = sizeof(FrameHeader) + sizeof(TransferBody);

struct CreditBody {
    uint64_t taken_bytes = 0;   // of the get's data, in total so far
    uint64_t taken_chunks = 0;  // of the chunks that were written into granted receive buffers
};

// Where the chunks of a get shall be written at the origin, in turn.
inline constexpr uint32_t kMaxReplyBuffers = 4;
struct ReplyBuffersBody {
    uint64_t key = 0;
    uint32_t count = 0;
    uint32_t recv_buffer_bytes = 0;
    uint64_t address[kMaxReplyBuffers] = {};
    uint32_t immediate[kMaxReplyBuffers] = {};
};

// One operation of a batch; the scale of an accumulate and then the data, padded to 8, follow.
struct BatchEntry {
    uint64_t address = 0;
    uint32_t data_bytes = 0;
    uint8_t is_accumulate = 0;
    uint8_t acc_type = 0;
    uint16_t owner = kGlobal;
};
static_assert(sizeof(BatchEntry) == 16);
inline constexpr size_t kScaleBytes = 16;

inline constexpr uint32_t kMaxRecvBuffersPerFrame = 8;
struct RecvBuffersBody {  // grant, release_recv_buffers
    uint32_t count = 0;
    uint32_t keep = 0;  // grant: how many of its slots an idle origin may keep
    uint32_t recv_buffer[kMaxRecvBuffersPerFrame] = {};
};

struct RmwBody {
    uint64_t address = 0;
    int64_t operand = 0;
    uint32_t operation = 0;  // node::WordOperation
    uint32_t owner = kGlobal;
};
struct StoreBody {  // store, increment
    uint64_t address = 0;
    int32_t value = 0;
    uint32_t owner = kGlobal;  // store only
};

struct LockBody {  // lock, try_lock, unlock
    uint64_t address = 0;
};

struct SegmentBody {  // add_segment, remove_segment
    uint64_t address = 0;
    uint64_t bytes = 0;
};

struct FindAttachedBody {
    uint64_t address = 0;
    uint64_t bytes = 0;
    uint64_t owner = kGlobal;
};

struct AttachedBody {  // the range that contains what was asked for
    uint64_t begin = 0;
    uint64_t end = 0;  // 0: there is none
};

struct DataBody {  // data
    uint64_t offset = 0;
    uint64_t data_bytes = 0;
};

struct ValueBody {
    int64_t value = 0;
};

struct SegmentReply {
    uint64_t remote_base = 0;
    uint64_t key = 0;
    uint64_t registered = 0;  // 0: registration failed, use the server route only
};

enum class Failure : uint32_t {
    malformed = 1,    // the frame does not decode
    bad_address = 2,  // neither in a segment of the node nor attached
    not_a_mutex = 3,
    not_held = 4,
    misaligned = 5,
    no_room = 6,
    not_mapped = 7,  // attached, but it is not there or may not be written
    no_access = 8,   // attached, but the server may not access that process
};

struct FailedBody {
    Failure failure{};
    uint32_t request_kind = 0;
    uint64_t address = 0;
    uint64_t bytes = 0;
    int32_t rank = -1;  // whose memory it is, if that is known
    uint32_t padding = 0;
};

// The layout of a decoded frame. Nothing of it points into the frame: its sender may still be able
// to write there.
struct LayoutView {
    strided::Side side;  // addresses of a vector are in what the decoder was given for them
    // Around all of it. Of vectors {0, 0} where it would wrap, and then each segment counts.
    strided::AddressRange extent;
    int64_t total_bytes = 0;
};

// Lengths on the wire are multiples of 8.
constexpr uint64_t padded(uint64_t bytes) {
    return (bytes + 7) & ~uint64_t{7};
}

size_t encoded_strided_bytes(int levels);
// Writes exactly so many bytes and returns the end.
char* encode_strided(char* out, uint64_t base, const strided::Layout& layout);

// How a vector is written into frames: into one, or a part of it into each of several.
struct VectorForm {
    LayoutKind kind = LayoutKind::near_vector;
    uint64_t base = 0;

    size_t entry_bytes() const {  // of each segment
        return kind == LayoutKind::near_vector ? sizeof(uint32_t) : sizeof(uint64_t);
    }
    size_t encoded_bytes(int64_t segment_count) const;
    // Of segments that are among those which the form was made for. Returns the end.
    char* encode(char* out, const uint64_t* addresses, int64_t segment_count,
                 int64_t segment_bytes) const;
};
// Of segments that lie within `extent`; {0, 0}: anywhere.
VectorForm vector_form(const strided::AddressRange& extent);

// Checks a received frame's header against the bytes that arrived.
bool decode_header(const void* frame, size_t frame_bytes, FrameHeader* header);

// A frame with a fixed body only.
template <class Body>
bool decode_body(const void* frame, size_t frame_bytes, Body* body) {
    if (frame_bytes < sizeof(FrameHeader) + sizeof(Body)) {
        return false;
    }
    std::memcpy(body, static_cast<const char*>(frame) + sizeof(FrameHeader), sizeof(Body));
    return true;
}

// The bytes after the fixed body.
template <class Body>
const char* after_body(const void* frame) {
    return static_cast<const char*>(frame) + sizeof(FrameHeader) + sizeof(Body);
}

// put, accumulate and get: body, layout, and for the first two the data, which must be exactly
// there. The addresses of a vector are put into *addresses.
struct TransferView {
    TransferBody body;
    LayoutView layout;
    const char* data = nullptr;
    ReplyBuffersBody reply_buffers;  // count 0: none
};
bool decode_transfer(const void* frame, size_t frame_bytes, const FrameHeader& header,
                     TransferView* view, std::vector<uint64_t>* addresses);

// Walks a batch: false at its end, or when what follows does not add up (*malformed).
struct BatchView {
    BatchEntry entry;
    const unsigned char* scale = nullptr;
    const char* data = nullptr;
};
class BatchReader {
  public:
    BatchReader(const void* frame, size_t frame_bytes)
        : next_(static_cast<const char*>(frame) + sizeof(FrameHeader)),
          end_(static_cast<const char*>(frame) + frame_bytes) {}
    bool next(BatchView* view, bool* malformed);

  private:
    const char* next_;
    const char* end_;
};
constexpr size_t batch_entry_bytes(uint64_t data_bytes, bool is_accumulate) {
    return sizeof(BatchEntry) + (is_accumulate ? kScaleBytes : 0) + padded(data_bytes);
}

const char* name_of(FrameKind kind);
// Bytes of user data in a chunk of a put or accumulate, as it says; -1: another kind of frame.
int64_t data_bytes(const void* frame, size_t frame_bytes);
const char* describe(Failure failure);

}  // namespace armci::wire
