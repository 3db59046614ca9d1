// SPDX-License-Identifier: BSD-3-Clause
// The wire format: the frames that origins send to data servers, and those with which servers
// answer.
//
// A frame is one libfabric message: a FrameHeader, the fixed body of its kind, for transfers an
// encoded layout, and then user data. All fields are in host byte order, because a job runs on one
// architecture; the header's magic detects anything else. Every part is padded to 8 bytes, and so
// are frames as a whole: providers lay messages end to end into a receive buffer. Every chunk of a
// transfer describes itself completely (layout and byte offset), so a server keeps no state between
// chunks.
//
// A frame begins with the token of the process that sends it, and that process's number. Receivers
// compare the token with the one that MPI has brought them, before they look at anything else: who
// only reaches a port can neither guess a token nor have read one.
//
// Decoding trusts no input: every function here returns false for a frame that is too short, has
// unknown kinds or is inconsistent, and never reads outside it.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "strided/kernels.h"
#include "strided/layout.h"
#include "strided/side.h"

namespace armci::wire {

inline constexpr uint16_t kMagic = 0xa4c1;
inline constexpr uint8_t kVersion = 10;

enum class FrameKind : uint8_t {
    // from origins to servers
    hello = 1,       // the sender's fabric address; the first frame of every origin
    put = 2,         // a chunk to store
    accumulate = 3,  // a chunk to add
    get = 4,         // a whole layout to read; answered with data frames
    get_credit = 5,  // the origin has taken data of a streamed get
    rmw = 6,         // answered with a value
    store = 7,       // one int, stored atomically after everything before it
    increment = 8,   // one int, incremented atomically after everything before it
    lock = 9,        // answered with locked when the origin has the mutex
    try_lock = 10,   // answered with a value: 1 acquired, 0 busy
    unlock = 11,
    fence = 12,           // carries nothing; its acknowledgement is the answer
    add_segment = 13,     // from ranks of the server's own node: register a range; answered
    remove_segment = 14,  // answered with a value
    // Small puts, accumulates and gets, executed one after the other. The gets are answered
    // together, with data frames.
    batch = 15,
    want = 16,  // carries nothing except the header's count of wanted receive buffers
    release_recv_buffers = 17,  // granted receive buffers that the origin does not need
    find_attached = 18,         // answered with attached
    // A range to write into memory of the origin; answered with a value when it is there.
    get_by_put = 19,
    // from servers to origins
    data = 32,
    value = 33,
    locked = 34,  // the origin has the mutex
    segment = 35,
    acknowledge = 36,
    failed = 37,
    grant = 38,  // granted receive buffers for the origin's next chunks
    attached = 39,
    // from an origin to another
    barrier = 48,  // in the header: the group (flow), the round (request_id), its number (sequence)
};

// Frames that name addresses also name their owner. kGlobal means global memory. Otherwise the
// owner is 1 + the index of a rank in the server's node; its attached memory and global memory are
// then valid.
inline constexpr uint32_t kGlobal = 0;

enum FrameFlags : uint8_t {
    kAcknowledgeNow = 1,   // the sender waits for room or for completion: answer without delay
    kHasReplyBuffers = 4,  // a get, or a batch with gets, ends with ReplyPlaces
};

// A mailbox is memory of a data server into which one origin writes single frames, and an answer
// slot is memory of an origin into which one data server writes single frames. Nothing announces
// these writes: their receiver looks there. In origin frames these bits of the flags are 1 + the
// number of the answer slot that is lent to the server for one frame; 0: none.
inline constexpr int kAnswerSlotShift = 4;
inline constexpr uint32_t kAnswerSlots = 15;
// Long enough for the data of a get of 16 KiB. Slots do not begin at the same lines of the
// processor's cache.
inline constexpr uint32_t kAnswerSlotBytes = (16 << 10) + 5 * 64;

// The token of a process is random, and new in each job. No process has kNoToken.
inline constexpr uint64_t kNoToken = 0;

// Says who sends a frame.
struct Sender {
    uint64_t token = kNoToken;
    // Of a rank where origins send to servers, of a data server where servers send to origins.
    // Where origins send to each other it is number_of_origin().
    int32_t number = 0;
};

// What arrives at an origin comes from data servers, whose numbers are not negative, and from other
// origins, whose numbers are.
inline int32_t number_of_origin(int32_t rank) {
    return -1 - rank;
}
inline bool is_origin(int32_t number) {
    return number < 0;
}
inline int32_t rank_of_origin(int32_t number) {
    return -1 - number;
}

struct FrameHeader {
    uint64_t token = kNoToken;
    int32_t rank = 0;          // Sender::number
    uint32_t frame_bytes = 0;  // of the whole frame
    uint16_t magic = kMagic;
    uint8_t version = kVersion;
    FrameKind kind{};
    uint8_t flags = 0;
    uint8_t acc_type = 0;     // accumulate: strided::AccType
    uint8_t layout_kind = 0;  // LayoutKind, for frames with a layout
    // In origin frames: of a strided layout. In server frames: 1 + the number of the addressee's
    // mailbox; 0: it has none.
    uint8_t levels = 0;
    uint64_t request_id = 0;  // chosen by the origin, returned in the answer
    // In origin frames: the number of this frame among those to this server, from 1. Frames are
    // executed in this order: providers match messages in order, but may complete a small one
    // before a large one. In server frames: how many frames of the addressee have been executed.
    uint64_t sequence = 0;
    // In origin frames: an OriginFlow. In server frames: the bytes of the addressee's messages that
    // have been executed; those that took a granted receive buffer are not among them. Of barriers:
    // the number of the group, which all members know.
    uint64_t flow = 0;
};
static_assert(sizeof(FrameHeader) == 48);

// A batch has a request's number if, and only if, there are gets in it.
inline bool has_gets(const FrameHeader& header) {
    return header.kind == FrameKind::batch && header.request_id != 0;
}

inline uint32_t answer_slot(const FrameHeader& header) {
    return header.flags >> kAnswerSlotShift;
}

// Follows the address in a hello, if the origin has answer slots. They lie one behind the other.
struct AnswerSlotsBody {
    uint64_t address = 0;  // fabric::Region::remote_base() plus an offset
    uint64_t key = 0;
};

// What an origin frame says about receive buffers.
struct OriginFlow {
    // How many it has ever been granted, as far as it knows, and how many more it could use. A
    // grant that is on its way is so not made twice.
    uint32_t demand = 0;
    // 1 + the number of the granted receive buffer that no later frame takes; 0: none. A message
    // that names one takes it alone, and may be as long.
    uint32_t closes = 0;
};
inline uint64_t encode_flow(OriginFlow flow) {
    return std::bit_cast<uint64_t>(flow);
}
inline OriginFlow flow_of(const FrameHeader& header) {
    return std::bit_cast<OriginFlow>(header.flow);
}

// A vector travels as the distances of its blocks from one address, in 4 bytes each. If they are
// too far apart for that, it travels as their addresses.
enum class LayoutKind : uint8_t { none = 0, strided = 1, near_vector = 2, far_vector = 3 };

// This is the body of put, accumulate and get: `data_bytes` at `offset` of the layout's bytes.
struct TransferBody {
    uint64_t offset = 0;
    uint64_t data_bytes = 0;
    unsigned char scale[16] = {};  // accumulate
    uint32_t window_bytes = 0;     // get: the most that may be on its way to the origin
    uint32_t owner = kGlobal;
};
inline constexpr size_t kTransferHeadBytes = sizeof(FrameHeader) + sizeof(TransferBody);

struct CreditBody {
    uint64_t taken_bytes = 0;   // bytes of the get's data taken so far
    uint64_t taken_chunks = 0;  // chunks taken that were written into reply buffers
};

// Memory may have another key on each rail of its process. Frames name the key on the first rail,
// and those on further rails if they differ.
inline constexpr size_t kMaxFurtherRails = 7;

// Names the origin's buffers into which the chunks of a get are written, in turn.
inline constexpr uint32_t kMaxReplyBuffers = 8;
struct ReplyBuffersBody {
    uint16_t count = 0;
    uint16_t further_rails = 0;  // so many further keys of each buffer come before this body
    uint32_t reply_buffer_bytes = 0;
    uint64_t key[kMaxReplyBuffers] = {};
    uint64_t address[kMaxReplyBuffers] = {};
    uint32_t immediate[kMaxReplyBuffers] = {};
};

// Reply buffers as a request names them.
struct ReplyPlaces {
    ReplyBuffersBody body;               // count 0 means none
    std::vector<uint64_t> further_keys;  // of one buffer after the other

    // Returns those of a buffer if it has so many; otherwise nullptr.
    const uint64_t* further_keys_of(uint32_t index, size_t expected) const {
        return expected > 0 && body.further_rails == expected ? &further_keys[index * expected]
                                                              : nullptr;
    }
    // Returns how many bytes so many buffers with so many further keys each have in a request.
    static constexpr size_t encoded_bytes(size_t count, size_t further_rails) {
        return sizeof(ReplyBuffersBody) + count * further_rails * sizeof(uint64_t);
    }
    // Writes exactly that, which ends the request. Returns the end.
    char* encode(char* out) const;
};
// Names global memory, and the origin's memory that the server writes it to.
struct GetByPutBody {
    uint64_t address = 0;
    uint64_t bytes = 0;
    uint64_t local_address = 0;  // fabric::Region::remote_base() plus an offset
    uint64_t local_key = 0;
    uint64_t local_further_keys[kMaxFurtherRails] = {};
};

// A BatchEntry is one operation of a batch. Data follows that of a put, padded to 8 bytes; scale
// and data follow that of an accumulate. The data of all gets of a batch, each padded to 8 bytes,
// is its answer.
enum class BatchOperation : uint8_t { put = 0, accumulate = 1, get = 2 };
struct BatchEntry {
    uint64_t address = 0;
    uint32_t data_bytes = 0;
    BatchOperation operation{};
    uint8_t acc_type = 0;
    uint16_t owner = kGlobal;
};
static_assert(sizeof(BatchEntry) == 16);
inline constexpr size_t kScaleBytes = 16;
// The gets of a batch ask for at most that much.
inline constexpr size_t kMaxBatchAnswerBytes = 60 << 10;

inline constexpr uint32_t kMaxRecvBuffersPerFrame = 8;
struct RecvBuffersBody {  // grant, release_recv_buffers
    uint32_t count = 0;
    uint32_t keep = 0;  // grant: how many of its receive buffers an idle origin may keep
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

struct AttachedBody {  // the range that contains the requested address
    uint64_t begin = 0;
    uint64_t end = 0;  // 0: there is none
};

struct DataBody {  // data
    uint64_t offset = 0;
    uint64_t data_bytes = 0;
};
inline constexpr size_t kDataHeadBytes = sizeof(FrameHeader) + sizeof(DataBody);

struct ValueBody {
    int64_t value = 0;
};

struct SegmentReply {
    uint64_t remote_base = 0;
    uint64_t key = 0;
    uint64_t registered = 0;  // 0: registration failed, so only the server route works
    uint64_t further_keys[kMaxFurtherRails] = {};
};

enum class Failure : uint32_t {
    malformed = 1,    // the frame does not decode
    bad_address = 2,  // neither in a segment of the node nor attached
    not_a_mutex = 3,
    not_held = 4,
    misaligned = 5,
    no_room = 6,
    not_mapped = 7,  // attached, but it does not exist or may not be written
    no_access = 8,   // attached, but the server may not access that process
};

struct FailedBody {
    Failure failure{};
    uint32_t request_kind = 0;
    uint64_t address = 0;
    uint64_t bytes = 0;
    int32_t rank = -1;  // rank whose memory it is, if that is known
    uint32_t padding = 0;
};

// A LayoutView is the layout of a decoded frame. Nothing in it points into the frame, which its
// sender may still be able to write.
struct LayoutView {
    strided::Side side;  // a vector's addresses are in the decoder's memory
    // The range around all blocks. It is {0, 0} for vectors whose range would wrap; then each block
    // is checked.
    strided::AddressRange extent;
    int64_t total_bytes = 0;
};

// Returns the length on the wire, which is a multiple of 8.
constexpr uint64_t padded(uint64_t bytes) {
    return (bytes + 7) & ~uint64_t{7};
}

size_t encoded_strided_bytes(int levels);
// Writes exactly encoded_strided_bytes() and returns the end.
char* encode_strided(char* out, uint64_t base, const strided::Layout& layout);

// A VectorForm says how a vector is written into frames: into one frame, or a part of it into each
// of several.
struct VectorForm {
    LayoutKind kind = LayoutKind::near_vector;
    uint64_t base = 0;

    size_t entry_bytes() const {  // of each block
        return kind == LayoutKind::near_vector ? sizeof(uint32_t) : sizeof(uint64_t);
    }
    size_t encoded_bytes(int64_t segment_count) const;
    // Writes blocks that are among those for which the form was made. Returns the end.
    char* encode(char* out, const uint64_t* addresses, int64_t segment_count,
                 int64_t segment_bytes) const;
};
// Returns the form for blocks that lie within `extent`; {0, 0} means anywhere.
VectorForm vector_form(const strided::AddressRange& extent);

// Reads who claims to have sent a frame. Returns false if it has no header.
bool decode_sender(const void* frame, size_t frame_bytes, Sender* sender);

// Compares a token with the one that is known. The time that it takes tells nothing about either:
// all 64 bits are compared at once. kNoToken equals nothing.
inline bool is_token(uint64_t claimed, uint64_t known) {
    return known != kNoToken && (claimed ^ known) == 0;
}

// A frame that is written into memory of its receiver is sealed: its sender's token follows it. The
// immediate data of a write can be forged by anyone, and it may come before the data. So it only
// says where to look; a frame is there if it has both tokens.
inline constexpr size_t kSealBytes = sizeof(uint64_t);

inline void seal(void* frame, size_t frame_bytes, uint64_t token) {
    std::memcpy(static_cast<char*>(frame) + frame_bytes, &token, sizeof token);
}
// Returns whether a frame that is written there may have begun to arrive.
inline bool has_token(const void* memory) {
    uint64_t token = kNoToken;
    std::memcpy(&token, memory, sizeof token);
    return token != kNoToken;
}
// Returns the length of the complete frame that lies in these bytes with that token, or 0 if there
// is none. Its first token is removed, so that nobody can present it a second time.
size_t take_written(void* memory, size_t memory_bytes, uint64_t token);

// Checks a received frame's header against the bytes that arrived.
bool decode_header(const void* frame, size_t frame_bytes, FrameHeader* header);

// Decodes a frame that has a fixed body only.
template <class Body>
bool decode_body(const void* frame, size_t frame_bytes, Body* body) {
    if (frame_bytes < sizeof(FrameHeader) + sizeof(Body)) {
        return false;
    }
    std::memcpy(body, static_cast<const char*>(frame) + sizeof(FrameHeader), sizeof(Body));
    return true;
}

// Returns the bytes after the fixed body.
template <class Body>
const char* after_body(const void* frame) {
    return static_cast<const char*>(frame) + sizeof(FrameHeader) + sizeof(Body);
}

// A TransferView is a decoded put, accumulate or get: its body and its layout. For the first two it
// has the data, too, which must fill the rest of the frame exactly. The addresses of a vector are
// stored in *addresses.
struct TransferView {
    TransferBody body;
    LayoutView layout;
    const char* data = nullptr;
    ReplyPlaces reply_buffers;
};
bool decode_transfer(const void* frame, size_t frame_bytes, const FrameHeader& header,
                     TransferView* view, std::vector<uint64_t>* addresses);

// Walks through a batch. next() returns false at its end, or if the rest is inconsistent
// (*malformed).
struct BatchView {
    BatchEntry entry;
    const unsigned char* scale = nullptr;  // accumulate
    const char* data = nullptr;            // not of a get
};
class BatchReader {
  public:
    BatchReader(const void* frame, size_t frame_bytes)
        : next_(static_cast<const char*>(frame) + sizeof(FrameHeader)),
          end_(static_cast<const char*>(frame) + frame_bytes) {}
    // Takes the reply buffers for the data of the gets, if the header says that there are any. Call
    // it first. Returns false if they are inconsistent.
    bool take_reply_buffers(const FrameHeader& header, ReplyPlaces* reply_buffers);
    bool next(BatchView* view, bool* malformed);

  private:
    const char* next_;
    const char* end_;
};
constexpr size_t batch_entry_bytes(uint64_t data_bytes, BatchOperation operation) {
    return sizeof(BatchEntry) + (operation == BatchOperation::accumulate ? kScaleBytes : 0) +
           (operation == BatchOperation::get ? 0 : padded(data_bytes));
}

const char* name_of(FrameKind kind);
// Returns how many bytes of user data a chunk of a put or accumulate claims, or -1 for another kind
// of frame.
int64_t data_bytes(const void* frame, size_t frame_bytes);
const char* describe(Failure failure);

}  // namespace armci::wire
