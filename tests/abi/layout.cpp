// SPDX-License-Identifier: BSD-3-Clause
#define CHECK(condition) static_assert(condition, #condition)
#define ALIGN_OF(type) alignof(type)
#include "layout_checks.h"
