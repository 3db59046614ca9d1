// SPDX-License-Identifier: BSD-3-Clause
#include "meetings.h"

#include <algorithm>
#include <numeric>

#include "armci/message.h"
#include "simulation.h"

namespace armci::sim {
namespace {

constexpr int kMaxGroups = 4;

}  // namespace

Meetings::Meetings(int rank_count) : groups_(static_cast<size_t>(draw(0, kMaxGroups))) {
    for (Drawn& drawn : groups_) {
        drawn.ranks.resize(static_cast<size_t>(rank_count));
        std::iota(drawn.ranks.begin(), drawn.ranks.end(), 0);
        if (draw(0, 1) == 0) {
            std::shuffle(drawn.ranks.begin(), drawn.ranks.end(), dice());
        }
        drawn.ranks.resize(static_cast<size_t>(draw(1, rank_count)));
        drawn.barriers = static_cast<int>(draw(1, 3));
        members_.emplace_back(drawn.ranks.size());
    }
}

void Meetings::make(int me) {
    for (size_t i = 0; i < groups_.size(); ++i) {
        std::vector<int>& ranks = groups_[i].ranks;
        const auto place = std::find(ranks.begin(), ranks.end(), me) - ranks.begin();
        if (place < static_cast<int64_t>(ranks.size())) {
            ARMCI_Group_create(static_cast<int>(ranks.size()), ranks.data(),
                               &members_[i][static_cast<size_t>(place)].group);
            record("group", me, static_cast<int64_t>(i));
        }
    }
}

void Meetings::meet(int me) {
    for (size_t i = 0; i < groups_.size(); ++i) {
        const std::vector<int>& ranks = groups_[i].ranks;
        const auto place = std::find(ranks.begin(), ranks.end(), me) - ranks.begin();
        if (place == static_cast<int64_t>(ranks.size())) {
            continue;
        }
        Member& mine = members_[i][static_cast<size_t>(place)];
        for (int barrier = 0; barrier < groups_[i].barriers; ++barrier) {
            ++mine.arrived;
            record("comes to group", me, static_cast<int64_t>(i));
            armci_msg_group_barrier(&mine.group);
            for (size_t other = 0; other < ranks.size(); ++other) {
                if (members_[i][other].arrived < mine.arrived) {
                    violation(
                        "rank %d has passed a barrier of group %zu to which rank %d has not "
                        "come",
                        me, i, ranks[other]);
                }
            }
        }
    }
}

void Meetings::leave(int me) {
    for (size_t i = 0; i < groups_.size(); ++i) {
        const std::vector<int>& ranks = groups_[i].ranks;
        const auto place = std::find(ranks.begin(), ranks.end(), me) - ranks.begin();
        if (place < static_cast<int64_t>(ranks.size())) {
            ARMCI_Group_free(&members_[i][static_cast<size_t>(place)].group);
        }
    }
}

}  // namespace armci::sim
