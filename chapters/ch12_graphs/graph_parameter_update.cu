// Sums of absolute values by row, and rounds of smoothing over the rows: one large kernel and many small ones.
__global__ void measure_rows(const float* __restrict__ x, float* __restrict__ sums, int rows, int cols) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (row >= rows) {
        return;
    }
    const float* from = x + row * (long long)cols;
    float sum = 0.0f;
#pragma unroll 16
    for (int col = threadIdx.x % 32; col < cols; col += 32) {
        sum += fabsf(from[col]);
    }
    for (int step = 16; step > 0; step /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, step);
    }
    if (threadIdx.x % 32 == 0) {
        sums[row] = sum;
    }
}

// The rows are a ring.
__global__ void smooth(const float* __restrict__ sums, float* __restrict__ smoother, int rows) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        const float before = sums[row == 0 ? rows - 1 : row - 1], after = sums[row + 1 == rows ? 0 : row + 1];
        smoother[row] = 0.25f * before + 0.5f * sums[row] + 0.25f * after;
    }
}
