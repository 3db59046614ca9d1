# SPDX-License-Identifier: BSD-3-Clause
# What `cpack` makes of a build: cpack -G TGZ, DEB or RPM. The archive can be unpacked anywhere; the
# packages install where the build's CMAKE_INSTALL_PREFIX says. Programs and libraries in them have
# no debug information. debian/ and packaging/ have packages of a distribution's kind.

set(CPACK_PACKAGE_NAME armci-ofi)
set(CPACK_PACKAGE_VENDOR "the armci-ofi authors")
set(CPACK_PACKAGE_CONTACT "the armci-ofi authors <armci-ofi@address-to-be-set.invalid>")
set(CPACK_PACKAGE_DESCRIPTION "ARMCI is the one-sided communication library below Global Arrays and NWChem.
This implementation runs beside MPI and moves data over libfabric.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_RESOURCE_FILE_README ${PROJECT_SOURCE_DIR}/README.md)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_GENERATOR TGZ)
set(CPACK_STRIP_FILES ON)
# Which leaves static libraries as they are.
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_BINARY_DIR}/ArmciStripArchives.cmake)
file(CONFIGURE OUTPUT ${CPACK_PRE_BUILD_SCRIPTS} @ONLY CONTENT [[
file(GLOB_RECURSE archives "${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*.a")
execute_process(COMMAND "@CMAKE_STRIP@" --strip-debug ${archives} COMMAND_ERROR_IS_FATAL ANY)
]])
# For one MPI, so the file says which.
if(ARMCI_MPI_NAME)
    set(CPACK_PACKAGE_NAME armci-ofi-${ARMCI_MPI_NAME})
endif()
# cpack reads it once for each kind of package.
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_BINARY_DIR}/ArmciPackageKind.cmake)
file(CONFIGURE OUTPUT ${CPACK_PROJECT_CONFIG_FILE} @ONLY CONTENT [[
if(CPACK_GENERATOR MATCHES "DEB|RPM")
    set(CPACK_PACKAGING_INSTALL_PREFIX "@CMAKE_INSTALL_PREFIX@")
endif()
]])

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# What libraries of the package name is found by dpkg-shlibdeps. The static library and its CMake
# target also need what they are linked with.
set(CPACK_DEBIAN_PACKAGE_DEPENDS "libfabric-dev, libhwloc-dev")
if(ARMCI_BUILD_TOOLS)
    string(APPEND CPACK_DEBIAN_PACKAGE_DEPENDS ", python3")  # armci-plot is a script
    set(CPACK_DEBIAN_PACKAGE_RECOMMENDS python3-matplotlib)
endif()

set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_LICENSE BSD-3-Clause)
set(CPACK_RPM_PACKAGE_AUTOREQ ON)
# Directories of the system belong to its own packages.
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION
    /opt /usr/local /usr/local/bin /usr/local/include /usr/local/lib /usr/local/share
    /usr/local/share/doc /usr/local/share/man /usr/local/share/man/man1 /usr/local/share/man/man7)

include(CPack)
