/* SPDX-License-Identifier: BSD-3-Clause */
#define CHECK(condition) _Static_assert(condition, #condition)
#define ALIGN_OF(type) _Alignof(type)
#include "layout_checks.h"
