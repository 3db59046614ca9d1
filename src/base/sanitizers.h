// SPDX-License-Identifier: BSD-3-Clause
// Which sanitizer this is compiled with. GCC and clang say it differently.
#pragma once

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARMCI_HAS_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#define ARMCI_HAS_TSAN 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define ARMCI_HAS_ASAN 1
#endif
#if defined(__SANITIZE_THREAD__)
#define ARMCI_HAS_TSAN 1
#endif

#ifndef ARMCI_HAS_ASAN
#define ARMCI_HAS_ASAN 0
#endif
#ifndef ARMCI_HAS_TSAN
#define ARMCI_HAS_TSAN 0
#endif
