// Gets that are being answered: the server packs chunks of a layout and streams them to the origin,
// as far as the origin's window and the server's own buffers allow, one chunk of each get in turn.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "datasrv/slot_grants.h"
#include "fabric/endpoint.h"
#include "node/attachments.h"
#include "strided/cursor.h"
#include "wire/frame.h"

namespace armci::datasrv {

class Server;

// A frame that came before its predecessors: a copy, or where it waits in a landing slot.
struct EarlyFrame {
    wire::FrameHeader header;
    std::vector<char> copy;
    int64_t slot = -1;
};

// What the server keeps per origin. Exists from the first frame on; `peer` is known after hello.
struct Client : SlotClient {
    int32_t rank = -1;
    fabric::PeerAddress peer = FI_ADDR_UNSPEC;
    uint64_t executed_frames = 0;
    uint64_t executed_bytes = 0;  // of its messages
    uint64_t told_bytes = 0;      // executed_bytes when it was last told
    uint64_t told_frames = 0;
    bool acknowledgement_due = false;
    bool is_copying = false;  // its next frame is a put under way in the copy engine
    int waiting_replies = 0;  // answers that wait for a buffer or the provider
    int data_under_way = 0;   // data frames that the provider has not finished with
    // Frames that completed before their predecessors, by sequence number.
    std::map<uint64_t, EarlyFrame> early_frames;
    size_t early_bytes = 0;  // of the copies
};

class GetStreams {
  public:
    explicit GetStreams(Server& server) : server_(server) {}

    // Answers at once when the whole get fits one frame and a buffer is free, else starts a stream.
    // The layout has been checked. `attached`: the process it is in, nullptr for global memory.
    void start(Client& client, uint64_t request_id, const wire::LayoutView& layout,
               const wire::TransferBody& body, const wire::LandingBody& landing,
               const node::Attachment* attached);
    // The origin has taken that much; unknown requests are ignored (the last credit may cross the
    // end).
    void credit(const Client& client, uint64_t request_id, const wire::CreditBody& taken);
    // Sends what may be sent; true when something was.
    bool progress();
    size_t count() const { return streams_.size(); }
    // Whether some stream could send if there were a buffer (and not only waits for its origin).
    bool wants_to_send() const;
    void clear() { streams_.clear(); }

  private:
    struct Stream {
        Client* client = nullptr;
        uint64_t request_id = 0;
        int64_t total_bytes = 0;
        int64_t sent_bytes = 0;
        int64_t taken_bytes = 0;
        int64_t window_bytes = 0;
        wire::LandingBody landing;  // count 0: the data goes as messages
        uint64_t sent_chunks = 0;
        uint64_t taken_chunks = 0;
        bool is_vector = false;
        strided::StridedCursor strided;
        strided::VectorCursor vector;
        std::vector<uint64_t> addresses;  // what `vector` walks
        bool is_attached = false;
        node::Attachment process{};
    };
    using Key = std::pair<int32_t, uint64_t>;

    int64_t next_chunk_bytes(const Stream& stream) const;
    bool send_chunk(Stream& stream);
    bool send_chunk(Stream& stream, int64_t bytes);
    // False when the memory cannot be accessed, which the origin has been told.
    bool fill(Stream& stream, char* data, int64_t bytes);

    Server& server_;
    std::map<Key, std::unique_ptr<Stream>> streams_;
    Key served_last_{-1, 0};
};

}  // namespace armci::datasrv
