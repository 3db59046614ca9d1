/* SPDX-License-Identifier: BSD-3-Clause */
/* The expectations, and the results of children, written to the file that the driver reads. */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bad_call.h"

/* A child that has not ended after this time hangs. */
enum { kChildLimitSeconds = 500 };

static bool in_child = false;
static bool in_step = false;

void abort_together(void) {
    in_step = true;
}

/* The library ends a job by MPI_Abort; in a child, that ends only the child. */
int MPI_Abort(MPI_Comm comm, int code) {
    if (in_child) {
        _exit(code);
    }
    if (in_step) {
        PMPI_Barrier(MPI_COMM_WORLD);
    }
    return PMPI_Abort(comm, code);
}

/* Not standard output: a launcher drops what it has not read yet when a job is aborted. */
void record(const char* line) {
    static int file = -1;
    if (file < 0) {
        const char* name = getenv("TEST_RECORD");
        file = name != NULL ? open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)
                            : STDOUT_FILENO;
    }
    const ssize_t bytes = (ssize_t)strlen(line);
    if (write(file, line, (size_t)bytes) != bytes) {
        perror("the test's record");
        _exit(99);
    }
}

static void record_expected(const char* kind, const char* function, va_list fragments) {
    char line[2048];
    const char* rank = my_rank == kNobody ? "" : text("%d", my_rank);
    int used = snprintf(line, sizeof line, "expect\t%s\t%s\t%s", kind, rank,
                        function != NULL ? function : "");
    const char* fragment = va_arg(fragments, const char*);
    for (; fragment != NULL; fragment = va_arg(fragments, const char*)) {
        used += snprintf(line + used, sizeof line - (size_t)used, "\t%s", fragment);
    }
    snprintf(line + used, sizeof line - (size_t)used, "\n");
    record(line);
}

void expect(const char* function, ...) {
    va_list fragments;
    va_start(fragments, function);
    record_expected("Error", function, fragments);
    va_end(fragments);
}

void expect_warning(const char* function, ...) {
    va_list fragments;
    va_start(fragments, function);
    record_expected("Warning", function, fragments);
    va_end(fragments);
}

void expect_status(int status) {
    record(text("status\t%d\n", status));
}

void expect_output(const char* line) {
    record(text("output\t%s\n", line));
}

const char* text(const char* format, ...) {
    static char memory[8][256];
    static int next = 0;
    char* place = memory[next++ % 8];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(place, sizeof memory[0], format, arguments);
    va_end(arguments);
    return place;
}

const char* valid_ranks(void) {
    return text("the world has ranks 0 to %d", rank_count - 1);
}

void check(bool ok, const char* format, ...) {
    if (ok) {
        return;
    }
    char what[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    fprintf(stderr, "FAILED on rank %d: %s\n", my_rank, what);
    fflush(stderr);
    _Exit(99);
}

static void record_said(int pipe_end) {
    FILE* stream = fdopen(pipe_end, "r");
    check(stream != NULL, "fdopen");
    char said[2048];
    while (fgets(said, sizeof said, stream) != NULL) {
        said[strcspn(said, "\n")] = '\0';
        char line[sizeof said + 8];
        snprintf(line, sizeof line, "said\t%s\n", said);
        record(line);
    }
    fclose(stream);
}

void run_in_child(const struct Case* one) {
    int ends[2];
    check(pipe(ends) == 0, "pipe");
    fflush(NULL);
    const pid_t child = fork();
    check(child >= 0, "fork");
    if (child == 0) {
        in_child = true;
        alarm(kChildLimitSeconds);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        one->run();
        _exit(0);
    }
    close(ends[1]);
    record_said(ends[0]);
    int status = 0;
    check(waitpid(child, &status, 0) == child, "waitpid");
    record(text("ended\t%d\n", WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)));
}
