// SPDX-License-Identifier: BSD-3-Clause
#include "plan.h"

#include <algorithm>
#include <numeric>
#include <sstream>

#include "pipeline/buffers/flow_plan.h"
#include "simulation.h"

namespace armci::sim {
namespace {

template <class T>
T one_of(std::initializer_list<T> choices) {
    return *(choices.begin() + draw(0, static_cast<int64_t>(choices.size()) - 1));
}

void draw_job(Plan* plan) {
    const auto nodes = static_cast<int>(one_of({2, 2, 2, 3, 3, 4}));
    for (int node = 0; node < nodes; ++node) {
        plan->ranks_of_node.push_back(one_of({1, 1, 2, 2, 3}));
    }
    const int min = *std::min_element(plan->ranks_of_node.begin(), plan->ranks_of_node.end());
    plan->servers_per_node = happens(400) ? min : 1;
}

void draw_provider(Plan* plan) {
    ProviderPlan& provider = plan->provider;
    // Without the order of messages, which the library requests but does not rely on, it may only
    // be slower.
    provider.message_order = happens(850) ? FI_ORDER_SAS : 0;
    if (happens(600)) {
        provider.message_order |= FI_ORDER_SAW | FI_ORDER_WAW | FI_ORDER_RMA_WAW;
        provider.message_order |= happens(500) ? FI_ORDER_RAW | FI_ORDER_RMA_RAW : 0;
    } else {
        provider.message_order |= happens(300) ? FI_ORDER_SAW : 0;
        provider.message_order |= happens(300) ? FI_ORDER_WAW | FI_ORDER_RMA_WAW : 0;
    }
    provider.ordered_bytes = happens(850) ? size_t{1} << 30 : 4096;
    provider.ordered_read_bytes = provider.ordered_bytes;
    provider.memory_mode = one_of({0, FI_MR_VIRT_ADDR, FI_MR_VIRT_ADDR | FI_MR_PROV_KEY,
                                   FI_MR_VIRT_ADDR | FI_MR_PROV_KEY | FI_MR_ALLOCATED}) |
                           (happens(400) ? FI_MR_LOCAL : 0) | (happens(200) ? FI_MR_ENDPOINT : 0);
    provider.transmit_size = one_of<size_t>({2, 4, 16, 64, 256, SIZE_MAX});
    provider.iov_limit = static_cast<size_t>(draw(1, 4));
    provider.rma_iov_limit = provider.iov_limit;
    provider.largest_bytes =
        happens(300) ? static_cast<size_t>(plan->buffer_bytes) : size_t{1} << 30;
    provider.immediate_bytes = one_of<size_t>({0, 4, 4, 8, 8, 8});
    provider.immediate_data = happens(900);
    provider.tries_data = happens(200);
    provider.gathers_writes = happens(500);
    provider.rma = happens(930);
    provider.delivery = happens(900);
    provider.wait = happens(400) ? fabric::WaitMode::fd : fabric::WaitMode::nap;

    provider.polling = happens(400) ? Polling::everything : Polling::none;
    provider.sends_alone = happens(700);
    provider.in_order_completions = happens(400);
    provider.separate_ends = happens(400);
    provider.ends_early = happens(600);
    if (!provider.ends_early) {
        provider.alignment = one_of<size_t>({1, 1, 64});
        provider.gap = one_of<size_t>({0, 0, 96});
    }
    if (happens(500)) {
        provider.refusals = one_of({5, 50, 300});
        provider.longest_spell = one_of({1, 4, 40});
    }
    provider.posts_at_a_time = one_of({1 << 20, 1 << 20, 8, 2, 1});
    provider.whole = one_of({1000, 900, 500, 0});
    if (happens(700)) {
        provider.delays = one_of({30, 150, 500});
        provider.longest_delay = one_of({20, 200, 1000});
    }
    provider.queue_room = one_of({1 << 20, 1 << 20, 4, 1});
    provider.empty_polls = one_of({0, 0, 100, 500});
    provider.yields = one_of({0, 0, 50, 500});
    provider.failed_registrations = one_of({0, 0, 0, 0, 0, 0, 200, 1000});
}

// What a provider promises is its own; what it may do beyond that stays random.
void keep_terms(const Twin& twin, ProviderPlan* provider) {
    provider->twin = &twin;
    provider->message_order = twin.order;
    provider->ordered_bytes = twin.ordered_write_bytes;
    provider->ordered_read_bytes = twin.ordered_read_bytes;
    provider->memory_mode = twin.offers[0].memory_mode;
    provider->transmit_size = twin.transmit_size;
    provider->iov_limit = twin.iov_limit;
    provider->rma_iov_limit = twin.rma_iov_limit;
    provider->largest_bytes = twin.largest_bytes;
    provider->rma = true;
    provider->delivery = twin.delivery;
    provider->immediate_data = twin.immediate_data();
    const fabric::ProviderRow& row = fabric::provider_row(twin.provider);
    provider->gathers_writes = row.gathers_writes;
    provider->writes_in_order = row.writes_in_order;
    provider->immediate_bytes = provider->immediate_data ? sizeof(uint32_t) : 0;
    provider->polling = happens(750) ? twin.polling : Polling::none;
    provider->sends_alone = twin.sends_alone || happens(300);
    provider->separate_ends = twin.separate_ends;
    provider->ends_early = twin.ends_early;
    provider->alignment = twin.alignment;
    provider->gap = twin.gap;
    if (!twin.holds_when_full) {
        provider->queue_room = 1 << 20;
    }
}

void draw_settings(Plan* plan) {
    plan->buffer_bytes =
        one_of({4 << 10, 8 << 10, 16 << 10, 16 << 10, 16 << 10, 32 << 10, 128 << 10});
    plan->buffer_count = one_of({1, 2, 3, 4, 8});
    plan->receive_count = one_of({1, 2, 3, 5, 8, 16});
    plan->register_min_bytes = one_of<int64_t>({base::kAuto, 0, 1 << 10, 16 << 10});
    plan->use_ordering = happens(750);
    plan->route = one_of({base::RouteChoice::automatic, base::RouteChoice::rma,
                          base::RouteChoice::server, base::RouteChoice::alternate});
    plan->min_rma_block = one_of({0, 0, 1, 64, 512, 4096});
    plan->min_get_by_put = one_of<int64_t>({INT64_MAX, 1, 512});
    plan->explicit_progress = happens(500);
    plan->no_flush_local = happens(50);
    plan->takes_fast_paths = happens(700);
    plan->server_threads = happens(900);
    plan->spin_ns = one_of({0, 0, 2000, 100'000});
    plan->depth_limit = happens(100) ? static_cast<int>(draw(1, 3)) : 0;
}

void draw_windows(Plan* plan) {
    plan->window_bytes = one_of({4 << 10, 8 << 10, 64 << 10});
    plan->answer_bytes = one_of({16 << 10, 512 << 10});
    plan->has_few_receives = happens(300);
}

// What the library can wait for is refused for a while, and what it cannot for good.
void draw_refusal(Plan* plan) {
    Refusal& refusal = plan->provider.refusal;
    refusal.call =
        one_of({StartCall::domain, StartCall::address_vector, StartCall::queue, StartCall::endpoint,
                StartCall::enable, StartCall::registration, StartCall::address});
    refusal.process = static_cast<int>(draw(0, plan->rank_count() - 1));
    refusal.first = draw(0, 3);
    const bool is_for_good = happens(300);
    refusal.error = is_for_good ? FI_ENOMEM : FI_EAGAIN;
    refusal.count = is_for_good ? INT32_MAX : one_of({1, 3, 20});
    if (happens(60)) {
        refusal = {StartCall::information, refusal.process, 0, INT32_MAX, FI_ENODATA};
    }
}

void draw_start_and_stop(Plan* plan) {
    plan->processors = one_of({1, 2, 64});
    if (happens(150)) {
        plan->lives = one_of({2, 2, 3});
        plan->phases = 1;
        plan->operations /= 2;
    }
    plan->longest_pause = one_of({0, 0, 50, 300});
    for (int life = 0; life < plan->lives; ++life) {
        plan->settles.push_back(happens(700));
    }
    ProviderPlan& provider = plan->provider;
    const bool is_tried = provider.twin != nullptr
                              ? fabric::provider_row(provider.twin->provider).immediate_data ==
                                    fabric::ImmediateData::tried
                              : provider.tries_data;
    if (is_tried && happens(150)) {
        provider.without_data = static_cast<int>(draw(0, plan->rank_count() - 1));
    }
    if (happens(150)) {
        draw_refusal(plan);
    }
    // A rank whose watch has no thread passes nothing on about a start that fails.
    const bool fails = provider.refusal.count == INT32_MAX;
    if (plan->server_threads && !fails && happens(10)) {
        plan->thread_refused_to = static_cast<int>(draw(0, plan->rank_count() - 1));
    }
}

void draw_watches(Plan* plan) {
    plan->watches = happens(600);
    plan->tree_width = one_of({1, 2, 8});
    plan->silence_s = happens(300) ? 1 : 0;
    if (happens(500)) {
        plan->streams.delays = one_of({100, 500});
        plan->streams.longest_delay = one_of({20, 200});
    }
}

void draw_failure(Plan* plan) {
    if (plan->start_fails() || !happens(90)) {
        return;
    }
    plan->failure = plan->watches ? one_of({Failure::death, Failure::death, Failure::freeze,
                                            Failure::cut, Failure::error, Failure::reports})
                                  : Failure::death;
    if (plan->failure == Failure::freeze) {
        plan->silence_s = 1;
    }
    plan->victim = static_cast<int>(draw(0, plan->rank_count() - 1));
    plan->fails_at = draw(1, 1 << draw(8, 16));
}

void draw_program(Plan* plan) {
    plan->segments =
        plan->servers_per_node > 1 ? static_cast<int>(draw(2, 3)) : static_cast<int>(draw(1, 2));
    plan->part_bytes =
        one_of({512, 4 << 10, 16 << 10, 48 << 10, plan->rank_count() <= 3 ? 192 << 10 : 48 << 10});
    plan->sum_bytes = one_of({64, 2 << 10, 24 << 10});
    plan->sum_type = one_of({strided::AccType::int32, strided::AccType::int64,
                             strided::AccType::float32, strided::AccType::float64,
                             strided::AccType::complex64, strided::AccType::complex128});
    plan->mutexes = static_cast<int>(draw(1, 2));
    plan->attaches = seed() % 4 == 0;
    plan->leaves_all = !plan->attaches && seed() % 4 == 1;
    plan->phases = one_of({1, 1, 2, 3});
    plan->operations = static_cast<int>(one_of({6, 12, 25, 40}));
}

void draw_weights(Plan* plan) {
    plan->network_weight = one_of({5, 20, 60});
    plan->rank_weight = one_of({10, 20, 40});
    plan->server_weight = one_of({5, 15, 40});
    plan->watch_weight = plan->watches ? one_of({1, 3, 10}) : 0;
    const bool is_fair = happens(400);
    for (int rank = 0; rank < plan->rank_count(); ++rank) {
        plan->rank_weights.push_back(is_fair ? 10 : one_of({3, 10, 10, 30}));
    }
    for (int server = 0; server < plan->server_count(); ++server) {
        plan->server_weights.push_back(is_fair ? 10 : one_of({3, 10, 10, 30}));
    }
    plan->step_ns = one_of({50, 500, 5000, 50'000});
}

// Not where a call is refused at start: a rail is then left out, which is no failure. In half of
// the schedules chunks and direct writes follow each other, which by chance they seldom do.
void draw_rails(Plan* plan) {
    const bool has_rails = seed() % 5 == 3 && plan->provider.refusal.call == StartCall::none;
    plan->rails = has_rails ? 2 + static_cast<int>(seed() % 2) : 1;
    const Twin* twin = plan->provider.twin;
    const bool has_adapters = twin != nullptr && twin->address_format != FI_SOCKADDR_IN;
    plan->provider.adapters = has_adapters ? plan->rails : 1;
    if (plan->provider.adapters > 1 && seed() / 10 % 3 == 0) {
        plan->provider.broken_adapter = static_cast<int>(seed() % 3) % plan->rails;
        plan->provider.last_process = plan->rank_count() - 1;
    }
    // Without a list of interfaces each rank has one adapter.
    plan->counts_adapters = has_adapters && !has_rails && plan->servers_per_node > 1;
    if (plan->counts_adapters) {
        plan->provider.adapters = plan->servers_per_node;
    }
    if (has_rails && seed() / 5 % 2 == 0) {
        plan->route = base::RouteChoice::alternate;
        plan->part_bytes = std::max<int64_t>(plan->part_bytes, 48 << 10);
        plan->buffer_bytes = std::max<int64_t>(plan->buffer_bytes, 32 << 10);
        plan->operations = 40;
        if (plan->provider.twin == nullptr) {
            plan->provider.largest_bytes = size_t{1} << 30;
        }
    }
}

// The other seeds keep their schedules.
void draw_engine(Plan* plan) {
    if (seed() % 3 == 2) {
        plan->engine_min_bytes = one_of({1, 64, 1 << 10, 8 << 10});
    }
}

// Long transfers by the server's route, and a provider that sends their data from where it lies. By
// chance these meet seldom.
void draw_in_place(Plan* plan) {
    ProviderPlan& provider = plan->provider;
    if (seed() % 7 != 2 || (provider.twin != nullptr && !provider.gathers_writes)) {
        return;
    }
    plan->min_in_place = one_of({1, 1, 2 << 10, 16 << 10});
    plan->route = base::RouteChoice::server;
    plan->part_bytes = std::max<int64_t>(plan->part_bytes, 48 << 10);
    plan->buffer_bytes = std::max<int64_t>(plan->buffer_bytes, 32 << 10);
    plan->rails = 1;
    if (provider.twin == nullptr) {
        provider.gathers_writes = true;
        provider.rma = true;
        provider.memory_mode &= ~(FI_MR_LOCAL | FI_MR_ALLOCATED);
        provider.largest_bytes = size_t{1} << 30;
        provider.iov_limit = std::max<size_t>(provider.iov_limit, 3);
        provider.rma_iov_limit = provider.iov_limit;
        provider.immediate_data = true;
        provider.immediate_bytes = 8;
    }
}

// Mailboxes, which only some providers have. Few of them are shared by few origins.
void draw_mailboxes(Plan* plan) {
    ProviderPlan& provider = plan->provider;
    constexpr int kCounts[] = {32, 0, 1, 2};
    plan->mailboxes = kCounts[seed() / 3 % 4];
    if (provider.twin == nullptr) {
        provider.writes_in_order = seed() % 3 != 0;
    }
}

}  // namespace

int Plan::rank_count() const {
    return std::accumulate(ranks_of_node.begin(), ranks_of_node.end(), 0);
}

bool Plan::start_fails() const {
    return provider.refusal.error == FI_ENOMEM || provider.refusal.error == FI_ENODATA ||
           thread_refused_to >= 0;
}

Plan draw_plan(const Twin* twin) {
    Plan plan;
    draw_job(&plan);
    draw_settings(&plan);
    draw_provider(&plan);
    if (twin != nullptr) {
        keep_terms(*twin, &plan.provider);
    }
    draw_windows(&plan);
    draw_program(&plan);
    draw_start_and_stop(&plan);
    draw_watches(&plan);
    draw_weights(&plan);
    draw_failure(&plan);
    draw_rails(&plan);
    draw_engine(&plan);
    draw_in_place(&plan);
    draw_mailboxes(&plan);
    return plan;
}

std::string describe(const Plan& plan) {
    const ProviderPlan& provider = plan.provider;
    std::ostringstream text;
    text << "nodes of";
    for (const int ranks : plan.ranks_of_node) {
        text << ' ' << ranks;
    }
    text << " ranks, " << plan.servers_per_node << " servers each"
         << (plan.counts_adapters ? ", one for each adapter, " : ", ") << plan.rails << " rails"
         << (plan.server_threads ? "" : " without threads") << "; buffers " << plan.buffer_count
         << " x " << plan.buffer_bytes << ", receive " << plan.receive_count << ", window "
         << plan.window_bytes << (plan.has_few_receives ? ", few receives" : "") << ", answers "
         << plan.answer_bytes << (plan.use_ordering ? ", ordering" : "") << ", route "
         << static_cast<int>(plan.route) << " from " << plan.min_rma_block << ", gets by put from "
         << plan.min_get_by_put << ", in place "
         << (provider.gathers_writes ? "from " : "never, from ") << plan.min_in_place << ", "
         << plan.mailboxes << (provider.writes_in_order ? " mailboxes" : " mailboxes without use")
         << ", register from " << plan.register_min_bytes << ", depth " << plan.depth_limit
         << "\nprovider" << (provider.twin != nullptr ? " " + provider.twin->full_name() : "")
         << ": order 0x" << std::hex << provider.message_order << ", memory mode 0x"
         << provider.memory_mode << std::dec << " up to " << provider.ordered_bytes << ", transmit "
         << provider.transmit_size << ", iov " << provider.iov_limit << ", largest "
         << provider.largest_bytes << (provider.rma ? ", rma" : "")
         << (provider.delivery ? ", delivery" : "")
         << (provider.polling == Polling::messages     ? ", messages need polling"
             : provider.polling == Polling::everything ? ", needs polling"
                                                       : "")
         << (provider.sends_alone ? "" : ", sends while polled")
         << (provider.in_order_completions ? ", completions in order" : "")
         << (provider.separate_ends ? ", separate ends" : "")
         << (provider.ends_early ? ", early ends" : "") << ", messages aligned to "
         << provider.alignment << " behind " << provider.gap << ", refusals " << provider.refusals
         << " x " << provider.longest_spell << ", posts " << provider.posts_at_a_time << ", delays "
         << provider.delays << " x " << provider.longest_delay << ", whole " << provider.whole
         << ", queue room " << provider.queue_room << ", empty polls " << provider.empty_polls
         << ", yields " << provider.yields << ", failed registrations "
         << provider.failed_registrations << "\nprogram: " << plan.segments
         << (plan.attaches ? " segments and attached memory" : " segments") << ", parts of "
         << plan.part_bytes << ", sums of " << plan.sum_bytes << " of type "
         << static_cast<int>(plan.sum_type) << ", " << plan.mutexes << " mutexes, " << plan.phases
         << " phases of " << plan.operations;
    text << "\nstart and stop: " << plan.lives << " lives, pauses up to " << plan.longest_pause
         << ", " << plan.processors << " processors";
    if (provider.refusal.call != StartCall::none) {
        text << ", rank " << provider.refusal.process << " is refused call "
             << static_cast<int>(provider.refusal.call) << " from " << provider.refusal.first
             << ", " << provider.refusal.count << " times with " << provider.refusal.error;
    }
    if (plan.engine_min_bytes > 0) {
        text << ", copy engines from " << plan.engine_min_bytes;
    }
    if (plan.thread_refused_to >= 0) {
        text << ", rank " << plan.thread_refused_to << " gets no thread";
    }
    if (provider.without_data >= 0) {
        text << ", rank " << provider.without_data << " has no immediate data";
    }
    if (plan.watches) {
        text << ", watches in a tree of width " << plan.tree_width << ", silence " << plan.silence_s
             << " s, late notes " << plan.streams.delays << " x " << plan.streams.longest_delay;
    }
    if (plan.victim >= 0) {
        text << ", rank " << plan.victim << " has failure " << static_cast<int>(plan.failure)
             << " at step " << plan.fails_at;
    }
    return text.str();
}

}  // namespace armci::sim
