// SPDX-License-Identifier: BSD-3-Clause
// Text inside the quotes of a JSON string.
#pragma once

#include <cstdio>
#include <string>

namespace armci::base {

inline std::string json_escaped(const std::string& text) {
    std::string result;
    for (const char letter : text) {
        if (letter == '"' || letter == '\\') {
            result += '\\';
            result += letter;
        } else if (static_cast<unsigned char>(letter) < ' ') {
            char code[8];
            std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(letter));
            result += code;
        } else {
            result += letter;
        }
    }
    return result;
}

}  // namespace armci::base
