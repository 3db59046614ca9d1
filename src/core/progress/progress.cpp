// SPDX-License-Identifier: BSD-3-Clause
#include "core/progress/progress.h"

#include <time.h>

namespace armci::core {

bool Progress::advance() {
    const bool copied = copies_.are_under_way() && copies_.progress();
    const bool moved =
        (context_.network != nullptr && context_.network->origin.progress()) || copied;
    if (moved) {
        context_.threads.lock().note_change();
    }
    return moved;
}

void Progress::serve() {
    advance();
    if (!context_.config.progress_thread && context_.network != nullptr &&
        context_.network->server != nullptr) {
        context_.network->server->progress_inline();
        end_inline_progress();
    }
}

void Progress::poll() {
    const Threads::Use use(context_.threads);
    serve();
    context_.threads.let_others_in();
}

void Progress::settle_copies() {
    // Other threads may start more copies while this waits.
    const uint64_t last = copies_.last_taken();
    wait_until({nullptr, "copies inside the node"}, [&] { return copies_.have_ended(last); });
}

void Progress::run_task(pipeline::Task& task, int server, const WaitCause& cause) {
    const Threads::Use use(context_.threads);
    context_.network->origin.submit(task, context_.network->origin.channel(server));
    wait_for_network(cause, [&] { return task.is_complete(); });
}

void Progress::end_inline_progress() {
    if (context_.network != nullptr && context_.network->server != nullptr) {
        context_.network->server->end_inline_progress();
    }
}

void Progress::idle() {
    if (context_.network != nullptr && context_.network->server != nullptr) {
        context_.network->server->progress_inline();
    }
    context_.threads.let_others_in();
}

void Progress::nap(int64_t ns) {
    if (context_.network == nullptr || !context_.network->origin.can_sleep()) {
        const timespec time{0, static_cast<long>(ns)};
        context_.threads.sleep_without_lock([&] { nanosleep(&time, nullptr); });
    } else {
        sleep_on_network(std::chrono::nanoseconds(ns));
    }
}

bool Progress::sleep_on_network(std::chrono::nanoseconds longest) {
    pipeline::Origin& origin = context_.network->origin;
    if (!origin.may_sleep()) {
        return false;
    }
    if (context_.threads.is_multiple()) {
        return context_.threads.lock().sleep_until_change(
            [&](int change) { origin.sleep(longest, change); });
    }
    tell_server_of_sleep([&] { origin.sleep(longest); });
    return true;
}

bool Progress::sleep_until_network_event(int64_t waited_ns) {
    // Sleeps are bounded, because some providers have known races between a completion and its
    // wake-up.
    return sleep_on_network(std::chrono::nanoseconds(
        base::longest_sleep_ns(waited_ns, context_.network->domain.row().wakes_surely,
                               context_.network->origin.has_posts_to_repeat())));
}

void Progress::end_measured_wait(int64_t began_ns) {
    if (context_.network != nullptr && !context_.threads.has_others()) {
        context_.network->learning.end_wait(began_ns, context_.network->origin, stats_);
    }
}

void Progress::count_wait(base::Waiting* way, int64_t ns) {
    ++stats_.waits;
    stats_.waits_asleep += way->spin_ns() == 0 ? 1 : 0;
    way->ended(ns);
}

}  // namespace armci::core
