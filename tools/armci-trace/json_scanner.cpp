// SPDX-License-Identifier: BSD-3-Clause
#include "armci-trace/json_scanner.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "armci-trace/event.h"

namespace armci::trace {
namespace {

constexpr size_t kBufferBytes = 256 << 10;

bool is_space(char letter) {
    return letter == ' ' || letter == '\n' || letter == '\t' || letter == '\r';
}

void append_utf8(uint32_t code, std::string* text) {
    if (code < 0x80) {
        *text += static_cast<char>(code);
    } else if (code < 0x800) {
        *text += static_cast<char>(0xc0 | code >> 6);
        *text += static_cast<char>(0x80 | (code & 0x3f));
    } else {
        if (code < 0x10000) {
            *text += static_cast<char>(0xe0 | code >> 12);
        } else {
            *text += static_cast<char>(0xf0 | code >> 18);
            *text += static_cast<char>(0x80 | (code >> 12 & 0x3f));
        }
        *text += static_cast<char>(0x80 | (code >> 6 & 0x3f));
        *text += static_cast<char>(0x80 | (code & 0x3f));
    }
}

// JSON writes a character beyond 0xffff as two codes. The first is appended as if it were a
// character, so one that has no second stays as bytes that are no UTF-8.
void append_code(uint32_t code, std::string* text) {
    const size_t size = text->size();
    const auto byte_at = [&](size_t place) { return static_cast<uint8_t>((*text)[place]); };
    const bool is_second = code >> 10 == 0xdc00 >> 10;
    if (is_second && size >= 3 && byte_at(size - 3) == 0xed && byte_at(size - 2) >> 4 == 0xa) {
        const uint32_t first = (byte_at(size - 2) & 0xfU) << 6 | (byte_at(size - 1) & 0x3fU);
        text->resize(size - 3);
        code = 0x10000 + (first << 10 | (code & 0x3ff));
    }
    append_utf8(code, text);
}

}  // namespace

JsonScanner::JsonScanner(const std::string& path) : path_(path), buffer_(kBufferBytes) {
    fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd_ < 0) {
        throw TraceError(path + ": " + std::strerror(errno));
    }
}

JsonScanner::~JsonScanner() {
    ::close(fd_);
}

void JsonScanner::fail(const std::string& what) const {
    throw TraceError(path_ + ", line " + std::to_string(line_) + ", byte " +
                     std::to_string(taken_bytes()) + ": " + what);
}

// Returns false at the end of the file.
bool JsonScanner::fill() {
    before_buffer_ += end_;
    next_ = 0;
    end_ = 0;
    while (true) {
        const ssize_t bytes = ::read(fd_, buffer_.data(), buffer_.size());
        if (bytes >= 0) {
            end_ = static_cast<size_t>(bytes);
            return bytes > 0;
        }
        if (errno != EINTR) {
            throw TraceError(path_ + ": " + std::strerror(errno));
        }
    }
}

char JsonScanner::peek() {
    while (true) {
        if (next_ == end_ && !fill()) {
            return '\0';
        }
        const char letter = buffer_[next_];
        if (!is_space(letter)) {
            return letter;
        }
        line_ += letter == '\n' ? 1 : 0;
        ++next_;
    }
}

char JsonScanner::next() {
    if (next_ == end_ && !fill()) {
        throw End();
    }
    const char letter = buffer_[next_++];
    if (copy_ != nullptr) {
        *copy_ += letter;
    }
    return letter;
}

void JsonScanner::take(char expected) {
    const char found = peek();
    if (found == '\0') {
        throw End();
    }
    if (found != expected) {
        fail(std::string("expected '") + expected + "', found '" + found + "'");
    }
    next();
}

bool JsonScanner::take_if(char expected) {
    if (peek() != expected) {
        return false;
    }
    next();
    return true;
}

void JsonScanner::take_string(std::string* text) {
    text->clear();
    take('"');
    while (true) {
        const char letter = next();
        if (letter == '"') {
            return;
        }
        if (letter == '\\') {
            take_escape(text);
        } else if (letter == '\n') {
            fail("a line ends inside a string");
        } else {
            *text += letter;
        }
    }
}

void JsonScanner::take_escape(std::string* text) {
    static constexpr char kNames[] = "\"\\/bfnrt";
    static constexpr char kLetters[] = "\"\\/\b\f\n\r\t";
    const char name = next();
    if (name == 'u') {
        uint32_t code = 0;
        for (int i = 0; i < 4; ++i) {
            const char digit = next();
            const char* digits = "0123456789abcdef";
            const char* place =
                std::strchr(digits, digit | ('A' <= digit && digit <= 'F' ? 32 : 0));
            if (digit == '\0' || place == nullptr) {
                fail("a code in a string has four hexadecimal digits");
            }
            code = 16 * code + static_cast<uint32_t>(place - digits);
        }
        append_code(code, text);
        return;
    }
    const char* place = name == '\0' ? nullptr : std::strchr(kNames, name);
    if (place == nullptr) {
        fail(std::string("'\\") + name + "' is nothing in a string");
    }
    *text += kLetters[place - kNames];
}

void JsonScanner::take_number(std::string* text) {
    text->clear();
    for (char letter = peek(); std::strchr("+-.0123456789eE", letter) != nullptr;
         letter = buffer_[next_]) {
        if (letter == '\0') {
            break;
        }
        *text += next();
        if (next_ == end_ && !fill()) {
            throw End();
        }
    }
    if (text->empty()) {
        if (peek() == '\0') {
            throw End();
        }
        fail("expected a number");
    }
}

void JsonScanner::skip_value() {
    int depth = 0;
    do {
        const char letter = peek();
        if (letter == '\0') {
            throw End();
        }
        if (letter == '"') {
            take_string(&skipped_);
        } else if (letter == '{' || letter == '[') {
            ++depth;
            next();
        } else if (depth > 0 && (letter == '}' || letter == ']')) {
            --depth;
            next();
        } else if (depth > 0 && (letter == ',' || letter == ':')) {
            next();
        } else {  // a number, true, false or null
            while (std::strchr("+-.0123456789abcdefghijklmnopqrstuvwxyzE", peek()) != nullptr &&
                   peek() != '\0') {
                next();
            }
            if (std::strchr("{}[],:\"", peek()) == nullptr) {
                fail("expected a value");
            }
        }
    } while (depth > 0);
}

}  // namespace armci::trace
