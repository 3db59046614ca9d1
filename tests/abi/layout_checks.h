// SPDX-License-Identifier: BSD-3-Clause
// The binary interface: programs and libraries compiled against ARMCI-MPI's headers contain these
// numbers. Included by a C and by a C++ file, which define CHECK as their static assertion.
#include <armci/armci.h>
#include <armci/armcix.h>
#include <armci/message.h>
#include <stddef.h>

// An MPI_Comm is a number in MPICH and a pointer in Open MPI.
#if defined(OPEN_MPI)
#define COMM_BYTES 8
#else
#define COMM_BYTES 4
#endif

#define CHECK_FIELD(type, member, position, bytes) \
    CHECK(offsetof(type, member) == (position));   \
    CHECK(sizeof(((type*)0)->member) == (bytes))

CHECK(ARMCI_MPI == 3);
CHECK(ARMCI_MAX_STRIDE_LEVEL == 8);

CHECK(ARMCI_ACC_INT == 0);
CHECK(ARMCI_ACC_LNG == 1);
CHECK(ARMCI_ACC_FLT == 2);
CHECK(ARMCI_ACC_DBL == 3);
CHECK(ARMCI_ACC_CPL == 4);
CHECK(ARMCI_ACC_DCP == 5);
CHECK(sizeof(enum ARMCI_Acc_e) == 4);

CHECK(ARMCI_FETCH_AND_ADD == 0);
CHECK(ARMCI_FETCH_AND_ADD_LONG == 1);
CHECK(ARMCI_SWAP == 2);
CHECK(ARMCI_SWAP_LONG == 3);
CHECK(sizeof(enum ARMCI_Rmw_e) == 4);

CHECK(SCOPE_ALL == 0);
CHECK(SCOPE_NODE == 1);
CHECK(SCOPE_MASTERS == 2);
CHECK(sizeof(enum armci_scope_e) == 4);

CHECK(ARMCI_INT == 0);
CHECK(ARMCI_LONG == 1);
CHECK(ARMCI_LONG_LONG == 2);
CHECK(ARMCI_FLOAT == 3);
CHECK(ARMCI_DOUBLE == 4);
CHECK(sizeof(enum armci_type_e) == 4);

CHECK(ARMCI_DOMAIN_SMP == 0);
CHECK(sizeof(enum armci_domain_e) == 4);

CHECK(sizeof(armci_size_t) == 8);
CHECK((armci_size_t)-1 < 0);
#if !defined(OPEN_MPI)  // where it is an address
CHECK(ARMCII_MPI_SIZE_T == MPI_LONG);
#endif
CHECK(sizeof(armci_domain_t) == 4);
CHECK((armci_domain_t)-1 < 0);
CHECK(sizeof(MPI_Comm) == COMM_BYTES);

CHECK(sizeof(armci_hdl_t) == 8);
CHECK(ALIGN_OF(armci_hdl_t) == 4);
CHECK(sizeof(struct armci_hdl_s) == sizeof(armci_hdl_t));
CHECK_FIELD(armci_hdl_t, target, 0, 4);
CHECK_FIELD(armci_hdl_t, aggregate, 4, 4);

CHECK(sizeof(armci_giov_t) == 24);
CHECK(ALIGN_OF(armci_giov_t) == 8);
CHECK_FIELD(armci_giov_t, src_ptr_array, 0, 8);
CHECK_FIELD(armci_giov_t, dst_ptr_array, 8, 8);
CHECK_FIELD(armci_giov_t, bytes, 16, 4);
CHECK_FIELD(armci_giov_t, ptr_array_len, 20, 4);

CHECK(sizeof(ARMCI_Group) == 2 * COMM_BYTES + 24);
CHECK(ALIGN_OF(ARMCI_Group) == 8);
CHECK_FIELD(ARMCI_Group, comm, 0, COMM_BYTES);
CHECK_FIELD(ARMCI_Group, noncoll_pgroup_comm, COMM_BYTES, COMM_BYTES);
CHECK_FIELD(ARMCI_Group, grp_to_abs, 2 * COMM_BYTES, 8);
CHECK_FIELD(ARMCI_Group, abs_to_grp, 2 * COMM_BYTES + 8, 8);
CHECK_FIELD(ARMCI_Group, rank, 2 * COMM_BYTES + 16, 4);
CHECK_FIELD(ARMCI_Group, size, 2 * COMM_BYTES + 20, 4);

CHECK(sizeof(armcix_mutex_hdl_t) == 8);
CHECK(sizeof(armcix_mutex_hdl_t) == sizeof(struct armcix_mutex_hdl_s*));

CHECK(sizeof(armci_meminfo_t) == 1056);
CHECK(ALIGN_OF(armci_meminfo_t) == 8);
CHECK_FIELD(armci_meminfo_t, armci_addr, 0, 8);
CHECK_FIELD(armci_meminfo_t, addr, 8, 8);
CHECK_FIELD(armci_meminfo_t, size, 16, 8);
CHECK_FIELD(armci_meminfo_t, cpid, 24, 4);
CHECK_FIELD(armci_meminfo_t, idlist, 32, 1024);

CHECK(sizeof(stride_info_t) == 120);
CHECK(ALIGN_OF(stride_info_t) == 8);
CHECK_FIELD(stride_info_t, base_ptr, 0, 8);
CHECK_FIELD(stride_info_t, stride_levels, 8, 4);
CHECK_FIELD(stride_info_t, stride_arr, 12, 32);
CHECK_FIELD(stride_info_t, seg_count, 44, 36);
CHECK_FIELD(stride_info_t, size, 80, 4);
CHECK_FIELD(stride_info_t, pos, 84, 4);
CHECK_FIELD(stride_info_t, itr, 88, 32);

// Extensions of this library: released layouts do not change, members are only added at the end.
CHECK(ARMCIX_ROUTE_LOCAL == 0);
CHECK(ARMCIX_ROUTE_RMA == 1);
CHECK(ARMCIX_ROUTE_SERVER == 2);

CHECK(sizeof(armcix_counter_t) == 16);
CHECK_FIELD(armcix_counter_t, operations, 0, 8);
CHECK_FIELD(armcix_counter_t, bytes, 8, 8);

CHECK(sizeof(armcix_stats_t) == 232);
CHECK(ALIGN_OF(armcix_stats_t) == 8);
CHECK_FIELD(armcix_stats_t, put, 0, 48);
CHECK_FIELD(armcix_stats_t, get, 48, 48);
CHECK_FIELD(armcix_stats_t, acc, 96, 48);
CHECK_FIELD(armcix_stats_t, rmw, 144, 8);
CHECK_FIELD(armcix_stats_t, fences, 152, 8);
CHECK_FIELD(armcix_stats_t, messages_sent, 160, 8);
CHECK_FIELD(armcix_stats_t, chunks_sent, 168, 8);
CHECK_FIELD(armcix_stats_t, buffer_waits, 176, 8);
CHECK_FIELD(armcix_stats_t, buffer_bytes, 184, 8);
CHECK_FIELD(armcix_stats_t, buffer_high_water_bytes, 192, 8);
CHECK_FIELD(armcix_stats_t, waits, 200, 8);
CHECK_FIELD(armcix_stats_t, waits_asleep, 208, 8);
CHECK_FIELD(armcix_stats_t, server_frames, 216, 8);
CHECK_FIELD(armcix_stats_t, server_busy_ns, 224, 8);
