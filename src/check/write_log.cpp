// SPDX-License-Identifier: BSD-3-Clause
#include "check/write_log.h"

#include <algorithm>
#include <cstring>

namespace armci::check {
namespace {

// Joins `next` to `last` and returns true if it writes the same bytes, or continues them or a row
// of equal blocks. The joined write counts as begun when the later one did: the time between is
// left out rather than guessed.
bool join(Write* last, const Write& next) {
    if (!last->is_open() || last->was_compared || last->adds != next.adds ||
        std::memcmp(last->function, next.function, sizeof last->function) != 0) {
        return false;
    }
    Row& row = last->place;
    if (row == next.place) {
        last->began_ns = next.began_ns;
        return true;
    }
    if (next.place.block_count != 1) {
        return false;
    }
    const auto distance = static_cast<int64_t>(next.place.begin - row.begin);
    if (row.block_count == 1 && distance == row.block_bytes) {
        row.block_bytes += next.place.block_bytes;
    } else if (next.place.block_bytes != row.block_bytes) {
        return false;
    } else if (row.block_count == 1 && distance > row.block_bytes) {
        row.stride = distance;
        row.block_count = 2;
    } else if (row.block_count > 1 && distance == row.block_count * row.stride) {
        ++row.block_count;
    } else {
        return false;
    }
    last->began_ns = next.began_ns;
    return true;
}

bool are_unordered(const Write& a, const Write& b) {
    if (a.host != b.host) {
        return a.is_open() && b.is_open();
    }
    return a.began_ns < b.closed_ns && b.began_ns < a.closed_ns;
}

bool are_same_calls(const Conflict& known, const Write& a, const Write& b) {
    const auto is = [](const Write& one, const Write& other) {
        return one.origin == other.origin &&
               std::memcmp(one.function, other.function, sizeof one.function) == 0;
    };
    return (is(known.first, a) && is(known.second, b)) ||
           (is(known.first, b) && is(known.second, a));
}

// Compares pairs of writes whose extents overlap.
class PairSearch {
  public:
    explicit PairSearch(Conflicts* conflicts) : conflicts_(conflicts) {}

    // Compares `write` with all `others`, and first removes those that end before `write` begins.
    void compare(const Write& write, std::vector<const Write*>* others) {
        count_work(static_cast<int64_t>(others->size()));
        std::erase_if(*others,
                      [&](const Write* other) { return other->place.end() <= write.place.begin; });
        for (const Write* other : *others) {
            if (conflicts_->too_many) {
                return;
            }
            compare_two(*other, write);
        }
    }

  private:
    void count_work(int64_t steps) {
        conflicts_->work += steps;
        conflicts_->too_many |= conflicts_->work > Conflicts::kMaxWork;
    }

    void compare_two(const Write& a, const Write& b) {
        count_work(1);
        if (a.origin == b.origin || (a.was_compared && b.was_compared) || !are_unordered(a, b)) {
            return;
        }
        count_work(std::min(a.place.block_count, b.place.block_count));
        if (conflicts_->too_many) {
            return;
        }
        const Bytes bytes = common_bytes(a.place, b.place);
        if (bytes.is_empty()) {
            return;
        }
        count_work(static_cast<int64_t>(conflicts_->found.size()));
        const bool known =
            std::any_of(conflicts_->found.begin(), conflicts_->found.end(),
                        [&](const Conflict& conflict) { return are_same_calls(conflict, a, b); });
        if (!known) {
            const bool in_order = a.origin < b.origin;
            conflicts_->found.push_back({in_order ? a : b, in_order ? b : a, bytes});
            conflicts_->too_many |= conflicts_->found.size() == Conflicts::kMaxFound;
        }
    }

    Conflicts* conflicts_;
};

}  // namespace

void WriteLog::add(int target, const Write& write) {
    Target& known = targets_[target];
    if (!known.writes.empty() && join(&known.writes.back(), write)) {
        return;
    }
    if (size_ == kMax || known.writes.size() == max_per_target_) {
        ++left_out_;
        return;
    }
    known.writes.push_back(write);
    ++size_;
}

void WriteLog::close(int target, int64_t now_ns) {
    const auto found = targets_.find(target);
    if (found == targets_.end()) {
        return;
    }
    Target& known = found->second;
    for (; known.first_open < known.writes.size(); ++known.first_open) {
        known.writes[known.first_open].closed_ns = now_ns;
    }
}

void WriteLog::close_all(int64_t now_ns) {
    for (auto& known : targets_) {
        close(known.first, now_ns);
    }
}

void WriteLog::forget(Keep keep) {
    size_ = 0;
    if (keep == Keep::nothing) {
        targets_.clear();
        return;
    }
    for (auto& known : targets_) {
        std::vector<Write>& writes = known.second.writes;
        writes.erase(writes.begin(),
                     writes.begin() + static_cast<int64_t>(known.second.first_open));
        known.second.first_open = 0;
        for (Write& write : writes) {
            write.was_compared = true;
        }
        size_ += writes.size();
    }
}

Conflicts find_conflicts(std::vector<Write> writes) {
    std::sort(writes.begin(), writes.end(),
              [](const Write& a, const Write& b) { return a.place.begin < b.place.begin; });
    Conflicts conflicts;
    PairSearch search(&conflicts);
    // The earlier writes that may reach into later ones. Two accumulates need not be compared.
    std::vector<const Write*> puts;
    std::vector<const Write*> accumulates;
    for (const Write& write : writes) {
        if (conflicts.too_many) {
            break;
        }
        search.compare(write, &puts);
        if (!write.adds) {
            search.compare(write, &accumulates);
        }
        (write.adds ? accumulates : puts).push_back(&write);
    }
    return conflicts;
}

}  // namespace armci::check
