# SPDX-License-Identifier: BSD-3-Clause
# Flags shared by every target of the project, as one interface library.

add_library(armci_build_flags INTERFACE)
target_compile_options(armci_build_flags INTERFACE -Wall -Wextra -Wshadow -Wpointer-arith
    $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual>
    $<$<BOOL:${ARMCI_WERROR}>:-Werror>
    # src/base/thread_annotations.h
    $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wthread-safety;-Werror=thread-safety>)
# mpi.h must not pull in the C++ bindings, which would need another library at link time.
target_compile_definitions(armci_build_flags INTERFACE MPICH_SKIP_MPICXX OMPI_SKIP_MPICXX)

if(ARMCI_SANITIZE)
    target_compile_options(armci_build_flags INTERFACE
        -fsanitize=${ARMCI_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all
        # An access by a null pointer ends the program with a report anyway. To check each pointer
        # beforehand takes a fifth of the time to compile.
        -fno-sanitize=null
        # Clang's check of function types needs C++ in the program, and programs in C use the library.
        $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-fno-sanitize=function>)
    if(ARMCI_SANITIZE STREQUAL "address,undefined")
        # Undefined behaviour is looked for in the library's .cpp files. In those of the tests, with
        # the inline functions that they take from its headers, that would take a third of the time
        # to compile them.
        target_compile_options(armci_build_flags INTERFACE
            $<$<STREQUAL:$<TARGET_PROPERTY:FOLDER>,tests>:-fno-sanitize=undefined>)
    endif()
    target_link_options(armci_build_flags INTERFACE -fsanitize=${ARMCI_SANITIZE})
endif()
