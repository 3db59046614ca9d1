// SPDX-License-Identifier: BSD-3-Clause
#include "base/strangers.h"

#include <atomic>
#include <cstdarg>
#include <cstdio>

#include "base/log.h"

namespace armci::base {
namespace {

std::atomic<uint64_t> g_dropped[kFromStrangerCount];

}  // namespace

void drop_from_stranger(FromStranger kind, const char* format, ...) {
    if (g_dropped[static_cast<int>(kind)].fetch_add(1, std::memory_order_relaxed) != 0) {
        return;
    }
    char text[256];
    va_list values;
    va_start(values, format);
    std::vsnprintf(text, sizeof text, format, values);
    va_end(values);
    ARMCI_LOG_WARN("%s. Further ones are only counted (ARMCI_STATS=1)", text);
}

uint64_t count_from_strangers(FromStranger kind) {
    return g_dropped[static_cast<int>(kind)].load(std::memory_order_relaxed);
}

void forget_strangers() {
    for (std::atomic<uint64_t>& dropped : g_dropped) {
        dropped.store(0, std::memory_order_relaxed);
    }
}

}  // namespace armci::base
