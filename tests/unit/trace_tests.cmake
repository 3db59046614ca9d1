# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of armci-trace.

if(TARGET armci_trace_parts)
    list(APPEND ARMCI_UNIT_TEST_LIBRARIES armci_trace_parts)
    list(APPEND ARMCI_UNIT_TEST_SOURCES
        ${CMAKE_CURRENT_LIST_DIR}/trace_reader_test.cpp
        ${CMAKE_CURRENT_LIST_DIR}/trace_summary_test.cpp)
endif()
