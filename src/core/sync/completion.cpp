// SPDX-License-Identifier: BSD-3-Clause
#include "core/sync/completion.h"

#include "armci/armci.h"

namespace armci::core {

// Small operations that were copied count as complete, but waits make sure that they leave.
void Completion::send_batches() {
    const Threads::Use use(progress_.threads());
    pipeline::Origin& origin = progress_.network()->origin;
    const uint64_t last = origin.batches().last();
    origin.batches().flush_all();
    if (!origin.batches().have_left(last)) {
        progress_.wait_for_network({nullptr, "small operations to leave"}, [&] {
            origin.batches().flush_all();
            return origin.batches().have_left(last);
        });
    }
}

// Those that waited for room may have joined a batch since send_batches().
void Completion::send_later_batches() {
    if (!progress_.network()->origin.batches().have_left()) {
        send_batches();
    }
}

// Without a network all is complete when a call returns, except copies by an engine, which the
// handle shows.
void Completion::hold_lock_to_wait(const armci_hdl_s* handle) {
    if (progress_.network() != nullptr || (handle != nullptr && Handles::names_slot(*handle))) {
        progress_.threads().hold_lock();
    }
}

void Completion::wait_handle(armci_hdl_s* handle) {
    hold_lock_to_wait(handle);
    if (checking_.is_on()) [[unlikely]] {
        checking_->wait_for_handle("ARMCI_Wait", *handle);
    }
    if (progress_.network() != nullptr) {
        send_batches();
    }
    progress_.wait_for_network({"ARMCI_Wait", "the operations of a handle"},
                               [&] { return !handles_.is_active(*handle); });
    if (progress_.network() != nullptr) {
        send_later_batches();
    }
    handles_.set_idle(handle);
}

bool Completion::test_handle(armci_hdl_s* handle) {
    hold_lock_to_wait(handle);
    if (checking_.is_on()) {
        progress_.poll();
        if (!checking_->has_completed(*handle)) {
            return false;
        }
        checking_->wait_for_handle("ARMCI_Test", *handle);
    }
    if (handles_.is_active(*handle)) {
        progress_.poll();
        if (handles_.is_active(*handle)) {
            return false;
        }
    }
    // Copied operations have to leave now. If this were the program's last call for long, nothing
    // would send them. This waits for them. If it returned non-zero instead, a program that starts
    // new ones before each test would never see 0.
    if (progress_.network() != nullptr) {
        send_later_batches();
    }
    handles_.set_idle(handle);
    return true;
}

void Completion::wait_target(int target) {
    hold_lock_to_wait(nullptr);
    if (checking_.is_on()) [[unlikely]] {
        checking_->wait_for_target(target);
    }
    if (progress_.network() == nullptr) {
        return;
    }
    send_batches();
    const int server = progress_.network()->rank_servers.of(target);
    const pipeline::Origin& origin = progress_.network()->origin;
    const uint64_t last = origin.tasks().last_submitted();
    progress_.wait_for_network({"ARMCI_WaitProc", "operations to rank", target},
                               [&] { return origin.tasks().have_ended(last, server); });
    send_later_batches();
}

void Completion::wait_everything() {
    hold_lock_to_wait(nullptr);
    if (checking_.is_on()) [[unlikely]] {
        checking_->wait_for_all();
    }
    if (progress_.copies().are_under_way()) {
        progress_.settle_copies();
    }
    if (progress_.network() == nullptr) {
        return;
    }
    send_batches();
    pipeline::Origin& origin = progress_.network()->origin;
    const uint64_t last = origin.tasks().last_submitted();
    progress_.wait_for_network({nullptr, "all operations under way"},
                               [&] { return origin.tasks().have_ended(last); });
    send_later_batches();
}

void Completion::set_idle_unless_active(armci_hdl_s* handle) {
    if (Handles::names_slot(*handle)) {
        progress_.threads().hold_lock();
    }
    if (!handles_.is_active(*handle)) {
        handles_.set_idle(handle);
    }
}

}  // namespace armci::core
