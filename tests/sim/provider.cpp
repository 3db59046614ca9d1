// SPDX-License-Identifier: BSD-3-Clause
#include "provider.h"

#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "descriptors.h"
#include "fiber.h"
#include "information.h"
#include "libc.h"
#include "network.h"
#include "simulation.h"
#include "threads.h"
#include "timeline.h"

namespace armci::sim {
namespace network {
namespace {

std::unique_ptr<Provider> g_provider;

// Gives back the pages inside, of which thousands of nodes have many.
void forget(char* data, size_t bytes) {
    const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
    const uintptr_t begin = (reinterpret_cast<uintptr_t>(data) + page - 1) & ~(page - 1);
    const uintptr_t end = (reinterpret_cast<uintptr_t>(data) + bytes) & ~(page - 1);
    if (begin < end) {
        madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
    }
}

}  // namespace

Provider& provider() {
    return *g_provider;
}

ProviderPlan& rules() {
    return provider().plan;
}

bool is_starting(int process) {
    const auto index = static_cast<size_t>(process);
    return index < provider().is_starting.size() && provider().is_starting[index];
}

int refuse(StartCall call) {
    const Refusal& refusal = rules().refusal;
    if (refusal.call != call || refusal.process != acting_process() ||
        !is_starting(refusal.process)) {
        return 0;
    }
    const int64_t number = provider().calls_to_refuse++;
    if (number < refusal.first || number >= refusal.first + refusal.count) {
        return 0;
    }
    record("start refused", refusal.process, static_cast<int64_t>(call));
    return refusal.error;
}

bool sabotages(Sabotage kind) {
    return rules().sabotage == kind && happens(rules().sabotages);
}

}  // namespace network

namespace {

using namespace network;

constexpr uint64_t kAddressMagic = 0x73696d756c617465;
struct Address {
    uint64_t magic = kAddressMagic;
    uint64_t endpoint = 0;
};

// --- Posting -------------------------------------------------------------------------------------

bool is_refused(SimEndpoint& endpoint) {
    if (Fiber::is_inside() && !endpoint.is_server && happens(rules().yields)) {
        Fiber::yield();
    }
    if (endpoint.refusals_left > 0) {
        --endpoint.refusals_left;
    } else if (happens(rules().refusals)) {
        endpoint.refusals_left = draw(0, rules().longest_spell - 1);
    } else {
        return false;
    }
    ++provider().refused;
    remark("refused", endpoint.name());
    return true;
}

SimEndpoint* peer_of(const SimEndpoint& endpoint, fi_addr_t address) {
    const auto& peers = endpoint.peers->endpoints;
    if (address >= peers.size() || provider().endpoints[peers[address]] == nullptr) {
        violation("endpoint %lld posts to address %llu, which no endpoint has",
                  static_cast<long long>(endpoint.name()),
                  static_cast<unsigned long long>(address));
    }
    return provider().endpoints[peers[address]];
}

bool is_busy(const SimEndpoint& endpoint) {
    return static_cast<uint64_t>(endpoint.under_way) >=
           std::min<uint64_t>(static_cast<uint64_t>(rules().posts_at_a_time),
                              rules().transmit_size);
}

void post(SimEndpoint& from, std::unique_ptr<Posted> operation) {
    constexpr const char* kNames[] = {"post send", "post write", "post read"};
    operation->from = &from;
    operation->number = ++provider().posted;
    operation->arrives_from = draw_delay();
    operation->completes_from = draw_delay();
    take_context(operation->context);
    if (++from.under_way > static_cast<int64_t>(from.queue->size)) {
        violation("%lld operations of endpoint %lld are under way, whose queue takes %zu",
                  static_cast<long long>(from.under_way), static_cast<long long>(from.name()),
                  from.queue->size);
    }
    record(kNames[static_cast<int>(operation->kind)], from.name(), operation->to->name(),
           static_cast<int64_t>(operation->bytes));
    operation->waits_for_sender = operation->is_buffered && !leaves_alone(*operation);
    if (operation->is_buffered && !operation->waits_for_sender && happens(rules().whole) &&
        rules().sabotage != Sabotage::early_completion) {
        read_local(*operation);
    }
    if (is_timed()) {
        start_transfer(std::move(operation));
    } else {
        provider().operations.push_back(std::move(operation));
    }
}

// Returns 0 if the endpoint accepts an operation with that peer.
ssize_t why_not(SimEndpoint& from, const SimEndpoint& to) {
    const bool is_too_early = is_refused(from) || is_busy(from);
    provider().death_is_noticed |= to.is_dead;
    if (is_too_early) {
        return -FI_EAGAIN;
    }
    if (to.is_dead && rules().sabotage == Sabotage::unreported_death) {
        remark("refused", from.name());
        return -FI_EAGAIN;
    }
    return to.is_dead && happens(500) ? -FI_ECONNREFUSED : 0;
}

ssize_t send(fid_ep* ep, const void* data, size_t bytes, void* descriptor, fi_addr_t address,
             void* context) {
    auto& from = *reinterpret_cast<SimEndpoint*>(ep);
    check_local(from, data, bytes, descriptor);
    SimEndpoint* to = peer_of(from, address);
    if (const ssize_t reason = why_not(from, *to); reason != 0) {
        return reason;
    }
    auto operation = std::make_unique<Posted>();
    operation->kind = Kind::send;
    operation->to = to;
    operation->context = context;
    operation->bytes = bytes;
    operation->is_buffered = true;
    operation->pieces = {{static_cast<char*>(const_cast<void*>(data)), nullptr, bytes}};
    if (bytes > rules().largest_bytes) {
        violation("a message of %zu bytes where the provider takes %zu", bytes,
                  rules().largest_bytes);
    }
    Posted* posted = operation.get();
    post(from, std::move(operation));
    if (sabotages(Sabotage::early_completion)) {
        complete(*posted, 0);
    }
    return 0;
}

ssize_t receive(fid_ep* ep, const fi_msg* message, uint64_t flags) {
    auto& endpoint = *reinterpret_cast<SimEndpoint*>(ep);
    char* data = static_cast<char*>(message->msg_iov->iov_base);
    const size_t bytes = message->msg_iov->iov_len;
    if ((flags & FI_MULTI_RECV) == 0 || message->iov_count != 1) {
        violation("a receive that this provider does not simulate");
    }
    check_local(endpoint, data, bytes, message->desc != nullptr ? *message->desc : nullptr);
    if (bytes < rules().gap + endpoint.smallest_space) {
        violation("a receive buffer of %zu bytes, where %zu are never filled", bytes,
                  rules().gap + endpoint.smallest_space);
    }
    if (is_refused(endpoint)) {
        return -FI_EAGAIN;
    }
    std::erase_if(endpoint.receives, [&](const std::unique_ptr<Receive>& other) {
        if (other->is_full && other->arriving == 0 && other->unread == 0) {
            return true;
        }
        if (data < other->data + other->bytes && other->data < data + bytes) {
            violation(
                "endpoint %lld posts a receive buffer again in which %d messages are still "
                "arriving and %d are not read",
                static_cast<long long>(endpoint.name()), other->arriving, other->unread);
        }
        return false;
    });
    // Posted memory belongs to the provider.
    constexpr size_t kScribbled = 8 << 10;
    if (is_timed()) {
        forget(data, bytes);
    } else {
        std::memset(data, 0xa5, std::min(bytes, kScribbled));
    }
    auto receive = std::make_unique<Receive>();
    receive->data = data;
    receive->bytes = bytes;
    receive->context = message->context;
    take_context(receive->context);
    endpoint.posted.push_back(receive.get());
    endpoint.receives.push_back(std::move(receive));
    record("post receive", endpoint.name(), static_cast<int64_t>(bytes));
    if (is_timed()) {
        take_held_messages(endpoint);
    }
    return 0;
}

ssize_t post_rma(fid_ep* ep, const fi_msg_rma* message, uint64_t flags, Kind kind) {
    auto& from = *reinterpret_cast<SimEndpoint*>(ep);
    if (message->iov_count > rules().iov_limit || message->rma_iov_count > rules().rma_iov_limit) {
        violation("%zu pieces in one operation, where the provider takes %zu, and %zu remote ones",
                  message->iov_count, rules().iov_limit, rules().rma_iov_limit);
    }
    for (size_t i = 0; i < message->iov_count; ++i) {
        check_local(from, message->msg_iov[i].iov_base, message->msg_iov[i].iov_len,
                    message->desc != nullptr ? message->desc[i] : nullptr);
    }
    SimEndpoint* to = peer_of(from, message->addr);
    if (const ssize_t reason = why_not(from, *to); reason != 0) {
        return reason;
    }
    auto operation = std::make_unique<Posted>();
    operation->kind = kind;
    operation->to = to;
    operation->context = message->context;
    // The pieces of one side need not be those of the other.
    size_t local_piece = 0;
    size_t local_done = 0;
    for (size_t i = 0; i < message->rma_iov_count; ++i) {
        const fi_rma_iov& remote = message->rma_iov[i];
        char* at = operation->to->is_dead
                       ? nullptr
                       : remote_memory(*operation->to, remote.addr, remote.key, remote.len,
                                       kind == Kind::write ? FI_REMOTE_WRITE : FI_REMOTE_READ);
        for (size_t done = 0; done < remote.len;) {
            if (local_piece == message->iov_count) {
                violation("a remote access whose sides differ in length");
            }
            const iovec& local = message->msg_iov[local_piece];
            const size_t bytes = std::min(remote.len - done, local.iov_len - local_done);
            const std::vector<Piece> pieces = split(static_cast<char*>(local.iov_base) + local_done,
                                                    at == nullptr ? nullptr : at + done, bytes);
            operation->pieces.insert(operation->pieces.end(), pieces.begin(), pieces.end());
            done += bytes;
            local_done += bytes;
            if (local_done == local.iov_len) {
                ++local_piece;
                local_done = 0;
            }
        }
        operation->bytes += remote.len;
        operation->key = remote.key;
    }
    if (local_piece != message->iov_count) {
        violation("a remote access whose sides differ in length");
    }
    if (operation->bytes > rules().largest_bytes) {
        violation("a remote access of %zu bytes where the provider takes %zu", operation->bytes,
                  rules().largest_bytes);
    }
    operation->is_delivered_kind = (flags & FI_DELIVERY_COMPLETE) != 0 && rules().delivery;
    operation->has_immediate = (flags & FI_REMOTE_CQ_DATA) != 0;
    operation->immediate = static_cast<uint32_t>(message->data);
    // A stream of bytes takes short ones, whether its target is polled or not.
    constexpr size_t kTaken = 16 << 10;
    operation->is_buffered =
        kind == Kind::write &&
        (happens(500) || (rules().writes_in_order && operation->bytes <= kTaken));
    post(from, std::move(operation));
    return 0;
}

ssize_t write_message(fid_ep* ep, const fi_msg_rma* message, uint64_t flags) {
    const Twin* twin = rules().twin;
    if (twin != nullptr && (flags & ~twin->write_flags) != 0) {
        if (twin->bad_flags != 0) {
            return -twin->bad_flags;
        }
        flags &= twin->write_flags;
    }
    return post_rma(ep, message, flags, Kind::write);
}

ssize_t write_data(fid_ep* ep, const void* data, size_t bytes, void* descriptor, uint64_t immediate,
                   fi_addr_t address, uint64_t remote, uint64_t key, void* context) {
    if (!provider().has_writedata ||
        reinterpret_cast<SimEndpoint*>(ep)->process == rules().without_data) {
        return -FI_ENOSYS;
    }
    const iovec local{const_cast<void*>(data), bytes};
    const fi_rma_iov target{remote, bytes, key};
    fi_msg_rma message{};
    message.msg_iov = &local;
    message.desc = descriptor != nullptr ? &descriptor : nullptr;
    message.iov_count = 1;
    message.addr = address;
    message.rma_iov = &target;
    message.rma_iov_count = 1;
    message.context = context;
    message.data = immediate;
    return post_rma(ep, &message, FI_COMPLETION | FI_REMOTE_CQ_DATA, Kind::write);
}

ssize_t read_message(fid_ep* ep, const fi_msg_rma* message, uint64_t flags) {
    return post_rma(ep, message, flags, Kind::read);
}

// --- Endpoints and address vectors ---------------------------------------------------------------

int close_endpoint(fid* object) {
    auto* endpoint = reinterpret_cast<SimEndpoint*>(object);
    for (const auto& [key, region] : provider().regions) {
        if ((rules().memory_mode & FI_MR_ENDPOINT) == 0) {
            break;  // none is bound
        }
        if (region->endpoint == endpoint && (region->access & FI_REMOTE_WRITE) != 0) {
            violation("endpoint %lld is closed before memory that is bound to it",
                      static_cast<long long>(endpoint->name()));
        }
    }
    end_operations_of(*endpoint);
    provider().endpoints[endpoint->number] = nullptr;
    if (is_timed()) {
        endpoint->is_dead = true;
        endpoint->receives.clear();
        provider().closed.emplace_back(endpoint);
    } else {
        delete endpoint;
    }
    return 0;
}

int bind_endpoint(fid* object, fid* other, uint64_t) {
    auto* endpoint = reinterpret_cast<SimEndpoint*>(object);
    if (other->fclass == FI_CLASS_CQ) {
        endpoint->queue = reinterpret_cast<SimQueue*>(other);
        endpoint->queue->endpoint = endpoint;
    } else {
        endpoint->peers = reinterpret_cast<SimVector*>(other);
    }
    return 0;
}

OptionTime option_time() {
    return rules().twin != nullptr ? rules().twin->option_time : OptionTime::any;
}

int control_endpoint(fid* object, int command, void*) {
    if (command != FI_ENABLE) {
        return -FI_ENOSYS;
    }
    if (const int error = refuse(StartCall::enable); error != 0) {
        return -error;
    }
    auto* endpoint = reinterpret_cast<SimEndpoint*>(object);
    endpoint->is_enabled = true;
    if (option_time() == OptionTime::after_enable) {
        endpoint->asked_space = endpoint->smallest_space = rules().twin->default_space;
    }
    return 0;
}

int set_option(fid* object, int, int option, const void* value, size_t) {
    if (option != FI_OPT_MIN_MULTI_RECV) {
        return -FI_ENOPROTOOPT;
    }
    auto* endpoint = reinterpret_cast<SimEndpoint*>(object);
    size_t space = 0;
    std::memcpy(&space, value, sizeof space);
    if (rules().twin != nullptr && space > rules().twin->largest_space) {
        return -FI_EINVAL;
    }
    endpoint->asked_space = space;
    if (!endpoint->is_enabled || option_time() != OptionTime::before_enable) {
        endpoint->smallest_space = space;
    }
    return 0;
}

int get_option(fid* object, int, int option, void* value, size_t* bytes) {
    if (option != FI_OPT_MIN_MULTI_RECV) {
        return -FI_ENOPROTOOPT;
    }
    *bytes = sizeof(size_t);
    std::memcpy(value, &reinterpret_cast<SimEndpoint*>(object)->asked_space, sizeof(size_t));
    return 0;
}

int get_name(fid* object, void* name, size_t* bytes) {
    const Address address{kAddressMagic, reinterpret_cast<SimEndpoint*>(object)->number};
    const size_t room = *bytes;
    *bytes = sizeof address;
    if (room < sizeof address) {
        return -FI_ETOOSMALL;
    }
    std::memcpy(name, &address, sizeof address);
    return 0;
}

int open_endpoint(fid_domain* domain, fi_info*, fid_ep** ep, void*) {
    static fi_ops ops = {sizeof ops, close_endpoint, bind_endpoint, control_endpoint,
                         nullptr,    nullptr,        nullptr};
    static fi_ops_ep ep_ops{};
    static fi_ops_cm cm_ops{};
    static fi_ops_msg msg_ops{};
    static fi_ops_rma rma_ops{};
    ep_ops.setopt = set_option;
    ep_ops.getopt = get_option;
    cm_ops.getname = get_name;
    msg_ops.send = send;
    msg_ops.recvmsg = receive;
    rma_ops.writemsg = write_message;
    rma_ops.writedata = write_data;
    rma_ops.readmsg = read_message;
    if (const int error = refuse(StartCall::endpoint); error != 0) {
        return -error;
    }
    auto* endpoint = new SimEndpoint;
    if (rules().twin != nullptr) {
        endpoint->asked_space = endpoint->smallest_space = rules().twin->default_space;
    }
    endpoint->ep.fid = {FI_CLASS_EP, nullptr, &ops};
    endpoint->ep.ops = &ep_ops;
    endpoint->ep.cm = &cm_ops;
    endpoint->ep.msg = &msg_ops;
    endpoint->ep.rma = &rma_ops;
    endpoint->domain = domain;
    endpoint->number = provider().endpoints.size();
    endpoint->process = acting_process();
    const auto server = provider().servers.find(endpoint->process);
    endpoint->is_server = server != provider().servers.end();
    endpoint->owner = endpoint->is_server ? server->second : endpoint->process;
    provider().endpoints.push_back(endpoint);
    *ep = &endpoint->ep;
    return 0;
}

int insert_addresses(fid_av* av, const void* addresses, size_t count, fi_addr_t* results, uint64_t,
                     void*) {
    if (const int error = refuse(StartCall::address); error != 0) {
        return -error;
    }
    auto& vector = *reinterpret_cast<SimVector*>(av);
    for (size_t i = 0; i < count; ++i) {
        Address address;
        std::memcpy(&address, static_cast<const char*>(addresses) + i * sizeof address,
                    sizeof address);
        if (address.magic != kAddressMagic || address.endpoint >= provider().endpoints.size()) {
            violation("an address is inserted that is no endpoint's");
        }
        results[i] = vector.endpoints.size();
        vector.endpoints.push_back(address.endpoint);
    }
    return static_cast<int>(count);
}

template <class Object>
int close_object(fid* object) {
    --provider().open_objects;
    delete reinterpret_cast<Object*>(object);
    return 0;
}

int remove_addresses(fid_av*, fi_addr_t*, size_t, uint64_t) {
    return 0;
}

int open_vector(fid_domain*, fi_av_attr*, fid_av** av, void*) {
    static fi_ops ops = {sizeof ops, close_object<SimVector>, nullptr, nullptr, nullptr, nullptr,
                         nullptr};
    static fi_ops_av av_ops{};
    av_ops.insert = insert_addresses;
    av_ops.remove = remove_addresses;
    if (const int error = refuse(StartCall::address_vector); error != 0) {
        return -error;
    }
    ++provider().open_objects;
    auto* vector = new SimVector;
    vector->av.fid = {FI_CLASS_AV, nullptr, &ops};
    vector->av.ops = &av_ops;
    *av = &vector->av;
    return 0;
}

int open_domain(fid_fabric*, fi_info* info, fid_domain** domain, void*) {
    if (rules().twin != nullptr) {
        keep_offer(*info);
    }
    static fi_ops ops = {sizeof ops, close_object<fid_domain>, nullptr, nullptr, nullptr, nullptr,
                         nullptr};
    static fi_ops_domain domain_ops{};
    static fi_ops_mr mr_ops{};
    domain_ops.av_open = open_vector;
    domain_ops.cq_open = open_queue;
    domain_ops.endpoint = open_endpoint;
    mr_ops.reg = register_region;
    if (const int error = refuse(StartCall::domain); error != 0) {
        return -error;
    }
    if (rules().broken_adapter >= 0 && acting_process() == rules().last_process &&
        adapter_name(*rules().twin, rules().broken_adapter) == info->domain_attr->name) {
        return -FI_EACCES;
    }
    ++provider().open_objects;
    *domain = new fid_domain{{FI_CLASS_DOMAIN, nullptr, &ops}, &domain_ops, &mr_ops};
    return 0;
}

constexpr const char* kName = "simulated";

}  // namespace

void start_provider(const ProviderPlan& new_plan) {
    network::g_provider = std::make_unique<Provider>();
    provider().plan = new_plan;
    provider().row = fabric::provider_row(kName);
    provider().row.name = kName;
    provider().row.wait = new_plan.wait;
    provider().row.rma = new_plan.rma;
    provider().row.delivery = new_plan.delivery;
    provider().row.immediate_data = !new_plan.immediate_data ? fabric::ImmediateData::no
                                    : new_plan.tries_data    ? fabric::ImmediateData::tried
                                                             : fabric::ImmediateData::granted;
    provider().has_writedata = new_plan.immediate_data;
    provider().row.ends_early = new_plan.ends_early;
    provider().row.sends_alone = new_plan.sends_alone;
    provider().row.gathers_writes = new_plan.gathers_writes;
    provider().row.writes_in_order = new_plan.writes_in_order;
}

fabric::ProviderChoice choose_simulated_provider() {
    fabric::ProviderChoice choice;
    if (refuse(StartCall::information) != 0) {
        choice.error = "libfabric offers no provider";
        return choice;
    }
    fi_info* info = fi_allocinfo();
    info->fabric_attr->prov_name = strdup(kName);
    info->fabric_attr->name = strdup(kName);
    info->domain_attr->name = strdup(kName);
    info->domain_attr->mr_mode = rules().memory_mode;
    info->domain_attr->cq_data_size = rules().immediate_bytes;
    info->tx_attr->msg_order = rules().message_order;
    info->tx_attr->size = rules().transmit_size;
    info->tx_attr->iov_limit = rules().iov_limit;
    info->tx_attr->rma_iov_limit = rules().rma_iov_limit;
    info->rx_attr->msg_order = rules().message_order;
    info->ep_attr->max_msg_size = rules().largest_bytes;
    info->ep_attr->max_order_waw_size = rules().ordered_bytes;
    info->ep_attr->max_order_raw_size = rules().ordered_read_bytes;
    choice.info.reset(info);
    choice.row = &provider().row;
    return choice;
}

void label_endpoints(int server) {
    if (server >= 0) {
        provider().servers[acting_process()] = server;
    } else {
        provider().servers.erase(acting_process());
    }
}

void begin_start() {
    auto& is_starting = provider().is_starting;
    const auto process = static_cast<size_t>(acting_process());
    is_starting.resize(std::max(is_starting.size(), process + 1));
    is_starting[process] = true;
}

void finish_start() {
    provider().is_starting[static_cast<size_t>(acting_process())] = false;
    const Twin* twin = rules().twin;
    if (twin == nullptr || rules().refusal.call == StartCall::queue) {
        return;
    }
    const bool has_fd = twin->wait_fd == WaitObject::granted;
    const bool waits = has_fd || twin->wait_unspecified == WaitObject::granted;
    for (const SimEndpoint* endpoint : provider().endpoints) {
        if (endpoint != nullptr && endpoint->process == acting_process() &&
            ((has_fd && endpoint->queue->wait_fd < 0) || (waits && !endpoint->queue->waits))) {
            violation("endpoint %lld polls, and could wait for %s",
                      static_cast<long long>(endpoint->name()),
                      has_fd ? "a descriptor" : "its queue");
        }
        if (endpoint != nullptr && endpoint->process == acting_process() &&
            twin->wait_fd == WaitObject::unsignalled && endpoint->queue->waits) {
            violation("endpoint %lld sleeps on an object that only its own polls signal",
                      static_cast<long long>(endpoint->name()));
        }
    }
}

void check_nothing_is_open() {
    const auto& endpoints = provider().endpoints;
    const auto closed = std::count(endpoints.begin(), endpoints.end(), nullptr);
    const auto open = static_cast<int64_t>(endpoints.size()) - closed;
    if (open > 0 || !provider().regions.empty() || provider().open_objects != 0) {
        violation("%lld endpoints, %zu registrations and %lld other objects are left open",
                  static_cast<long long>(open), provider().regions.size(),
                  static_cast<long long>(provider().open_objects));
    }
}

}  // namespace armci::sim

// Replaces the function of libfabric: the program's own definition comes before that of a shared
// library.
int fi_fabric(fi_fabric_attr*, fid_fabric** fabric, void*) {
    static fi_ops ops = {
        sizeof ops, armci::sim::close_object<fid_fabric>, nullptr, nullptr, nullptr, nullptr,
        nullptr};
    static fi_ops_fabric fabric_ops{};
    fabric_ops.domain = armci::sim::open_domain;
    fabric_ops.trywait = armci::sim::try_wait;
    ++armci::sim::network::provider().open_objects;
    *fabric = new fid_fabric{{FI_CLASS_FABRIC, nullptr, &ops}, &fabric_ops, FI_VERSION(1, 17)};
    return 0;
}
