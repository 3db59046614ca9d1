// SPDX-License-Identifier: BSD-3-Clause
// Times of what happens to a buffer of the pipeline on its own node, without a network: it is
// packed and unpacked, and before its first use it gets its pages, is pinned, and is registered.
//
// usage: stage_times BYTES,... BLOCK SAMPLES PROVIDER,...
//
// Prints JSON: an array of rows with "stage", "bytes" and "values_us", and "provider" for what is
// done by libfabric. A stage that the system refuses has "refused" instead of values.
#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <sys/mman.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "strided/cursor.h"
#include "strided/kernels.h"
#include "strided/layout.h"

namespace {

using armci::strided::Layout;
using armci::strided::StridedCursor;

// Sources of chunks lie in an array that no cache holds.
constexpr int64_t kArrayBytes = int64_t{128} << 20;

bool g_is_first = true;

void begin_row(const char* stage, int64_t bytes, const std::string& provider) {
    std::printf("%s\n{\"stage\": \"%s\", \"bytes\": %lld", g_is_first ? "[" : ",", stage,
                static_cast<long long>(bytes));
    if (!provider.empty()) {
        std::printf(", \"provider\": \"%s\"", provider.c_str());
    }
    g_is_first = false;
}

void print_refused(const char* stage, int64_t bytes, const std::string& provider,
                   const char* reason) {
    begin_row(stage, bytes, provider);
    std::printf(", \"refused\": \"%s\"}", reason);
}

void print_times(const char* stage, int64_t bytes, const std::string& provider,
                 const std::vector<double>& times_us) {
    begin_row(stage, bytes, provider);
    std::printf(", \"values_us\": [");
    for (size_t i = 0; i < times_us.size(); ++i) {
        std::printf("%s%.4g", i == 0 ? "" : ", ", times_us[i]);
    }
    std::printf("]}");
}

double time_us(const std::function<void()>& action) {
    const int64_t begin_ns = armci::base::now_ns();
    action();
    return static_cast<double>(armci::base::now_ns() - begin_ns) / 1000;
}

// Blocks with gaps of the same length between them.
Layout layout_of(int64_t bytes, int64_t block_bytes) {
    const int count[] = {static_cast<int>(block_bytes), static_cast<int>(bytes / block_bytes)};
    const int stride[] = {static_cast<int>(2 * block_bytes)};
    armci::strided::PairLayout pair;
    if (armci::strided::make_pair(stride, stride, count, 1, &pair) !=
        armci::strided::LayoutStatus::ok) {
        std::fprintf(stderr, "stage_times: %lld bytes are no whole blocks of %lld\n",
                     static_cast<long long>(bytes), static_cast<long long>(block_bytes));
        std::exit(2);
    }
    return armci::strided::local_side(pair);
}

void measure_copies(char* array, int64_t bytes, int64_t block_bytes, int samples) {
    const Layout layout = layout_of(bytes, block_bytes);
    std::vector<char> buffer(static_cast<size_t>(bytes), 1);
    std::vector<double> pack_us;
    std::vector<double> unpack_us;
    const int64_t places = kArrayBytes / (2 * bytes);
    for (int i = 0; i < samples; ++i) {
        char* const place = array + i % places * 2 * bytes;
        StridedCursor from(place, layout);
        pack_us.push_back(time_us([&] { armci::strided::pack(from, buffer.data(), bytes); }));
        char* const other = array + (i + places / 2) % places * 2 * bytes;
        StridedCursor to(other, layout);
        unpack_us.push_back(time_us([&] { armci::strided::unpack(to, buffer.data(), bytes); }));
    }
    print_times("pack", bytes, "", pack_us);
    print_times("unpack", bytes, "", unpack_us);
}

// What a kernel does for an adapter that pins memory: pages, and that they stay.
void measure_pages(int64_t bytes, int samples) {
    const auto length = static_cast<size_t>(bytes);
    std::vector<double> touch_us;
    std::vector<double> pin_us;
    std::vector<double> unpin_us;
    for (int i = 0; i < samples; ++i) {
        void* const memory =
            mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) {
            print_refused("touch", bytes, "", std::strerror(errno));
            return;
        }
        touch_us.push_back(time_us([&] { std::memset(memory, 1, length); }));
        int refused = 0;
        const double us = time_us([&] { refused = mlock(memory, length) == 0 ? 0 : errno; });
        if (refused != 0) {
            munmap(memory, length);
            print_refused("pin", bytes, "", std::strerror(refused));
            return;
        }
        pin_us.push_back(us);
        unpin_us.push_back(time_us([&] { munlock(memory, length); }));
        munmap(memory, length);
    }
    print_times("touch", bytes, "", touch_us);
    print_times("pin", bytes, "", pin_us);
    print_times("unpin", bytes, "", unpin_us);
}

void measure_registration(const std::string& provider, const std::vector<int64_t>& sizes,
                          int samples) {
    fi_info* hints = fi_allocinfo();
    hints->fabric_attr->prov_name = strdup(provider.c_str());
    hints->ep_attr->type = FI_EP_RDM;
    hints->caps = FI_MSG | FI_RMA;
    hints->domain_attr->mr_mode = FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY;
    fi_info* info = nullptr;
    fid_fabric* fabric = nullptr;
    fid_domain* domain = nullptr;
    int status = fi_getinfo(FI_VERSION(1, 11), nullptr, nullptr, 0, hints, &info);
    status = status != 0 ? status : fi_fabric(info->fabric_attr, &fabric, nullptr);
    status = status != 0 ? status : fi_domain(fabric, info, &domain, nullptr);
    for (const int64_t bytes : sizes) {
        if (status != 0) {
            print_refused("register", bytes, provider, fi_strerror(-status));
            continue;
        }
        std::vector<char> memory(static_cast<size_t>(bytes), 1);
        std::vector<double> register_us;
        std::vector<double> end_us;
        for (int i = 0; i < samples && status == 0; ++i) {
            fid_mr* region = nullptr;
            register_us.push_back(time_us([&] {
                status = fi_mr_reg(domain, memory.data(), memory.size(),
                                   FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE, 0,
                                   static_cast<uint64_t>(i), 0, &region, nullptr);
            }));
            if (status == 0) {
                end_us.push_back(time_us([&] { fi_close(&region->fid); }));
            }
        }
        if (status == 0) {
            print_times("register", bytes, provider, register_us);
            print_times("deregister", bytes, provider, end_us);
        } else {
            print_refused("register", bytes, provider, fi_strerror(-status));
        }
    }
    if (domain != nullptr) {
        fi_close(&domain->fid);
    }
    if (fabric != nullptr) {
        fi_close(&fabric->fid);
    }
    fi_freeinfo(info);
    fi_freeinfo(hints);
}

std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> words;
    size_t begin = 0;
    while (begin <= text.size()) {
        const size_t comma = std::min(text.find(',', begin), text.size());
        words.push_back(text.substr(begin, comma - begin));
        begin = comma + 1;
    }
    return words;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5) {
        std::fprintf(stderr, "usage: stage_times BYTES,... BLOCK SAMPLES PROVIDER,...\n");
        return 2;
    }
    std::vector<int64_t> sizes;
    for (const std::string& word : split(argv[1])) {
        sizes.push_back(std::atoll(word.c_str()));
    }
    const int64_t block_bytes = std::atoll(argv[2]);
    const int samples = std::atoi(argv[3]);
    for (const int64_t bytes : sizes) {
        if (block_bytes < 1 || bytes < block_bytes || bytes > kArrayBytes / 8 || samples < 1) {
            std::fprintf(stderr, "stage_times: sizes or samples make no sense\n");
            return 2;
        }
    }
    std::vector<char> array(static_cast<size_t>(kArrayBytes), 1);
    for (const int64_t bytes : sizes) {
        measure_copies(array.data(), bytes, block_bytes, samples);
        measure_pages(bytes, samples);
    }
    for (const std::string& provider : split(argv[4])) {
        measure_registration(provider, sizes, samples);
    }
    std::printf("]\n");
    return 0;
}
