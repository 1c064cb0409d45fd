#include "copy_engine.cuh"
#include "group_products.cuh"

// out = a bᵀ in tiles of ROWS x COLS. One warp group asks for tiles, two multiply; stages go round in a ring of STAGES. Only
// the instruction that multiplies differs: mma.sync of a warp, which first loads its factors into registers, or wgmma of
// four warps, which reads them from shared memory.
constexpr int ROWS = 128, COLS = 256, SIZE = (ROWS + COLS) * DEPTH, WORKERS = 256;

__device__ void multiply_by_warps(const bits* ring, u64* full, u64* empty, int steps, bits* out, Tile tile, int rows, int cols) {
    const int warp = threadIdx.x / 32, down = warp / 4 * 64, across = warp % 4 * 64;
    float sum[4][8][4] = {};
    for (int step = 0; step < steps; step++) {
        const bits* stage = ring + step % STAGES * SIZE;
        wait_for_phase(full + step % STAGES, step / STAGES % 2);
        multiply_in_warp<64>(sum, stage, stage + ROWS * DEPTH, down, across);
        __syncwarp();
        if (threadIdx.x % 32 == 0) {
            arrive(empty + step % STAGES);
        }
    }
    store_from_warp<64>(sum, out, tile.row * ROWS + down, tile.col * COLS + across, rows, cols);
}

__device__ void multiply_by_groups(const bits* ring, u64* full, u64* empty, int steps, bits* out, Tile tile, int rows, int cols) {
    const int group = threadIdx.x / 128;
    float sum[COLS / 2] = {};
    pin(sum);
    for (int step = 0; step < steps; step++) {
        const bits* stage = ring + step % STAGES * SIZE;
        wait_for_phase(full + step % STAGES, step / STAGES % 2);
        registers_are_ready();
        multiply_stage(sum, stage + group * 64 * DEPTH, stage + ROWS * DEPTH);
        end_product_group();
        wait_for_all_products_but<1>();
        if (threadIdx.x % 32 == 0 && step > 0) {
            arrive(empty + (step - 1) % STAGES);  // its products are over
        }
    }
    wait_for_all_products_but<0>();
    pin(sum);
    store_from_group(sum, out, tile.row * ROWS + group * 64, tile.col * COLS, rows, cols);
}

template <bool BY_GROUPS>
__global__ void __launch_bounds__(WORKERS + 128, 1)
    product(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, bits* out, int rows, int cols, int depth) {
    extern __shared__ __align__(1024) bits ring[];
    __shared__ __align__(8) u64 full[STAGES], empty[STAGES];
    const int steps = (depth + DEPTH - 1) / DEPTH;
    const Tile tile = tile_of(blockIdx.x, (rows + ROWS - 1) / ROWS, (cols + COLS - 1) / COLS);
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < STAGES; stage++) {
            begin_barrier(full + stage, 1);
            begin_barrier(empty + stage, WORKERS / 32);  // one thread of each warp
        }
        barriers_are_ready();
    }
    __syncthreads();
    if (threadIdx.x >= WORKERS) {
        give_registers<40>();
        if (threadIdx.x == WORKERS) {
            for (int step = 0; step < steps; step++) {
                u64* barrier = full + step % STAGES;
                bits* stage = ring + step % STAGES * SIZE;
                wait_for_phase(empty + step % STAGES, step / STAGES % 2 ^ 1);
                arrive_and_expect(barrier, SIZE * sizeof(bits));
                load_tile(stage, &a, barrier, step * DEPTH, tile.row * ROWS);
                load_tile(stage + ROWS * DEPTH, &b, barrier, step * DEPTH, tile.col * COLS);
            }
        }
        return;
    }
    take_registers<232>();
    if constexpr (BY_GROUPS) {
        multiply_by_groups(ring, full, empty, steps, out, tile, rows, cols);
    } else {
        multiply_by_warps(ring, full, empty, steps, out, tile, rows, cols);
    }
}
