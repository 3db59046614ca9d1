// SPDX-License-Identifier: BSD-3-Clause
// Reads JSON from a file piece by piece, with a buffer of fixed size. It knows where it is, for
// messages.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace armci::trace {

class JsonScanner {
  public:
    // Throws TraceError if the file cannot be opened.
    explicit JsonScanner(const std::string& path);
    ~JsonScanner();
    JsonScanner(const JsonScanner&) = delete;
    JsonScanner& operator=(const JsonScanner&) = delete;

    // What is thrown where the file ends too early.
    struct End {};

    // Returns the next character that is no white space, and leaves it there. Returns '\0' at the
    // end of the file.
    char peek();
    // Takes the next character, which must be this one.
    void take(char expected);
    // Takes the next character if it is this one.
    bool take_if(char expected);
    // These replace what *text holds. A string comes without its quotes and escapes.
    void take_string(std::string* text);
    void take_number(std::string* text);
    // Takes any value, of any depth.
    void skip_value();

    // From now on, what is taken is also appended to *text; nullptr ends that.
    void copy_to(std::string* text) { copy_ = text; }

    const std::string& path() const { return path_; }
    uint64_t line() const { return line_; }
    uint64_t taken_bytes() const { return before_buffer_ + next_; }
    // Throws TraceError with the place in the file.
    [[noreturn]] void fail(const std::string& what) const;

  private:
    bool fill();
    char next();
    void take_escape(std::string* text);

    std::string path_;
    int fd_ = -1;
    std::vector<char> buffer_;
    size_t next_ = 0;
    size_t end_ = 0;
    uint64_t before_buffer_ = 0;  // bytes of the file before the buffer
    uint64_t line_ = 1;
    std::string* copy_ = nullptr;
    std::string skipped_;
};

}  // namespace armci::trace
