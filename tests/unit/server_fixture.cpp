// SPDX-License-Identifier: BSD-3-Clause
#include "server_fixture.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/clock.h"
#include "fabric/provider.h"
#include "frame_builder.h"
#include "pipeline/buffers/flow_plan.h"
#include "pipeline/origin/accumulate_task.h"
#include "pipeline/origin/get_by_put_task.h"
#include "pipeline/origin/get_task.h"
#include "pipeline/origin/put_task.h"
#include "pipeline/origin/request_task.h"
#include "pipeline/origin/rma_task.h"

namespace armci::test {
namespace {

// Of messages, as in a small job.
constexpr int64_t kMessageWindowBytes = 64 << 10;
constexpr int64_t kSpinUs =
    2000;  // sleeping costs a millisecond where a post is refused on purpose

// Asking libfabric takes longer than the rest of a start.
fabric::ProviderChoice choose_once() {
    static const fabric::ProviderChoice first = fabric::choose_provider({g_provider, "", true});
    fabric::ProviderChoice copy;
    copy.row = first.row;
    copy.error = first.error;
    copy.info.reset(first.info ? fi_dupinfo(first.info.get()) : nullptr);
    return copy;
}

}  // namespace

TestNetwork::Watch::Watch() : start_ns_(base::now_ns()) {}

void TestNetwork::Watch::check() const {
    constexpr int64_t kLimitNs = 1'000'000'000'000;
    if (base::now_ns() - start_ns_ > kLimitNs) {
        std::fprintf(stderr, "TestNetwork: nothing moves: a deadlock, or a message has vanished\n");
        std::abort();
    }
}

TestNetwork::TestNetwork(const NetworkOptions& options) : options_(options) {
    for (int rank = 0; rank < options.origin_count; ++rank) {
        rank_tokens_.push_back(token_of_rank(rank));
    }
    for (int number = 0; number < options.node_count; ++number) {
        nodes_.push_back(std::make_unique<Node>());
        if (!open_node(number)) {
            return;
        }
    }
    for (int number = 0; number < options.origin_count; ++number) {
        ranks_.push_back(std::make_unique<Rank>());
        if (!open_rank(number)) {
            return;
        }
    }
    for (int number = 0; number < options.node_count; ++number) {
        if (options.server_threads && !nodes_[static_cast<size_t>(number)]->server.start_thread()) {
            error_ = "no thread";
            return;
        }
        publish_memory(number);
    }
}

TestNetwork::~TestNetwork() {
    for (const auto& rank : ranks_) {
        rank->origin.close();
    }
    for (const auto& node : nodes_) {
        node->server.stop();
    }
}

bool TestNetwork::open_domain(fabric::Domain* domain) {
    fabric::ProviderChoice choice = choose_once();
    if (!choice.info) {
        error_ = choice.error;
        return false;
    }
    const auto peers = static_cast<size_t>(options_.node_count + options_.origin_count);
    bool is_open = domain->open(std::move(choice), peers, &error_);
    for (int rail = 1; is_open && rail < options_.rails; ++rail) {
        is_open = domain->add_rail(choose_once(), peers, &error_);
    }
    return is_open;
}

pipeline::ServerNumbers TestNetwork::servers() const {
    return {options_.node_count / options_.servers_per_node, options_.servers_per_node};
}

bool TestNetwork::open_node(int number) {
    Node& node = *nodes_[static_cast<size_t>(number)];
    node.heap = std::make_unique<TestHeap>(options_.memory_bytes + (4 << 20));
    node.memory = static_cast<char*>((*node.heap)->allocate(options_.memory_bytes).data);
    if (node.memory == nullptr) {
        error_ = "no memory";
        return false;
    }
    if (!open_domain(&node.domain)) {
        return false;
    }
    const bool has_grants =
        pipeline::grants_recv_buffers(static_cast<int64_t>(options_.buffer_bytes));
    writes_chunks_ = options_.write_chunks && node.domain.notifies_writes() && has_grants;
    datasrv::ServerOptions server;
    server.servers = servers();
    server.number = number;
    server.token = token_of_server(number);
    server.rank_count = options_.origin_count;
    server.rank_tokens = rank_tokens_.data();
    server.buffer_count = options_.buffer_count;
    server.buffer_bytes = options_.buffer_bytes;
    server.client_window_bytes = kMessageWindowBytes;
    server.receive_bytes = static_cast<size_t>(kMessageWindowBytes * options_.origin_count);
    server.register_segments = options_.register_memory;
    server.poll = options_.server_poll;
    server.spin_us = kSpinUs;
    server.recv_buffer_count =
        has_grants ? static_cast<uint32_t>(options_.receive_buffer_count) : 0;
    server.mailbox_count = options_.mailbox_count;
    server.write_chunks = writes_chunks_;
    server.use_ordering = options_.use_ordering;
    return node.server.open(node.domain, **node.heap, server, &error_);
}

bool TestNetwork::open_rank(int number) {
    Rank& rank = *ranks_[static_cast<size_t>(number)];
    pipeline::OriginOptions origin;
    origin.rank = number;
    origin.token = token_of_rank(number);
    origin.servers = servers();
    origin.buffer_count = options_.buffer_count;
    origin.depth = options_.depth;
    origin.buffer_bytes = options_.buffer_bytes;
    origin.receive_bytes = options_.receive_buffer_count * options_.buffer_bytes;
    origin.server_window_bytes = kMessageWindowBytes;
    origin.registrations = options_.registrations;
    origin.has_answer_slots = options_.mailbox_count > 0;
    origin.write_chunks = writes_chunks_;
    origin.use_ordering = options_.use_ordering;
    const pipeline::OriginEnvironment environment{.context = this,
                                                  .server_address = server_address,
                                                  .recv_area = recv_area,
                                                  .recv_area_keys = recv_area_keys,
                                                  .server_token = server_token};
    return open_domain(&rank.domain) &&
           rank.origin.open(rank.domain, origin, environment, &rank.stats, &error_);
}

void TestNetwork::publish_memory(int number) {
    Node& node = *nodes_[static_cast<size_t>(number)];
    pipeline::RequestTask task(
        "publish", wire::FrameKind::add_segment,
        wire::SegmentBody{reinterpret_cast<uint64_t>(node.memory), options_.memory_bytes},
        pipeline::RequestTask::Answer::expected);
    submit(0, number, task);
    wait(task);
    node.remote = task.segment();
}

const void* TestNetwork::server_address(void* context, int node) {
    const auto& nodes = static_cast<TestNetwork*>(context)->nodes_;
    return nodes[static_cast<size_t>(node)]->server.address().data();
}

uint64_t TestNetwork::server_token(void*, int node) {
    return token_of_server(node);
}

const pipeline::RecvAreaAddress* TestNetwork::recv_area(void* context, int node) {
    const auto& nodes = static_cast<TestNetwork*>(context)->nodes_;
    return &nodes[static_cast<size_t>(node)]->server.recv_area();
}

const uint64_t* TestNetwork::recv_area_keys(void* context, int node) {
    const auto& nodes = static_cast<TestNetwork*>(context)->nodes_;
    return nodes[static_cast<size_t>(node)]->server.recv_area_keys().data();
}

std::unique_ptr<pipeline::Task> TestNetwork::start(int rank, int node, base::Route route,
                                                   pipeline::Transfer&& transfer) {
    locate(node, &transfer);
    std::unique_ptr<pipeline::Task> task;
    if (route == base::Route::rma) {
        task = std::make_unique<pipeline::RmaTask>(std::move(transfer));
    } else if (transfer.op == base::OpKind::get) {
        task = std::make_unique<pipeline::GetTask>(std::move(transfer));
    } else if (transfer.op == base::OpKind::put) {
        task = std::make_unique<pipeline::PutTask>(std::move(transfer));
    } else {
        task = std::make_unique<pipeline::AccumulateTask>(std::move(transfer));
    }
    return start(rank, node, std::move(task));
}

std::unique_ptr<pipeline::Task> TestNetwork::start_get_by_put(int rank, int node,
                                                              pipeline::Transfer&& transfer) {
    locate(node, &transfer);
    return start(rank, node, std::make_unique<pipeline::GetByPutTask>(std::move(transfer)));
}

void TestNetwork::locate(int node, pipeline::Transfer* transfer) const {
    const Node& there = *nodes_[static_cast<size_t>(node)];
    transfer->place = {wire::kGlobal,
                       node,
                       there.remote.registered != 0,
                       there.remote.key,
                       there.remote.remote_base - reinterpret_cast<uint64_t>(there.memory),
                       there.domain.further_key_count() > 0 ? there.remote.further_keys : nullptr};
}

std::unique_ptr<pipeline::Task> TestNetwork::start(int rank, int node,
                                                   std::unique_ptr<pipeline::Task> task) {
    task->call_when_complete([](pipeline::Task*, void*) {}, nullptr);  // as non-blocking calls do
    submit(rank, node, *task);
    return task;
}

void TestNetwork::submit(int rank, int node, pipeline::Task& task) {
    origin(rank).submit(task, origin(rank).channel(node));
}

void TestNetwork::wait(const pipeline::Task& task) {
    wait_until([&] { return task.is_complete(); });
}

void TestNetwork::fence_all() {
    for (const auto& rank : ranks_) {
        pipeline::Fence fence = rank->origin.fences().start_all();
        wait_until([&] { return rank->origin.fences().is_done(&fence); });
    }
}

bool TestNetwork::progress() {
    bool moved = false;
    for (const auto& rank : ranks_) {
        moved |= rank->origin.progress();
    }
    if (!options_.server_threads) {
        for (const auto& node : nodes_) {
            moved |= node->server.progress_inline();
        }
    }
    return moved;
}

}  // namespace armci::test
