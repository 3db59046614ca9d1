# SPDX-License-Identifier: BSD-3-Clause
# What `cmake --install` puts below the prefix: libraries, headers, armci.pc, the CMake package, documents.
# All of it is relocatable. Included last, when the targets exist. Its components:
#   runtime        the shared library
#   development    what programs are compiled and linked with
#   fortran        the same for programs in Fortran
#   tools          armci-info and the others, with their manual pages
#   documentation  these documents, the examples and armci(7)
# ARMCI_NAME (ArmciMpi.cmake) is in the names of all that is for one MPI.

include(CMakePackageConfigHelpers)

set(armci_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/armci)

# What a linker for C or Fortran has to be told to link C++.
set(cxx_runtime ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
list(REMOVE_ITEM cxx_runtime ${CMAKE_C_IMPLICIT_LINK_LIBRARIES})
list(FILTER cxx_runtime EXCLUDE REGEX mpi) # from mpicxx as the compiler

# ---- Libraries ----
# One export set for each library, so that a package may ship without the static one.
install(TARGETS armci_shared EXPORT ${ARMCI_NAME}-targets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        COMPONENT runtime NAMELINK_COMPONENT development
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS armci_static EXPORT ${ARMCI_NAME}-static-targets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
target_link_libraries(armci_static INTERFACE "$<INSTALL_INTERFACE:${cxx_runtime}>")

# Global Arrays of Debian asks the linker for armci-mpich or armci-openmpi; with our directory first it
# finds us.
if(ARMCI_MPI_NAME AND NOT ARMCI_MPI_IN_NAMES)
    foreach(suffix ${CMAKE_SHARED_LIBRARY_SUFFIX} ${CMAKE_STATIC_LIBRARY_SUFFIX})
        set(link ${PROJECT_BINARY_DIR}/libarmci-${ARMCI_MPI_NAME}${suffix})
        file(CREATE_LINK libarmci${suffix} ${link} SYMBOLIC)
        install(FILES ${link} DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
    endforeach()
endif()

# ---- Headers ----
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
    FILES_MATCHING PATTERN "*.h")

# ---- pkg-config ----
# A static link names the libraries themselves: libfabric.pc and hwloc.pc would add everything that
# a static libfabric and hwloc need, which nobody has installed who uses them shared.
set(private_libs ${LIBFABRIC_LDFLAGS} ${HWLOC_LDFLAGS})
foreach(library ${cxx_runtime} pthread)
    list(APPEND private_libs -l${library})
endforeach()
if(ARMCI_MPI_IS_OPENMPI)
    # Which its Fortran compiler does not name; by its path because -lmpi may find another MPI's.
    list(APPEND private_libs ${MPI_C_LIBRARIES})
endif()
list(REMOVE_DUPLICATES private_libs)
# CMake has pkg-config name folders in which every linker looks anyway; programs that name them would
# find the libraries there before those of folders that they name after them.
foreach(directory IN LISTS CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
    list(REMOVE_ITEM private_libs -L${directory})
endforeach()
list(JOIN private_libs " " ARMCI_PC_LIBS_PRIVATE)
file(RELATIVE_PATH ARMCI_PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" ARMCI_PC_PREFIX "${ARMCI_PC_PREFIX}")
# An absolute directory replaces what it is appended to.
cmake_path(APPEND ARMCI_PC_LIBDIR "\${prefix}" ${CMAKE_INSTALL_LIBDIR})
cmake_path(APPEND ARMCI_PC_INCLUDEDIR "\${prefix}" ${CMAKE_INSTALL_INCLUDEDIR})
configure_file(${PROJECT_SOURCE_DIR}/cmake/armci.pc.in ${PROJECT_BINARY_DIR}/armci.pc @ONLY)
# pkg-config leaves out folders of the system, but not when they are given relative to the file.
set(pc_prefix_line "prefix=\${pcfiledir}/${ARMCI_PC_PREFIX}")
# armci_install_pc(NAME COMPONENT): of the file NAME.pc of the build
function(armci_install_pc name component)
    string(REPLACE armci ${ARMCI_NAME} installed_name ${name})
    set(installed ${PROJECT_BINARY_DIR}/installed/${installed_name}.pc)
    install(CODE "
        file(READ [[${PROJECT_BINARY_DIR}/${name}.pc]] text)
        if(CMAKE_INSTALL_PREFIX MATCHES [[^/usr/?$]])
            string(REPLACE [[${pc_prefix_line}]] [[prefix=/usr]] text \"\${text}\")
        endif()
        file(WRITE [[${installed}]] \"\${text}\")"
        COMPONENT ${component})
    install(FILES ${installed}
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT ${component})
endfunction()
armci_install_pc(armci development)

# ---- Fortran module ----
if(ARMCI_BUILD_FORTRAN)
    install(TARGETS armci_fortran EXPORT ${ARMCI_NAME}-fortran-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT fortran)
    install(FILES ${PROJECT_BINARY_DIR}/fortran/modules/armci.mod
        DESTINATION ${ARMCI_INSTALL_MODULEDIR} COMPONENT fortran)
    cmake_path(APPEND ARMCI_PC_MODULEDIR "\${prefix}" ${ARMCI_INSTALL_MODULEDIR})
    configure_file(${PROJECT_SOURCE_DIR}/cmake/armci-fortran.pc.in
        ${PROJECT_BINARY_DIR}/armci-fortran.pc @ONLY)
    armci_install_pc(armci-fortran fortran)
    install(EXPORT ${ARMCI_NAME}-fortran-targets NAMESPACE armci::
        DESTINATION ${armci_cmake_dir} COMPONENT fortran)
endif()

# ---- CMake package ----
# Builds for several MPIs install the same armci-config.cmake, and targets of their own.
install(EXPORT ${ARMCI_NAME}-targets NAMESPACE armci::
    DESTINATION ${armci_cmake_dir} COMPONENT development)
install(EXPORT ${ARMCI_NAME}-static-targets NAMESPACE armci::
    DESTINATION ${armci_cmake_dir} COMPONENT development)
set(ARMCI_ONLY_MPI "") # what the package checks
if(NOT ARMCI_MPI_IN_NAMES)
    set(ARMCI_ONLY_MPI "${ARMCI_MPI_NAME}")
endif()
configure_package_config_file(
    ${PROJECT_SOURCE_DIR}/cmake/armci-config.cmake.in ${PROJECT_BINARY_DIR}/armci-config.cmake
    INSTALL_DESTINATION ${armci_cmake_dir}
    NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/armci-config-version.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES
    ${PROJECT_BINARY_DIR}/armci-config.cmake ${PROJECT_BINARY_DIR}/armci-config-version.cmake
    ${PROJECT_SOURCE_DIR}/cmake/ArmciMpi.cmake
    DESTINATION ${armci_cmake_dir} COMPONENT development)

# ---- Documents ----
# Messages and help texts name them as docs/NAME.md, and they each other.
install(FILES
    ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
    ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md ${PROJECT_SOURCE_DIR}/SECURITY.md
    ${PROJECT_SOURCE_DIR}/MAINTAINERS ${PROJECT_SOURCE_DIR}/LICENSE
    DESTINATION ${armci_doc_dir} COMPONENT documentation)
# The examples' CMakeLists.txt is a part of the project's.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples
    DESTINATION ${armci_doc_dir} COMPONENT documentation
    PATTERN CMakeLists.txt EXCLUDE
    PATTERN Doxyfile.in EXCLUDE
    PATTERN doxygen_filter.sh EXCLUDE)
install(FILES ${PROJECT_SOURCE_DIR}/python/README.md ${PROJECT_SOURCE_DIR}/python/tutorial.ipynb
    DESTINATION ${armci_doc_dir}/python COMPONENT documentation)
install(FILES ${PROJECT_SOURCE_DIR}/fortran/README.md
    DESTINATION ${armci_doc_dir}/fortran COMPONENT documentation)
foreach(tool armci-bench armci-info armci-plot armci-trace armci-tune)
    install(FILES ${PROJECT_SOURCE_DIR}/tools/${tool}/README.md
        DESTINATION ${armci_doc_dir}/tools/${tool} COMPONENT documentation)
endforeach()
install(CODE "
    cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_PREFIX OUTPUT_VARIABLE DOCUMENTS)
    cmake_path(APPEND DOCUMENTS [[${armci_doc_dir}]])
    set(DOCUMENTS \$ENV{DESTDIR}\${DOCUMENTS})
    include([[${PROJECT_SOURCE_DIR}/cmake/unlink_documents.cmake]])"
    COMPONENT documentation)
