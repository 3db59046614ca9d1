// SPDX-License-Identifier: BSD-3-Clause
#include "core/routing/route.h"

namespace armci::core {

using base::OpKind;
using base::Route;

bool puts_keep_to_one_rail(const fabric::Domain& domain) {
    return !domain.rails().empty() && domain.orders_writes();
}

namespace {

// Says whether the chunks of a contiguous put on all rails save at least a tenth of its time on
// one. They cost the target's processor, which a direct put does not need.
bool gains_by_rails(const pipeline::CostModel& costs, const pipeline::TransferShape& shape) {
    constexpr double kWorthwhile = 0.9;
    return costs.chooses_by_costs() && shape.total_bytes > costs.limits().chunk_bytes &&
           costs.server_plan(OpKind::put, shape).total_us <
               kWorthwhile * costs.rma_us(OpKind::put, shape);
}

}  // namespace

RouteDecision choose_route(const Progress& progress, const RouteQuestion& question) {
    if (progress.world().on_my_node(question.target)) {
        return {Route::local, RouteReason::same_node};
    }
    if (question.op == OpKind::acc) {
        return {Route::server, RouteReason::server_adds};
    }
    Network& network = *progress.network();
    if (!network.rma_usable) {
        return {Route::server, RouteReason::no_rma};
    }
    if (!question.is_registered) {
        return {Route::server, RouteReason::not_registered};
    }
    switch (progress.config().route_choice()) {
        case base::RouteChoice::rma:
            return {Route::rma, RouteReason::configured};
        case base::RouteChoice::server:
            return {Route::server, RouteReason::configured};
        case base::RouteChoice::alternate:
            return {question.last_took_rma ? Route::server : Route::rma, RouteReason::alternating};
        case base::RouteChoice::automatic:
            break;
    }
    const pipeline::CostModel& costs = network.learning.model(link_to(progress, question.target));
    const pipeline::TransferShape& shape = question.shape;
    const bool is_get = question.op == OpKind::get;
    const bool is_small = costs.is_small(shape);
    if (!question.is_blocking && costs.should_share(question.op, shape)) {
        return {Route::server, RouteReason::travels_with_others};
    }
    const bool is_one_block = shape.block_bytes == shape.total_bytes;
    if (question.is_fenced && is_one_block) {
        // The put is one message either way. The answer to a copy comes from the provider at the
        // target, that to a frame from the data server behind it.
        if (question.may_be_copied && costs.chooses_by_costs()) {
            return {Route::rma, RouteReason::copied};
        }
        if (shape.total_bytes <= costs.max_fenced_frame()) {
            return {Route::server, RouteReason::fence_follows};
        }
    }
    if (is_get && is_one_block && shape.total_bytes >= costs.min_get_by_put()) {
        return {Route::rma, RouteReason::slow_reads};
    }
    if (shape.block_bytes >= costs.min_rma_block(question.op, shape.total_bytes)) {
        return {Route::rma, RouteReason::long_blocks};
    }
    if (is_one_block && !is_get && puts_keep_to_one_rail(network.domain) &&
        gains_by_rails(costs, shape)) {
        return {Route::server, RouteReason::more_rails};
    }
    // RMA must not overtake requests that the server has not executed yet. A small transfer arrives
    // sooner behind them than after waiting for their acknowledgement. A small put is one message
    // either way; the model knows which costs less.
    if (is_one_block && (is_get || !is_small) &&
        (question.server == RouteQuestion::kIdleServer ||
         !network.origin.fences().has_unacknowledged_requests(question.server))) {
        return {Route::rma, RouteReason::one_block};
    }
    return {Route::server, RouteReason::short_blocks};
}

Link link_to(const Progress& progress, int target) {
    const World& world = progress.world();
    return progress.network()->link_to(world.node_of[target], world.node);
}

Route route_to(const Progress& progress, int target) {
    if (progress.world().on_my_node(target)) {
        return Route::local;
    }
    const bool rma = progress.network()->rma_usable &&
                     progress.config().route_choice() != base::RouteChoice::server;
    return rma ? Route::rma : Route::server;
}

}  // namespace armci::core
