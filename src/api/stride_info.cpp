// SPDX-License-Identifier: BSD-3-Clause
// The historical iterator over the segments of a strided array.
#include "api/arguments.h"
#include "base/log.h"

extern "C" void armci_stride_info_init(stride_info_t* sinfo, void* base_ptr, int stride_levels,
                                       const int* stride_arr, const int* seg_count) {
    constexpr const char* kFunction = "armci_stride_info_init";
    armci::api::check_not_null(kFunction, "sinfo", sinfo);
    armci::api::check_not_null(kFunction, "seg_count", seg_count);
    if (stride_levels < 0 || stride_levels > ARMCI_MAX_STRIDE_LEVEL) {
        armci::base::fatal(kFunction, "argument stride_levels = %d: must be 0 to %d", stride_levels,
                           ARMCI_MAX_STRIDE_LEVEL);
    }
    *sinfo = stride_info_t{};
    if (stride_levels > 0) {
        armci::api::check_not_null(kFunction, "stride_arr", stride_arr);
    }
    sinfo->base_ptr = static_cast<char*>(base_ptr);
    sinfo->stride_levels = stride_levels;
    sinfo->seg_count[0] = seg_count[0];
    sinfo->size = 1;
    for (int i = 0; i < stride_levels; ++i) {
        sinfo->stride_arr[i] = stride_arr[i];
        sinfo->seg_count[i + 1] = seg_count[i + 1];
        if (__builtin_mul_overflow(sinfo->size, seg_count[i + 1], &sinfo->size)) {
            armci::base::fatal(kFunction,
                               "argument seg_count: it has more segments than an int counts; walk "
                               "over parts of the array");
        }
    }
}

extern "C" void armci_stride_info_destroy(stride_info_t*) {}

extern "C" int armci_stride_info_size(stride_info_t* sinfo) {
    return sinfo->size;
}

extern "C" int armci_stride_info_pos(stride_info_t* sinfo) {
    return sinfo->pos;
}

extern "C" void armci_stride_info_next(stride_info_t* sinfo) {
    ++sinfo->pos;
    for (int i = 0; i < sinfo->stride_levels; ++i) {
        if (++sinfo->itr[i] < sinfo->seg_count[i + 1]) {
            return;
        }
        sinfo->itr[i] = 0;
    }
}

extern "C" void* armci_stride_info_seg_ptr(stride_info_t* sinfo) {
    int64_t offset = 0;
    for (int i = 0; i < sinfo->stride_levels; ++i) {
        offset += static_cast<int64_t>(sinfo->itr[i]) * sinfo->stride_arr[i];
    }
    return sinfo->base_ptr + offset;
}

extern "C" int armci_stride_info_seg_size(stride_info_t* sinfo) {
    return sinfo->seg_count[0];
}

extern "C" int armci_stride_info_has_more(stride_info_t* sinfo) {
    return sinfo->pos < sinfo->size ? 1 : 0;
}
