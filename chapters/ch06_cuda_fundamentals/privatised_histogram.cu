// How often each of 256 values occurs. Sixteen values come with one load; what is not a multiple of 16 is counted singly.
__device__ void count_word(unsigned int four, int* counts) {
    atomicAdd(counts + (four & 255), 1);
    atomicAdd(counts + (four >> 8 & 255), 1);
    atomicAdd(counts + (four >> 16 & 255), 1);
    atomicAdd(counts + (four >> 24), 1);
}

__device__ void count_all(const unsigned char* values, int* counts, long long count) {
    const long long first = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    const long long threads = gridDim.x * (long long)blockDim.x;
    const long long loads = count / 16;
    for (long long i = first; i < loads; i += threads) {
        const uint4 sixteen = reinterpret_cast<const uint4*>(values)[i];
        count_word(sixteen.x, counts);
        count_word(sixteen.y, counts);
        count_word(sixteen.z, counts);
        count_word(sixteen.w, counts);
    }
    for (long long i = 16 * loads + first; i < count; i += threads) {
        atomicAdd(counts + values[i], 1);
    }
}

// All threads of the device count in the same 256 words, in the L2.
__global__ void count_globally(const unsigned char* __restrict__ values, int* __restrict__ counts, long long count) {
    count_all(values, counts, count);
}

// Every block counts in 256 words of its own, and adds them to the others' at the end.
__global__ void count_privately(const unsigned char* __restrict__ values, int* __restrict__ counts, long long count) {
    __shared__ int own[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) {
        own[i] = 0;
    }
    __syncthreads();
    count_all(values, own, count);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x) {
        if (own[i]) {
            atomicAdd(counts + i, own[i]);
        }
    }
}
