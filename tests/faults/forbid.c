/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * forbid process_vm|memfd_create|getrandom <program> <argument>...: runs a program that may not
 * access the memory of other processes, create anonymous files, or draw random numbers, as under
 * the seccomp profiles of some containers.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char** argv) {
    const char* what = argc > 1 ? argv[1] : "";
    unsigned first = SYS_process_vm_readv;
    unsigned second = SYS_process_vm_writev;
    if (strcmp(what, "memfd_create") == 0) {
        first = second = SYS_memfd_create;
    } else if (strcmp(what, "getrandom") == 0) {
        first = second = SYS_getrandom;
    }
    struct sock_filter rules[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, first, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, second, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog filter = {sizeof rules / sizeof rules[0], rules};
    if (argc < 3 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
        perror("forbid");
        return 77;
    }
    execvp(argv[2], argv + 2);
    perror(argv[2]);
    return 77;
}
