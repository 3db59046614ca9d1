// SPDX-License-Identifier: BSD-3-Clause
#include "descriptors.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <memory>
#include <vector>

#include "simulation.h"

namespace armci::sim {
namespace {

constexpr int kFirstDescriptor = 1 << 20;
constexpr size_t kStreamBytes = 64 << 10;

enum class DescriptorKind : uint8_t { event, queue, epoll, stream };

// Bytes that were sent together.
struct Packet {
    std::vector<char> bytes;
    int64_t arrives_from = 0;  // step
};

struct Watched {
    int fd = -1;
    epoll_event event{};
};

struct SimDescriptor {
    DescriptorKind kind = DescriptorKind::event;
    uint64_t count = 0;  // of an event
    bool (*is_ready)(const void* context) = nullptr;
    const void* context = nullptr;
    std::vector<Watched> watched;  // by an epoll

    // A stream's end.
    int process = -1;
    int peer = -1;  // -1: closed
    std::deque<Packet> arriving;
    size_t read = 0;  // of the first packet
    int64_t ends_from = 0;
    int error = 0;       // that it ends with, instead of an end
    int64_t cut_ns = 0;  // when it ends with ETIMEDOUT; 0: it is not cut
};

StreamPlan g_streams;
std::vector<std::unique_ptr<SimDescriptor>> g_objects;

int add_descriptor(DescriptorKind kind) {
    const auto free = std::find(g_objects.begin(), g_objects.end(), nullptr);
    const auto index = free - g_objects.begin();
    if (free == g_objects.end()) {
        g_objects.emplace_back();
    }
    g_objects[static_cast<size_t>(index)] = std::make_unique<SimDescriptor>();
    g_objects[static_cast<size_t>(index)]->kind = kind;
    return kFirstDescriptor + static_cast<int>(index);
}

SimDescriptor& object_of(int fd, DescriptorKind kind) {
    const auto index = static_cast<size_t>(fd - kFirstDescriptor);
    if (index >= g_objects.size() || g_objects[index] == nullptr) {
        violation("descriptor %d is used, and is not open", fd);
    }
    if (g_objects[index]->kind != kind) {
        violation("descriptor %d is used as something else than it is", fd);
    }
    return *g_objects[index];
}

int64_t draw_arrival() {
    return happens(g_streams.delays) ? step() + draw(1, g_streams.longest_delay) : 0;
}

bool has_ended(const SimDescriptor& stream) {
    return stream.peer < 0 && stream.arriving.empty() && step() >= stream.ends_from;
}

bool has_timed_out(const SimDescriptor& stream) {
    return stream.cut_ns != 0 && simulated_ns() >= stream.cut_ns;
}

bool has_data(const SimDescriptor& stream) {
    return stream.cut_ns == 0 && !stream.arriving.empty() &&
           step() >= stream.arriving.front().arrives_from;
}

// What is still on its way is lost when the end goes by a reset.
void end_stream(SimDescriptor& peer, bool by_reset) {
    peer.peer = -1;
    peer.ends_from = draw_arrival();
    peer.error = by_reset ? ECONNRESET : 0;
}

void close_stream(SimDescriptor& stream) {
    if (stream.peer >= 0 && stream.cut_ns == 0) {
        end_stream(object_of(stream.peer, DescriptorKind::stream), !stream.arriving.empty());
    } else if (stream.peer >= 0) {
        object_of(stream.peer, DescriptorKind::stream).peer = -1;
    }
}

}  // namespace

bool is_simulated(int fd) {
    return fd >= kFirstDescriptor;
}

void start_descriptors(const StreamPlan& plan) {
    g_streams = plan;
    g_objects.clear();
}

int64_t open_descriptors() {
    return static_cast<int64_t>(g_objects.size()) -
           std::count(g_objects.begin(), g_objects.end(), nullptr);
}

int open_event() {
    return add_descriptor(DescriptorKind::event);
}

int open_queue_event(bool (*is_ready)(const void* context), const void* context) {
    const int fd = add_descriptor(DescriptorKind::queue);
    SimDescriptor& object = object_of(fd, DescriptorKind::queue);
    object.is_ready = is_ready;
    object.context = context;
    return fd;
}

int open_epoll() {
    return add_descriptor(DescriptorKind::epoll);
}

Stream open_stream(int first_process, int second_process) {
    const Stream stream = {
        {add_descriptor(DescriptorKind::stream), add_descriptor(DescriptorKind::stream)}};
    const int processes[] = {first_process, second_process};
    for (int i = 0; i < 2; ++i) {
        SimDescriptor& end = object_of(stream.ends[i], DescriptorKind::stream);
        end.process = processes[i];
        end.peer = stream.ends[1 - i];
    }
    return stream;
}

void cut_stream(int fd, int64_t after_ns) {
    SimDescriptor& end = object_of(fd, DescriptorKind::stream);
    if (end.peer < 0) {
        return;
    }
    // The system's probes at each end begin at times of their own.
    end.cut_ns = simulated_ns() + after_ns + draw(0, after_ns / 2);
    object_of(end.peer, DescriptorKind::stream).cut_ns =
        simulated_ns() + after_ns + draw(0, after_ns / 2);
}

bool is_readable(int fd) {
    const auto index = static_cast<size_t>(fd - kFirstDescriptor);
    if (index >= g_objects.size() || g_objects[index] == nullptr) {
        violation("descriptor %d is waited for, and is not open", fd);
    }
    const SimDescriptor& object = *g_objects[index];
    switch (object.kind) {
        case DescriptorKind::event:
            return object.count > 0;
        case DescriptorKind::queue:
            return object.is_ready(object.context);
        case DescriptorKind::epoll:
            return std::any_of(object.watched.begin(), object.watched.end(),
                               [](const Watched& watched) { return is_readable(watched.fd); });
        case DescriptorKind::stream:
            break;
    }
    return has_data(object) || has_ended(object) || has_timed_out(object);
}

ssize_t read_event(int fd, void* value, size_t bytes) {
    SimDescriptor& event = object_of(fd, DescriptorKind::event);
    if (event.count == 0) {
        errno = EAGAIN;
        return -1;
    }
    std::memcpy(value, &event.count, sizeof event.count);
    event.count = 0;
    return static_cast<ssize_t>(bytes);
}

ssize_t write_event(int fd, const void* value, size_t bytes) {
    uint64_t more = 0;
    std::memcpy(&more, value, sizeof more);
    object_of(fd, DescriptorKind::event).count += more;
    return static_cast<ssize_t>(bytes);
}

ssize_t send_to_stream(int fd, const void* data, size_t bytes) {
    SimDescriptor& from = object_of(fd, DescriptorKind::stream);
    if (from.peer < 0) {
        errno = has_timed_out(from) ? ETIMEDOUT : EPIPE;
        return -1;
    }
    SimDescriptor& to = object_of(from.peer, DescriptorKind::stream);
    record("note", from.process, to.process);
    if (from.cut_ns != 0 || (g_streams.loses_notes && happens(500))) {
        return static_cast<ssize_t>(bytes);
    }
    size_t waiting = 0;
    for (const Packet& packet : to.arriving) {
        waiting += packet.bytes.size();
    }
    if (waiting + bytes > kStreamBytes) {
        errno = EAGAIN;
        return -1;
    }
    // In two packets, which arrive one after the other.
    const char* begin = static_cast<const char*>(data);
    const size_t first =
        happens(300) ? static_cast<size_t>(draw(1, static_cast<int64_t>(bytes))) : bytes;
    int64_t arrives = to.arriving.empty() ? 0 : to.arriving.back().arrives_from;
    for (const auto& [at, length] : {std::pair<size_t, size_t>(0, first), {first, bytes - first}}) {
        if (length > 0) {
            arrives = std::max(arrives, draw_arrival());
            to.arriving.push_back({{begin + at, begin + at + length}, arrives});
        }
    }
    return static_cast<ssize_t>(bytes);
}

ssize_t receive_from_stream(int fd, void* data, size_t bytes) {
    SimDescriptor& stream = object_of(fd, DescriptorKind::stream);
    if (has_data(stream)) {
        Packet& packet = stream.arriving.front();
        const size_t length = std::min(bytes, packet.bytes.size() - stream.read);
        std::memcpy(data, packet.bytes.data() + stream.read, length);
        stream.read += length;
        if (stream.read == packet.bytes.size()) {
            stream.arriving.pop_front();
            stream.read = 0;
        }
        return static_cast<ssize_t>(length);
    }
    if (has_timed_out(stream)) {
        errno = ETIMEDOUT;
        return -1;
    }
    if (has_ended(stream) && !g_streams.hides_ends) {
        record("end of a stream", stream.process);
        errno = stream.error;
        return stream.error == 0 ? 0 : -1;
    }
    errno = EAGAIN;
    return -1;
}

void watch_in_epoll(int epoll, int fd, const epoll_event& event) {
    object_of(epoll, DescriptorKind::epoll).watched.push_back({fd, event});
}

int ready_in_epoll(int epoll, epoll_event* events, int count) {
    int found = 0;
    for (const Watched& watched : object_of(epoll, DescriptorKind::epoll).watched) {
        if (found < count && is_readable(watched.fd)) {
            events[found++] = watched.event;
        }
    }
    return found;
}

void close_simulated(int fd) {
    const auto index = static_cast<size_t>(fd - kFirstDescriptor);
    if (index >= g_objects.size() || g_objects[index] == nullptr) {
        violation("descriptor %d is closed, and is not open", fd);
    }
    if (g_objects[index]->kind == DescriptorKind::stream) {
        close_stream(*g_objects[index]);
    }
    g_objects[index].reset();
}

void close_streams_of(int process) {
    for (auto& object : g_objects) {
        if (object != nullptr && object->kind == DescriptorKind::stream &&
            object->process == process) {
            close_stream(*object);
            object->peer = -1;
            object->process = -1;
        }
    }
}

}  // namespace armci::sim
