// SPDX-License-Identifier: BSD-3-Clause
// These attributes say what a lock guards, and clang checks it (-Wthread-safety). Other compilers
// ignore them. https://clang.llvm.org/docs/ThreadSafetyAnalysis.html explains the attributes.
#pragma once

#if defined(__clang__)
#define ARMCI_THREAD_ATTRIBUTE(attribute) __attribute__((attribute))
#else
#define ARMCI_THREAD_ATTRIBUTE(attribute)
#endif

// For a class: its objects are locks, which the compiler's messages call `name`.
#define ARMCI_CAPABILITY(name) ARMCI_THREAD_ATTRIBUTE(capability(name))
// For a class: its objects hold a lock as long as they live.
#define ARMCI_SCOPED_CAPABILITY ARMCI_THREAD_ATTRIBUTE(scoped_lockable)

// For a variable: only a thread that holds the lock may read or write it.
#define ARMCI_GUARDED_BY(lock) ARMCI_THREAD_ATTRIBUTE(guarded_by(lock))

// For a function: the caller must hold the lock before and after the call, or must not hold it.
#define ARMCI_REQUIRES(...) ARMCI_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define ARMCI_EXCLUDES(...) ARMCI_THREAD_ATTRIBUTE(locks_excluded(__VA_ARGS__))
// For a function: it takes the lock, releases it, or takes it if it returns the value.
#define ARMCI_ACQUIRE(...) ARMCI_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define ARMCI_RELEASE(...) ARMCI_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
#define ARMCI_TRY_ACQUIRE(...) ARMCI_THREAD_ATTRIBUTE(try_acquire_capability(__VA_ARGS__))
// For a function: from its call on, the compiler assumes that the lock is held.
#define ARMCI_ASSERT_CAPABILITY(lock) ARMCI_THREAD_ATTRIBUTE(assert_capability(lock))
// For a function: the compiler does not check its body; a comment says why.
#define ARMCI_NO_THREAD_SAFETY_ANALYSIS ARMCI_THREAD_ATTRIBUTE(no_thread_safety_analysis)
