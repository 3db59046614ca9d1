// SPDX-License-Identifier: BSD-3-Clause
// Single values.
#include "api/arguments.h"
#include "api/fast_path.h"
#include "core/routing/transfers.h"

namespace armci::api {

using core::Entry;

namespace {

template <class T>
int put_value(const char* function, T value, void* dst, int proc) {
    Entry entry(function, Entry::Lock::on_demand);
    Transfer transfer;
    const ContiguousArguments arguments{&value, dst, sizeof value, proc};
    if (make_transfer({*entry, function}, OpKind::put, arguments, nullptr, &transfer)) {
        entry->transfers.run_blocking(std::move(transfer));
    }
    return 0;
}

// The value is the callee's own copy, so it has left for the target when the call returns.
template <class T>
int start_put_value(const char* function, T value, void* dst, int proc, armci_hdl_t* hdl) {
    put_value(function, value, dst, proc);
    Entry entry(function, Entry::Lock::on_demand);
    skip(*entry, hdl);
    return 0;
}

template <class T>
T get_value(const char* function, void* src, int proc) {
    Entry entry(function, Entry::Lock::on_demand);
    T value{};
    Transfer transfer;
    const ContiguousArguments arguments{src, &value, sizeof value, proc};
    if (make_transfer({*entry, function}, OpKind::get, arguments, nullptr, &transfer)) {
        entry->transfers.run_blocking(std::move(transfer));
    }
    return value;
}

}  // namespace
}  // namespace armci::api

extern "C" int PARMCI_PutValueInt(int src, void* dst, int proc) {
    return armci::api::put_value("ARMCI_PutValueInt", src, dst, proc);
}
ARMCI_ALIAS(int, ARMCI_PutValueInt, (int, void*, int), PARMCI_PutValueInt);

extern "C" int PARMCI_NbPutValueInt(int src, void* dst, int proc, armci_hdl_t* hdl) {
    return armci::api::start_put_value("ARMCI_NbPutValueInt", src, dst, proc, hdl);
}
ARMCI_ALIAS(int, ARMCI_NbPutValueInt, (int, void*, int, armci_hdl_t*), PARMCI_NbPutValueInt);

extern "C" int PARMCI_GetValueInt(void* src, int proc) {
    return armci::api::get_value<int>("ARMCI_GetValueInt", src, proc);
}
ARMCI_ALIAS(int, ARMCI_GetValueInt, (void*, int), PARMCI_GetValueInt);

extern "C" int PARMCI_PutValueLong(long src, void* dst, int proc) {
    return armci::api::put_value("ARMCI_PutValueLong", src, dst, proc);
}
ARMCI_ALIAS(int, ARMCI_PutValueLong, (long, void*, int), PARMCI_PutValueLong);

extern "C" int PARMCI_NbPutValueLong(long src, void* dst, int proc, armci_hdl_t* hdl) {
    return armci::api::start_put_value("ARMCI_NbPutValueLong", src, dst, proc, hdl);
}
ARMCI_ALIAS(int, ARMCI_NbPutValueLong, (long, void*, int, armci_hdl_t*), PARMCI_NbPutValueLong);

extern "C" long PARMCI_GetValueLong(void* src, int proc) {
    return armci::api::get_value<long>("ARMCI_GetValueLong", src, proc);
}
ARMCI_ALIAS(long, ARMCI_GetValueLong, (void*, int), PARMCI_GetValueLong);

extern "C" int PARMCI_PutValueFloat(float src, void* dst, int proc) {
    return armci::api::put_value("ARMCI_PutValueFloat", src, dst, proc);
}
ARMCI_ALIAS(int, ARMCI_PutValueFloat, (float, void*, int), PARMCI_PutValueFloat);

extern "C" int PARMCI_NbPutValueFloat(float src, void* dst, int proc, armci_hdl_t* hdl) {
    return armci::api::start_put_value("ARMCI_NbPutValueFloat", src, dst, proc, hdl);
}
ARMCI_ALIAS(int, ARMCI_NbPutValueFloat, (float, void*, int, armci_hdl_t*), PARMCI_NbPutValueFloat);

extern "C" float PARMCI_GetValueFloat(void* src, int proc) {
    return armci::api::get_value<float>("ARMCI_GetValueFloat", src, proc);
}
ARMCI_ALIAS(float, ARMCI_GetValueFloat, (void*, int), PARMCI_GetValueFloat);

extern "C" int PARMCI_PutValueDouble(double src, void* dst, int proc) {
    return armci::api::put_value("ARMCI_PutValueDouble", src, dst, proc);
}
ARMCI_ALIAS(int, ARMCI_PutValueDouble, (double, void*, int), PARMCI_PutValueDouble);

extern "C" int PARMCI_NbPutValueDouble(double src, void* dst, int proc, armci_hdl_t* hdl) {
    return armci::api::start_put_value("ARMCI_NbPutValueDouble", src, dst, proc, hdl);
}
ARMCI_ALIAS(int, ARMCI_NbPutValueDouble, (double, void*, int, armci_hdl_t*),
            PARMCI_NbPutValueDouble);

extern "C" double PARMCI_GetValueDouble(void* src, int proc) {
    return armci::api::get_value<double>("ARMCI_GetValueDouble", src, proc);
}
ARMCI_ALIAS(double, ARMCI_GetValueDouble, (void*, int), PARMCI_GetValueDouble);
