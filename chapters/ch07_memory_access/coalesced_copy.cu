// Two copies with the same threads and the same work for each; only the order differs in which a thread goes through it.

// A thread owns ITEMS consecutive elements, as a thread of a CPU would. In one step of the loop the 32 threads of a
// warp read 32 addresses that lie ITEMS * 4 bytes apart: 32 sectors of 32 bytes, 4 bytes used of each.
__global__ void copy_chunks(const float* __restrict__ x, float* __restrict__ out, long long count) {
    const long long thread = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    const long long end = min((thread + 1) * ITEMS, count);
    for (long long i = thread * ITEMS; i < end; i++) {
        out[i] = x[i];
    }
}

// A thread takes every n-th element, n being the number of threads. In one step the 32 threads of a warp read 32
// neighbours: 4 sectors, every byte used.
__global__ void copy_coalesced(const float* __restrict__ x, float* __restrict__ out, long long count) {
    const long long thread = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    const long long threads = gridDim.x * (long long)blockDim.x;
    for (long long i = thread; i < count; i += threads) {
        out[i] = x[i];
    }
}
