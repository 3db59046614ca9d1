# Functions that declare multi-rank tests.
#
#   armci_mp_program(<name> SOURCES <file>... [OWN_MAIN] [SHARED])
#       Builds mp_<name> from tests and the harness, linked with the static library (SHARED: with the
#       shared one). OWN_MAIN: one of the sources has main().
#
#   armci_mp_run(<name> NP <ranks>... CONFIGS <config>... [FILTER <gtest filter>] [VARIANT <word>]
#                [LABELS <label>...] [TIMEOUT <seconds>] [MAY_WARN])
#       Adds a test mp.<name>[np=<ranks>,<config>] for each number of ranks and each configuration.
#       VARIANT makes a second family of tests from one program: mp.<name>.<variant>[…].
#       TIMEOUT is the limit of one job (default 60). A warning or error of the library fails the
#       test even if the program is content; MAY_WARN allows warnings.
#
# A configuration is a list "key=value,key=value" of
#       node      ranks per node, or all                              ARMCI_NODE_SIZE
#       route     auto, rma, server, alternate                        ARMCI_ROUTE
#       provider  tcp, shm, sockets, net, rxd (see below)             ARMCI_PROVIDER
#       order     auto, none                                          ARMCI_RMA_ORDER
#       effort    low, normal, high                                   TEST_EFFORT
#       buffers   number                                              ARMCI_BUFFER_COUNT
#       bytes     number                                              ARMCI_BUFFER_SIZE
#       recv      number                                              ARMCI_RECV_BUFFER_COUNT
#       finalize  seconds                                             ARMCI_FINALIZE_TIMEOUT_S
#       faults    storm, mrlocal, … (see below)                       ARMCI_FAULTS
# Labels of a test: mp, its route and provider (or "local" on one node), its faults, and those given.

# The provider between nodes of TCP networks is called differently in old and new libfabric.
if(LIBFABRIC_VERSION VERSION_LESS 1.18)
    set(ARMCI_MP_PROVIDER_tcp "tcp\\;ofi_rxm")
else()
    set(ARMCI_MP_PROVIDER_tcp "tcp")
endif()
set(ARMCI_MP_PROVIDER_shm "shm")
set(ARMCI_MP_PROVIDER_sockets "sockets")
set(ARMCI_MP_PROVIDER_net "net")
set(ARMCI_MP_PROVIDER_rxd "udp\\;ofi_rxd")

# Half of the posts refused; a provider that wants local memory registered; the same with room for
# the library's own memory and little more; room for the library's own memory, but not for global
# memory. The last two are warned about.
set(ARMCI_MP_FAULTS_storm "eagain=1/2,burst=2")
set(ARMCI_MP_FAULTS_mrlocal "mr_local")
set(ARMCI_MP_FAULTS_locked "mr_local,mr_count=8,mr_refused=local")
set(ARMCI_MP_FAULTS_unreachable "mr_count=0,mr_refused=remote")

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
    set(node 0)
    set(route auto)
    set(order auto)
    set(effort normal)
    set(provider "")
    set(buffers "")
    set(bytes "")
    set(recv "")
    set(finalize "")
    set(faults "")
    string(REPLACE "," ";" settings "${config}")
    foreach(setting IN LISTS settings)
        if(NOT setting MATCHES "^(node|route|provider|order|effort|buffers|bytes|recv|finalize|faults)=([a-z0-9]+)$")
            message(FATAL_ERROR "${setting} in ${config} is no setting of a multi-rank test")
        endif()
        set(${CMAKE_MATCH_1} ${CMAKE_MATCH_2})
    endforeach()
    if(node STREQUAL "all")
        set(node 0)
    endif()
    if(ARMCI_SANITIZE)
        set(effort low)
    endif()
    set(environment ARMCI_NODE_SIZE=${node} ARMCI_ROUTE=${route} ARMCI_RMA_ORDER=${order}
        TEST_EFFORT=${effort} ${ARMCI_SANITIZER_ENVIRONMENT})
    if(provider)
        if(NOT DEFINED ARMCI_MP_PROVIDER_${provider})
            message(FATAL_ERROR "unknown provider ${provider} in ${config}")
        endif()
        list(APPEND environment "ARMCI_PROVIDER=${ARMCI_MP_PROVIDER_${provider}}")
    endif()
    if(buffers)
        list(APPEND environment ARMCI_BUFFER_COUNT=${buffers})
    endif()
    if(bytes)
        list(APPEND environment ARMCI_BUFFER_SIZE=${bytes})
    endif()
    if(recv)
        list(APPEND environment ARMCI_RECV_BUFFER_COUNT=${recv})
    endif()
    if(faults)
        if(NOT DEFINED ARMCI_MP_FAULTS_${faults})
            message(FATAL_ERROR "unknown faults ${faults} in ${config}")
        endif()
        list(APPEND environment "ARMCI_FAULTS=${ARMCI_MP_FAULTS_${faults}}")
    endif()
    if(finalize)
        list(APPEND environment ARMCI_FINALIZE_TIMEOUT_S=${finalize})
    endif()
    set(${result} "${environment}" PARENT_SCOPE)
endfunction()

# The labels that follow from a configuration.
function(armci_mp_labels config result)
    set(labels mp)
    foreach(key route provider faults)
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
    cmake_parse_arguments(PARSE_ARGV 1 arg "MAY_WARN" "FILTER;VARIANT;TIMEOUT" "NP;CONFIGS;LABELS")
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 60)
    endif()
    if(ARMCI_SANITIZE)
        math(EXPR arg_TIMEOUT "5 * ${arg_TIMEOUT}")
    endif()
    math(EXPR ctest_timeout "${arg_TIMEOUT} + 30")
    set(family mp.${program})
    if(arg_VARIANT)
        string(APPEND family .${arg_VARIANT})
    endif()
    if("asan" IN_LIST arg_LABELS)
        add_dependencies(armci_asan_tests mp_${program})
    endif()
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
            add_test(NAME "${test}" COMMAND
                ${ARMCI_TIMEOUT_PROGRAM} --kill-after=5 ${arg_TIMEOUT}
                ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG} ${np} ${MPIEXEC_PREFLAGS}
                $<TARGET_FILE:mp_${program}> ${program_arguments})
            # PROCESSORS keeps jobs from sharing cores as far as the machine allows.
            set_tests_properties("${test}" PROPERTIES
                ENVIRONMENT "${environment}"
                LABELS "${labels};${arg_LABELS}"
                PROCESSORS ${np}
                TIMEOUT ${ctest_timeout}
                SKIP_REGULAR_EXPRESSION "ALL TESTS SKIPPED"
                FAIL_REGULAR_EXPRESSION "${unexpected}")
        endforeach()
    endforeach()
endfunction()
