// out = a bT with the ring and the warps of the step before. One thread asks the copy engine for whole tiles; barriers
// count the bytes that arrive.
#include "hopper.cuh"
#include "tensor_cores.cuh"

constexpr int TILE = 128, DEPTH = 64, THREADS = 256, STAGES = 3;
constexpr int BYTES = 2 * TILE * DEPTH * sizeof(bits);  // per stage, of both factors

struct Shared {
    bits a[STAGES][TILE * DEPTH], b[STAGES][TILE * DEPTH];
    Barrier full[STAGES];
};

// The engine swizzles: of a row's eight pieces of 16 bytes, piece p of row r lies at p ^ (r % 8). Eight rows in turn
// then lie in different banks, without padding.
__device__ const bits* piece(const bits* tile, int row, int col) {
    return tile + row * DEPTH + (col / 8 ^ row % 8) * 8;
}

__global__ void __launch_bounds__(THREADS, 2)
    multiply_matrices(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                      bits* __restrict__ out, int rows, int depth, int cols) {
    extern __shared__ unsigned char memory[];
    Shared& shared = aligned<Shared>(memory);
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int down = warp / 4 * 64, across = warp % 4 * 32;
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
    float sum[4][4][4] = {};
    for (int slab = 0; slab < slabs; slab++) {
        const int stage = slab % STAGES;
        wait_for_phase(&shared.full[stage], slab / STAGES % 2);
        __syncthreads();  // all have read the slab before: its place is free
        fetch_slab(slab + STAGES - 1);
        const bits *tile_a = shared.a[stage], *tile_b = shared.b[stage];
#pragma unroll
        for (int k = 0; k < DEPTH; k += 16) {
            unsigned of_a[4][4], of_b[2][4];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                load_matrices<false>(piece(tile_a, down + 16 * i + lane % 16, k + lane / 16 * 8), of_a[i]);
            }
#pragma unroll
            for (int j = 0; j < 2; j++) {
                const int row = across + 16 * j + lane / 16 * 8 + lane % 8;
                load_matrices<false>(piece(tile_b, row, k + lane / 8 % 2 * 8), of_b[j]);
            }
#pragma unroll
            for (int i = 0; i < 4; i++) {
#pragma unroll
                for (int j = 0; j < 4; j++) {
                    multiply_bfloat16(sum[i][j], of_a[i], of_b[j / 2][j % 2 * 2], of_b[j / 2][j % 2 * 2 + 1]);
                }
            }
        }
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const int row = first_row + down + 16 * i + lane / 4, col = first_col + across + 8 * j + lane % 4 * 2;
            store_two(out, row, col, rows, cols, sum[i][j][0], sum[i][j][1]);
            store_two(out, row + 8, col, rows, cols, sum[i][j][2], sum[i][j][3]);
        }
    }
}
