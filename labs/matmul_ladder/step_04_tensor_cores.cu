// out = a bT with the tiles of the step before, multiplied on the tensor cores. A warp has 64 x 32 of the 128 x 128
// results.
#include "tensor_cores.cuh"

constexpr int TILE = 128, DEPTH = 64, THREADS = 256;
constexpr int PAD = 8;  // numbers per row: eight rows in turn then lie in different banks

__device__ void fill(bits (&tile)[TILE][DEPTH + PAD], const bits* __restrict__ matrix, int first, int start,
                            int rows, int depth) {
#pragma unroll
    for (int i = threadIdx.x; i < TILE * DEPTH / 8; i += THREADS) {
        const int row = i / (DEPTH / 8), col = i % (DEPTH / 8) * 8;
        *reinterpret_cast<uint4*>(&tile[row][col]) = load_eight(matrix, first + row, start + col, rows, depth);
    }
}

__global__ void __launch_bounds__(THREADS, 2)
    multiply_matrices(const bits* __restrict__ a, const bits* __restrict__ b, bits* __restrict__ out, int rows,
                      int depth, int cols) {
    __shared__ __align__(16) bits tile_a[TILE][DEPTH + PAD], tile_b[TILE][DEPTH + PAD];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int down = warp / 4 * 64, across = warp % 4 * 32;  // where the warp's part of the tile begins
    const int first_row = blockIdx.y * TILE, first_col = blockIdx.x * TILE;
    float sum[4][4][4] = {};
    for (int start = 0; start < depth; start += DEPTH) {
        fill(tile_a, a, first_row, start, rows, depth);
        fill(tile_b, b, first_col, start, cols, depth);
        __syncthreads();
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
        __syncthreads();  // all have read before the next tiles are written
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
