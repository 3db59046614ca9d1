# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of armci-tune: the part that needs neither MPI nor ARMCI.

set(tune_test_sources
    ${PROJECT_SOURCE_DIR}/tools/armci-tune/fit.cpp
    ${PROJECT_SOURCE_DIR}/tools/armci-tune/quality.cpp
    ${CMAKE_CURRENT_LIST_DIR}/tune_fit_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/tune_quality_test.cpp)
set_source_files_properties(${tune_test_sources}
    PROPERTIES INCLUDE_DIRECTORIES ${PROJECT_SOURCE_DIR}/tools)
list(APPEND ARMCI_UNIT_TEST_SOURCES ${tune_test_sources})
