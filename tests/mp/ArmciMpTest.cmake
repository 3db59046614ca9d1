# SPDX-License-Identifier: BSD-3-Clause
# Functions that declare multi-rank tests.
#
#   armci_mp_program(<name> SOURCES <file>... [OWN_MAIN] [SHARED])
#       Builds mp_<name> from tests and the harness, linked with the static library (SHARED: with the
#       shared one). OWN_MAIN: one of the sources has main().
#
#   armci_mp_run(<name> NP <ranks>... CONFIGS <config>... [FILTER <gtest filter>] [VARIANT <word>]
#                [BESIDE <name>] [LABELS <label>...] [MAY_WARN])
#       Adds a test mp.<name>[np=<ranks>,<config>] for each number of ranks and each configuration.
#       VARIANT makes a second family of tests from one program: mp.<name>.<variant>[…].
#       BESIDE: only rank 0 runs this program, the others that one.
#       A warning or error of the library fails the test even if the program succeeds; MAY_WARN
#       allows warnings.
#
# A configuration is a list "key=value,key=value" of
#       node      ranks per node, or all                              ARMCI_NODE_SIZE
#       route     auto, rma, server, alternate                        ARMCI_ROUTE
#       provider  tcp, shm, sockets, net, rxd (see below)             ARMCI_PROVIDER
#       rails     number, all on loopback                             ARMCI_INTERFACE
#       order     auto, none                                          ARMCI_RMA_ORDER
#       effort    low, normal, high                                   TEST_EFFORT
#       buffers   number                                              ARMCI_BUFFER_COUNT
#       bytes     number                                              ARMCI_BUFFER_SIZE
#       recv      number                                              ARMCI_RECV_BUFFER_COUNT
#       servers   number                                              ARMCI_SERVERS_PER_NODE
#       byput     bytes                                               ARMCI_GET_BY_PUT_MIN
#       inplace   bytes                                               ARMCI_IN_PLACE_MIN
#       mail      number                                              ARMCI_MAILBOXES
#       poll      auto, spin, wait                                    ARMCI_SERVER_POLL
#       thread    0, 1                                                ARMCI_PROGRESS_THREAD
#       spin      microseconds                                        ARMCI_WAIT_SPIN_US
#       serverspin microseconds                                       ARMCI_SERVER_SPIN_US
#       finalize  seconds                                             ARMCI_FINALIZE_TIMEOUT_SECONDS
#       engine    none, thread, dsa-twin                              ARMCI_COPY_ENGINE
#       enginemin bytes                                               ARMCI_COPY_ENGINE_MIN
#       populate  bytes                                               ARMCI_POPULATE_MIN
#       zeros     0, 1                                                ARMCI_DEBUG_ALLOC
#       faults    storm, mrlocal, … (see below)                       ARMCI_FAULTS
#       memory    global (default), attached                          TEST_MEMORY
#       check     1                                                   ARMCI_CHECK
#       init      thread (default), plain                             TEST_INIT
#       domains   process, node                                       ARMCI_DOMAINS
# Labels of a test: mp, its route and provider (or "local" on one node), its faults, and those given.

# The provider between nodes of TCP networks is called differently in old and new libfabric; "net"
# has become the new "tcp".
if(LIBFABRIC_VERSION VERSION_LESS 1.18)
    set(ARMCI_MP_provider_tcp "tcp\\;ofi_rxm")
    set(ARMCI_MP_provider_net "net")
else()
    set(ARMCI_MP_provider_tcp "tcp")
    set(ARMCI_MP_provider_net "tcp")
endif()
set(ARMCI_MP_provider_shm "shm")
set(ARMCI_MP_provider_sockets "sockets")
set(ARMCI_MP_provider_rxd "udp\\;ofi_rxd")

# Half of the posts refused; a provider that wants local memory registered; the same with other keys
# on each rail, which all transfers take; the same where only their order with messages tells that
# writes have arrived; room for the library's own memory and little more; room for the library's own
# memory, but not for global memory. The last two are warned about.
set(ARMCI_MP_faults_storm "eagain=1/2,burst=2")
set(ARMCI_MP_faults_mrlocal "mr_local")
set(ARMCI_MP_faults_railkeys "mr_local,rail_keys,rails_short")
set(ARMCI_MP_faults_railorder "mr_local,rail_keys,rails_short,no_delivery")
set(ARMCI_MP_faults_locked "mr_local,mr_count=8,mr_refused=local")
set(ARMCI_MP_faults_unreachable "mr_count=0,mr_refused=remote")

set(ARMCI_MP_VARIABLE_node ARMCI_NODE_SIZE)
set(ARMCI_MP_VARIABLE_route ARMCI_ROUTE)
set(ARMCI_MP_VARIABLE_provider ARMCI_PROVIDER)
set(ARMCI_MP_rails_2 "lo,lo")
set(ARMCI_MP_rails_3 "lo,lo,lo")

set(ARMCI_MP_VARIABLE_rails ARMCI_INTERFACE)
set(ARMCI_MP_VARIABLE_order ARMCI_RMA_ORDER)
set(ARMCI_MP_VARIABLE_effort TEST_EFFORT)
set(ARMCI_MP_VARIABLE_buffers ARMCI_BUFFER_COUNT)
set(ARMCI_MP_VARIABLE_bytes ARMCI_BUFFER_SIZE)
set(ARMCI_MP_VARIABLE_recv ARMCI_RECV_BUFFER_COUNT)
set(ARMCI_MP_VARIABLE_servers ARMCI_SERVERS_PER_NODE)
set(ARMCI_MP_VARIABLE_byput ARMCI_GET_BY_PUT_MIN)
set(ARMCI_MP_VARIABLE_inplace ARMCI_IN_PLACE_MIN)
set(ARMCI_MP_VARIABLE_mail ARMCI_MAILBOXES)
set(ARMCI_MP_VARIABLE_poll ARMCI_SERVER_POLL)
set(ARMCI_MP_VARIABLE_thread ARMCI_PROGRESS_THREAD)
set(ARMCI_MP_VARIABLE_spin ARMCI_WAIT_SPIN_US)
set(ARMCI_MP_VARIABLE_serverspin ARMCI_SERVER_SPIN_US)
set(ARMCI_MP_VARIABLE_finalize ARMCI_FINALIZE_TIMEOUT_SECONDS)
set(ARMCI_MP_VARIABLE_zeros ARMCI_DEBUG_ALLOC)
set(ARMCI_MP_VARIABLE_engine ARMCI_COPY_ENGINE)
set(ARMCI_MP_VARIABLE_enginemin ARMCI_COPY_ENGINE_MIN)
set(ARMCI_MP_VARIABLE_populate ARMCI_POPULATE_MIN)
set(ARMCI_MP_VARIABLE_faults ARMCI_FAULTS)
set(ARMCI_MP_VARIABLE_memory TEST_MEMORY)
set(ARMCI_MP_VARIABLE_check ARMCI_CHECK)
set(ARMCI_MP_VARIABLE_init TEST_INIT)
set(ARMCI_MP_VARIABLE_domains ARMCI_DOMAINS)

find_program(ARMCI_TIMEOUT_PROGRAM timeout REQUIRED)
mark_as_advanced(ARMCI_TIMEOUT_PROGRAM)

function(armci_mp_program name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "OWN_MAIN;SHARED" "" "SOURCES")
    if(NOT arg_OWN_MAIN)
        list(APPEND arg_SOURCES support/main.cpp)
    endif()
    add_executable(mp_${name} ${arg_SOURCES})
    target_link_libraries(mp_${name} PRIVATE
        ${ARMCI_SANITIZER_OBJECTS} armci_mp_support $<IF:$<BOOL:${arg_SHARED}>,armci_shared,armci_static>)
    target_precompile_headers(mp_${name} REUSE_FROM armci_mp_support)
    set_target_properties(mp_${name} PROPERTIES UNITY_BUILD ON)
endfunction()

# The environment of a configuration, as a list for the ENVIRONMENT property.
function(armci_mp_environment config result)
    # Later settings of a variable win over these.
    set(environment ARMCI_NODE_SIZE=0 ARMCI_ROUTE=auto ARMCI_RMA_ORDER=auto TEST_EFFORT=normal
        TEST_MEMORY=global TEST_INIT=thread
        ${ARMCI_SANITIZER_ENVIRONMENT})
    string(REPLACE "," ";" settings "${config}")
    foreach(setting IN LISTS settings)
        string(REGEX MATCH "^([a-z]+)=([a-z0-9-]+)$" matched "${setting}")
        set(key ${CMAKE_MATCH_1})
        set(value ${CMAKE_MATCH_2})
        if(NOT matched OR NOT DEFINED ARMCI_MP_VARIABLE_${key})
            message(FATAL_ERROR "${setting} in ${config} is no setting of a multi-rank test")
        endif()
        if(setting STREQUAL "node=all")
            set(value 0)
        elseif(key MATCHES "^(provider|faults|rails)$")
            if(NOT DEFINED ARMCI_MP_${key}_${value})
                message(FATAL_ERROR "unknown ${key} ${value} in ${config}")
            endif()
            set(value "${ARMCI_MP_${key}_${value}}")
        endif()
        list(APPEND environment "${ARMCI_MP_VARIABLE_${key}}=${value}")
    endforeach()
    if(ARMCI_SANITIZE)
        list(APPEND environment TEST_EFFORT=low)
    endif()
    set(${result} "${environment}" PARENT_SCOPE)
endfunction()

# The labels that follow from a configuration.
function(armci_mp_labels config result)
    set(labels mp)
    foreach(key route provider faults memory)
        if(config MATCHES "${key}=([a-z0-9]+)")
            list(APPEND labels ${CMAKE_MATCH_1})
        endif()
    endforeach()
    if(NOT config MATCHES "route=")
        list(APPEND labels local)
    endif()
    set(${result} "${labels}" PARENT_SCOPE)
endfunction()

function(armci_mp_run program)
    cmake_parse_arguments(PARSE_ARGV 1 arg "MAY_WARN" "FILTER;VARIANT;BESIDE" "NP;CONFIGS;LABELS")
    set(family mp.${program})
    if(arg_VARIANT)
        string(APPEND family .${arg_VARIANT})
    endif()
    foreach(sanitizer asan tsan)
        if(${sanitizer} IN_LIST arg_LABELS)
            add_dependencies(armci_${sanitizer}_tests mp_${program})
        endif()
    endforeach()
    set(unexpected "ARMCI (Warning|Error):")
    if(arg_MAY_WARN)
        set(unexpected "ARMCI Error:")
    endif()
    set(program_arguments)
    if(arg_FILTER)
        set(program_arguments "--gtest_filter=${arg_FILTER}")
    endif()
    foreach(config IN LISTS arg_CONFIGS)
        armci_mp_environment("${config}" environment)
        armci_mp_labels("${config}" labels)
        foreach(np IN LISTS arg_NP)
            set(test "${family}[np=${np},${config}]")
            set(ranks ${np})
            set(others)
            if(arg_BESIDE)
                math(EXPR other_ranks "${np} - 1")
                set(ranks 1)
                set(others : ${MPIEXEC_NUMPROC_FLAG} ${other_ranks}
                    $<TARGET_FILE:mp_${arg_BESIDE}> ${program_arguments})
            endif()
            add_test(NAME "${test}" COMMAND
                ${ARMCI_TIMEOUT_PROGRAM} --kill-after=5 ${ARMCI_TEST_JOB_LIMIT_S}
                ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${ranks} ${MPIEXEC_PREFLAGS}
                $<TARGET_FILE:mp_${program}> ${program_arguments} ${others})
            # PROCESSORS bounds the ranks that run at a time (scripts/test.sh says how many).
            set_tests_properties("${test}" PROPERTIES
                ENVIRONMENT "${environment}"
                LABELS "${labels};${arg_LABELS}"
                PROCESSORS ${np}
                TIMEOUT ${ARMCI_TEST_LIMIT_S}
                SKIP_REGULAR_EXPRESSION "ALL TESTS SKIPPED"
                FAIL_REGULAR_EXPRESSION "${unexpected}")
        endforeach()
    endforeach()
endfunction()
