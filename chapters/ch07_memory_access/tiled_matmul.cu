// C = A B, one thread for one element of C, in blocks of TILE x TILE.

// Every product loads its two factors from memory or from a cache.
__global__ void multiply_direct(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m,
                                int n, int k) {
    const int column = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    if (row >= m || column >= n) {
        return;
    }
    float sum = 0.0f;
    for (int i = 0; i < k; i++) {
        sum = fmaf(a[row * (long long)k + i], b[i * (long long)n + column], sum);
    }
    c[row * (long long)n + column] = sum;
}

// The block brings a tile of A and one of B to shared memory; every number is used TILE times there. Outside of the
// matrices the tiles hold zeros, so that all threads can stay for the barriers.
__global__ void multiply_tiled(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m,
                               int n, int k) {
    __shared__ float tile_a[TILE][TILE], tile_b[TILE][TILE];
    const int x = threadIdx.x, y = threadIdx.y;
    const int column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
    float sum = 0.0f;
    for (int first = 0; first < k; first += TILE) {
        const bool in_a = row < m && first + x < k, in_b = first + y < k && column < n;
        tile_a[y][x] = in_a ? a[row * (long long)k + first + x] : 0.0f;
        tile_b[y][x] = in_b ? b[(first + y) * (long long)n + column] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < TILE; i++) {
            sum = fmaf(tile_a[y][i], tile_b[i][x], sum);
        }
        __syncthreads();  // the next tiles go to the same place
    }
    if (row < m && column < n) {
        c[row * (long long)n + column] = sum;
    }
}
