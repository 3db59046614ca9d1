// SPDX-License-Identifier: BSD-3-Clause
// Words that each thread has for itself, and that others may read meanwhile. Their owner alone
// writes them, so threads do not wait for each other's cache lines. What a thread leaves in them
// outlives it, because the next thread that needs words continues in them.
//
// There is one set of words for each type.
#pragma once

#include <memory>
#include <vector>

#include "base/mutex.h"

namespace armci::base {

template <class T>
class PerThread {
  public:
    // Returns the words of the calling thread.
    static T& mine() {
        static thread_local Holder holder;
        return holder.words();
    }
    // Calls visit(T&) for the words of all threads that have ever had some.
    template <class Visit>
    static void for_each(Visit&& visit) {
        Registry& shared = registry();
        const MutexLock lock(shared.mutex);
        for (const auto& entry : shared.all) {
            visit(entry->words);
        }
    }

  private:
    struct alignas(64) Entry {
        T words;
        bool is_taken = false;
    };
    struct Registry {
        Mutex mutex;
        std::vector<std::unique_ptr<Entry>> all ARMCI_GUARDED_BY(mutex);
    };

    // It is never destroyed, because threads may outlive the end of main().
    static Registry& registry() {
        static Registry& instance = *new Registry;
        return instance;
    }

    class Holder {
      public:
        Holder() {
            Registry& shared = registry();
            const MutexLock lock(shared.mutex);
            for (const auto& entry : shared.all) {
                if (!entry->is_taken) {
                    entry_ = entry.get();
                }
            }
            if (entry_ == nullptr) {
                entry_ = shared.all.emplace_back(std::make_unique<Entry>()).get();
            }
            entry_->is_taken = true;
        }
        ~Holder() {
            const MutexLock lock(registry().mutex);
            entry_->is_taken = false;
        }
        Holder(const Holder&) = delete;
        Holder& operator=(const Holder&) = delete;

        T& words() { return entry_->words; }

      private:
        Entry* entry_ = nullptr;
    };
};

}  // namespace armci::base
