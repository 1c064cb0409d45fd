// out = a bT with the blocks and the order of the step before. Results go to shared memory, and the copy engine writes
// them in whole boxes: no thread waits for memory, and no store covers half a sector.
#include "sent_boxes.cuh"

constexpr int ROWS = 128, COLS = 256, DEPTH = 64, STAGES = 4, CONSUMERS = 2, THREADS = 128 * CONSUMERS + 32;
constexpr int BYTES = (ROWS + COLS) * DEPTH * sizeof(bits);  // per stage, of both factors

constexpr int GROUP = 16;  // rows of tiles

struct Place {
    int row, col;
};

// Tiles are counted down the columns of a group of GROUP rows of tiles, then on in the next group, which may be lower.
__device__ Place place_of(int tile, int down, int across) {
    const int first = tile / (GROUP * across) * GROUP, height = min(down - first, GROUP);
    const int within = tile % (GROUP * across);
    return {(first + within % height) * ROWS, within / height * COLS};
}

struct Shared {
    bits a[STAGES][ROWS * DEPTH], b[STAGES][COLS * DEPTH];
    bits out[CONSUMERS][2][64 * 64];  // two boxes per warpgroup: one is written while the other is on its way
    Barrier full[STAGES], empty[STAGES];
};

__global__ void __launch_bounds__(THREADS)
    multiply_matrices(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                      const __grid_constant__ CUtensorMap out, int rows, int depth, int cols) {
    extern __shared__ unsigned char memory[];
    Shared& shared = aligned<Shared>(memory);
    const int slabs = (depth + DEPTH - 1) / DEPTH;
    const int down = (rows + ROWS - 1) / ROWS, across = (cols + COLS - 1) / COLS;  // tiles
    int turn = 0;  // slabs of all tiles so far: stages and parities go on from tile to tile
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < STAGES; stage++) {
            begin_barrier(&shared.full[stage], 1);
            begin_barrier(&shared.empty[stage], CONSUMERS);
        }
        barriers_are_ready();
    }
    __syncthreads();
    if (threadIdx.x == 128 * CONSUMERS) {
        for (int tile = blockIdx.x; tile < down * across; tile += gridDim.x) {
            const auto [row, col] = place_of(tile, down, across);
            for (int slab = 0; slab < slabs; slab++, turn++) {
                const int stage = turn % STAGES;
                wait_for_phase(&shared.empty[stage], turn / STAGES % 2 ^ 1);  // the first round waits for nothing
                arrive_and_expect(&shared.full[stage], BYTES);
                load_tile(shared.a[stage], &a, &shared.full[stage], slab * DEPTH, row);
                load_tile(shared.b[stage], &b, &shared.full[stage], slab * DEPTH, col);
            }
        }
    } else if (threadIdx.x < 128 * CONSUMERS) {
        const int part = threadIdx.x / 128 * 64;
        for (int tile = blockIdx.x; tile < down * across; tile += gridDim.x) {
            const auto [row, col] = place_of(tile, down, across);
            float sum[128] = {};
            for (int slab = 0; slab < slabs; slab++, turn++) {
                const int stage = turn % STAGES;
                wait_for_phase(&shared.full[stage], turn / STAGES % 2);
                const unsigned long long of_a = described(shared.a[stage] + part * DEPTH);
                const unsigned long long of_b = described(shared.b[stage]);
                registers_are_ready();
#pragma unroll
                for (int k = 0; k < DEPTH / 16; k++) {
                    multiply_tiles(sum, of_a + 2 * k, of_b + 2 * k);
                }
                end_product_group();
                wait_for_all_products_but<1>();
                if (slab > 0 && threadIdx.x % 128 == 0) {
                    arrive(&shared.empty[(turn - 1) % STAGES]);  // the products of the slab before are done
                }
            }
            wait_for_all_products_but<0>();
            if (threadIdx.x % 128 == 0) {
                arrive(&shared.empty[(turn - 1) % STAGES]);
            }
            send_sum(out, shared.out[threadIdx.x / 128], row + part, col, sum);
        }
        if (threadIdx.x % 128 == 0) {
            wait_for_all_stores_but<0>();  // shared memory has to stay until then
        }
    }
}
