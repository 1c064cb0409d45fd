// The sum of a row by one block of THREADS threads. Both kernels read alike; they differ in how the block adds up.
__device__ float own_part(const float* __restrict__ x, long long row, int cols) {
    float sum = 0.0f;
#pragma unroll 4
    for (int col = threadIdx.x; col < cols; col += THREADS) {
        sum += x[row * cols + col];
    }
    return sum;
}

// A tree in shared memory. Each of its steps halves the number of sums, and all threads of the block wait after it.
__global__ void __launch_bounds__(THREADS) tree_sum(const float* x, float* out, int cols) {
    __shared__ float sums[THREADS];
    sums[threadIdx.x] = own_part(x, blockIdx.x, cols);
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            sums[threadIdx.x] += sums[threadIdx.x + half];
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        out[blockIdx.x] = sums[0];
    }
}

// The threads of a warp read each other's registers: no memory, no barrier. All 32 must be here.
__device__ float warp_sum(float sum) {
    for (int half = 16; half > 0; half /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, half);
    }
    return sum;
}

// Every warp adds up by itself, then the first warp adds the sums of the warps: one barrier.
__global__ void __launch_bounds__(THREADS) shuffle_sum(const float* x, float* out, int cols) {
    __shared__ float sums[THREADS / 32];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const float of_warp = warp_sum(own_part(x, blockIdx.x, cols));
    if (lane == 0) {
        sums[warp] = of_warp;
    }
    __syncthreads();
    if (warp == 0) {
        const float sum = warp_sum(lane < THREADS / 32 ? sums[lane] : 0.0f);
        if (lane == 0) {
            out[blockIdx.x] = sum;
        }
    }
}
