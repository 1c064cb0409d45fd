// out = a bT as in the step before: one thread per result, tiles of TILE x TILE. Numbers move eight at a time.
#include "numbers.cuh"

constexpr int TILE = 32, WORDS = TILE / 8;  // a row of a tile is WORDS times 16 bytes

__global__ void multiply_matrices(const bits* __restrict__ a, const bits* __restrict__ b, bits* __restrict__ out,
                                  int rows, int depth, int cols) {
    __shared__ uint4 tile_a[TILE][WORDS + 1], tile_b[TILE][WORDS + 1];  // eight rows begin in different banks
    const int x = threadIdx.x, y = threadIdx.y, thread = y * TILE + x;
    const int first_row = blockIdx.y * TILE, first_col = blockIdx.x * TILE;
    const int line = thread / WORDS % TILE, word = thread % WORDS;  // what a thread loads, if it loads
    float sum = 0.0f;
    for (int start = 0; start < depth; start += TILE) {
        if (thread < TILE * WORDS) {
            tile_a[line][word] = load_eight(a, first_row + line, start + 8 * word, rows, depth);
        } else if (thread < 2 * TILE * WORDS) {
            tile_b[line][word] = load_eight(b, first_col + line, start + 8 * word, cols, depth);
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < WORDS; k++) {
            const uint4 eight_a = tile_a[y][k], eight_b = tile_b[x][k];
            const unsigned of_a[4] = {eight_a.x, eight_a.y, eight_a.z, eight_a.w};
            const unsigned of_b[4] = {eight_b.x, eight_b.y, eight_b.z, eight_b.w};
#pragma unroll
            for (int i = 0; i < 4; i++) {
                sum += wide(of_a[i] & 0xffff) * wide(of_b[i] & 0xffff);
                sum += wide(of_a[i] >> 16) * wide(of_b[i] >> 16);
            }
        }
        __syncthreads();  // the next tiles go to the same place
    }
    if (first_row + y < rows && first_col + x < cols) {
        out[(long long)(first_row + y) * cols + first_col + x] = as_two_bfloat16(sum, 0.0f) & 0xffff;
    }
}
