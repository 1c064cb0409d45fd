#include "copy_engine.cuh"
#include "group_products.cuh"

// out = a bᵀ. A resident block goes through regions of 2 TILE x TILE; warp group g of the two that multiply has the upper or
// the lower half of each. Together: both halves go through the depth at the same time and store at the same time. In
// turns: first the upper half, then the lower, and a group stores while the other multiplies.
constexpr int TILE = 128, WORKERS = 256;

// Barriers of a part of the block's threads: half of them wait, the others arrive and go on.
__device__ void sync_part(int part, int threads) { asm volatile("bar.sync %0, %1;" ::"r"(part), "r"(threads) : "memory"); }

__device__ void arrive_part(int part, int threads) { asm volatile("bar.arrive %0, %1;" ::"r"(part), "r"(threads) : "memory"); }

template <bool IN_TURNS>
__global__ void __launch_bounds__(WORKERS + 128, 1)
    product(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, bits* out, int rows, int cols, int depth) {
    constexpr int HALVES = IN_TURNS ? 1 : 2;  // of a region, in one stage
    constexpr int STAGES = IN_TURNS ? 6 : 4, SIZE = (HALVES + 1) * TILE * DEPTH;  // the same bytes
    extern __shared__ __align__(1024) bits ring[];
    __shared__ __align__(8) u64 full[STAGES], empty[STAGES];
    const int high = (rows + 2 * TILE - 1) / (2 * TILE), wide = (cols + TILE - 1) / TILE, steps = (depth + DEPTH - 1) / DEPTH;
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < STAGES; stage++) {
            begin_barrier(full + stage, 1);
            begin_barrier(empty + stage, HALVES);  // one thread of each group that reads it
        }
        barriers_are_ready();
    }
    __syncthreads();
    int turn = 0;  // stages used by this block so far
    if (threadIdx.x >= WORKERS) {
        give_registers<40>();
        if (threadIdx.x == WORKERS) {
            for (int region = blockIdx.x; region < high * wide; region += gridDim.x) {
                const Tile tile = tile_of(region, high, wide);
                for (int i = 0; i < steps * (IN_TURNS ? 2 : 1); i++, turn++) {
                    u64* barrier = full + turn % STAGES;
                    bits* stage = ring + turn % STAGES * SIZE;
                    const int start = i % steps * DEPTH, top = tile.row * 2 * TILE + i / steps * TILE;
                    wait_for_phase(empty + turn % STAGES, turn / STAGES % 2 ^ 1);
                    arrive_and_expect(barrier, SIZE * sizeof(bits));
                    for (int half = 0; half < HALVES; half++) {
                        load_tile(stage + half * TILE * DEPTH, &a, barrier, start, top + half * TILE);
                    }
                    load_tile(stage + HALVES * TILE * DEPTH, &b, barrier, start, tile.col * TILE);
                }
            }
        }
        return;
    }
    take_registers<232>();
    const int group = threadIdx.x / 128;
    if (IN_TURNS && group == 1) {
        arrive_part(1, WORKERS);  // group 0 is the first
    }
    for (int region = blockIdx.x; region < high * wide; region += gridDim.x) {
        const Tile tile = tile_of(region, high, wide);
        float upper[TILE / 2] = {}, lower[TILE / 2] = {};  // 64 rows each
        pin(upper);
        pin(lower);
        turn += IN_TURNS ? group * steps : 0;              // the other group's stages come first, or follow
        if (IN_TURNS) {  // a barrier knows two phases: a group that is two behind would take the wrong one for its own
            sync_part(1 + group, WORKERS);
        }
        for (int step = 0; step < steps; step++, turn++) {
            const bits* stage = ring + turn % STAGES * SIZE;
            const bits* of_a = stage + (IN_TURNS ? 0 : group) * TILE * DEPTH;
            const bits* of_b = stage + HALVES * TILE * DEPTH;
            wait_for_phase(full + turn % STAGES, turn / STAGES % 2);
            registers_are_ready();
            multiply_stage(upper, of_a, of_b);
            multiply_stage(lower, of_a + 64 * DEPTH, of_b);
            end_product_group();
            wait_for_all_products_but<1>();  // the products of the step before
            if (threadIdx.x % 128 == 0 && step > 0) {
                arrive(empty + (turn - 1) % STAGES);
            }
        }
        if (IN_TURNS && (group == 0 || region + gridDim.x < high * wide)) {
            arrive_part(2 - group, WORKERS);  // the other's turn
        }
        wait_for_all_products_but<0>();
        if (threadIdx.x % 128 == 0) {
            arrive(empty + (turn - 1) % STAGES);
        }
        pin(upper);
        pin(lower);
        turn += IN_TURNS ? (1 - group) * steps : 0;
        const int top = (tile.row * 2 + group) * TILE, left = tile.col * TILE;
        store_from_group(upper, out, top, left, rows, cols);
        store_from_group(lower, out, top + 64, left, rows, cols);
    }
}
