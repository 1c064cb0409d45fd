// Sums of squares of segments of very different lengths. A warp does a segment; the kernels differ in which one is next.
__device__ void sum_segment(const float* __restrict__ values, const long long* __restrict__ offsets, float* out,
                            int segment) {
    float sum = 0.0f;
#pragma unroll 8
    for (long long i = offsets[segment] + threadIdx.x % 32; i < offsets[segment + 1]; i += 32) {
        sum += values[i] * values[i];
    }
    for (int step = 16; step > 0; step /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, step);
    }
    if (threadIdx.x % 32 == 0) {
        out[segment] = sum;
    }
}

// Each warp has as many segments as every other, side by side, however long they are.
__global__ void static_split(const float* __restrict__ values, const long long* __restrict__ offsets, float* out,
                             int segments) {
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, warps = gridDim.x * blockDim.x / 32;
    const int share = (segments + warps - 1) / warps;
    for (int segment = warp * share; segment < min(segments, (warp + 1) * share); segment++) {
        sum_segment(values, offsets, out, segment);
    }
}

// A warp that is done takes the next segments that no other has taken: several, because a counter takes one increment
// after the other.
__global__ void from_queue(const float* __restrict__ values, const long long* __restrict__ offsets, float* out,
                           int segments, int* next) {
    while (true) {
        int first = 0;
        if (threadIdx.x % 32 == 0) {
            first = atomicAdd(next, TAKEN);
        }
        first = __shfl_sync(0xffffffff, first, 0);
        if (first >= segments) {
            return;
        }
        for (int segment = first; segment < min(segments, first + TAKEN); segment++) {
            sum_segment(values, offsets, out, segment);
        }
    }
}

// As many warps as segments: the hardware gives a block that is done the place of the next one.
__global__ void block_scheduler(const float* __restrict__ values, const long long* __restrict__ offsets, float* out,
                                int segments) {
    const int segment = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (segment < segments) {
        sum_segment(values, offsets, out, segment);
    }
}
