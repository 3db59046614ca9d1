/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Names under which older ARMCI and Global Arrays programs call their message-passing library.
 * ARMCI_INIT needs armci.h, GA_INIT needs the headers of Global Arrays.
 */
#ifndef ARMCI_MP3_H
#define ARMCI_MP3_H

#include <mpi.h>

#define MP_INIT(argc, argv) MPI_Init(&(argc), &(argv))
#define MP_FINALIZE() MPI_Finalize()
#define MP_BARRIER() MPI_Barrier(MPI_COMM_WORLD)
#define MP_PROCS(size) MPI_Comm_size(MPI_COMM_WORLD, size)
#define MP_MYID(rank) MPI_Comm_rank(MPI_COMM_WORLD, rank)
#define MP_TIMER() MPI_Wtime()

#define ARMCI_INIT(argc, argv) ARMCI_Init()
#define GA_INIT(argc, argv) GA_Initialize()

#endif
