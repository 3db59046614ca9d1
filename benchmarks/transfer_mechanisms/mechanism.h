// SPDX-License-Identifier: BSD-3-Clause
// A way to move bytes between two processes of one machine. Each has a file of its own here and a
// line in mechanisms.cpp.
#pragma once

#include "pair.h"

#include <cstddef>
#include <memory>
#include <string>

namespace armci::mechanisms {

// Which side copies the data of a transfer.
enum class Worker { none, source, destination, both };

inline bool works(Worker worker, Side side) {
    return worker == Worker::both ||
           worker == (side == Side::source ? Worker::source : Worker::destination);
}

struct Sizes {
    size_t buffer_bytes = 0;  // of each of the two shared buffers
    size_t cell_bytes = 0;    // of a cell of the message queue
};

// Whether a mechanism can be used here; if not, what would have to change.
struct Availability {
    enum class Kind { usable, not_permitted, absent };
    Kind kind = Kind::usable;
    std::string remedy;
};

// One object in each process. All but act() is called by both.
class Mechanism {
  public:
    virtual ~Mechanism() = default;

    // Everything before the first transfer. `own` is plain private memory of this process. *area
    // becomes the memory for the caller's data, which is other memory if the mechanism cannot work
    // on any. Both sides exchange their messages before either may find that the mechanism is not
    // usable; otherwise the other would wait.
    virtual Availability set_up(Pair& pair, char* own, size_t bytes, char** area) = 0;
    virtual void tear_down() = 0;

    // This side's part of moving `bytes` from `offset` of the source's area to the same offset of
    // the destination's. The worker of a one-sided mechanism calls it, else both. When it returns
    // the data need not have arrived.
    virtual void act(size_t offset, size_t bytes) = 0;

    // Waits until all data of act() is in the destination's area.
    virtual void complete() {}

    // To be called while waiting for the other side.
    virtual void progress() {}
};

struct Kind {
    const char* name;
    Worker worker;
    bool moves_data;  // false: only the cost of the synchronisation
    // Copies with ordinary loads and stores of the two processes, so that cachegrind, which sees
    // neither the kernel's copies nor what streaming stores spare, counts what it does to the
    // cache.
    bool can_be_simulated;
    const char* what;
    std::unique_ptr<Mechanism> (*make)(const Kind& kind, const Sizes& sizes);
};

}  // namespace armci::mechanisms
