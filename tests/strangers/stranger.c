/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * stranger PROVIDER HOST PORT OLD_TOKEN: a process that is not of the job does to one endpoint of
 * it what libfabric allows: it reads and writes by guessed keys, sends frames that it has made up
 * or kept, messages of all lengths, and messages that it never completes. Exit status 0 if none of
 * it brought the memory of the job; 3 if a remote access succeeded; 77 if the provider is not here.
 */
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    kLongest = 1 << 20,
    kLongestFrame = 256 << 10,
    kLongestMessage = 8192,
    kSucceeded = 3,
    kSkipped = 77,
    kHeadBytes = 48
};
static const uint64_t kOldHeapBase = UINT64_C(0x200000000000);

/* The head of a frame, as src/wire/frame.h has it. */
struct Head {
    uint64_t token;
    int32_t rank;
    uint32_t frame_bytes;
    uint16_t magic;
    uint8_t version;
    uint8_t kind;
    uint8_t others[4];
    uint64_t request_id;
    uint64_t sequence;
    uint64_t flow;
};
_Static_assert(sizeof(struct Head) == kHeadBytes, "the head of a frame");

static struct fi_info* info;
/* SECURITY.md: sockets, and ofi_rxm since libfabric 2.0, write behind the receive buffer after
 * longer messages than there is room for. */
static size_t longest = kLongest;
static struct fid_fabric* fabric;
static struct fid_domain* domain;
static struct fid_mr* region;
static void* descriptor;
static char* memory;

/* One endpoint: a failed access leaves its connection unusable. */
static struct fid_av* peers;
static struct fid_cq* queue;
static struct fid_ep* endpoint;
static fi_addr_t target;
static struct fi_context2 context;

static void check(int result, const char* what) {
    if (result != 0) {
        fprintf(stderr, "stranger: %s: %s\n", what, fi_strerror(-result));
        exit(1);
    }
}

static void open_endpoint(void) {
    struct fi_av_attr av = {.type = FI_AV_TABLE};
    struct fi_cq_attr cq = {.format = FI_CQ_FORMAT_DATA, .size = 1024};
    check(fi_av_open(domain, &av, &peers, NULL), "fi_av_open");
    check(fi_cq_open(domain, &cq, &queue, NULL), "fi_cq_open");
    check(fi_endpoint(domain, info, &endpoint, NULL), "fi_endpoint");
    check(fi_ep_bind(endpoint, &peers->fid, 0), "fi_ep_bind");
    check(fi_ep_bind(endpoint, &queue->fid, FI_TRANSMIT | FI_RECV), "fi_ep_bind");
    check(fi_enable(endpoint), "fi_enable");
    if (fi_av_insert(peers, info->dest_addr, 1, &target, 0, NULL) != 1) {
        check(-FI_EADDRNOTAVAIL, "fi_av_insert");
    }
}

static void close_endpoint(void) {
    fi_close(&endpoint->fid);
    fi_close(&queue->fid);
    fi_close(&peers->fid);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Polls until an operation has ended; 1: well, 0: with an error, or not within a while. */
static int ends_well(double patience_s) {
    struct fi_cq_data_entry entry;
    struct fi_cq_err_entry error = {0};
    const double end = now() + patience_s;
    while (now() < end) {
        const ssize_t count = fi_cq_read(queue, &entry, 1);
        if (count == 1) {
            return 1;
        }
        if (count == -FI_EAVAIL) {
            fi_cq_readerr(queue, &error, 0);
            return 0;
        }
        usleep(50);
    }
    return 0;
}

/* Posts a message, which may have to wait for the connection. */
static int post(size_t bytes) {
    const double end = now() + 5;
    while (now() < end) {
        const ssize_t result = fi_send(endpoint, memory, bytes, descriptor, target, &context);
        if (result != -FI_EAGAIN) {
            return result == 0;
        }
        struct fi_cq_data_entry entry;
        fi_cq_read(queue, &entry, 1);
        usleep(50);
    }
    return 0;
}

static void say(size_t bytes) {
    if (!post(bytes) || !ends_well(1)) {
        close_endpoint();
        open_endpoint();
    }
}

static void fill(size_t bytes) {
    for (size_t i = 0; i < bytes; ++i) {
        memory[i] = (char)(rand() >> 7);
    }
}

static void send_frame(uint64_t token, int rank, int kind, size_t bytes) {
    const struct Head head = {.token = token,
                              .rank = rank,
                              .frame_bytes = (uint32_t)bytes,
                              .magic = 0xa4c1,
                              .version = WIRE_VERSION,
                              .kind = (uint8_t)kind,
                              .request_id = 1,
                              .sequence = 1};
    fill(bytes);
    memcpy(memory, &head, sizeof head);
    say(bytes);
}

/* Every kind of frame in the name of every rank and server. */
static void take_numbers(uint64_t old_token) {
    const uint64_t tokens[] = {0, 1, UINT64_MAX, old_token};
    for (size_t i = 0; i < sizeof tokens / sizeof tokens[0]; ++i) {
        for (int kind = 0; kind <= 50; ++kind) {
            send_frame(tokens[i], kind % 5 - 1, kind, kHeadBytes + 8 * (size_t)(kind % 7));
        }
    }
    /* The handshake first of all: with this process's own address. */
    for (int rank = 0; rank < 4; ++rank) {
        size_t bytes = 256;
        char address[256];
        check(fi_getname(&endpoint->fid, address, &bytes), "fi_getname");
        send_frame(old_token, rank, 1, kHeadBytes + (bytes + 7) / 8 * 8);
    }
}

static void send_lengths(void) {
    static const size_t lengths[] = {1,    7,    8,     47,    48,     49,     4096,
                                     8192, 9000, 20000, 66000, 140000, 300000, kLongest};
    for (int times = 0; times < 12; ++times) {
        for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; ++i) {
            if (lengths[i] <= longest) {
                fill(lengths[i] < 64 ? lengths[i] : 64);
                say(lengths[i]);
            }
        }
    }
}

/* Messages whose sender goes away in the middle. */
static void break_off(void) {
    const size_t shorter = longest < 40000 ? longest : 40000;
    for (int times = 0; times < 8; ++times) {
        post(times % 2 == 0 ? longest : shorter);
        close_endpoint();
        open_endpoint();
    }
}

/* Returns whether an access by a guessed key has succeeded. */
static int guess_keys(void) {
    for (uint64_t key = 0; key < 12; ++key) {
        const uint64_t address = key % 2 == 0 ? 0 : kOldHeapBase;
        const int is_read = key % 3 != 0;
        const double end = now() + 5;
        ssize_t result = -FI_EAGAIN;
        while (result == -FI_EAGAIN && now() < end) {
            result = is_read ? fi_read(endpoint, memory, 8, descriptor, target, address, key / 2,
                                       &context)
                             : fi_writedata(endpoint, memory, 8, descriptor, key, target, address,
                                            key / 2, &context);
            struct fi_cq_data_entry entry;
            if (result == -FI_EAGAIN) {
                fi_cq_read(queue, &entry, 1);
            }
        }
        /* A write may end well here although its target has refused it. */
        if (result == 0 && ends_well(0.5) && is_read) {
            fprintf(stderr, "stranger: read by key %d\n", (int)(key / 2));
            return 1;
        }
        close_endpoint();
        open_endpoint();
    }
    return 0;
}

int main(int count, char** arguments) {
    if (count != 5) {
        fprintf(stderr, "usage: stranger PROVIDER HOST PORT OLD_TOKEN\n");
        return 2;
    }
    /* As the library sets them: ofi_rxm refuses a connection otherwise. */
    setenv("FI_OFI_RXM_BUFFER_SIZE", "8192", 1);
    setenv("FI_OFI_RXM_MSG_RX_SIZE", "128", 1);
    struct fi_info* hints = fi_allocinfo();
    hints->caps = FI_MSG | FI_RMA;
    hints->mode = FI_CONTEXT | FI_CONTEXT2;
    hints->ep_attr->type = FI_EP_RDM;
    hints->domain_attr->mr_mode =
        FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
    hints->fabric_attr->prov_name = strdup(arguments[1]);
    if (strcmp(arguments[1], "sockets") == 0) {
        longest = kLongestFrame;
    }
    if (strstr(arguments[1], "ofi_rxm") != NULL && FI_VERSION_GE(fi_version(), FI_VERSION(2, 0))) {
        longest = kLongestMessage;
    }
    if (strstr(arguments[1], "rxd") != NULL) {
        hints->caps = FI_MSG;
    }
    if (fi_getinfo(FI_VERSION(1, 17), arguments[2], arguments[3], 0, hints, &info) != 0) {
        return kSkipped;
    }
    check(fi_fabric(info->fabric_attr, &fabric, NULL), "fi_fabric");
    check(fi_domain(fabric, info, &domain, NULL), "fi_domain");
    memory = calloc(1, kLongest);
    if ((info->domain_attr->mr_mode & FI_MR_LOCAL) != 0) {
        check(fi_mr_reg(domain, memory, kLongest, FI_SEND | FI_READ | FI_WRITE, 0, 77, 0, &region,
                        NULL),
              "fi_mr_reg");
        descriptor = fi_mr_desc(region);
    }
    srand((unsigned)strtoul(arguments[3], NULL, 10));
    open_endpoint();
    take_numbers(strtoull(arguments[4], NULL, 0));
    send_lengths();
    const int has_read = (hints->caps & FI_RMA) != 0 && guess_keys();
    break_off();
    _exit(has_read ? kSucceeded : 0);
}
