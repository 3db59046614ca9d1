// SPDX-License-Identifier: BSD-3-Clause
// Every public function that a profiling tool may define itself, with the twin it then calls.
// Columns: X(result, name, twin, parameters, arguments)
#pragma once

// clang-format off
#define ARMCI_INTERPOSED_CALLS(X) \
    X(int, ARMCI_Init, PARMCI_Init, (void), ()) \
    X(int, ARMCI_Init_args, PARMCI_Init_args, (int* argc, char*** argv), (argc, argv)) \
    X(int, ARMCI_Init_thread, PARMCI_Init_thread, (int armci_requested), (armci_requested)) \
    X(int, ARMCI_Init_thread_comm, PARMCI_Init_thread_comm, (int armci_requested, MPI_Comm comm), (armci_requested, comm)) \
    X(int, ARMCI_Init_mpi_comm, PARMCI_Init_mpi_comm, (MPI_Comm comm), (comm)) \
    X(int, ARMCI_Initialized, PARMCI_Initialized, (void), ()) \
    X(int, ARMCI_Finalize, PARMCI_Finalize, (void), ()) \
    X(int, ARMCI_Malloc, PARMCI_Malloc, (void** base_ptrs, armci_size_t bytes), (base_ptrs, bytes)) \
    X(int, ARMCI_Free, PARMCI_Free, (void* ptr), (ptr)) \
    X(void*, ARMCI_Malloc_local, PARMCI_Malloc_local, (armci_size_t bytes), (bytes)) \
    X(int, ARMCI_Free_local, PARMCI_Free_local, (void* ptr), (ptr)) \
    X(int, ARMCI_Malloc_memdev, PARMCI_Malloc_memdev, (void** base_ptrs, armci_size_t bytes, const char* device), (base_ptrs, bytes, device)) \
    X(int, ARMCI_Malloc_group_memdev, PARMCI_Malloc_group_memdev, (void** base_ptrs, armci_size_t bytes, ARMCI_Group* group, const char* device), (base_ptrs, bytes, group, device)) \
    X(int, ARMCI_Free_memdev, PARMCI_Free_memdev, (void* ptr), (ptr)) \
    X(void, ARMCI_Access_begin, PARMCI_Access_begin, (void* ptr), (ptr)) \
    X(void, ARMCI_Access_end, PARMCI_Access_end, (void* ptr), (ptr)) \
    X(int, ARMCI_Put, PARMCI_Put, (void* src, void* dst, int bytes, int proc), (src, dst, bytes, proc)) \
    X(int, ARMCI_Get, PARMCI_Get, (void* src, void* dst, int bytes, int proc), (src, dst, bytes, proc)) \
    X(int, ARMCI_Acc, PARMCI_Acc, (int datatype, void* scale, void* src, void* dst, int bytes, int proc), (datatype, scale, src, dst, bytes, proc)) \
    X(int, ARMCI_Put_flag, PARMCI_Put_flag, (void* src, void* dst, int bytes, int* flag, int value, int proc), (src, dst, bytes, flag, value, proc)) \
    X(int, ARMCI_PutS, PARMCI_PutS, (void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[], int count[], int stride_levels, int proc), (src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, proc)) \
    X(int, ARMCI_GetS, PARMCI_GetS, (void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[], int count[], int stride_levels, int proc), (src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, proc)) \
    X(int, ARMCI_AccS, PARMCI_AccS, (int datatype, void* scale, void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[], int count[], int stride_levels, int proc), (datatype, scale, src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, proc)) \
    X(int, ARMCI_PutS_flag, PARMCI_PutS_flag, (void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[], int count[], int stride_levels, int* flag, int value, int proc), (src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, flag, value, proc)) \
    X(int, ARMCI_PutV, PARMCI_PutV, (armci_giov_t* iov, int iov_len, int proc), (iov, iov_len, proc)) \
    X(int, ARMCI_GetV, PARMCI_GetV, (armci_giov_t* iov, int iov_len, int proc), (iov, iov_len, proc)) \
    X(int, ARMCI_AccV, PARMCI_AccV, (int datatype, void* scale, armci_giov_t* iov, int iov_len, int proc), (datatype, scale, iov, iov_len, proc)) \
    X(int, ARMCI_NbPut, PARMCI_NbPut, (void* src, void* dst, int bytes, int proc, armci_hdl_t* hdl), (src, dst, bytes, proc, hdl)) \
    X(int, ARMCI_NbGet, PARMCI_NbGet, (void* src, void* dst, int bytes, int proc, armci_hdl_t* hdl), (src, dst, bytes, proc, hdl)) \
    X(int, ARMCI_NbAcc, PARMCI_NbAcc, (int datatype, void* scale, void* src, void* dst, int bytes, int proc, armci_hdl_t* hdl), (datatype, scale, src, dst, bytes, proc, hdl)) \
    X(int, ARMCI_NbPutS, PARMCI_NbPutS, (void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[], int count[], int stride_levels, int proc, armci_hdl_t* hdl), (src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, proc, hdl)) \
    X(int, ARMCI_NbGetS, PARMCI_NbGetS, (void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[], int count[], int stride_levels, int proc, armci_hdl_t* hdl), (src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, proc, hdl)) \
    X(int, ARMCI_NbAccS, PARMCI_NbAccS, (int datatype, void* scale, void* src_ptr, int src_stride_ar[], void* dst_ptr, int dst_stride_ar[], int count[], int stride_levels, int proc, armci_hdl_t* hdl), (datatype, scale, src_ptr, src_stride_ar, dst_ptr, dst_stride_ar, count, stride_levels, proc, hdl)) \
    X(int, ARMCI_NbPutV, PARMCI_NbPutV, (armci_giov_t* iov, int iov_len, int proc, armci_hdl_t* hdl), (iov, iov_len, proc, hdl)) \
    X(int, ARMCI_NbGetV, PARMCI_NbGetV, (armci_giov_t* iov, int iov_len, int proc, armci_hdl_t* hdl), (iov, iov_len, proc, hdl)) \
    X(int, ARMCI_NbAccV, PARMCI_NbAccV, (int datatype, void* scale, armci_giov_t* iov, int iov_len, int proc, armci_hdl_t* hdl), (datatype, scale, iov, iov_len, proc, hdl)) \
    X(int, ARMCI_Wait, PARMCI_Wait, (armci_hdl_t* hdl), (hdl)) \
    X(int, ARMCI_Test, PARMCI_Test, (armci_hdl_t* hdl), (hdl)) \
    X(int, ARMCI_WaitProc, PARMCI_WaitProc, (int proc), (proc)) \
    X(int, ARMCI_WaitAll, PARMCI_WaitAll, (void), ()) \
    X(int, ARMCI_PutValueInt, PARMCI_PutValueInt, (int src, void* dst, int proc), (src, dst, proc)) \
    X(int, ARMCI_PutValueLong, PARMCI_PutValueLong, (long src, void* dst, int proc), (src, dst, proc)) \
    X(int, ARMCI_PutValueFloat, PARMCI_PutValueFloat, (float src, void* dst, int proc), (src, dst, proc)) \
    X(int, ARMCI_PutValueDouble, PARMCI_PutValueDouble, (double src, void* dst, int proc), (src, dst, proc)) \
    X(int, ARMCI_NbPutValueInt, PARMCI_NbPutValueInt, (int src, void* dst, int proc, armci_hdl_t* hdl), (src, dst, proc, hdl)) \
    X(int, ARMCI_NbPutValueLong, PARMCI_NbPutValueLong, (long src, void* dst, int proc, armci_hdl_t* hdl), (src, dst, proc, hdl)) \
    X(int, ARMCI_NbPutValueFloat, PARMCI_NbPutValueFloat, (float src, void* dst, int proc, armci_hdl_t* hdl), (src, dst, proc, hdl)) \
    X(int, ARMCI_NbPutValueDouble, PARMCI_NbPutValueDouble, (double src, void* dst, int proc, armci_hdl_t* hdl), (src, dst, proc, hdl)) \
    X(int, ARMCI_GetValueInt, PARMCI_GetValueInt, (void* src, int proc), (src, proc)) \
    X(long, ARMCI_GetValueLong, PARMCI_GetValueLong, (void* src, int proc), (src, proc)) \
    X(float, ARMCI_GetValueFloat, PARMCI_GetValueFloat, (void* src, int proc), (src, proc)) \
    X(double, ARMCI_GetValueDouble, PARMCI_GetValueDouble, (void* src, int proc), (src, proc)) \
    X(void, ARMCI_Fence, PARMCI_Fence, (int proc), (proc)) \
    X(void, ARMCI_AllFence, PARMCI_AllFence, (void), ()) \
    X(void, ARMCI_Barrier, PARMCI_Barrier, (void), ()) \
    X(int, ARMCI_Rmw, PARMCI_Rmw, (int op, void* ploc, void* prem, int value, int proc), (op, ploc, prem, value, proc)) \
    X(int, ARMCI_Create_mutexes, PARMCI_Create_mutexes, (int count), (count)) \
    X(int, ARMCI_Destroy_mutexes, PARMCI_Destroy_mutexes, (void), ()) \
    X(void, ARMCI_Lock, PARMCI_Lock, (int mutex, int proc), (mutex, proc)) \
    X(void, ARMCI_Unlock, PARMCI_Unlock, (int mutex, int proc), (mutex, proc)) \
    X(int, armci_notify, parmci_notify, (int proc), (proc)) \
    X(int, armci_notify_wait, parmci_notify_wait, (int proc, int* pval), (proc, pval)) \
    X(void, armci_msg_barrier, parmci_msg_barrier, (void), ()) \
    X(void, armci_msg_group_barrier, parmci_msg_group_barrier, (ARMCI_Group* group), (group))
// clang-format on
