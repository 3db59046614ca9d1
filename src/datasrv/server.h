// SPDX-License-Identifier: BSD-3-Clause
// A data server executes requests on the node heap for remote origins, and drives the provider that
// moves RMA into it. A node has one or several, each for some of its segments and in the process of
// a different rank. They know nothing of each other.
//
// Threads: the server's own thread and the rank that hosts it (progress_inline(), segments) take
// turns under one mutex; nothing here calls MPI. Requests of one origin are executed in the order
// of their sequence numbers. The server never waits for an origin: an answer that cannot leave now
// is queued and retried.
//
// It trusts nothing it reads. What no rank of the job has sent is dropped before it is decoded, and
// so are messages longer than any (base/strangers.h). Frames are decoded with bounds, and addresses
// are checked against the segments and what is attached. A request that fails is answered with the
// reason; the origin reports it and ends the job. What is no request, and a handshake without a
// valid address, are ignored with a warning. Only the origin of a get knows where its data shall
// land. A wrong key there is an error of the network, which ends the job with the rank's number, or
// is dropped by the provider. No memory is written that was not offered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "datasrv/server_options.h"
#include "datasrv/server_thread.h"
#include "datasrv/service.h"
#include "fabric/domain.h"
#include "node/copy_engine.h"
#include "node/heap.h"
#include "pipeline/buffers/recv_area.h"
#include "wire/frame.h"

namespace armci::datasrv {

class Server {
  public:
    static constexpr const char* kThreadName = ServerThread::kName;

    Server() = default;
    ~Server() { stop(); }
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    // The heap stays the caller's.
    bool open(fabric::Domain& domain, node::NodeHeap& heap, const ServerOptions& options,
              std::string* error);
    const std::vector<unsigned char>& address() const { return service_.address(); }
    const pipeline::RecvAreaAddress& recv_area() const { return service_.recv_area(); }
    // The keys of that memory on the further rails, where these differ.
    const std::vector<uint64_t>& recv_area_keys() const { return service_.recv_area_keys(); }

    // From now on the engine carries out puts of at least min_bytes that come into granted receive
    // buffers. Call it before requests come.
    void use_engine(std::unique_ptr<node::CopyEngine> engine, int64_t min_bytes) {
        service_.use_engine(std::move(engine), min_bytes);
    }
    // Returns false when the system refuses a thread.
    bool start_thread() { return thread_.start(); }
    // Stops all sending, without waiting for it. Call it when no origin has requests under way any
    // more. Origins are then not notified that their last frames were executed, or that buffers
    // they wanted are free. They may close their endpoints once has_fallen_silent() returns true.
    void fall_silent();
    bool has_fallen_silent() const { return service_.has_fallen_silent(); }
    // Stops the thread and closes the endpoint. No origin may have requests under way.
    void stop();

    // Serves what has come, on the calling thread, unless the server's thread is serving. Returns
    // true when something was done.
    bool progress_inline() { return thread_.progress_inline(); }
    // Is called when the caller stops serving. The thread takes over at once.
    void end_inline_progress() { thread_.end_inline_progress(); }
    // Is called when the rank that hosts this server goes to sleep in the library, and when it
    // wakes up. Its processor is free meanwhile, so the thread polls for longer.
    void set_rank_asleep(bool is_asleep) { thread_.set_rank_asleep(is_asleep); }
    // Returns whether a request wakes the thread. If not, the thread naps, and a rank that calls
    // progress_inline() serves requests sooner.
    bool is_woken_by_network() const { return thread_.is_woken_by_network(); }

    // Add and remove a segment of global memory on the calling thread: what a request with this
    // body would do, without the messages. Return false, and have done nothing, if the thread is
    // serving or the request would be refused. Then send the request.
    bool try_add_segment(const wire::SegmentBody& segment, wire::SegmentReply* reply);
    bool try_remove_segment(const wire::SegmentBody& segment);

    using Load = ServerLoad;
    Load load();
    // Returns the time that the server spent on requests, for statistics.
    int64_t busy_ns() const { return service_.busy_ns(); }
    // Returns how many frames of all origins it has executed, for statistics.
    uint64_t executed_frames();
    // Returns the bytes kept for all origins that have ever sent something.
    size_t client_bytes();

  private:
    Service service_;
    ServerThread thread_{service_};
};

}  // namespace armci::datasrv
