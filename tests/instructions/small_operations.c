/* Each small operation between two places of one rank's node, over and over: what callgrind counts. */
#include <armci.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kTimes = 1000, kRunBytes = 8, kRuns = 8 };

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    ARMCI_Init();
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    void** bases = malloc(sizeof(void*) * (size_t)size);
    ARMCI_Malloc(bases, 4096);
    ARMCI_Create_mutexes(1);

    double* remote = bases[rank];
    double local[64] = {1.0};
    double scale = 2.0;
    long value = 0;
    int stride = 2 * kRunBytes;
    int count[2] = {kRunBytes, kRuns};
    remote[0] = 0.0;
    /* What is counted begins after the first of each, which looks the address up and binds symbols. */
    for (int i = 0; i < kTimes + 1; ++i) {
        ARMCI_Put(local, remote, 8, rank);
        ARMCI_Get(remote, local, 8, rank);
        ARMCI_Acc(ARMCI_ACC_DBL, &scale, local, remote + 1, 8, rank);
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &value, remote + 2, 1, rank);
        ARMCI_NbPut(local, remote + 3, 8, rank, NULL);
        ARMCI_PutS(local, &stride, remote + 8, &stride, count, 1, rank);
        ARMCI_Fence(rank);
        ARMCI_Lock(0, rank);
        ARMCI_Unlock(0, rank);
    }
    int right = remote[0] == 1.0 && remote[1] == 2.0 * (kTimes + 1) && value == kTimes &&
                remote[3] == 1.0 && remote[8] == 1.0;
    ARMCI_Destroy_mutexes();
    ARMCI_Free(remote);
    ARMCI_Finalize();
    MPI_Finalize();
    free(bases);
    if (!right) {
        fprintf(stderr, "small_operations: the data is wrong\n");
    }
    return right ? 0 : 1;
}
