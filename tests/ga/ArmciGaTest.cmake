# SPDX-License-Identifier: BSD-3-Clause
# Functions that declare the tests with Global Arrays.
#
#   armci_ga_program(<name> <source>...)
#       Builds ga_<name>_static and ga_<name>_shared: objects, libga-MPI.a and libarmci, linked with
#       libarmci.a and libarmci.so, and adds the tests ga.link.<name>_static and _shared.
#
#   armci_ga_run(<name> KIND static|shared NP <ranks>... [CONFIGS <config>...] [ARGS <argument>...]
#                [VARIANT <word>] [ENVIRONMENT NAME=value...] [LABELS <label>...])
#       Adds a test ga.<name>.<kind>[np=<ranks>,<config>] for each number of ranks and configuration.
#       A configuration is written as for multi-rank tests (ArmciMpTest.cmake); by default "node=all".
#       VARIANT goes into the name: ga.<name>.<kind>.<variant>[…].

include(${CMAKE_CURRENT_LIST_DIR}/../mp/ArmciMpTest.cmake)

function(armci_ga_program name)
    add_library(ga_${name}_objects OBJECT ${ARGN})
    target_include_directories(ga_${name}_objects PRIVATE
        ${CMAKE_CURRENT_SOURCE_DIR} ${ARMCI_GA_INCLUDE_DIR})
    # Global Arrays was compiled with Fortran integers of 8 bytes.
    target_compile_options(ga_${name}_objects PRIVATE
        $<$<COMPILE_LANGUAGE:Fortran>:-fdefault-integer-8>)
    if(NOT ARGN MATCHES "F90$")
        target_link_libraries(ga_${name}_objects PRIVATE armci_build_flags MPI::MPI_C)
    endif()
    foreach(kind static shared)
        set(program ga_${name}_${kind})
        add_executable(${program} $<TARGET_OBJECTS:ga_${name}_objects>)
        # The order in which README.md tells users to name them.
        target_link_libraries(${program} PRIVATE
            ga_support ${ARMCI_GA_LIBRARY} armci_${kind} ${ARMCI_GA_LINEAR_ALGEBRA} gfortran m)
        set_target_properties(${program} PROPERTIES LINKER_LANGUAGE CXX)
        add_test(NAME ga.link.${name}_${kind}
            COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/check_link.sh ${kind}
                $<TARGET_FILE:${program}> $<TARGET_FILE:armci_shared>)
        set_tests_properties(ga.link.${name}_${kind} PROPERTIES
            ENVIRONMENT "NM=${CMAKE_NM}" LABELS ga TIMEOUT ${ARMCI_TEST_LIMIT_S} RUN_SERIAL TRUE)
    endforeach()
endfunction()

function(armci_ga_run name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "KIND;VARIANT" "NP;CONFIGS;ARGS;ENVIRONMENT;LABELS")
    if(NOT arg_CONFIGS)
        set(arg_CONFIGS "node=all")
    endif()
    set(family ga.${name}.${arg_KIND})
    if(arg_VARIANT)
        string(APPEND family .${arg_VARIANT})
    endif()
    foreach(config IN LISTS arg_CONFIGS)
        armci_mp_environment("${config}" environment)
        foreach(np IN LISTS arg_NP)
            set(test "${family}[np=${np},${config}]")
            add_test(NAME "${test}" COMMAND
                ${CMAKE_CURRENT_SOURCE_DIR}/run_job.sh
                ${ARMCI_TIMEOUT_PROGRAM} --kill-after=5 ${ARMCI_TEST_JOB_LIMIT_S}
                ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${np} ${MPIEXEC_PREFLAGS}
                $<TARGET_FILE:ga_${name}_${arg_KIND}> ${arg_ARGS})
            set_tests_properties("${test}" PROPERTIES
                ENVIRONMENT "${environment};${arg_ENVIRONMENT}"
                LABELS "ga;${arg_LABELS}" TIMEOUT ${ARMCI_TEST_LIMIT_S} RUN_SERIAL TRUE)
        endforeach()
    endforeach()
endfunction()
