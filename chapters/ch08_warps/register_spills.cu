// The Walsh-Hadamard transform of 64 values per thread, all of them in registers: six rounds of sums and differences.
// Value k of a thread lies in row k, so neighbouring threads read neighbouring addresses.
__device__ void transform(const float* __restrict__ x, float* __restrict__ out, long long cols) {
    const long long col = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (col >= cols) {
        return;
    }
    float value[64];
#pragma unroll
    for (int k = 0; k < 64; k++) {
        value[k] = x[k * cols + col];
    }
#pragma unroll
    for (int half = 1; half < 64; half *= 2) {
#pragma unroll
        for (int k = 0; k < 64; k++) {
            if ((k & half) == 0) {
                const float a = value[k], b = value[k + half];
                value[k] = a + b;
                value[k + half] = a - b;
            }
        }
    }
#pragma unroll
    for (int k = 0; k < 64; k++) {
        out[k * cols + col] = value[k] * 0.125f;  // 1 / sqrt(64): the transform is its own inverse
    }
}

// Eight blocks of 256 threads fill a multiprocessor: 32 registers per thread are left, and 64 values do not fit.
__global__ void __launch_bounds__(256, 8) full_occupancy(const float* x, float* out, long long cols) {
    transform(x, out, cols);
}

// As many registers as it needs; fewer blocks fit.
__global__ void __launch_bounds__(256) enough_registers(const float* x, float* out, long long cols) {
    transform(x, out, cols);
}
