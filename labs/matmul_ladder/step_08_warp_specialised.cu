// out = a bT with the tiles of the step before. One warp only fetches, two warpgroups only multiply; a pair of barriers
// per stage says when it is full and when it is empty, and __syncthreads is gone from the loop.
#include "hopper.cuh"

constexpr int TILE = 128, DEPTH = 64, STAGES = 3, CONSUMERS = 2, THREADS = 128 * CONSUMERS + 32;
constexpr int BYTES = 2 * TILE * DEPTH * sizeof(bits);  // per stage, of both factors

struct Shared {
    bits a[STAGES][TILE * DEPTH], b[STAGES][TILE * DEPTH];
    Barrier full[STAGES], empty[STAGES];
};

__global__ void __launch_bounds__(THREADS, 2)
    multiply_matrices(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                      bits* __restrict__ out, int rows, int depth, int cols) {
    extern __shared__ unsigned char memory[];
    Shared& shared = aligned<Shared>(memory);
    const int first_row = blockIdx.y * TILE, first_col = blockIdx.x * TILE;
    const int slabs = (depth + DEPTH - 1) / DEPTH;
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < STAGES; stage++) {
            begin_barrier(&shared.full[stage], 1);
            begin_barrier(&shared.empty[stage], CONSUMERS);
        }
        barriers_are_ready();
    }
    __syncthreads();
    if (threadIdx.x == 128 * CONSUMERS) {
        for (int slab = 0; slab < slabs; slab++) {
            const int stage = slab % STAGES;
            wait_for_phase(&shared.empty[stage], slab / STAGES % 2 ^ 1);  // the first round waits for nothing
            arrive_and_expect(&shared.full[stage], BYTES);
            load_tile(shared.a[stage], &a, &shared.full[stage], slab * DEPTH, first_row);
            load_tile(shared.b[stage], &b, &shared.full[stage], slab * DEPTH, first_col);
        }
    } else if (threadIdx.x < 128 * CONSUMERS) {
        const int down = threadIdx.x / 128 * 64;
        float sum[64] = {};
        for (int slab = 0; slab < slabs; slab++) {
            const int stage = slab % STAGES;
            wait_for_phase(&shared.full[stage], slab / STAGES % 2);
            const unsigned long long of_a = described(shared.a[stage] + down * DEPTH), of_b = described(shared.b[stage]);
            registers_are_ready();
#pragma unroll
            for (int k = 0; k < DEPTH / 16; k++) {
                multiply_tiles(sum, of_a + 2 * k, of_b + 2 * k);
            }
            end_product_group();
            wait_for_all_products_but<1>();
            if (slab > 0 && threadIdx.x % 128 == 0) {
                arrive(&shared.empty[(slab - 1) % STAGES]);  // the products of the slab before are done
            }
        }
        wait_for_all_products_but<0>();
        store_sum(out, first_row + down, first_col, rows, cols, sum);
    }
}
