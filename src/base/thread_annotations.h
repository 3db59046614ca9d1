// SPDX-License-Identifier: BSD-3-Clause
// What a lock guards, written so that clang checks it (-Wthread-safety, in builds with clang).
// Other compilers ignore it. https://clang.llvm.org/docs/ThreadSafetyAnalysis.html explains the
// attributes.
#pragma once

#if defined(__clang__)
#define ARMCI_THREAD_ATTRIBUTE(attribute) __attribute__((attribute))
#else
#define ARMCI_THREAD_ATTRIBUTE(attribute)
#endif

// Of a class: its objects are locks, called so in the compiler's messages.
#define ARMCI_CAPABILITY(name) ARMCI_THREAD_ATTRIBUTE(capability(name))
// Of a class: its objects hold a lock for as long as they live.
#define ARMCI_SCOPED_CAPABILITY ARMCI_THREAD_ATTRIBUTE(scoped_lockable)

// Of a variable: only a thread that holds the lock reads or writes it.
#define ARMCI_GUARDED_BY(lock) ARMCI_THREAD_ATTRIBUTE(guarded_by(lock))

// Of a function: the caller holds the lock, before and after the call; or must not hold it.
#define ARMCI_REQUIRES(...) ARMCI_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
#define ARMCI_EXCLUDES(...) ARMCI_THREAD_ATTRIBUTE(locks_excluded(__VA_ARGS__))
// Of a function: it takes the lock, releases it, or takes it if it returns the value.
#define ARMCI_ACQUIRE(...) ARMCI_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
#define ARMCI_RELEASE(...) ARMCI_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
#define ARMCI_TRY_ACQUIRE(...) ARMCI_THREAD_ATTRIBUTE(try_acquire_capability(__VA_ARGS__))
// Of a function: from its call on, the compiler takes the lock for held.
#define ARMCI_ASSERT_CAPABILITY(lock) ARMCI_THREAD_ATTRIBUTE(assert_capability(lock))
// Of a function: the compiler does not check its body; a comment says why.
#define ARMCI_NO_THREAD_SAFETY_ANALYSIS ARMCI_THREAD_ATTRIBUTE(no_thread_safety_analysis)
