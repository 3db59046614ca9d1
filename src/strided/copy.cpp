#include "strided/kernels.h"
#include "strided/run_copy.h"

namespace armci::strided {

void copy(const PairLayout& layout, void* local, void* remote, Direction direction) {
    const int64_t run_bytes = layout.count[0];
    if (run_bytes <= 0) {
        return;
    }
    char* local_base = static_cast<char*>(local);
    char* remote_base = static_cast<char*>(remote);
    const bool to_remote = direction == Direction::to_remote;
    with_run_copier(run_bytes, [&](auto copier) {
        if (to_remote) {
            for_each_run(layout, local_base, remote_base,
                         [&](char* from, char* to, int64_t) { copier(to, from); });
        } else {
            for_each_run(layout, local_base, remote_base,
                         [&](char* to, char* from, int64_t) { copier(to, from); });
        }
    });
}

void copy_vector(void* const* from, void* const* to, int64_t segment_count, int64_t segment_bytes) {
    if (segment_bytes <= 0) {
        return;
    }
    with_run_copier(segment_bytes, [&](auto copier) {
        for (int64_t i = 0; i < segment_count; ++i) {
            copier(static_cast<char*>(to[i]), static_cast<const char*>(from[i]));
        }
    });
}

}  // namespace armci::strided
