// SPDX-License-Identifier: BSD-3-Clause
#include "core/progress/long_wait.h"

#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "watch/reach.h"

namespace armci::core {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;
constexpr int64_t kMillisecondNs = 1'000'000;
constexpr int64_t kReportsNs = 3 * kSecondNs;  // until all have reported

std::string in_words(const WaitCause& cause) {
    std::string text = cause.what;
    if (cause.rank >= 0) {
        text += " " + std::to_string(cause.rank);
    }
    return text;
}

}  // namespace

const char* LongWait::function() const {
    return cause_.function != nullptr ? cause_.function : context_.threads.function();
}

void LongWait::begin(int64_t now_ns) {
    begin_ns_ = now_ns;
    patience_ns_ = context_.config.hang_seconds * kSecondNs;
    limit_ns_ = now_ns + patience_ns_;
    reach_ns_ = now_ns + watch::reach_check_ms(context_.config.lost_link_seconds) * kMillisecondNs;
}

void LongWait::look() {
    watch::Watch& watch = context_.watch;
    const int64_t seconds = context_.config.hang_seconds;
    const bool has_network = context_.network != nullptr;
    if (seconds == 0 && !has_network && !watch.is_report_due()) {
        return;
    }
    const int64_t now_ns = base::now_ns();
    if (begin_ns_ == 0) {
        begin(now_ns);
    }
    if (has_network && now_ns >= reach_ns_) {
        reach_ns_ = now_ns + context_.config.lost_link_seconds * kSecondNs;
        watch::check_reach(context_.network->domain, context_.network->origin, function(),
                           begin_ns_, context_.config.lost_link_seconds);
    }
    if (watch.is_report_due()) {
        report(now_ns);
    }
    if (end_ns_ != 0 && now_ns >= end_ns_) {
        end_job();
    }
    if (seconds == 0 || end_ns_ != 0 || now_ns < limit_ns_) {
        return;
    }
    if (watch.is_running()) {
        watch.call_for_reports();  // its own report is one of them
    } else {
        report(now_ns);
    }
    if (context_.config.hang_action_choice() == base::HangAction::end) {
        end_ns_ = now_ns + kReportsNs;
    }
    limit_ns_ = now_ns + patience_ns_;
}

void LongWait::report(int64_t now_ns) {
    context_.watch.report_given();
    // When any rank has asked, this rank does not ask for twice as long.
    patience_ns_ *= 2;
    limit_ns_ = now_ns + patience_ns_;
    const std::string work =
        context_.network != nullptr ? context_.network->origin.report().describe_work() : "";
    base::log(base::LogLevel::warn, "%s: waits for %s, for %lld s now%s%s", function(),
              in_words(cause_).c_str(), static_cast<long long>((now_ns - begin_ns_) / kSecondNs),
              work.empty() ? "" : "; ", work.c_str());
}

void LongWait::end_job() {
    base::fatal(function(),
                "the wait for %s has lasted for %lld s (ARMCI_HANG_SECONDS); the other ranks' "
                "messages tell what they wait for. If the job is only slow, raise it, or set "
                "ARMCI_HANG_ACTION=report",
                in_words(cause_).c_str(), static_cast<long long>(context_.config.hang_seconds));
}

}  // namespace armci::core
