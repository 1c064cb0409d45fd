// A sum in two kernels, with memory between them that the caller has to find. `scratch` is its address.
__device__ float warp_sum(float sum) {
    for (int step = 16; step > 0; step /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, step);
    }
    return sum;
}

// Every warp adds up squares and leaves one number.
__global__ void partial_sums(const float* __restrict__ x, long long count, unsigned long long scratch) {
    const long long thread = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    const long long threads = gridDim.x * (long long)blockDim.x;
    float sum = 0.0f;
#pragma unroll 8
    for (long long i = thread; i < count; i += threads) {
        sum += x[i] * x[i];
    }
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0) {
        reinterpret_cast<float*>(scratch)[thread / 32] = sum;
    }
}

// One block of 32 threads adds up what the warps left.
__global__ void total(unsigned long long scratch, int warps, float* __restrict__ out) {
    const float* sums = reinterpret_cast<const float*>(scratch);
    float sum = 0.0f;
#pragma unroll 8
    for (int i = threadIdx.x; i < warps; i += 32) {
        sum += sums[i];
    }
    sum = warp_sum(sum);
    if (threadIdx.x == 0) {
        *out = sum;
    }
}
