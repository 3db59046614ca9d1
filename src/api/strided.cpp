// Strided put, get and accumulate, blocking and not, and the put with a flag.
#include "api/arguments.h"
#include "api/run.h"
#include "core/transfers.h"

using armci::base::OpKind;
using armci::core::Entry;
using armci::pipeline::Transfer;
namespace api = armci::api;

extern "C" int PARMCI_PutS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[],
                           int count[], int stride_levels, int proc) {
    Entry entry("ARMCI_PutS", Entry::Lock::on_demand);
    Transfer transfer;
    if (api::make_strided(*entry, "ARMCI_PutS", OpKind::put, src_ptr, src_stride_ar, dst_ptr,
                          dst_stride_ar, count, stride_levels, proc, nullptr, &transfer)) {
        armci::core::run_blocking(*entry, std::move(transfer));
    }
    return 0;
}
ARMCI_ALIAS(int, ARMCI_PutS, (void*, int[], void*, int[], int[], int, int), PARMCI_PutS);

extern "C" int PARMCI_GetS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[],
                           int count[], int stride_levels, int proc) {
    Entry entry("ARMCI_GetS", Entry::Lock::on_demand);
    Transfer transfer;
    if (api::make_strided(*entry, "ARMCI_GetS", OpKind::get, src_ptr, src_stride_ar, dst_ptr,
                          dst_stride_ar, count, stride_levels, proc, nullptr, &transfer)) {
        armci::core::run_blocking(*entry, std::move(transfer));
    }
    return 0;
}
ARMCI_ALIAS(int, ARMCI_GetS, (void*, int[], void*, int[], int[], int, int), PARMCI_GetS);

extern "C" int PARMCI_AccS(int datatype, void* scale, void* src_ptr, int src_stride_ar[],
                           void* dst_ptr, int dst_stride_ar[], int count[], int stride_levels,
                           int proc) {
    Entry entry("ARMCI_AccS", Entry::Lock::on_demand);
    const auto factor = api::check_scale("ARMCI_AccS", datatype, scale);
    Transfer transfer;
    if (api::make_strided(*entry, "ARMCI_AccS", OpKind::acc, src_ptr, src_stride_ar, dst_ptr,
                          dst_stride_ar, count, stride_levels, proc, api::pointer_to(factor),
                          &transfer)) {
        armci::core::run_blocking(*entry, std::move(transfer));
    }
    return 0;
}
ARMCI_ALIAS(int, ARMCI_AccS, (int, void*, void*, int[], void*, int[], int[], int, int),
            PARMCI_AccS);

extern "C" int PARMCI_NbPutS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[],
                             int count[], int stride_levels, int proc, armci_hdl_t* hdl) {
    Entry entry("ARMCI_NbPutS", Entry::Lock::on_demand, Entry::Copies::leave);
    Transfer transfer;
    const bool any =
        api::make_strided(*entry, "ARMCI_NbPutS", OpKind::put, src_ptr, src_stride_ar, dst_ptr,
                          dst_stride_ar, count, stride_levels, proc, nullptr, &transfer);
    api::start_or_skip(*entry, any, std::move(transfer), hdl);
    return 0;
}
ARMCI_ALIAS(int, ARMCI_NbPutS, (void*, int[], void*, int[], int[], int, int, armci_hdl_t*),
            PARMCI_NbPutS);

extern "C" int PARMCI_NbGetS(void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[],
                             int count[], int stride_levels, int proc, armci_hdl_t* hdl) {
    Entry entry("ARMCI_NbGetS", Entry::Lock::on_demand, Entry::Copies::leave);
    Transfer transfer;
    const bool any =
        api::make_strided(*entry, "ARMCI_NbGetS", OpKind::get, src_ptr, src_stride_ar, dst_ptr,
                          dst_stride_ar, count, stride_levels, proc, nullptr, &transfer);
    api::start_or_skip(*entry, any, std::move(transfer), hdl);
    return 0;
}
ARMCI_ALIAS(int, ARMCI_NbGetS, (void*, int[], void*, int[], int[], int, int, armci_hdl_t*),
            PARMCI_NbGetS);

extern "C" int PARMCI_NbAccS(int datatype, void* scale, void* src_ptr, int src_stride_ar[],
                             void* dst_ptr, int dst_stride_ar[], int count[], int stride_levels,
                             int proc, armci_hdl_t* hdl) {
    Entry entry("ARMCI_NbAccS", Entry::Lock::on_demand, Entry::Copies::leave);
    const auto factor = api::check_scale("ARMCI_NbAccS", datatype, scale);
    Transfer transfer;
    const bool any = api::make_strided(*entry, "ARMCI_NbAccS", OpKind::acc, src_ptr, src_stride_ar,
                                       dst_ptr, dst_stride_ar, count, stride_levels, proc,
                                       api::pointer_to(factor), &transfer);
    api::start_or_skip(*entry, any, std::move(transfer), hdl);
    return 0;
}
ARMCI_ALIAS(int, ARMCI_NbAccS,
            (int, void*, void*, int[], void*, int[], int[], int, int, armci_hdl_t*), PARMCI_NbAccS);

extern "C" int PARMCI_PutS_flag(void* src_ptr, int src_stride_ar[], void* dst_ptr,
                                int dst_stride_ar[], int count[], int stride_levels, int* flag,
                                int value, int proc) {
    Entry entry("ARMCI_PutS_flag", Entry::Lock::on_demand);
    Transfer transfer;
    const bool any =
        api::make_strided(*entry, "ARMCI_PutS_flag", OpKind::put, src_ptr, src_stride_ar, dst_ptr,
                          dst_stride_ar, count, stride_levels, proc, nullptr, &transfer);
    api::put_with_flag(*entry, "ARMCI_PutS_flag", any, std::move(transfer), flag, value, proc);
    return 0;
}
ARMCI_ALIAS(int, ARMCI_PutS_flag, (void*, int[], void*, int[], int[], int, int*, int, int),
            PARMCI_PutS_flag);

extern "C" int ARMCI_PutS_flag_dir(void* src_ptr, int src_stride_ar[], void* dst_ptr,
                                   int dst_stride_ar[], int count[], int stride_levels, int* flag,
                                   int value, int proc) {
    return PARMCI_PutS_flag(src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels,
                            flag, value, proc);
}
