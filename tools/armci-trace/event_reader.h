// SPDX-License-Identifier: BSD-3-Clause
// Reads the events of one file, as ARMCI_TRACE or a program that joins such files writes them.
// Memory does not grow with the file.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>

#include "armci-trace/event.h"
#include "armci-trace/json_scanner.h"

namespace armci::trace {

class EventReader {
  public:
    // Throws TraceError if the file cannot be read or is no timeline.
    explicit EventReader(const std::string& path);

    // Reads the next event. Returns false at the end of the file, also where that comes too early:
    // a process that was killed leaves such a file. Throws TraceError for anything else that is no
    // timeline. An event that is written as begin and end comes when its end does.
    bool next(Event* event);

    // The lines of the last event as the file has them, without white space around them and between
    // them a comma; valid until the next call.
    const std::string& source() const { return source_; }
    void keep_source() { keeps_source_ = true; }

    // Returns whether the file ends in the middle.
    bool is_cut_off() const { return is_cut_off_; }
    uint64_t taken_bytes() const { return scanner_.taken_bytes(); }
    const std::string& path() const { return scanner_.path(); }

  private:
    struct Begun {
        Event event;
        std::string source;
    };

    bool next_line(Event* event, char* phase);
    void take_line(Event* event, char* phase);
    void take_field(Event* event, char* phase);
    void take_arguments(Event* event);
    void take_local_id();
    int64_t take_time();
    int64_t take_integer();
    int checked_rank(int64_t rank) const;

    JsonScanner scanner_;
    bool has_begun_ = false;
    bool is_cut_off_ = false;
    bool keeps_source_ = false;
    std::string source_;
    std::string key_;
    std::string text_;
    std::string series_;                         // the name of the last number among the arguments
    int64_t process_ = -1;                       // of the line
    uint64_t id_ = 0;                            // of the line, 0 if it has none
    std::unordered_map<uint64_t, Begun> begun_;  // by rank and id
};

}  // namespace armci::trace
