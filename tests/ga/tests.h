/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The tests of ga_client: one in each file of the same name, where its comment says what it
 * verifies. Collective; Global Arrays is initialised, and no array, group or mutex is left
 * afterwards.
 */
#pragma once

void test_copies(void);
void test_counters(void);
void test_elementwise(void);
void test_gather_scatter(void);
void test_ghost_flags(void);
void test_ghosts(void);
void test_groups(void);
void test_layouts(void);
void test_local_memory(void);
void test_locks(void);
void test_matmul(void);
void test_nonblocking(void);
void test_ordering(void);
void test_overlapping_groups(void);
void test_patches(void);
void test_periodic(void);
void test_read_only(void);
void test_reductions(void);
void test_strided(void);
