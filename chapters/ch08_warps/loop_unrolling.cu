// Running sums down the columns of a matrix. The steps of a column depend on each other, so a thread has a whole column,
// and the number of columns is all the parallelism there is. All kernels add in the same order.

// The compiler does not know that `out` and `x` lie apart. Any store could change what the next load reads, so a load
// waits for the store before it, and a thread has one load under way.
__global__ void one_by_one(const float* x, float* out, int rows, long long cols) {
    const long long col = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (col >= cols) {
        return;
    }
    float sum = 0.0f;
    for (int row = 0; row < rows; row++) {
        sum += x[row * cols + col];
        out[row * cols + col] = sum;
    }
}

// STEPS loads are written before the first store: they do not depend on each other, and all of them are under way.
__global__ void unrolled(const float* x, float* out, int rows, long long cols) {
    const long long col = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (col >= cols) {
        return;
    }
    float sum = 0.0f;
    int row = 0;
    for (; row + STEPS <= rows; row += STEPS) {
        float next[STEPS];
#pragma unroll
        for (int step = 0; step < STEPS; step++) {
            next[step] = x[(row + step) * cols + col];
        }
#pragma unroll
        for (int step = 0; step < STEPS; step++) {
            sum += next[step];
            out[(row + step) * cols + col] = sum;
        }
    }
    for (; row < rows; row++) {
        sum += x[row * cols + col];
        out[row * cols + col] = sum;
    }
}

// The loop of the first kernel, and the promise that the two do not overlap: the compiler may unroll it by itself.
__global__ void promised(const float* __restrict__ x, float* __restrict__ out, int rows, long long cols) {
    const long long col = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (col >= cols) {
        return;
    }
    float sum = 0.0f;
    for (int row = 0; row < rows; row++) {
        sum += x[row * cols + col];
        out[row * cols + col] = sum;
    }
}
