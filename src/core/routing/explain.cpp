// SPDX-License-Identifier: BSD-3-Clause
#include "core/routing/explain.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

#include "core/routing/route.h"

namespace armci::core {
namespace {

using base::OpKind;
using base::Route;

__attribute__((format(printf, 1, 2))) std::string line(const char* format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return text;
}

long long number(int64_t value) {
    return value;
}

std::string describe_min_block(const Progress& progress, OpKind op,
                               const pipeline::TransferShape& shape, int target) {
    const Network& network = *progress.network();
    const int64_t min =
        network.learning.model(link_to(progress, target)).min_rma_block(op, shape.total_bytes);
    const char* by = progress.config().rma_min_block > 0 ? " (ARMCI_RMA_MIN_BLOCK)" : "";
    const std::string limit =
        min == INT64_MAX ? std::string("no block is long enough for rma in transfers of this size")
                         : line("blocks of at least %lld bytes go by rma in transfers of this size",
                                number(min));
    return limit + by;
}

std::string describe(const Progress& progress, const RouteQuestion& question, RouteReason reason) {
    switch (reason) {
        case RouteReason::same_node:
            return "both ranks share memory";
        case RouteReason::server_adds:
            return "only the target's data server can add";
        case RouteReason::no_rma:
            return "this provider cannot be used for direct remote access here";
        case RouteReason::not_registered:
            return "the remote memory is not registered for direct remote access";
        case RouteReason::configured:
            return "ARMCI_ROUTE says so";
        case RouteReason::alternating:
            return "ARMCI_ROUTE=alternate; the next one goes through the server";
        case RouteReason::travels_with_others:
            return "small non-blocking ones share a frame";
        case RouteReason::copied:
            return "the put ends at once, and the network reports when a copy of the block has "
                   "arrived";
        case RouteReason::fence_follows:
            return "a frame is one message, and asks for its acknowledgement itself";
        case RouteReason::slow_reads:
            return line(
                       "the target's data server writes blocks of at least %lld bytes into the "
                       "caller's memory",
                       number(progress.network()
                                  ->learning.model(link_to(progress, question.target))
                                  .min_get_by_put())) +
                   (progress.config().get_by_put_min == base::kAuto
                        ? ", because reads are slower here than writes"
                        : " (ARMCI_GET_BY_PUT_MIN)");
        case RouteReason::long_blocks:
        case RouteReason::short_blocks:
            break;
        case RouteReason::more_rails:
            return "its chunks use all rails, and a direct put only the first one";
        case RouteReason::one_block:
            return "it is one block and nothing is under way to that node; behind requests that "
                   "are not acknowledged it would go through the server";
    }
    return describe_min_block(progress, question.op, question.shape, question.target);
}

std::string far_part(const pipeline::TransferShape& shape, double far_byte_us) {
    const int64_t far_bytes = shape.total_bytes - pipeline::kNearBytes;
    return far_bytes <= 0 || far_byte_us == 0 ? std::string()
                                              : line(" + %.1f for leaving the caches",
                                                     static_cast<double>(far_bytes) * far_byte_us);
}

const char* reason_of_depth(const pipeline::ServerPlan& plan, int64_t buffers) {
    if (plan.useful_depth < std::min(buffers, plan.chunk_count)) {
        return "which is the time that a buffer is held by the time of the slowest stage, and one";
    }
    return plan.useful_depth == plan.chunk_count ? "one for each chunk" : "which are all";
}

// Says what was learned, and what the costs of the start would have given.
void append_learned(const Network& network, Link link, OpKind op,
                    const pipeline::TransferShape& shape, std::vector<std::string>* lines) {
    if (!network.learning.learns()) {
        lines->push_back("learned: nothing, because settings decide");
        return;
    }
    const pipeline::CostModel& prior = network.costs;
    const double server_us = prior.server_plan(op, shape).total_us;
    const int64_t min = prior.min_rma_block(op, shape.total_bytes);
    if (op == OpKind::acc) {
        lines->push_back(line("prior:  server %.1f us; accumulates never go by rma", server_us));
    } else {
        lines->push_back(
            line("prior:  rma %.1f us, server %.1f us; ", prior.rma_us(op, shape), server_us) +
            (min == INT64_MAX ? std::string("no block by rma")
                              : line("blocks of at least %lld bytes by rma", number(min))));
    }
    lines->push_back("learned: " + describe_learned(network.learning.learned(link)));
}

void append_prediction(const Network& network, Link link, OpKind op,
                       const pipeline::TransferShape& shape, std::vector<std::string>* lines) {
    const pipeline::CostModel& model = network.learning.model(link);
    const int64_t blocks = shape.total_bytes / shape.block_bytes;
    if (op != OpKind::acc) {
        const pipeline::RmaCosts& rma = model.constants().rma[static_cast<size_t>(op)];
        lines->push_back(line("rma:    %10.1f us = %.1f latency + %lld block%s of %.2f%s",
                              model.rma_us(op, shape), rma.latency_us, number(blocks),
                              blocks == 1 ? "" : "s", rma.blocks.at(shape.block_bytes),
                              far_part(shape, rma.far_byte_us).c_str()));
    }
    if (op == OpKind::get && blocks == 1) {
        lines->push_back(line("by put: %10.1f us, if the target's data server writes it",
                              model.get_by_put_us(shape.total_bytes)));
    }
    const pipeline::ServerPlan plan = model.server_plan(op, shape);
    const pipeline::ServerCosts& server = model.constants().server[static_cast<size_t>(op)];
    const char* unpack = op == OpKind::acc ? "accumulate" : "unpack";
    constexpr const char* kShared =
        "buffers: none of its own, it shares a frame with other small transfers";
    if (op != OpKind::get && model.is_small(shape)) {
        lines->push_back(line("server: %10.1f us = %.1f small transfer + %.1f pack + %.1f %s",
                              plan.total_us, server.small_us, plan.chunk.pack_us,
                              plan.chunk.unpack_us, unpack));
        lines->push_back(kShared);
        lines->push_back("costs: " + network.cost_source);
        append_learned(network, link, op, shape, lines);
        return;
    }
    const std::string further =
        plan.chunk_count > 1 ? line(" + %.1f for each further one", plan.steady_us) : "";
    lines->push_back(
        line("server: %10.1f us = %.1f request + %.1f the first chunk (pack %.1f, transmit %.1f, "
             "%s %.1f)%s%s",
             plan.total_us, server.request_us, plan.chunk.sum_us(), plan.chunk.pack_us,
             plan.chunk.transmit_us, unpack, plan.chunk.unpack_us, further.c_str(),
             far_part(shape, server.far_byte_us).c_str()));
    const int64_t buffers = model.limits().chunk_count;
    lines->push_back(
        op != OpKind::get && model.can_share(shape)
            ? kShared
            : line("chunks through the server: %lld of at most %lld bytes; buffers: %lld of that "
                   "size, of which %lld at once are of use, %s",
                   number(plan.chunk_count), number(plan.chunk_bytes), number(buffers),
                   number(plan.useful_depth), reason_of_depth(plan, buffers)));
    const int64_t best_bytes = model.best_chunk_bytes(op, shape);
    if (best_bytes < plan.chunk_bytes) {
        lines->push_back(line("best chunk for this transfer: %lld bytes, %.1f us",
                              number(best_bytes),
                              model.server_plan(op, shape, best_bytes).total_us));
    }
    lines->push_back("costs: " + network.cost_source);
    append_learned(network, link, op, shape, lines);
}

}  // namespace

std::string describe_learned(const pipeline::LearnedCosts& learned) {
    using pipeline::LearnedCost;
    const pipeline::CostFactors& used = learned.used();
    return line(
        "latency x %.3g, byte x %.3g, block x %.3g, chunk x %.3g of the prior's, from %lld "
        "samples",
        used[LearnedCost::latency], used[LearnedCost::byte], used[LearnedCost::block],
        used[LearnedCost::chunk], number(learned.samples()));
}

std::string describe_registrations(const Network& network) {
    if (!network.domain.needs_local_registration()) {
        return {};
    }
    const pipeline::RegistrationCosts& registrations = network.origin.registrations();
    if (registrations.has_stopped()) {
        return "copied, because the system has refused registrations";
    }
    if (!registrations.learns()) {
        return line("registered from %lld bytes on, because settings decide",
                    number(registrations.fixed_min_bytes()));
    }
    // Powers of two from which on transfers register, or do not.
    std::string text;
    bool registers = false;
    for (int64_t bytes = pipeline::RegistrationCosts::kMinBytes; bytes < int64_t{1} << 40;
         bytes *= 2) {
        if (registrations.registers(bytes) != registers) {
            registers = !registers;
            text += line("%s %lld", registers ? (text.empty() ? "from" : ", from") : " to",
                         number(registers ? bytes : bytes - 1));
        }
    }
    return (text.empty() ? std::string("copied at all lengths")
                         : "registered " + text + " bytes" + (registers ? " on" : "")) +
           line(" (%lld registrations were timed)", number(registrations.registrations()));
}

std::vector<std::string> explain_transfer(const Progress& progress, OpKind op, int64_t block_count,
                                          int64_t block_bytes, int target) {
    const World& world = progress.world();
    // The model knows blocks that have gaps between them, so one of many is not one long block.
    const pipeline::TransferShape shape{block_count * block_bytes, block_bytes};
    std::vector<std::string> lines;
    lines.push_back(line("%s of %lld block%s of %lld bytes, rank %d (node %d) to rank %d (node %d)",
                         base::name_of(op), number(block_count), block_count == 1 ? "" : "s",
                         number(block_bytes), world.rank, world.node, target,
                         world.node_of[target]));
    RouteQuestion question;
    question.op = op;
    question.target = target;
    question.shape = shape;
    const RouteDecision decision = choose_route(progress, question);
    lines.push_back(std::string("route: ") + base::name_of(decision.route) + ", because " +
                    describe(progress, question, decision.reason));
    if (decision.route == Route::local) {
        return lines;
    }
    question.is_blocking = false;
    if (decision.route == Route::rma &&
        choose_route(progress, question).reason == RouteReason::travels_with_others) {
        lines.push_back("       a non-blocking one goes through the server, with other small ones");
    }
    question.is_blocking = true;
    question.is_fenced = op == OpKind::put && progress.network()->origin.fences().take_messages();
    question.may_be_copied = question.is_fenced && block_count == 1 &&
                             progress.network()->origin.copies_puts(block_bytes);
    const RouteDecision fenced = choose_route(progress, question);
    const bool is_copied = fenced.route == Route::rma && question.may_be_copied;
    if (is_copied || fenced.route != decision.route) {
        const RouteReason reason = is_copied ? RouteReason::copied : fenced.reason;
        lines.push_back(line("       where each one is followed by a fence: %s, because %s",
                             base::name_of(fenced.route),
                             describe(progress, question, reason).c_str()));
    }
    append_prediction(*progress.network(), link_to(progress, target), op, shape, &lines);
    const std::string registrations = describe_registrations(*progress.network());
    if (!registrations.empty() && op != OpKind::acc) {
        lines.push_back("local memory of rma: " + registrations);
    }
    return lines;
}

}  // namespace armci::core
