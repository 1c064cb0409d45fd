// A moving average along every row: y[0] = x[0], y[t] = y[t - 1] + ALPHA * (x[t] - y[t - 1]). One thread follows one row.
// A block brings 128 rows of 32 columns to shared memory, warp by warp in whole lines; every thread walks its row there.
// Thread t reads word t * (32 + PAD) + column. Without padding all 32 threads of a warp meet in one bank, and the access
// takes 32 turns; with one word of padding they are in 32 different banks.
template <int PAD>
__global__ void average(const float* __restrict__ x, float* __restrict__ out, int rows, int cols) {
    __shared__ float tile[ROWS][32 + PAD];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int top = blockIdx.x * ROWS;
    const int height = min(ROWS, rows - top);
    float y = 0.0f;
    for (int left = 0; left < cols; left += 32) {
        const int width = min(32, cols - left);
#pragma unroll 8
        for (int row = warp; row < height; row += ROWS / 32) {
            if (lane < width) {
                tile[row][lane] = x[(top + row) * (long long)cols + left + lane];
            }
        }
        __syncthreads();
        if (threadIdx.x < height) {
            if (left == 0) {
                y = tile[threadIdx.x][0];
            }
            for (int column = 0; column < width; column++) {
                y = fmaf(ALPHA, tile[threadIdx.x][column] - y, y);
                tile[threadIdx.x][column] = y;
            }
        }
        __syncthreads();
#pragma unroll 8
        for (int row = warp; row < height; row += ROWS / 32) {
            if (lane < width) {
                out[(top + row) * (long long)cols + left + lane] = tile[row][lane];
            }
        }  // a thread loads the next tile to where it has read this one: no barrier
    }
}
