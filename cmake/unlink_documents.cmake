# SPDX-License-Identifier: BSD-3-Clause
# Replaces links between installed documents by their text where what they name is not installed.
# Input: DOCUMENTS, the folder of the documents.

file(GLOB_RECURSE documents ${DOCUMENTS}/*.md)
foreach(document IN LISTS documents)
    cmake_path(GET document PARENT_PATH folder)
    file(READ ${document} text)
    # Square brackets would be parts of CMake's lists.
    string(REPLACE "](" "@TO@" text "${text}")
    string(REGEX MATCHALL "@TO@[^) \n]+\\)" links "${text}")
    list(REMOVE_DUPLICATES links)
    foreach(link IN LISTS links)
        string(REGEX REPLACE "^@TO@([^)#]*).*" "\\1" target "${link}")
        if(target STREQUAL "" OR target MATCHES "^[a-z]+:" OR EXISTS ${folder}/${target})
            continue()
        endif()
        string(REGEX REPLACE "([.+*?^$()|])" "\\\\\\1" pattern "${link}")
        string(REGEX REPLACE "\\[([^][]*)${pattern}" "\\1" text "${text}")
    endforeach()
    string(REPLACE "@TO@" "](" text "${text}")
    file(WRITE ${document} "${text}")
endforeach()
