# SPDX-License-Identifier: BSD-3-Clause
# ARMCI_MPI_NAME: what Debian calls the MPI in the names of libraries that were built with it: mpich,
# openmpi, or nothing for another.

include(CheckSymbolExists)

set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C)
check_symbol_exists(MPICH_VERSION mpi.h ARMCI_MPI_IS_MPICH)
check_symbol_exists(OPEN_MPI mpi.h ARMCI_MPI_IS_OPENMPI)
unset(CMAKE_REQUIRED_LIBRARIES)

set(ARMCI_MPI_NAME)
if(ARMCI_MPI_IS_MPICH)
    set(ARMCI_MPI_NAME mpich)
elseif(ARMCI_MPI_IS_OPENMPI)
    set(ARMCI_MPI_NAME openmpi)
endif()
