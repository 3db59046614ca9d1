/* SPDX-License-Identifier: BSD-3-Clause */
/* What a user of the installed library would write first: each process puts a number into its right
   neighbour's memory, looks at what arrived in its own, and gets the number back. */
#include "armci.h"
#include "message.h"

#include <stdio.h>
#include <stdlib.h>

int ring_exchange(void);

int ring_exchange(void) {
    ARMCI_Init();
    const int me = armci_msg_me();
    const int size = armci_msg_nproc();
    const int right = (me + 1) % size;
    const int left = (me + size - 1) % size;
    void** slices = malloc((size_t)size * sizeof(void*));
    ARMCI_Malloc(slices, sizeof(long));

    long sent = 100 + me;
    long returned = 0;
    ARMCI_Put(&sent, slices[right], sizeof(long), right);
    ARMCI_Fence(right);
    armci_msg_barrier();
    ARMCI_Get(slices[right], &returned, sizeof(long), right);
    const long received = *(long*)slices[me];

    armci_msg_barrier();
    ARMCI_Free(slices[me]);
    free(slices);
    ARMCI_Finalize();
    printf("process %d of %d received %ld, got back %ld\n", me, size, received, returned);
    return received != 100 + left || returned != sent;
}
