// Segments of a vector, each multiplied by a number of its own. How long they are is known on the device only.
__global__ void scale_segment(const float* __restrict__ x, float* __restrict__ out, const float* __restrict__ factors,
                              int segment, long long first, long long count) {
    const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < count) {
        out[first + i] = x[first + i] * factors[segment];
    }
}

// A thread per segment starts a grid of the size that the segment needs.
__global__ void launch_segments(const float* x, float* out, const float* factors, const long long* offsets,
                                int segments) {
    const int segment = blockIdx.x * blockDim.x + threadIdx.x;
    if (segment >= segments) {
        return;
    }
    const long long first = offsets[segment], count = offsets[segment + 1] - first;
    if (count > 0) {
        const unsigned int blocks = static_cast<unsigned int>((count + THREADS - 1) / THREADS);
        scale_segment<<<blocks, THREADS, 0, cudaStreamFireAndForget>>>(x, out, factors, segment, first, count);
    }
}

// One grid over all values; each thread looks for the segment that it is in.
__global__ void scale_flat(const float* __restrict__ x, float* __restrict__ out, const float* __restrict__ factors,
                           const long long* __restrict__ offsets, int segments, long long count) {
    const long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i >= count) {
        return;
    }
    int low = 0, high = segments - 1;  // the last segment that does not begin after i
    while (low < high) {
        const int middle = (low + high + 1) / 2;
        if (offsets[middle] <= i) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    out[i] = x[i] * factors[low];
}
