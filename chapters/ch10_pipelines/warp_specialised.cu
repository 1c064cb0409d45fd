#include "copy_engine.cuh"
#include "group_products.cuh"

// out = a bᵀ in tiles of ROWS x COLS by two groups of four warps with 64 x COLS each, from a ring that the copy engine fills.
constexpr int ROWS = 128, COLS = 256, SIZE = (ROWS + COLS) * DEPTH, WORKERS = 256;

__device__ void request(bits* ring, u64* full, const CUtensorMap& a, const CUtensorMap& b, Tile tile, int step) {
    u64* barrier = full + step % STAGES;
    bits* stage = ring + step % STAGES * SIZE;
    arrive_and_expect(barrier, SIZE * sizeof(bits));
    load_tile(stage, &a, barrier, step * DEPTH, tile.row * ROWS);
    load_tile(stage + ROWS * DEPTH, &b, barrier, step * DEPTH, tile.col * COLS);
}

__device__ void begin(u64* full, u64* empty) {
    for (int stage = 0; stage < STAGES; stage++) {
        begin_barrier(full + stage, 1);
        begin_barrier(empty + stage, WORKERS / 128);
    }
    barriers_are_ready();
}

// Every thread multiplies, and one of them also asks for tiles: all have to meet before a stage is filled again.
__global__ void __launch_bounds__(WORKERS, 1) one_role(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                                                       bits* out, int rows, int cols, int depth) {
    extern __shared__ __align__(1024) bits ring[];
    __shared__ __align__(8) u64 full[STAGES], empty[STAGES];
    const int group = threadIdx.x / 128, steps = (depth + DEPTH - 1) / DEPTH;
    const Tile tile = tile_of(blockIdx.x, (rows + ROWS - 1) / ROWS, (cols + COLS - 1) / COLS);
    if (threadIdx.x == 0) {
        begin(full, empty);
        for (int step = 0; step < STAGES && step < steps; step++) {
            request(ring, full, a, b, tile, step);
        }
    }
    __syncthreads();
    float sum[COLS / 2] = {};
    pin(sum);
    for (int step = 0; step < steps; step++) {
        const bits* stage = ring + step % STAGES * SIZE;
        wait_for_phase(full + step % STAGES, step / STAGES % 2);
        registers_are_ready();
        multiply_stage(sum, stage + group * 64 * DEPTH, stage + ROWS * DEPTH);
        end_product_group();
        wait_for_all_products_but<1>();  // the products of the step before
        __syncthreads();
        if (threadIdx.x == 0 && step > 0 && step - 1 + STAGES < steps) {
            request(ring, full, a, b, tile, step - 1 + STAGES);
        }
    }
    wait_for_all_products_but<0>();
    pin(sum);
    store_from_group(sum, out, tile.row * ROWS + group * 64, tile.col * COLS, rows, cols);
}

// A third group only asks for tiles. It waits for empty stages, the workers for full ones, and no one waits for everyone.
__global__ void __launch_bounds__(WORKERS + 128, 1)
    two_roles(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, bits* out, int rows, int cols, int depth) {
    extern __shared__ __align__(1024) bits ring[];
    __shared__ __align__(8) u64 full[STAGES], empty[STAGES];
    const int group = threadIdx.x / 128, steps = (depth + DEPTH - 1) / DEPTH;
    const Tile tile = tile_of(blockIdx.x, (rows + ROWS - 1) / ROWS, (cols + COLS - 1) / COLS);
    if (threadIdx.x == 0) {
        begin(full, empty);
    }
    __syncthreads();
    if (group == WORKERS / 128) {
        give_registers<40>();
        if (threadIdx.x == WORKERS) {
            for (int step = 0; step < steps; step++) {
                wait_for_phase(empty + step % STAGES, step / STAGES % 2 ^ 1);
                request(ring, full, a, b, tile, step);
            }
        }
        return;
    }
    take_registers<232>();
    float sum[COLS / 2] = {};
    pin(sum);
    for (int step = 0; step < steps; step++) {
        const bits* stage = ring + step % STAGES * SIZE;
        wait_for_phase(full + step % STAGES, step / STAGES % 2);
        registers_are_ready();
        multiply_stage(sum, stage + group * 64 * DEPTH, stage + ROWS * DEPTH);
        end_product_group();
        wait_for_all_products_but<1>();  // the products of the step before
        if (threadIdx.x % 128 == 0 && step > 0) {
            arrive(empty + (step - 1) % STAGES);
        }
    }
    wait_for_all_products_but<0>();
    pin(sum);
    store_from_group(sum, out, tile.row * ROWS + group * 64, tile.col * COLS, rows, cols);
}
