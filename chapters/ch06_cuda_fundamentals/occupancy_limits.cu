// How often each of SYMBOLS symbols occurs in each stream. One thread follows one stream and keeps its counters in shared
// memory: word symbol * blockDim.x + thread, so that the threads of a warp always meet 32 banks. Symbols lie step by step,
// so that a warp reads neighbours. An update needs the one before it: a warp alone waits most of the time.
__global__ void count(const unsigned char* __restrict__ symbols, int* __restrict__ out, int steps, int streams) {
    extern __shared__ int counters[];
    const int stream = blockIdx.x * blockDim.x + threadIdx.x;
    if (stream >= streams) {
        return;  // a thread touches its own counters only, and no barrier follows
    }
    int* own = counters + threadIdx.x;
    for (int symbol = 0; symbol < SYMBOLS; symbol++) {
        own[symbol * blockDim.x] = 0;
    }
#pragma unroll 16
    for (int step = 0; step < steps; step++) {
        own[symbols[step * (long long)streams + stream] * blockDim.x]++;
    }
    for (int symbol = 0; symbol < SYMBOLS; symbol++) {
        out[symbol * (long long)streams + stream] = own[symbol * blockDim.x];
    }
}
