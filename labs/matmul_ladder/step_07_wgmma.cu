// out = a bT with the ring of the step before. Two warpgroups multiply 64 x 128 results each, straight from shared
// memory.
#include "hopper.cuh"

constexpr int TILE = 128, DEPTH = 64, THREADS = 256, STAGES = 3;
constexpr int BYTES = 2 * TILE * DEPTH * sizeof(bits);  // per stage, of both factors

struct Shared {
    bits a[STAGES][TILE * DEPTH], b[STAGES][TILE * DEPTH];
    Barrier full[STAGES];
};

__global__ void __launch_bounds__(THREADS, 2)
    multiply_matrices(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                      bits* __restrict__ out, int rows, int depth, int cols) {
    extern __shared__ unsigned char memory[];
    Shared& shared = aligned<Shared>(memory);
    const int down = threadIdx.x / 128 * 64;  // where the warpgroup's part of the tile begins
    const int first_row = blockIdx.y * TILE, first_col = blockIdx.x * TILE;
    const int slabs = (depth + DEPTH - 1) / DEPTH;
    const auto fetch_slab = [&](int slab) {
        if (threadIdx.x == 0 && slab < slabs) {
            const int stage = slab % STAGES;
            arrive_and_expect(&shared.full[stage], BYTES);
            load_tile(shared.a[stage], &a, &shared.full[stage], slab * DEPTH, first_row);
            load_tile(shared.b[stage], &b, &shared.full[stage], slab * DEPTH, first_col);
        }
    };
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < STAGES; stage++) {
            begin_barrier(&shared.full[stage], 1);
        }
        barriers_are_ready();
    }
    __syncthreads();
    for (int slab = 0; slab < STAGES - 1; slab++) {
        fetch_slab(slab);
    }
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
        wait_for_all_products_but<1>();  // those of the slab before are done
        __syncthreads();             // for both warpgroups: its place is free
        fetch_slab(slab + STAGES - 1);
    }
    wait_for_all_products_but<0>();
    store_sum(out, first_row + down, first_col, rows, cols, sum);
}
