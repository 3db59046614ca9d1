// SPDX-License-Identifier: BSD-3-Clause
#include "clients.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include "core/routing/cost_setup.h"
#include "counted_memory.h"
#include "datasrv/server.h"
#include "fabric/immediate_data.h"
#include "fiber.h"
#include "pipeline/buffers/flow_plan.h"
#include "pipeline/origin/get_task.h"
#include "pipeline/origin/origin.h"
#include "pipeline/origin/put_task.h"
#include "pipeline/origin/request_task.h"
#include "plan.h"
#include "provider.h"
#include "simulation.h"
#include "test_heap.h"
#include "threads.h"
#include "transfer_pattern.h"

namespace armci::sim {
namespace {

constexpr int64_t kPutBytes = 48 << 10;  // one chunk
constexpr int64_t kGetBytes = 4 << 10;
constexpr int64_t kServerBufferBytes = 256 << 10;  // as by themselves where memory is pinned
constexpr int64_t kServerBuffers = 16;
constexpr uint64_t kToken = 1;  // of every process
constexpr int kAtATime = 64;    // clients that have operations under way

struct SimClient {
    fabric::Domain domain;
    base::Stats stats;
    pipeline::Origin origin;
    std::unique_ptr<pipeline::Task> put;
    std::unique_ptr<pipeline::Task> get;
    pipeline::Fence fence;
    bool is_fencing = false;
    bool is_done = false;
};

class Clients {
  public:
    Clients(const Twin& twin, int count) : twin_(twin), count_(count), heap_(size_t{4} << 20) {
        begin_run(1, false, twin.full_name());
        Plan plan = draw_plan(&twin);
        // Nothing is late or refused: it would take longer, and change no memory.
        ProviderPlan& provider = plan.provider;
        provider.immediate_data = twin.immediate_data();
        provider.refusals = 0;
        provider.delays = 0;
        provider.yields = 0;
        provider.empty_polls = 0;
        provider.failed_registrations = 0;
        provider.posts_at_a_time = 1 << 20;
        start_provider(provider);
        memory_ = static_cast<char*>(heap_->allocate(kPutBytes).data);
        open_domain(&server_domain_, static_cast<size_t>(count));
        if (server_domain_.notifies_perhaps()) {
            server_domain_.set_notifies_writes(try_immediate_data());
            if (server_domain_.notifies_writes() != twin.immediate_data()) {
                violation("the trial of immediate data is wrong about this provider");
            }
        }
        core::BufferPlan buffers = {.bytes = kServerBufferBytes,
                                    .count = kServerBuffers,
                                    .depth = kServerBuffers,
                                    .receive_count = base::kAuto};
        core::plan_receive_buffers(has_more_buffers(), &buffers);
        flow_ = pipeline::plan_flow({.rank_count = count,
                                     .buffer_bytes = kServerBufferBytes,
                                     .recv_buffer_count = buffers.receive_count,
                                     .notifies_writes = server_domain_.notifies_writes()});
        open_server();
    }
    ~Clients() {
        for (const auto& client : clients_) {
            client->origin.close();
        }
        server_.stop();
    }

    void run() {
        publish_memory();
        for (int first = 0; first < count_; first += kAtATime) {
            const int end = std::min(first + kAtATime, count_);
            for (int rank = first; rank < end; ++rank) {
                start(rank);
            }
            drive(first, end);
        }
    }

    datasrv::Server& server() { return server_; }
    bool writes_chunks() const { return flow_.write_chunks; }
    // Returns whether receive buffers take memory only when they are used.
    bool has_more_buffers() const {
        return server_domain_.notifies_writes() && !server_domain_.pins_memory();
    }

  private:
    void open_domain(fabric::Domain* domain, size_t peer_count) {
        std::string error;
        fabric::ProviderChoice choice =
            fabric::choose_provider({.name = twin_.provider, .interface = {}, .single_host = true});
        if (!choice.info) {
            violation("there is no provider: %s", choice.error.c_str());
        }
        if (!domain->open(std::move(choice), peer_count, &error)) {
            violation("a domain does not open: %s", error.c_str());
        }
    }

    // The network moves where the library polls.
    bool try_immediate_data() {
        bool works = false;
        Fiber trial([&] { works = fabric::immediate_data_works(server_domain_); });
        while (!trial.has_ended()) {
            trial.resume();
            step_network();
            count_step();
        }
        return works;
    }

    void open_server() {
        datasrv::ServerOptions options;
        options.servers = {1, 1};
        options.rank_count = count_;
        options.buffer_count = kServerBuffers;
        options.buffer_bytes = kServerBufferBytes;
        options.client_window_bytes = flow_.window_bytes;
        options.receive_bytes = flow_.server_receive_bytes;
        options.recv_buffer_count = flow_.recv_buffer_count;
        options.write_chunks = flow_.write_chunks;
        options.token = kToken;
        options.rank_tokens = tokens_.data();
        set_acting_process(0);
        label_endpoints(0);
        std::string error;
        const CountedMemory::Scope counting;
        if (!server_.open(server_domain_, *heap_, options, &error)) {
            violation("the data server does not open: %s", error.c_str());
        }
    }

    SimClient& open_client(int rank) {
        SimClient& client = *clients_.emplace_back(std::make_unique<SimClient>());
        open_domain(&client.domain, 1);
        client.domain.set_notifies_writes(server_domain_.notifies_writes());
        pipeline::OriginOptions options;
        options.rank = rank;
        options.token = kToken;
        options.servers = {1, 1};
        options.buffer_count = 2;
        options.buffer_bytes = 2 * kPutBytes;
        options.receive_bytes = 16 << 10;
        options.server_window_bytes = flow_.window_bytes;
        options.write_chunks = flow_.write_chunks;
        pipeline::OriginEnvironment environment;
        environment.context = &server_;
        environment.server_address = [](void* server, int) -> const void* {
            return static_cast<datasrv::Server*>(server)->address().data();
        };
        environment.recv_area = [](void* server, int) {
            return &static_cast<datasrv::Server*>(server)->recv_area();
        };
        environment.server_token = [](void*, int) { return kToken; };
        set_acting_process(rank + 1);
        label_endpoints(-1);
        std::string error;
        if (!client.origin.open(client.domain, options, environment, &client.stats, &error)) {
            violation("the origin of client %d does not open: %s", rank, error.c_str());
        }
        return client;
    }

    void publish_memory() {
        SimClient& client = open_client(0);
        pipeline::RequestTask task(
            "publish", wire::FrameKind::add_segment,
            wire::SegmentBody{reinterpret_cast<uint64_t>(memory_), kPutBytes},
            pipeline::RequestTask::Answer::expected);
        client.origin.submit(task, client.origin.channel(0));
        while (!task.is_complete()) {
            turn(0, 1);
        }
    }

    template <class TaskKind>
    std::unique_ptr<pipeline::Task> make_task(base::OpKind kind, int64_t bytes) {
        pipeline::Transfer transfer = test::make_transfer(
            {kind}, test::contiguous_pattern(bytes, 0, 0), local_.data(), memory_);
        transfer.place.server = 0;
        auto task = std::make_unique<TaskKind>(std::move(transfer));
        task->call_when_complete([](pipeline::Task*, void*) {}, nullptr);
        return task;
    }

    void start(int rank) {
        SimClient& client = rank == 0 ? *clients_.front() : open_client(rank);
        client.put = make_task<pipeline::PutTask>(base::OpKind::put, kPutBytes);
        client.get = make_task<pipeline::GetTask>(base::OpKind::get, kGetBytes);
        pipeline::Channel& channel = client.origin.channel(0);
        client.origin.submit(*client.put, channel);
        client.origin.submit(*client.get, channel);
    }

    void turn(int first, int end) {
        for (int rank = first; rank < end; ++rank) {
            clients_[static_cast<size_t>(rank)]->origin.progress();
        }
        {
            const CountedMemory::Scope counting;
            server_.progress_inline();
        }
        for (int moves = 0; moves < 4 * kAtATime && step_network(); ++moves) {
            count_step();
        }
    }

    void drive(int first, int end) {
        constexpr int kTurns = 100'000;
        for (int turns = 0; !are_done(first, end); ++turns) {
            if (turns == kTurns) {
                violation("the clients %d to %d are not served\n%s", first, end,
                          describe_network().c_str());
            }
            turn(first, end);
        }
    }

    bool are_done(int first, int end) {
        bool all = true;
        for (int rank = first; rank < end; ++rank) {
            SimClient& client = *clients_[static_cast<size_t>(rank)];
            if (!client.is_fencing && client.put->is_complete() && client.get->is_complete()) {
                client.is_fencing = true;
                client.fence = client.origin.fences().start_all();
            }
            client.is_done = client.is_done ||
                             (client.is_fencing && client.origin.fences().is_done(&client.fence));
            all &= client.is_done;
        }
        return all;
    }

    const Twin& twin_;
    int count_;
    std::vector<uint64_t> tokens_ = std::vector<uint64_t>(static_cast<size_t>(count_), kToken);
    test::TestHeap heap_;
    char* memory_ = nullptr;
    std::vector<char> local_ = std::vector<char>(kPutBytes, 'x');
    fabric::Domain server_domain_;
    pipeline::FlowPlan flow_;
    datasrv::Server server_;
    std::vector<std::unique_ptr<SimClient>> clients_;
};

}  // namespace

void count_server_memory(const Twin& twin, int client_count) {
    // docs/scaling.md: buffers with a bound, and a Client for each client. Posted messages have 4
    // KiB for each client, and a quarter more because a provider leaves the end of a buffer empty.
    constexpr int64_t kWritten = 13 << 20;
    constexpr int64_t kUnpinned = 8 << 20;  // more buffers, which need not be used
    constexpr int64_t kInMessages = 18 << 20;
    constexpr int64_t kHeap = 1 << 20;
    constexpr int64_t kClient = 320;  // twice, while the table of clients grows
    CountedMemory memory;
    {
        Clients clients(twin, client_count);
        clients.run();
        const int64_t messages =
            std::clamp(int64_t{client_count} << 12, int64_t{4} << 20, int64_t{16} << 20);
        const int64_t buffers = 5 * messages / 4 +
                                (clients.writes_chunks() ? kWritten : kInMessages) +
                                (clients.has_more_buffers() ? kUnpinned : 0);
        const int64_t mapped = memory.mapped_bytes();
        const int64_t heap = memory.most_heap_bytes();
        std::printf(
            "%-16s %6d clients: %8lld KiB of buffers, %6lld KiB at most besides, %zu of "
            "them for clients\n",
            twin.full_name().c_str(), client_count, static_cast<long long>(mapped >> 10),
            static_cast<long long>(heap >> 10), clients.server().client_bytes() >> 10);
        if (mapped > buffers || heap > kHeap + kClient * client_count) {
            violation("a data server takes more memory than docs/scaling.md says");
        }
    }
}

}  // namespace armci::sim
