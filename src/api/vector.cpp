// SPDX-License-Identifier: BSD-3-Clause
// Generalised I/O vectors: put, get and accumulate, blocking and not.
#include <algorithm>
#include <climits>
#include <vector>

#include "api/arguments.h"
#include "api/fast_path.h"
#include "core/routing/transfers.h"

namespace armci::api {
namespace {

// Joins several descriptors with segments of one length.
class JoinedDescriptors {
  public:
    explicit JoinedDescriptors(int segment_bytes) : segment_bytes_(segment_bytes) {}

    bool has_room_for(const armci_giov_t& next) const {
        return next.bytes == segment_bytes_ &&
               next.ptr_array_len <= INT_MAX - static_cast<int64_t>(sources_.size());
    }
    void add(const armci_giov_t& next) {
        sources_.insert(sources_.end(), next.src_ptr_array,
                        next.src_ptr_array + next.ptr_array_len);
        destinations_.insert(destinations_.end(), next.dst_ptr_array,
                             next.dst_ptr_array + next.ptr_array_len);
    }
    armci_giov_t joined() {
        return {sources_.data(), destinations_.data(), segment_bytes_,
                static_cast<int>(sources_.size())};
    }

  private:
    int segment_bytes_;
    std::vector<void*> sources_;
    std::vector<void*> destinations_;
};

// Calls `run` with the transfers of the vector. Descriptors are as unordered among themselves as
// segments are, so those of one length are joined. Each by itself would take a round trip.
template <class Run>
void for_each_transfer(Call call, OpKind op, const VectorArguments& arguments,
                       const AccArguments* acc, Run&& run) {
    const armci_giov_t* iov = arguments.iov;
    const auto make = [&](const armci_giov_t& descriptor, int number, Transfer* transfer) {
        return make_transfer(call, op, DescriptorArguments{descriptor, number, arguments.proc}, acc,
                             transfer);
    };
    check_not_negative(call.function, "iov_len", arguments.iov_len);
    if (arguments.iov_len > 0) {
        check_not_null(call.function, "iov", iov);
    }
    if (arguments.iov_len == 1) {
        Transfer transfer;
        if (make(iov[0], 0, &transfer)) {
            run(std::move(transfer));
        }
        return;
    }
    // All are checked before anything moves, and unjoined, because error text names them.
    std::vector<armci_giov_t> descriptors;
    for (int i = 0; i < arguments.iov_len; ++i) {
        Transfer checked;
        if (make(iov[i], i, &checked)) {
            descriptors.push_back(iov[i]);
        }
    }
    std::stable_sort(
        descriptors.begin(), descriptors.end(),
        [](const armci_giov_t& one, const armci_giov_t& other) { return one.bytes < other.bytes; });
    for (size_t next = 0; next < descriptors.size();) {
        JoinedDescriptors group(descriptors[next].bytes);
        for (; next < descriptors.size() && group.has_room_for(descriptors[next]); ++next) {
            group.add(descriptors[next]);
        }
        Transfer transfer;
        make(group.joined(), 0, &transfer);
        run(std::move(transfer));
    }
}

int run_vector(Call call, OpKind op, const VectorArguments& arguments,
               const AccArguments* acc = nullptr) {
    for_each_transfer(call, op, arguments, acc, [&](Transfer&& transfer) {
        call.runtime.transfers.run_blocking(std::move(transfer));
    });
    return 0;
}

int start_vector(Call call, OpKind op, armci_hdl_t* hdl, const VectorArguments& arguments,
                 const AccArguments* acc = nullptr) {
    skip(call.runtime, hdl);
    for_each_transfer(call, op, arguments, acc, [&](Transfer&& transfer) {
        call.runtime.transfers.run_nonblocking(std::move(transfer), hdl);
    });
    return 0;
}

}  // namespace
}  // namespace armci::api

using armci::base::OpKind;
using armci::core::Entry;
namespace api = armci::api;

extern "C" int PARMCI_PutV(armci_giov_t* iov, int iov_len, int proc) {
    Entry entry("ARMCI_PutV", Entry::Lock::on_demand);
    return api::run_vector({*entry, "ARMCI_PutV"}, OpKind::put, {iov, iov_len, proc});
}
ARMCI_ALIAS(int, ARMCI_PutV, (armci_giov_t*, int, int), PARMCI_PutV);

extern "C" int PARMCI_GetV(armci_giov_t* iov, int iov_len, int proc) {
    Entry entry("ARMCI_GetV", Entry::Lock::on_demand);
    return api::run_vector({*entry, "ARMCI_GetV"}, OpKind::get, {iov, iov_len, proc});
}
ARMCI_ALIAS(int, ARMCI_GetV, (armci_giov_t*, int, int), PARMCI_GetV);

extern "C" int PARMCI_AccV(int datatype, void* scale, armci_giov_t* iov, int iov_len, int proc) {
    Entry entry("ARMCI_AccV", Entry::Lock::on_demand);
    const api::AccArguments acc{datatype, scale};
    api::check_type("ARMCI_AccV", acc);
    return api::run_vector({*entry, "ARMCI_AccV"}, OpKind::acc, {iov, iov_len, proc}, &acc);
}
ARMCI_ALIAS(int, ARMCI_AccV, (int, void*, armci_giov_t*, int, int), PARMCI_AccV);

extern "C" int PARMCI_NbPutV(armci_giov_t* iov, int iov_len, int proc, armci_hdl_t* hdl) {
    Entry entry("ARMCI_NbPutV", Entry::Lock::on_demand, Entry::Copies::leave);
    return api::start_vector({*entry, "ARMCI_NbPutV"}, OpKind::put, hdl, {iov, iov_len, proc});
}
ARMCI_ALIAS(int, ARMCI_NbPutV, (armci_giov_t*, int, int, armci_hdl_t*), PARMCI_NbPutV);

extern "C" int PARMCI_NbGetV(armci_giov_t* iov, int iov_len, int proc, armci_hdl_t* hdl) {
    Entry entry("ARMCI_NbGetV", Entry::Lock::on_demand, Entry::Copies::leave);
    return api::start_vector({*entry, "ARMCI_NbGetV"}, OpKind::get, hdl, {iov, iov_len, proc});
}
ARMCI_ALIAS(int, ARMCI_NbGetV, (armci_giov_t*, int, int, armci_hdl_t*), PARMCI_NbGetV);

extern "C" int PARMCI_NbAccV(int datatype, void* scale, armci_giov_t* iov, int iov_len, int proc,
                             armci_hdl_t* hdl) {
    Entry entry("ARMCI_NbAccV", Entry::Lock::on_demand, Entry::Copies::leave);
    const api::AccArguments acc{datatype, scale};
    api::check_type("ARMCI_NbAccV", acc);
    return api::start_vector({*entry, "ARMCI_NbAccV"}, OpKind::acc, hdl, {iov, iov_len, proc},
                             &acc);
}
ARMCI_ALIAS(int, ARMCI_NbAccV, (int, void*, armci_giov_t*, int, int, armci_hdl_t*), PARMCI_NbAccV);
