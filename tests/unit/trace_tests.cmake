# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of armci-trace.

armci_unit_tests_of_tool(armci_trace_parts trace_reader_test.cpp trace_summary_test.cpp)
