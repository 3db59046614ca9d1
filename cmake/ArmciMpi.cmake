# SPDX-License-Identifier: BSD-3-Clause
# Which MPI the target MPI::MPI_C is. Also a part of the CMake package armci.
#   ARMCI_MPI_NAME  mpich or openmpi, as in Debian's names of libraries that were built with it; abi for
#                   the standard binary interface of MPI 5; nothing for another
include(CheckSymbolExists)
include(CMakePushCheckState)

# The answers are of this MPI; the user may have chosen another one since.
get_target_property(armci_mpi_folders MPI::MPI_C INTERFACE_INCLUDE_DIRECTORIES)
if(NOT "${ARMCI_MPI_FOLDERS}" STREQUAL "${armci_mpi_folders}")
    unset(ARMCI_MPI_IS_ABI CACHE)
    unset(ARMCI_MPI_IS_MPICH CACHE)
    unset(ARMCI_MPI_IS_OPENMPI CACHE)
endif()
set(ARMCI_MPI_FOLDERS "${armci_mpi_folders}" CACHE INTERNAL "")

cmake_push_check_state(RESET)
set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_C)
# The header of the standard interface says so, and nothing of the MPI that brings it.
check_symbol_exists(MPI_ABI_VERSION mpi.h ARMCI_MPI_IS_ABI)
check_symbol_exists(MPICH_VERSION mpi.h ARMCI_MPI_IS_MPICH)
check_symbol_exists(OPEN_MPI mpi.h ARMCI_MPI_IS_OPENMPI)
cmake_pop_check_state()

set(ARMCI_MPI_NAME)
if(ARMCI_MPI_IS_ABI)
    set(ARMCI_MPI_NAME abi)
elseif(ARMCI_MPI_IS_MPICH)
    set(ARMCI_MPI_NAME mpich)
elseif(ARMCI_MPI_IS_OPENMPI)
    set(ARMCI_MPI_NAME openmpi)
endif()
