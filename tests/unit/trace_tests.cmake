# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of armci-trace.

set(trace_test_sources
    ${PROJECT_SOURCE_DIR}/tools/armci-trace/event_reader.cpp
    ${PROJECT_SOURCE_DIR}/tools/armci-trace/html.cpp
    ${PROJECT_SOURCE_DIR}/tools/armci-trace/json.cpp
    ${PROJECT_SOURCE_DIR}/tools/armci-trace/json_scanner.cpp
    ${PROJECT_SOURCE_DIR}/tools/armci-trace/plots.cpp
    ${PROJECT_SOURCE_DIR}/tools/armci-trace/selection.cpp
    ${PROJECT_SOURCE_DIR}/tools/armci-trace/summary.cpp
    ${PROJECT_SOURCE_DIR}/tools/armci-trace/text.cpp
    ${CMAKE_CURRENT_LIST_DIR}/trace_reader_test.cpp
    ${CMAKE_CURRENT_LIST_DIR}/trace_summary_test.cpp)
set_source_files_properties(${trace_test_sources}
    PROPERTIES INCLUDE_DIRECTORIES ${PROJECT_SOURCE_DIR}/tools
    SKIP_UNITY_BUILD_INCLUSION ON)
list(APPEND ARMCI_UNIT_TEST_SOURCES ${trace_test_sources})
