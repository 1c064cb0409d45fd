// out = a bT with tiles of TILE x TILE in shared memory. A thread has 8 x 8 results in registers, 16 rows and columns
// apart.
#include "numbers.cuh"

constexpr int TILE = 128, DEPTH = 32, THREADS = 256, SIDE = 16, SIZE = 8;
constexpr int PAIRS = DEPTH / 4;  // a row of a tile is PAIRS times 8 bytes; one more spreads 16 rows over all banks

__device__ void widen_four(uint2 four, float (&to)[4]) {
    to[0] = wide(four.x & 0xffff), to[1] = wide(four.x >> 16);
    to[2] = wide(four.y & 0xffff), to[3] = wide(four.y >> 16);
}

__device__ void fill(uint2 (&tile)[TILE][PAIRS + 1], const bits* __restrict__ matrix, int first, int start,
                            int rows, int depth) {
#pragma unroll
    for (int i = threadIdx.x; i < TILE * DEPTH / 8; i += THREADS) {
        const int row = i / (DEPTH / 8), word = i % (DEPTH / 8);
        const uint4 eight = load_eight(matrix, first + row, start + 8 * word, rows, depth);
        tile[row][2 * word] = make_uint2(eight.x, eight.y);
        tile[row][2 * word + 1] = make_uint2(eight.z, eight.w);
    }
}

__global__ void __launch_bounds__(THREADS)
    multiply_matrices(const bits* __restrict__ a, const bits* __restrict__ b, bits* __restrict__ out, int rows,
                      int depth, int cols) {
    __shared__ uint2 tile_a[TILE][PAIRS + 1], tile_b[TILE][PAIRS + 1];
    const int x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
    const int first_row = blockIdx.y * TILE, first_col = blockIdx.x * TILE;
    float sum[SIZE][SIZE] = {};
    for (int start = 0; start < depth; start += DEPTH) {
        fill(tile_a, a, first_row, start, rows, depth);
        fill(tile_b, b, first_col, start, cols, depth);
        __syncthreads();
#pragma unroll 2
        for (int four = 0; four < PAIRS; four++) {
            float of_a[SIZE][4], of_b[4];
#pragma unroll
            for (int i = 0; i < SIZE; i++) {
                widen_four(tile_a[y + SIDE * i][four], of_a[i]);
            }
#pragma unroll
            for (int j = 0; j < SIZE; j++) {
                widen_four(tile_b[x + SIDE * j][four], of_b);
#pragma unroll
                for (int k = 0; k < 4; k++) {
#pragma unroll
                    for (int i = 0; i < SIZE; i++) {
                        sum[i][j] += of_a[i][k] * of_b[k];
                    }
                }
            }
        }
        __syncthreads();  // all have read before the next tiles are written
    }
#pragma unroll
    for (int i = 0; i < SIZE; i++) {
#pragma unroll
        for (int j = 0; j < SIZE; j++) {
            const int row = first_row + y + SIDE * i, col = first_col + x + SIDE * j;
            if (row < rows && col < cols) {
                out[(long long)row * cols + col] = as_two_bfloat16(sum[i][j], 0.0f) & 0xffff;
            }
        }
    }
}
