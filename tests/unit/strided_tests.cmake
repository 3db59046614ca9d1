# SPDX-License-Identifier: BSD-3-Clause
list(APPEND ARMCI_UNIT_TEST_SOURCES
    ${CMAKE_CURRENT_LIST_DIR}/strided_accumulate_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/strided_cursor_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/strided_kernels_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/strided_large_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/strided_layout_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/strided_offsets_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/strided_sides_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/strided_streaming_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/strided_wide_test.cpp)
