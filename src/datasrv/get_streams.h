// SPDX-License-Identifier: BSD-3-Clause
// Gets that are being answered. The server packs chunks of a layout and streams them to the origin,
// one chunk of each get in turn. The origin's window and the server's own buffers limit them.
//
// Gets wait in the order of their turns, and what a new get needs is first for those that wait.
// Otherwise a get would wait as long as others follow it.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "datasrv/answers.h"
#include "datasrv/client.h"
#include "datasrv/data_frames.h"
#include "datasrv/reply_sender.h"
#include "node/attachments.h"
#include "strided/cursor.h"
#include "wire/frame.h"

namespace armci::datasrv {

// Only one thread may use it at a time.
class GetStreams {
  public:
    // `answers` sends the refusals.
    GetStreams(ReplySender& sender, DataFrames& frames, Answers& answers)
        : sender_(sender), frames_(frames), answers_(answers) {}

    // Answers at once when the whole get fits one frame, a buffer is free and no other get waits
    // for one, otherwise it starts a stream. The layout must have been checked. `attached` is the
    // process whose memory it is in, nullptr for global memory.
    void start(Client& client, uint64_t request_id, const wire::LayoutView& layout,
               const wire::TransferBody& body, const wire::ReplyPlaces& reply_buffers,
               const node::Attachment* attached);
    // Answers with data that has been read already. The origin has room for all of it, in messages
    // or in these reply buffers. What cannot be sent at once is kept, so call it only while
    // may_answer().
    void answer(Client& client, uint64_t request_id, std::span<const char> data,
                const wire::ReplyPlaces& reply_buffers);
    // Notes that the origin has taken that much. Unknown requests are ignored, because the last
    // credit and the end of the get may cross.
    void credit(const Client& client, uint64_t request_id, const wire::CreditBody& taken);
    // Sends what may be sent. Returns true when something was sent.
    bool progress();
    // Returns whether another answer can be kept. Progress makes room again.
    bool may_answer() const { return kept_bytes_ + wire::kMaxBatchAnswerBytes <= kMaxKeptBytes; }
    size_t count() const { return streams_.size(); }
    size_t kept_bytes() const { return kept_bytes_; }
    // Returns whether some stream lacks only a buffer, and does not wait for its origin.
    bool wants_to_send() const;
    void clear() {
        by_request_.clear();
        streams_.clear();
        kept_bytes_ = 0;
        is_short_ = false;
    }

    // The most that is kept of answers, as much as is posted for messages.
    static constexpr size_t kMaxKeptBytes = 16 << 20;

  private:
    struct Stream {
        Client* client = nullptr;
        uint64_t request_id = 0;
        int64_t total_bytes = 0;
        int64_t sent_bytes = 0;
        int64_t taken_bytes = 0;
        int64_t window_bytes = 0;
        wire::ReplyPlaces reply_buffers;  // without any, the data travels as messages
        uint64_t sent_chunks = 0;
        uint64_t taken_chunks = 0;
        strided::Cursor from;
        std::vector<uint64_t> addresses;  // of a vector, which `from` walks
        std::vector<char> data;           // that has been read already, which `from` walks
        bool is_attached = false;
        node::Attachment process{};
        // For the timeline, 0 if there is none: since when it cannot send.
        int64_t waiting_since_ns = 0;
        const char* missing = "";
    };
    using Key = std::pair<int32_t, uint64_t>;
    using Streams = std::list<Stream>;

    // Sends what can be sent at once, unless another get waits to send. Returns true if that is
    // all.
    bool send_at_once(Stream& stream);
    // Keeps a stream that has to wait.
    void keep(Stream&& stream);
    void remove(Streams::iterator stream);
    int64_t next_chunk_bytes(const Stream& stream) const;
    bool send_chunk(Stream& stream);
    bool send_chunk(Stream& stream, int64_t bytes);
    // Returns false when the memory cannot be accessed. The origin has then been sent a refusal.
    bool fill(Stream& stream, char* data, int64_t bytes);
    bool post(const Stream& stream, OutReply* reply);
    static void step_back(Stream& stream, int64_t bytes);
    void note_waiting(Stream& stream) const;
    static void record_waiting(Stream& stream);

    ReplySender& sender_;
    DataFrames& frames_;
    Answers& answers_;
    Streams streams_;  // the one whose turn it is first
    std::map<Key, Streams::iterator> by_request_;
    size_t kept_bytes_ = 0;  // of all their `data`
    bool is_short_ = false;  // at its last turn a stream could not send, though its origin has room
};

}  // namespace armci::datasrv
