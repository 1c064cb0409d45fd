// out = a bT with the tiles and warps of the step before. A ring of STAGES tiles per factor: while one is multiplied,
// the next STAGES - 1 are on their way. Rows of both factors begin at multiples of 16 bytes.
#include "copies.cuh"
#include "tensor_cores.cuh"

constexpr int TILE = 128, DEPTH = 64, THREADS = 256, STAGES = 3;
constexpr int PAD = 8;  // numbers per row: eight rows in turn then lie in different banks

using Tile = bits[TILE][DEPTH + PAD];

struct Shared {
    Tile a[STAGES], b[STAGES];
};

__device__ void fetch(Tile& tile, const bits* __restrict__ matrix, int first, int start, int rows, int depth) {
#pragma unroll
    for (int i = threadIdx.x; i < TILE * DEPTH / 8; i += THREADS) {
        const int row = i / (DEPTH / 8), col = i % (DEPTH / 8) * 8;
        const bool inside = first + row < rows && start + col < depth;
        const bits* source = inside ? matrix + (long long)(first + row) * depth + start + col : matrix;
        copy_async(reinterpret_cast<uint4*>(&tile[row][col]), reinterpret_cast<const uint4*>(source), inside ? 16 : 0);
    }
}

__global__ void __launch_bounds__(THREADS, 2)
    multiply_matrices(const bits* __restrict__ a, const bits* __restrict__ b, bits* __restrict__ out, int rows,
                      int depth, int cols) {
    extern __shared__ uint4 memory[];
    Shared& shared = *reinterpret_cast<Shared*>(memory);
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int down = warp / 4 * 64, across = warp % 4 * 32;
    const int first_row = blockIdx.y * TILE, first_col = blockIdx.x * TILE;
    const int slabs = (depth + DEPTH - 1) / DEPTH;
    for (int slab = 0; slab < STAGES - 1; slab++) {
        fetch(shared.a[slab], a, first_row, slab * DEPTH, rows, depth);
        fetch(shared.b[slab], b, first_col, slab * DEPTH, cols, depth);
        end_group();
    }
    float sum[4][4][4] = {};
    for (int slab = 0; slab < slabs; slab++) {
        wait_for_all_groups_but<STAGES - 2>();  // this slab is there, as far as this thread copied it
        __syncthreads();  // as far as all threads did; and all have read the slab before: its place is free
        const int ahead = slab + STAGES - 1;
        fetch(shared.a[ahead % STAGES], a, first_row, ahead * DEPTH, rows, depth);  // past the depth: zeros, not read
        fetch(shared.b[ahead % STAGES], b, first_col, ahead * DEPTH, cols, depth);
        end_group();
        const Tile &tile_a = shared.a[slab % STAGES], &tile_b = shared.b[slab % STAGES];
#pragma unroll
        for (int k = 0; k < DEPTH; k += 16) {
            unsigned of_a[4][4], of_b[2][4];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                load_matrices<false>(&tile_a[down + 16 * i + lane % 16][k + lane / 16 * 8], of_a[i]);
            }
#pragma unroll
            for (int j = 0; j < 2; j++) {
                load_matrices<false>(&tile_b[across + 16 * j + lane / 16 * 8 + lane % 8][k + lane / 8 % 2 * 8], of_b[j]);
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
