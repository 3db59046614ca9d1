// SPDX-License-Identifier: BSD-3-Clause
// Checking mode: its findings, and its end.
#include "check/checks.h"

#include <cinttypes>
#include <cstdarg>
#include <cstdio>

#include "base/log.h"
#include "check/checking_mode.h"
#include "core/job/mpi_collectives.h"

namespace armci::check {

std::unique_ptr<core::CheckHooks> make_checks(Runtime& runtime) {
    return std::make_unique<Checks>(runtime);
}

Checks::Checks(Runtime& runtime)
    : runtime_(runtime),
      freed_ranges_(&runtime.node.heap.control().freed_ranges),
      writes_(runtime.world.size),
      host_(core::clock_identity()) {
    std::vector<void*> bases(static_cast<size_t>(runtime.world.size));
    if (!runtime.memory.allocate("ARMCI_Init", runtime.groups.world(), sizeof(Waiting),
                                 bases.data(), &board_)) {
        base::fatal("ARMCI_Init", "no memory for ARMCI_CHECK; see above, or unset it");
    }
    board_->is_internal = true;
    say(Waiting{});
}

void Checks::report(Finding finding, Severity severity, const char* function, const char* format,
                    ...) {
    constexpr uint64_t kMaxLines = 20;  // of each kind, by each rank
    const uint64_t count = ++counts_.found[static_cast<int>(finding)];
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (severity == Severity::error && runtime_.config().check_choice() == base::CheckChoice::on) {
        base::fatal(function, "%s", text);
    }
    if (count <= kMaxLines) {
        ARMCI_LOG_WARN("%s: %s%s", function, text,
                       count == kMaxLines ? " (more of this kind are only counted)" : "");
    }
}

void Checks::before_stop(int64_t deadline_ns) {
    if (!runtime_.mutexes.held().empty()) {
        report(Finding::call, Severity::error, "ARMCI_Finalize",
               "this rank still holds %zu mutex%s, one of them of rank %d; a rank that waits "
               "for it would never go on. Unlock it first",
               runtime_.mutexes.held().size(), runtime_.mutexes.held().size() == 1 ? "" : "es",
               runtime_.mutexes.held()[0].first);
    }
    if (!buffers_.empty()) {
        report(Finding::call, Severity::warning, "ARMCI_Finalize",
               "%zu non-blocking operations were not waited for; call ARMCI_Wait or ARMCI_WaitAll "
               "before their buffers are used or go away",
               buffers_.size());
    }
    meet_until(deadline_ns, "ARMCI_Finalize", *runtime_.groups.world(), Collective::finalize, 0);
}

void Checks::finish() {
    if (late_ != nullptr) {
        runtime_.messages.complete(&late_->request);
    }
    compare_writes("ARMCI_Finalize", Fenced::yes);
    stop_watching_memory();
    constexpr int kWords = sizeof(Counts) / sizeof(uint64_t);
    Counts sum = counts_;
    core::mpi::reduce(&sum, kWords, MPI_UINT64_T, MPI_SUM, 0, runtime_.world.comm);
    if (runtime_.world.rank != 0) {
        return;
    }
    uint64_t found = 0;
    for (const uint64_t count : sum.found) {
        found += count;
    }
    std::fprintf(stderr,
                 "armci-ofi checks, all %d ranks: %" PRIu64 " found: freed memory %" PRIu64
                 ", local buffers %" PRIu64 ", unordered writes %" PRIu64 ", calls %" PRIu64 "\n",
                 runtime_.world.size, found, sum.found[0], sum.found[1], sum.found[2],
                 sum.found[3]);
    std::fprintf(stderr,
                 "  looked at %" PRIu64 " transfers and followed %" PRIu64 " local buffers\n",
                 sum.transfers, sum.buffers);
    const auto left_out = [](uint64_t count, const char* what) {
        if (count > 0) {
            std::fprintf(stderr, "  not checked: %" PRIu64 " %s\n", count, what);
        }
    };
    left_out(sum.buffers_left_out,
             "local buffers, because of too many pending operations or pieces");
    left_out(sum.writes_left_out, "writes, because too many came between two barriers");
    left_out(sum.destinations_left_out,
             "destinations of puts and gets, because of too many blocks that lie between each "
             "other");
    left_out(sum.comparisons_cut, "comparisons of writes were cut short, because of too many");
    left_out(sum.ranges_left_out,
             "freed ranges to their end, because they were too many or too much");
}

}  // namespace armci::check
