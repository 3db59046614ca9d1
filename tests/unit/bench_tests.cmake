# SPDX-License-Identifier: BSD-3-Clause
# Unit tests of armci-bench: the parts that need neither MPI nor ARMCI.

armci_unit_tests_of_tool(armci_bench_parts
    bench_check_test.cpp
    bench_comparison_test.cpp
    bench_distribution_test.cpp
    bench_json_test.cpp
    bench_options_test.cpp
    bench_overlap_test.cpp
    bench_quantity_test.cpp
    bench_shape_test.cpp
    tools_progress_test.cpp
    tools_statistics_test.cpp)

# The program itself: every operation once, with its data checked, in the ways ranks can take part.
if(TARGET armci-bench)
    function(armci_add_bench_test name rank_count)
        add_test(NAME armci-bench.${name}
            COMMAND ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${rank_count}
                $<TARGET_FILE:armci-bench> --sizes 8,10000 --runs 8,1000 --dims 1,2,3 --segments 5
                --repeat 1 --min-time 0 --window 8 --busy-limit ${ARMCI_TEST_JOB_LIMIT_S} ${ARGN})
        set_tests_properties(armci-bench.${name} PROPERTIES
            TIMEOUT ${ARMCI_TEST_LIMIT_S} PROCESSORS ${rank_count} LABELS bench)
    endfunction()
    armci_add_bench_test(one_rank 1 --ops contiguous,strided,vector,rmw,sync)
    armci_add_bench_test(one_on_last 3 --ops all)
    armci_add_bench_test(pairs 4 --ops contiguous,strided,vector,rmw,fence,barrier --pattern pair --target-wait armci --handles explicit)
    armci_add_bench_test(all_at_once 3 --ops contiguous,strided,vector,rmw,sync --pattern all
        --handles aggregate --type complex --local dense --local-memory malloc)
    set_tests_properties(armci-bench.all_at_once PROPERTIES LABELS "bench;nightly")
    armci_add_bench_test(busy_target 2 --ops contiguous,strided,vector,rmw,sync --target-busy)
    armci_add_bench_test(busy_target_of_other_node 2
        --ops contiguous,strided,vector,rmw,sync --target-busy)
    armci_add_bench_test(sleeping_target_of_other_node 2
        --ops strided,vector,rmw --segment-order mixed --target-wait asleep)
    armci_add_bench_test(compared_with_other_node 2
        --ops contiguous,strided,rmw,mpi-pack,raw --interleave
        --modes latency,stream,window,latency-serial,stream-serial)
    armci_add_bench_test(working_set 2 --ops contiguous,strided,vector,raw,overlap
        --modes latency,stream,window --working-set 300K --place-order mixed)
    armci_add_bench_test(working_set_on_other_node 2 --ops contiguous,strided,vector,raw,overlap
        --modes latency,stream,window --working-set 30K --place-order mixed)
    armci_add_bench_test(fairness 3 --ops fairness --hold 1)
    armci_add_bench_test(raw_target_sleeps 2 --ops rmw,raw --raw-peer wait)
    armci_add_bench_test(overlap_with_other_node 2 --ops overlap,overlap-strided --interleave)
    set_tests_properties(armci-bench.busy_target_of_other_node
        armci-bench.sleeping_target_of_other_node
        armci-bench.working_set_on_other_node
        armci-bench.compared_with_other_node armci-bench.raw_target_sleeps
        armci-bench.overlap_with_other_node
        PROPERTIES ENVIRONMENT ARMCI_NODE_SIZE=1)
endif()

find_package(Python3 COMPONENTS Interpreter)
if(Python3_FOUND)
    add_test(NAME compare_script
        COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/benchmarks/compare/ratios_test.py)
    add_test(NAME compare_versions_script
        COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/benchmarks/compare/versions_test.py)
    add_test(NAME count_misses_script COMMAND ${Python3_EXECUTABLE}
        ${PROJECT_SOURCE_DIR}/benchmarks/transfer_mechanisms/count_misses_test.py)
    add_test(NAME overlap_script COMMAND ${Python3_EXECUTABLE}
        ${PROJECT_SOURCE_DIR}/benchmarks/studies/overlap/overlap_test.py)
    set_tests_properties(count_misses_script overlap_script PROPERTIES
        TIMEOUT ${ARMCI_TEST_LIMIT_S} LABELS "bench;nightly")
    # 77: there is no matplotlib.
    add_test(NAME tools.armci-plot
        COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/armci-plot/armci_plot_test.py)
    set_tests_properties(tools.armci-plot PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT ${ARMCI_TEST_LIMIT_S} LABELS "bench;nightly")
endif()
