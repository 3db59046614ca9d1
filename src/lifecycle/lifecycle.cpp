// SPDX-License-Identifier: BSD-3-Clause
// Start, stop, and the counting of both.
//
// ARMCI_Init* count up, ARMCI_Finalize counts down, and the library stops when the count reaches
// zero. ARMCI_Init_mpi_comm starts the library without counting: Global Arrays calls it before
// ARMCI_Init and finalizes once.
#include "lifecycle/lifecycle.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "base/backtrace.h"
#include "base/clock.h"
#include "base/config_files.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/strangers.h"
#include "base/topology.h"
#include "check/checking_mode.h"
#include "core/job/common_values.h"
#include "core/job/launcher.h"
#include "core/job/mpi_collectives.h"
#include "core/job/observed_calls.h"
#include "core/job/thread_level.h"
#include "core/job/tracing.h"
#include "core/progress/thread_stats.h"
#include "core/routing/cost_setup.h"
#include "core/runtime/runtime.h"
#include "fabric/faults.h"
#include "lifecycle/mpi_match.h"
#include "lifecycle/open_network.h"
#include "lifecycle/report.h"
#include "lifecycle/reporter.h"
#include "node/heap.h"
#include "node/memory_limits.h"
#include "watch/watching.h"
#include "wire/frame.h"

namespace armci::lifecycle {

namespace {

// An instance that could not stop together with the other ranks. Its threads end with MPI.
Runtime* g_abandoned = nullptr;
base::Mutex g_count_mutex;  // at MPI_THREAD_MULTIPLE any thread may start and finalize
int g_count ARMCI_GUARDED_BY(g_count_mutex) = 0;
MPI_Request g_all_stop = MPI_REQUEST_NULL;  // from ARMCI_Finalize until all ranks are in it

// What all ranks of a job must have in common, because they share structures in memory and frames.
struct Edition {
    char version[48] = ARMCI_VERSION;
    uint64_t frame_version = wire::kVersion;
    uint64_t node_bytes = sizeof(node::HeapControl);
    uint64_t segment_bytes =
        sizeof(core::SegmentTables) + sizeof(core::Slice) + sizeof(core::ServerPart);
    uint64_t config_bytes = sizeof(base::Config);  // its variables are compared one by one
    char rest[48] = {};                            // 128 bytes, whatever other versions put here
};
static_assert(sizeof(Edition) == 128);

// A malformed value ends the job before anything is started. One rank's message is enough when all
// have the same environment, which rank 0 finds out first. A version other than rank 0's ends the
// job, too. A variable that must be equal in the job takes rank 0's value, with a warning.
void check_configuration(const char* function, base::ConfigResult* configuration, MPI_Comm comm) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    const auto complain = [&] {
        for (const std::string& error : configuration->errors) {
            base::log(base::LogLevel::error, "%s", error.c_str());
        }
        base::fatal(function, "%zu setting%s cannot be used; see above",
                    configuration->errors.size(), configuration->errors.size() == 1 ? "" : "s");
    };
    if (rank == 0 && !configuration->errors.empty()) {
        complain();
    }
    const Edition mine;
    Edition first;
    core::mpi::bcast(&first, sizeof first, MPI_BYTE, 0, comm);
    if (!configuration->errors.empty()) {
        complain();
    }
    if (std::memcmp(&first, &mine, sizeof mine) != 0) {
        first.version[sizeof first.version - 1] = '\0';
        base::fatal(function,
                    "this rank's libarmci is version %s (frames %llu, node memory %llu), rank 0's "
                    "is %s (%llu, %llu); let all ranks load the same one: see "
                    "LD_LIBRARY_PATH and what is installed on each node",
                    mine.version, static_cast<unsigned long long>(mine.frame_version),
                    static_cast<unsigned long long>(mine.node_bytes), first.version,
                    static_cast<unsigned long long>(first.frame_version),
                    static_cast<unsigned long long>(first.node_bytes));
    }
    core::take_common_values(configuration, comm);
}

// This is printed before anything is started. If the start fails, this may be why.
void warn_of_configuration(const base::ConfigResult& configuration) {
    for (const std::string& warning : configuration.warnings) {
        ARMCI_LOG_WARN("%s", warning.c_str());
    }
}

void apply_faults(base::ConfigResult* configuration) {
    fabric::Faults faults;
    std::string error;
    if (!fabric::parse_faults(configuration->config.faults, &faults, &error)) {
        configuration->errors.push_back(error);
    }
    fabric::set_faults(faults);
}

// Connections use descriptors, and the default soft limit is soon reached: MPI has some already.
void raise_descriptor_limit(MPI_Comm comm) {
    int size = 0;
    MPI_Comm_size(comm, &size);
    rlimit limit{};
    if (size > 1 && getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

core::Reservation reservation(const base::Config& config) {
    return config.heap_size > 0
               ? core::Reservation{static_cast<size_t>(config.heap_size), false}
               : core::Reservation{static_cast<size_t>(4 * node::total_memory()), true};
}

// Waits for all ranks to come here, with a time limit, because a program that fails may call this
// on one rank only.
bool all_ranks_stop(Runtime& runtime, int64_t deadline_ns) {
    int done = 0;
    runtime.progress.wait_until({"ARMCI_Finalize", "the other ranks"}, [&] {
        MPI_Test(&g_all_stop, &done, MPI_STATUS_IGNORE);
        return done != 0 || base::now_ns() > deadline_ns;
    });
    return done != 0;
}

// One rank of a node says it for all, because in a large job every other line would be the same.
// Only the other nodes know which of their ranks are missing.
void warn_of_missing_ranks(const Runtime& runtime, int64_t timeout_s) {
    constexpr int kMaxNamed = 8;
    node::Arrivals& stopping = runtime.node.heap.control().stopping;
    if (!stopping.is_mine_to_report()) {
        return;
    }
    const std::vector<int32_t>& ranks = runtime.world.node_ranks;
    std::string names;
    int missing = 0;
    for (size_t i = 0; i < ranks.size(); ++i) {
        if (!stopping.has_arrived(static_cast<int>(i)) && ++missing <= kMaxNamed) {
            names += (missing > 1 ? ", " : "") + std::to_string(ranks[i]);
        }
    }
    std::string who = "ranks of other nodes than ";
    if (missing > 0) {
        who = "of " + std::to_string(ranks.size()) + " ranks " + std::to_string(missing) + " (" +
              names + (missing > kMaxNamed ? ", and others" : "") + ") on ";
    }
    ARMCI_LOG_WARN(
        "ARMCI_Finalize: %s%s did not come within %lld s (ARMCI_FINALIZE_TIMEOUT_SECONDS); those "
        "that "
        "wait here go on without them until MPI_Finalize",
        who.c_str(), core::describe_node(runtime.world).c_str(), static_cast<long long>(timeout_s));
}

// Recognises the counter of TCGMSG's NXTVAL, which is never freed: eight bytes of the last rank's.
// A user cannot change that, so it is not reported.
bool is_tcgmsg_counter(const core::Segment& segment) {
    const int last = segment.group->size() - 1;
    for (int member = 0; member < last; ++member) {
        if (segment.slice(member).bytes != 0) {
            return false;
        }
    }
    return segment.group->is_world() && segment.slice(last).bytes == sizeof(int64_t);
}

void free_leaked(Runtime& runtime) {
    int leaked = 0;
    bool counter_is_left = false;
    for (const auto& segment : runtime.segments.all()) {
        if (segment->is_internal || segment->is_dynamic()) {
            continue;
        }
        if (!counter_is_left && is_tcgmsg_counter(*segment)) {
            counter_is_left = true;
        } else {
            ++leaked;
        }
    }
    if (leaked > 0 && runtime.world.rank == 0) {
        ARMCI_LOG_WARN("%d allocation%s not freed before ARMCI_Finalize", leaked,
                       leaked == 1 ? " was" : "s were");
    }
    runtime.segments.stop();
}

// All ranks are here, so nothing is under way any more, and no rank will start anything.
// `function` has been running since begin_ns.
void finish_stop(Runtime* runtime, const char* function, int64_t begin_ns) {
    report_statistics(*runtime);
    stop_reporter();
    runtime->checking->finish();
    runtime->checking.stop();
    runtime->progress.copies().stop();
    free_leaked(*runtime);
    close_network(*runtime);
    core::record_call(function, begin_ns);
    core::stop_tracing(runtime->world);
    runtime->groups.stop();
    runtime->node.keeper.stop();
    runtime->node.populator.stop();
    // The whole heap goes with its mapping, so no rank may still access it.
    core::mpi::barrier(runtime->world.node_comm);
    watch::stop_watch(runtime->watch);
    core::leave_nodes(&runtime->world, &runtime->node.mapping);
    delete runtime;
    base::set_log_rank(-1);
}

void stop(Runtime* runtime) {
    core::Threads& threads = runtime->threads;
    if (runtime->checking.is_on() && !threads.is_multiple()) {
        threads.enter_once("ARMCI_Finalize");
        runtime->checking->before_call("ARMCI_Finalize");
        threads.leave();
    }
    threads.end_multiple();
    threads.enter_alone("ARMCI_Finalize");
    core::Threads::enter_concurrently("ARMCI_Finalize");
    const int64_t begin_ns = base::now_ns();
    const int64_t timeout_s = runtime->config().finalize_timeout_seconds;
    const int64_t deadline_ns = begin_ns + timeout_s * 1'000'000'000;
    runtime->checking->before_stop(deadline_ns);
    runtime->completion.wait_everything();
    core::fence_all(runtime->progress);
    runtime->node.heap.control().stopping.arrive(runtime->world.rank_in_node);
    MPI_Ibarrier(runtime->world.comm, &g_all_stop);
    const bool all_here = all_ranks_stop(*runtime, deadline_ns);
    core::g_running = nullptr;
    if (all_here) {
        finish_stop(runtime, "ARMCI_Finalize", begin_ns);
        return;
    }
    warn_of_missing_ranks(*runtime, timeout_s);
    core::record_call("ARMCI_Finalize", begin_ns);
    g_abandoned = runtime;
}

// Completes the stop that this rank did not wait for. It is called before something that waits for
// all ranks anyway.
void finish_abandoned() {
    Runtime* runtime = g_abandoned;
    g_abandoned = nullptr;
    const int64_t begin_ns = base::now_ns();
    all_ranks_stop(*runtime, INT64_MAX);
    finish_stop(runtime, "end of the library", begin_ns);
}

// MPI_Finalize was reached with the library still up, or with other ranks still using what is here.
// MPI runs this first, so it can still communicate, and ranks stop together as in ARMCI_Finalize.
// There is no time limit, because MPI_Finalize has none either. One thread calls MPI_Finalize, when
// no other thread is in a call, so the count needs no lock.
int on_mpi_finalize(MPI_Comm, int, void*, void*) ARMCI_NO_THREAD_SAFETY_ANALYSIS {
    g_count = 0;
    if (core::g_running != nullptr) {
        stop(core::g_running);
    }
    if (g_abandoned != nullptr) {
        finish_abandoned();
    }
    return MPI_SUCCESS;
}

void watch_mpi_finalize() {
    static int keyval = MPI_KEYVAL_INVALID;
    if (keyval == MPI_KEYVAL_INVALID) {
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_mpi_finalize, &keyval, nullptr);
        MPI_Comm_set_attr(MPI_COMM_SELF, keyval, nullptr);
    }
}

void start_copies(Runtime& runtime) {
    std::unique_ptr<node::CopyEngine> engine =
        core::make_copy_engine(runtime.config(), 2 * static_cast<uint64_t>(runtime.world.rank));
    if (engine != nullptr) {
        runtime.progress.copies().start(std::move(engine), runtime.config().copy_engine_min);
    }
}

void use_thread_level(Runtime& runtime, int level) {
    const bool calls_do_more = runtime.progress.copies().are_possible() || core::observes_calls() ||
                               runtime.checking.is_on();
    if (runtime.threads.raise_level(level, calls_do_more)) {
        runtime.segments.share_among_threads();
    }
}

void check_mpi_is_running(const char* function) {
    int initialized = 0;
    int finalized = 0;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    if (initialized == 0 || finalized != 0) {
        base::fatal(function,
                    "MPI is not running; call MPI_Init before, and MPI_Finalize after "
                    "ARMCI_Finalize");
    }
}

// From here on messages name the rank, and an error ends the job by MPI_Abort.
void prepare_messages(MPI_Comm comm) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    base::set_log_rank(rank);
    base::set_abort_hook(core::abort_by_mpi);
}

// Reads files and the environment, and applies what does not depend on other ranks of the node.
void configure(Runtime& runtime, const char* function, core::RequestedLevel requested,
               MPI_Comm comm) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    runtime.configuration = base::read_config_and_files(environ);
    base::set_backtrace(runtime.config().backtrace);
    apply_faults(&runtime.configuration);
    if (rank == 0) {
        core::check_profile(&runtime.configuration);
    }
    check_configuration(function, &runtime.configuration, comm);
    const base::Config& config = runtime.config();
    base::set_log_level(static_cast<base::LogLevel>(config.log_level));
    if (rank == 0) {
        warn_of_configuration(runtime.configuration);
    }
    core::check_launcher();
    core::warn_of_thread_level(config, comm);
    runtime.threads.set_level(core::chosen_level(requested, config));
    if (config.shm_limit > 0) {
        core::set_memory_limit(static_cast<uint64_t>(config.shm_limit));
    }
}

// Returns how many bytes of freed memory this host may keep.
uint64_t max_kept(const base::Config& config) {
    constexpr int64_t kShareOfMemory = 16;
    return static_cast<uint64_t>(config.keep_freed == base::kAuto
                                     ? node::total_memory() / kShareOfMemory
                                     : config.keep_freed);
}

// Divides the ranks into nodes and maps the memory that those of a node share.
void share_nodes(Runtime& runtime, const char* function, MPI_Comm comm) {
    const base::Config& config = runtime.config();
    core::World& world = runtime.world;
    core::NodeMapping& mapping = runtime.node.mapping;
    core::form_nodes(comm, config.node_size, reservation(config), &world, &mapping);
    if (config.domain_choice() == base::DomainChoice::node) {
        if (!world.has_regular_nodes()) {
            base::fatal(function,
                        "ARMCI_DOMAINS=node needs equally many ranks with consecutive numbers on "
                        "every node; start the job so, or unset it");
        }
        if (world.groups_comm != MPI_COMM_NULL) {
            core::connect_masters(&world);
        }
    }
    if (world.is_leader()) {
        runtime.node.heap = node::NodeHeap::create(mapping.base, mapping.bytes, mapping.file());
    }
    core::mpi::barrier(world.node_comm);
    if (!world.is_leader()) {
        runtime.node.heap = node::NodeHeap::attach(mapping.base, mapping.file());
    }
    if (!runtime.node.heap.valid()) {
        base::fatal(
            function,
            "the shared memory of %s is not what its first rank made; let all ranks load the same "
            "libarmci, and report this if they do",
            core::describe_node(world).c_str());
    }
    runtime.node.keeper.start(runtime.node.heap, {.max_bytes = max_kept(config)});
}

void start_watch(Runtime& runtime) {
    const auto complete = [&](MPI_Request* request) {
        runtime.messages.complete(request, "other ranks that connect to each other");
    };
    watch::start_watch(&runtime.watch, {.world = runtime.world,
                                        .config = runtime.config(),
                                        .complete = complete,
                                        .reported = &runtime.node.heap.control().loss_reported});
}

// Counts the processors of all ranks with which this one shares them. Each rank by itself may be
// bound to few.
int processors_together(const core::World& world) {
    base::ProcessorBits bits = base::processor_bits();
    core::mpi::allreduce(bits.data(), static_cast<int>(bits.size()), MPI_UINT64_T, MPI_BOR,
                         world.is_single_host ? world.comm : world.node_comm);
    return base::count_processors(bits);
}

// Starts the parts of the runtime that need the node's memory and no network.
void start_parts(Runtime& runtime, const char* function) {
    core::World& world = runtime.world;
    node::HeapControl& control = runtime.node.heap.control();
    const auto node_rank_count = static_cast<int>(world.node_ranks.size());
    if (node_rank_count > node::BarrierState::kMaxRanks) {
        base::fatal(
            function,
            "%d ranks on %s, where the library takes at most %d; start fewer on each host, or "
            "divide it into virtual nodes (ARMCI_NODE_SIZE)",
            node_rank_count, core::describe_node(world).c_str(), node::BarrierState::kMaxRanks);
    }
    world.processor_count = processors_together(world);
    world.is_oversubscribed = node_rank_count > world.processor_count;
    runtime.mutexes.start(node::MutexQueue(&control.waiters));
    runtime.attached.start();
    runtime.groups.start(world, node::NodeBarrier(&control.barrier, control.barrier_flags,
                                                  world.rank_in_node, node_rank_count));
    runtime.segments.start(world);
}

// Starts what uses the running library itself.
void start_services(Runtime& runtime, const char* function) {
    runtime.notifications.start(runtime.memory, runtime.barriers, runtime.groups.world());
    if (runtime.config().check_choice() != base::CheckChoice::off) {
        runtime.checking.start(check::make_checks(runtime));
    } else if (!base::is_tracing()) {  // which records copies on the general path
        runtime.world.fast_path_ranks = runtime.world.size;
    }
    core::reset_thread_stats();
    start_reporter(runtime, function);
}

void start(const char* function, core::RequestedLevel requested, MPI_Comm comm) {
    check_mpi_is_running(function);
    check_mpi(function);
    if (g_abandoned != nullptr) {
        finish_abandoned();
    }
    prepare_messages(comm);
    core::check_thread_level(function, requested);
    raise_descriptor_limit(comm);

    auto runtime = std::make_unique<Runtime>();
    runtime->threads.enter_alone(function);
    runtime->threads.start();
    configure(*runtime, function, requested, comm);
    share_nodes(*runtime, function, comm);
    base::forget_strangers();
    start_watch(*runtime);
    core::start_tracing(runtime->world, runtime->config(), function);
    const int64_t traced_ns = base::now_ns();
    start_parts(*runtime, function);
    open_network(*runtime);
    start_copies(*runtime);
    watch_mpi_finalize();
    report_start(*runtime);
    // From here on the library is up; what follows uses it.
    core::g_running = runtime.release();
    start_services(*core::g_running, function);
    // This comes last, because starting and stopping wait without holding the lock that waits
    // release.
    use_thread_level(*core::g_running, core::g_running->threads.level());
    core::record_call(function, traced_ns);
}

void raise_level(const char* function, core::RequestedLevel requested) {
    core::check_thread_level(function, requested);
    use_thread_level(*core::g_running, core::chosen_level(requested, core::g_running->config()));
}

}  // namespace

bool is_initialized() {
    return core::g_running != nullptr;
}

void initialize(const char* function, core::RequestedLevel requested, MPI_Comm comm) {
    const base::MutexLock lock(g_count_mutex);
    if (core::g_running == nullptr) {
        g_count = 0;
        start(function, requested, comm);
    } else {
        raise_level(function, requested);
    }
    ++g_count;
}

bool initialize_uncounted(const char* function, MPI_Comm comm) {
    const base::MutexLock lock(g_count_mutex);
    if (core::g_running != nullptr) {
        raise_level(function, std::nullopt);
        return true;
    }
    if (comm == MPI_COMM_NULL) {
        return false;
    }
    g_count = 0;
    start(function, std::nullopt, comm);
    return true;
}

int finalize() {
    const base::MutexLock lock(g_count_mutex);
    if (core::g_running == nullptr) {
        return 0;
    }
    if (g_count > 0) {
        --g_count;
    }
    if (g_count == 0) {
        stop(core::g_running);
    }
    return 0;
}

}  // namespace armci::lifecycle
