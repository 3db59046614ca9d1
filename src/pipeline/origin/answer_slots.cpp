// SPDX-License-Identifier: BSD-3-Clause
#include "pipeline/origin/answer_slots.h"

#include <algorithm>
#include <string>

#include "base/log.h"

namespace armci::pipeline {

void AnswerSlots::open(fabric::Domain& domain, fabric::Endpoint& endpoint) {
    std::string error = "no memory";
    lent_count_ = 0;
    for (uint32_t i = 0; i < loans_.size(); ++i) {
        loans_[i] = {-1, i};
    }
    if (!memory_.map(size_t{wire::kAnswerSlotBytes} * loans_.size()) ||
        !memory_.make_accessible(domain, endpoint.on_first_rail(), fabric::Access::remote,
                                 &error)) {
        memory_.close();
        ARMCI_LOG_INFO("answers cannot be written into this process (%s); they come as messages",
                       error.c_str());
    }
}

void AnswerSlots::close() {
    memory_.close();
    lent_count_ = 0;
}

uint32_t AnswerSlots::lend(int server) {
    const auto end = loans_.begin() + lent_count_;
    if (!are_open() || lent_count_ == loans_.size() ||
        std::any_of(loans_.begin(), end, [&](const Loan& loan) { return loan.server == server; })) {
        return 0;
    }
    Loan& loan = loans_[lent_count_++];
    loan.server = server;
    return 1 + loan.slot;
}

}  // namespace armci::pipeline
