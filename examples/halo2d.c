/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Heat spreading over a plate, on a grid of processes that exchange the edges of their parts by
 * one-sided puts:
 *
 *     halo2d [ROWS COLS STEPS]          default 240 180 100
 *
 * The plate has ROWS x COLS cells inside a frame of constant temperature. In each step every cell
 * takes the mean of its four neighbours. Each process owns a rectangle of cells and keeps it in
 * global memory with a rim one cell wide, the halo, for copies of its neighbours' edge cells.
 *
 *     one step:   put my four edges into the halos of my neighbours   (strided, non-blocking)
 *                 notify each of them
 *                 wait for the notification of each of them
 *                 compute
 *
 * There is no barrier: a process waits only for its neighbours, and a notification arrives behind
 * the puts that were made before it, so that no fence is needed either.
 *
 * Two copies of the plate take turns as old and new. That makes it safe for a neighbour to be one
 * step ahead: its puts for step s + 1 go into the other copy than the one I read in step s. It
 * cannot be two steps ahead, since it needs my notification of step s + 1 before.
 *
 * At the end each process compares its cells with a serial computation of the whole plate. The
 * exit status is 0 if all are equal, 1 if not, 2 for wrong arguments.
 */
#include <armci/armci.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kExitUsage = 2 };
enum { kUp, kDown, kLeft, kRight, kNeighbours };

/* A process's position in the grid, and its rectangle of cells. */
typedef struct {
    int first_row; /* in the plate */
    int first_col;
    int rows;
    int cols;
    int neighbour[kNeighbours]; /* rank, or -1 at the edge of the plate */
} part_t;

typedef struct {
    int rows;
    int cols;
    int steps;
    int grid_rows;
    int grid_cols;
} plate_t;

/* ---- The physics, on any rectangle that has a rim ---- */

/* Cell (row, col) of a rectangle with `cols` columns; the rim has indices -1 and rows or cols. */
static double* cell(double* copy, int cols, int row, int col) {
    return copy + (size_t)(row + 1) * (size_t)(cols + 2) + (size_t)(col + 1);
}

static size_t cells_with_rim(int rows, int cols) {
    return (size_t)(rows + 2) * (size_t)(cols + 2);
}

/* The temperature at the start, and at all times on the frame (where an index is out of range). */
static double start_temperature(const plate_t* plate, int row, int col) {
    if (row < 0) {
        return 100.0; /* the hot side */
    }
    if (row == plate->rows || col < 0 || col == plate->cols) {
        return 0.0;
    }
    return (double)((row * 31 + col * 17) % 50);
}

/*
 * Sets a rectangle of the plate and its rim. Rim cells that belong to a neighbour become NaN, which
 * would spread into the result if the neighbour's put did not replace it in time.
 */
static void set_start(const plate_t* plate, double* copy, int first_row, int first_col, int rows,
                      int cols) {
    for (int r = -1; r <= rows; r++) {
        for (int c = -1; c <= cols; c++) {
            int row = first_row + r;
            int col = first_col + c;
            int on_rim = r < 0 || r == rows || c < 0 || c == cols;
            int on_frame = row < 0 || row == plate->rows || col < 0 || col == plate->cols;
            *cell(copy, cols, r, c) =
                on_rim && !on_frame ? NAN : start_temperature(plate, row, col);
        }
    }
}

static void compute_step(double* old_copy, double* new_copy, int rows, int cols) {
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < cols; c++) {
            double vertical = *cell(old_copy, cols, r - 1, c) + *cell(old_copy, cols, r + 1, c);
            double horizontal = *cell(old_copy, cols, r, c - 1) + *cell(old_copy, cols, r, c + 1);
            *cell(new_copy, cols, r, c) = 0.25 * (vertical + horizontal);
        }
    }
}

/* ---- Who owns what ---- */

/* First of `total` rows (or columns) that belongs to place `place` of `places`. */
static int first_of(int place, int total, int places) {
    return (int)((long)place * total / places);
}

static part_t part_of(const plate_t* plate, int rank) {
    int grid_row = rank / plate->grid_cols;
    int grid_col = rank % plate->grid_cols;
    part_t part;
    part.first_row = first_of(grid_row, plate->rows, plate->grid_rows);
    part.first_col = first_of(grid_col, plate->cols, plate->grid_cols);
    part.rows = first_of(grid_row + 1, plate->rows, plate->grid_rows) - part.first_row;
    part.cols = first_of(grid_col + 1, plate->cols, plate->grid_cols) - part.first_col;
    part.neighbour[kUp] = grid_row > 0 ? rank - plate->grid_cols : -1;
    part.neighbour[kDown] = grid_row + 1 < plate->grid_rows ? rank + plate->grid_cols : -1;
    part.neighbour[kLeft] = grid_col > 0 ? rank - 1 : -1;
    part.neighbour[kRight] = grid_col + 1 < plate->grid_cols ? rank + 1 : -1;
    return part;
}

/* ---- The exchange ---- */

/*
 * Starts to put one edge of my part into the halo of the neighbour on that side. mine and theirs
 * are the copies of the plate to use, each at its owner's address.
 */
static void put_edge(const plate_t* plate, const part_t* part, int side, double* mine,
                     double* theirs, armci_hdl_t* handle) {
    int proc = part->neighbour[side];
    part_t other = part_of(plate, proc);
    int element = (int)sizeof(double);
    int local_stride[1] = {(part->cols + 2) * element}; /* bytes from one row to the next */
    int remote_stride[1] = {(other.cols + 2) * element};
    ARMCI_INIT_HANDLE(handle);
    if (side == kUp || side == kDown) {
        /* A row: one piece. */
        int from = side == kUp ? 0 : part->rows - 1;
        int to = side == kUp ? other.rows : -1;
        int count[1] = {part->cols * element};
        ARMCI_NbPutS(cell(mine, part->cols, from, 0), NULL, cell(theirs, other.cols, to, 0), NULL,
                     count, 0, proc, handle);
    } else {
        /* A column: one cell from each row. The two sides have rows of different lengths. */
        int from = side == kLeft ? 0 : part->cols - 1;
        int to = side == kLeft ? other.cols : -1;
        int count[2] = {element, part->rows};
        ARMCI_NbPutS(cell(mine, part->cols, 0, from), local_stride, cell(theirs, other.cols, 0, to),
                     remote_stride, count, 1, proc, handle);
    }
}

/* copies[p] is the copy of the plate to use, at the address that it has in process p. */
static void exchange_halos(const plate_t* plate, const part_t* part, double** copies, int me) {
    armci_hdl_t handles[kNeighbours];
    for (int side = 0; side < kNeighbours; side++) {
        if (part->neighbour[side] >= 0) {
            put_edge(plate, part, side, copies[me], copies[part->neighbour[side]], &handles[side]);
        }
    }
    for (int side = 0; side < kNeighbours; side++) {
        if (part->neighbour[side] >= 0) {
            ARMCI_Wait(&handles[side]); /* a put takes its place in the order by being waited for */
            armci_notify(part->neighbour[side]);
        }
    }
    for (int side = 0; side < kNeighbours; side++) {
        if (part->neighbour[side] >= 0) {
            int number;
            armci_notify_wait(part->neighbour[side], &number);
        }
    }
}

/* ---- The check ---- */

/* Number of my cells that differ from a serial computation of the whole plate. */
static long count_wrong(const plate_t* plate, const part_t* part, double* mine) {
    size_t cells = cells_with_rim(plate->rows, plate->cols);
    double* copies[2] = {malloc(cells * sizeof(double)), malloc(cells * sizeof(double))};
    if (copies[0] == NULL || copies[1] == NULL) {
        ARMCI_Error("not enough memory for the serial computation", 1);
    }
    set_start(plate, copies[0], 0, 0, plate->rows, plate->cols);
    set_start(plate, copies[1], 0, 0, plate->rows, plate->cols);
    for (int step = 0; step < plate->steps; step++) {
        compute_step(copies[step % 2], copies[(step + 1) % 2], plate->rows, plate->cols);
    }
    double* serial = copies[plate->steps % 2];
    long wrong = 0;
    for (int r = 0; r < part->rows; r++) {
        for (int c = 0; c < part->cols; c++) {
            double expected = *cell(serial, plate->cols, part->first_row + r, part->first_col + c);
            wrong += *cell(mine, part->cols, r, c) != expected;
        }
    }
    free(copies[0]);
    free(copies[1]);
    return wrong;
}

/* Returns 1 on every process if all cells of the plate are right, else 0. */
static int run(const plate_t* plate, int me, int process_count) {
    part_t part = part_of(plate, me);
    /* copies[0] and copies[1] hold, for every process, the addresses of its two copies. */
    double** copies[2] = {malloc((size_t)process_count * sizeof(double*)),
                          malloc((size_t)process_count * sizeof(double*))};
    if (copies[0] == NULL || copies[1] == NULL) {
        ARMCI_Error("no memory", 1);
    }
    for (int which = 0; which < 2; which++) {
        size_t bytes = cells_with_rim(part.rows, part.cols) * sizeof(double);
        if (ARMCI_Malloc((void**)copies[which], (armci_size_t)bytes) != 0) {
            ARMCI_Error("not enough memory for the plate", 1);
        }
        set_start(plate, copies[which][me], part.first_row, part.first_col, part.rows, part.cols);
    }
    ARMCI_Barrier(); /* no process puts into a halo before its owner has set it up */

    for (int step = 0; step < plate->steps; step++) {
        double** old_copies = copies[step % 2];
        double** new_copies = copies[(step + 1) % 2];
        exchange_halos(plate, &part, old_copies, me);
        compute_step(old_copies[me], new_copies[me], part.rows, part.cols);
    }

    long wrong = count_wrong(plate, &part, copies[plate->steps % 2][me]);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (me == 0) {
        printf("%d x %d cells, %d steps, %d x %d processes: %ld cells are wrong\n%s\n", plate->rows,
               plate->cols, plate->steps, plate->grid_rows, plate->grid_cols, wrong,
               wrong == 0 ? "PASS" : "FAIL");
    }
    for (int which = 0; which < 2; which++) {
        ARMCI_Free(copies[which][me]);
        free(copies[which]);
    }
    return wrong == 0;
}

/* The whole of text as a number from 1 to 20000, or 0. */
static int parse_number(const char* text) {
    char* end;
    long number = strtol(text, &end, 10);
    return *end == '\0' && number >= 1 && number <= 20000 ? (int)number : 0;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int me;
    int process_count;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &process_count);

    plate_t plate = {.rows = 240, .cols = 180, .steps = 100};
    if (argc == 4) {
        plate.rows = parse_number(argv[1]);
        plate.cols = parse_number(argv[2]);
        plate.steps = parse_number(argv[3]);
    }
    int grid[2] = {0, 0};
    MPI_Dims_create(process_count, 2, grid);
    plate.grid_rows = grid[0];
    plate.grid_cols = grid[1];

    int status;
    if ((argc != 1 && argc != 4) || plate.rows < grid[0] || plate.cols < grid[1] ||
        plate.steps == 0) {
        if (me == 0) {
            fprintf(
                stderr,
                "usage: halo2d [ROWS COLS STEPS]\n"
                "  each from 1 to 20000; with processes in a grid of %d by %d, no fewer rows and "
                "columns than that\n",
                grid[0], grid[1]);
        }
        status = kExitUsage;
    } else {
        ARMCI_Init();
        status = run(&plate, me, process_count) ? 0 : 1;
        ARMCI_Finalize();
    }
    MPI_Finalize();
    return status;
}
