#include "copy_engine.cuh"
#include "group_products.cuh"

// out = a bᵀ in tiles of TILE x TILE by two groups of four warps, from a ring of STAGES stages that the copy engine fills.
constexpr int TILE = 128, THREADS = 256, SIZE = 2 * TILE * DEPTH;

template <int STAGES>
__global__ void __launch_bounds__(THREADS)
    product(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, bits* out, int rows, int cols, int depth) {
    extern __shared__ __align__(1024) bits ring[];
    __shared__ __align__(8) u64 full[STAGES];
    const int group = threadIdx.x / 128, steps = (depth + DEPTH - 1) / DEPTH;
    const Tile tile = tile_of(blockIdx.x, (rows + TILE - 1) / TILE, (cols + TILE - 1) / TILE);
    auto request = [&](int step) {
        u64* barrier = full + step % STAGES;
        bits* stage = ring + step % STAGES * SIZE;
        arrive_and_expect(barrier, SIZE * sizeof(bits));
        load_tile(stage, &a, barrier, step * DEPTH, tile.row * TILE);
        load_tile(stage + TILE * DEPTH, &b, barrier, step * DEPTH, tile.col * TILE);
    };
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < STAGES; stage++) {
            begin_barrier(full + stage, 1);
        }
        barriers_are_ready();
        for (int step = 0; step < STAGES && step < steps; step++) {
            request(step);
        }
    }
    __syncthreads();
    float sum[TILE / 2] = {};
    pin(sum);
    for (int step = 0; step < steps; step++) {
        const bits* stage = ring + step % STAGES * SIZE;
        wait_for_phase(full + step % STAGES, step / STAGES % 2);
        registers_are_ready();
        multiply_stage(sum, stage + group * 64 * DEPTH, stage + TILE * DEPTH);
        end_product_group();
        wait_for_all_products_but<0>();
        __syncthreads();  // both groups have read the stage
        if (threadIdx.x == 0 && step + STAGES < steps) {
            request(step + STAGES);
        }
    }
    pin(sum);
    store_from_group(sum, out, tile.row * TILE + group * 64, tile.col * TILE, rows, cols);
}
