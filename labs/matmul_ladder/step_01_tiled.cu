// out = a bT with one thread per result, in blocks of TILE x TILE. Both factors lie along the depth.
#include "numbers.cuh"

constexpr int TILE = 32;

// Every product loads its two factors from memory or from a cache.
__global__ void multiply_direct(const bits* __restrict__ a, const bits* __restrict__ b, bits* __restrict__ out, int rows,
                                int depth, int cols) {
    const int col = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    if (row >= rows || col >= cols) {
        return;
    }
    float sum = 0.0f;
    for (int k = 0; k < depth; k++) {
        sum += wide(a[(long long)row * depth + k]) * wide(b[(long long)col * depth + k]);
    }
    out[(long long)row * cols + col] = as_two_bfloat16(sum, 0.0f) & 0xffff;
}

// The block brings a tile of each factor to shared memory, neighbours of a row by neighbouring threads. Every number is
// used TILE times there. Outside of the matrices the tiles hold zeros, so that all threads stay for the barriers.
__global__ void multiply_tiled(const bits* __restrict__ a, const bits* __restrict__ b, bits* __restrict__ out, int rows,
                               int depth, int cols) {
    __shared__ bits tile_a[TILE][TILE + 2], tile_b[TILE][TILE + 2];  // 17 words per row: 32 rows lie in 32 banks
    const int x = threadIdx.x, y = threadIdx.y;
    const int first_row = blockIdx.y * TILE, first_col = blockIdx.x * TILE;
    float sum = 0.0f;
    for (int start = 0; start < depth; start += TILE) {
        const bool in_a = first_row + y < rows && start + x < depth, in_b = first_col + y < cols && start + x < depth;
        tile_a[y][x] = in_a ? a[(long long)(first_row + y) * depth + start + x] : 0;
        tile_b[y][x] = in_b ? b[(long long)(first_col + y) * depth + start + x] : 0;
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TILE; k++) {
            sum += wide(tile_a[y][k]) * wide(tile_b[x][k]);
        }
        __syncthreads();  // the next tiles go to the same place
    }
    if (first_row + y < rows && first_col + x < cols) {
        out[(long long)(first_row + y) * cols + first_col + x] = as_two_bfloat16(sum, 0.0f) & 0xffff;
    }
}
