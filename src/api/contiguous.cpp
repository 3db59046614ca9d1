// SPDX-License-Identifier: BSD-3-Clause
// Contiguous put, get and accumulate, blocking and not, and the put with a flag.
#include "api/transfer_calls.h"

using armci::api::AccArguments;
using armci::api::ContiguousArguments;
using armci::base::OpKind;
namespace api = armci::api;

extern "C" int PARMCI_Put(void* src, void* dst, int bytes, int proc) {
    return api::run<OpKind::put>("ARMCI_Put", ContiguousArguments{src, dst, bytes, proc});
}
ARMCI_ALIAS(int, ARMCI_Put, (void*, void*, int, int), PARMCI_Put);

extern "C" int PARMCI_Get(void* src, void* dst, int bytes, int proc) {
    return api::run<OpKind::get>("ARMCI_Get", ContiguousArguments{src, dst, bytes, proc});
}
ARMCI_ALIAS(int, ARMCI_Get, (void*, void*, int, int), PARMCI_Get);

extern "C" int PARMCI_Acc(int datatype, void* scale, void* src, void* dst, int bytes, int proc) {
    return api::run<OpKind::acc>("ARMCI_Acc", ContiguousArguments{src, dst, bytes, proc},
                                 AccArguments{datatype, scale});
}
ARMCI_ALIAS(int, ARMCI_Acc, (int, void*, void*, void*, int, int), PARMCI_Acc);

extern "C" int PARMCI_NbPut(void* src, void* dst, int bytes, int proc, armci_hdl_t* hdl) {
    return api::start<OpKind::put>("ARMCI_NbPut", hdl, ContiguousArguments{src, dst, bytes, proc});
}
ARMCI_ALIAS(int, ARMCI_NbPut, (void*, void*, int, int, armci_hdl_t*), PARMCI_NbPut);

extern "C" int PARMCI_NbGet(void* src, void* dst, int bytes, int proc, armci_hdl_t* hdl) {
    return api::start<OpKind::get>("ARMCI_NbGet", hdl, ContiguousArguments{src, dst, bytes, proc});
}
ARMCI_ALIAS(int, ARMCI_NbGet, (void*, void*, int, int, armci_hdl_t*), PARMCI_NbGet);

extern "C" int PARMCI_NbAcc(int datatype, void* scale, void* src, void* dst, int bytes, int proc,
                            armci_hdl_t* hdl) {
    return api::start<OpKind::acc>("ARMCI_NbAcc", hdl, ContiguousArguments{src, dst, bytes, proc},
                                   AccArguments{datatype, scale});
}
ARMCI_ALIAS(int, ARMCI_NbAcc, (int, void*, void*, void*, int, int, armci_hdl_t*), PARMCI_NbAcc);

extern "C" int PARMCI_Put_flag(void* src, void* dst, int bytes, int* flag, int value, int proc) {
    return api::put_with_flag("ARMCI_Put_flag", ContiguousArguments{src, dst, bytes, proc},
                              {flag, value});
}
ARMCI_ALIAS(int, ARMCI_Put_flag, (void*, void*, int, int*, int, int), PARMCI_Put_flag);
