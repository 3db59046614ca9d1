# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of armci-tune: the part that needs neither MPI nor ARMCI.

armci_unit_tests_of_tool(armci_tune_parts tune_fit_test.cpp tune_quality_test.cpp)
