# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of armci-tune: the part that needs neither MPI nor ARMCI.

if(TARGET armci_tune_parts)
    list(APPEND ARMCI_UNIT_TEST_LIBRARIES armci_tune_parts)
    list(APPEND ARMCI_UNIT_TEST_SOURCES
        ${CMAKE_CURRENT_LIST_DIR}/tune_fit_test.cpp
        ${CMAKE_CURRENT_LIST_DIR}/tune_quality_test.cpp)
endif()
