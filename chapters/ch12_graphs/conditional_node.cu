// Jacobi's method for matrix @ x = b: every round improves x, until a round changes it no more than LIMIT times b.
extern "C" __device__ void cudaGraphSetConditional(unsigned long long condition, unsigned int value);

__device__ float warp_max(float most) {
    for (int step = 16; step > 0; step /= 2) {
        most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, step));
    }
    return most;
}

__global__ void begin(float* x, int* rounds, int size) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size) {
        x[i] = 0.0f;
    }
    if (i == 0) {
        *rounds = 0;
    }
}

// A warp per row.
__global__ void improve(const float* __restrict__ matrix, const float* __restrict__ b, const float* __restrict__ x,
                        float* __restrict__ better, int size) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= size) {
        return;
    }
    const float* from = matrix + row * (long long)size;
    float sum = 0.0f;
#pragma unroll 8
    for (int col = lane; col < size; col += 32) {
        sum += col == row ? 0.0f : from[col] * x[col];
    }
    for (int step = 16; step > 0; step /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, step);
    }
    if (lane == 0) {
        better[row] = (b[row] - sum) / from[row];
    }
}

// One block takes over the better x and says, to every thread, whether another round is needed.
__device__ bool settle(const float* b, const float* better, float* x, int* rounds, int size) {
    __shared__ float changes[THREADS / 32], sizes[THREADS / 32];
    float change = 0.0f, largest = 0.0f;
    for (int i = threadIdx.x; i < size; i += THREADS) {
        change = fmaxf(change, fabsf(better[i] - x[i]));
        largest = fmaxf(largest, fabsf(b[i]));
        x[i] = better[i];
    }
    change = warp_max(change);
    largest = warp_max(largest);
    if (threadIdx.x % 32 == 0) {
        changes[threadIdx.x / 32] = change;
        sizes[threadIdx.x / 32] = largest;
    }
    const int done = *rounds + 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        *rounds = done;
    }
    const int lane = threadIdx.x % 32;
    change = warp_max(lane < THREADS / 32 ? changes[lane] : 0.0f);
    largest = warp_max(lane < THREADS / 32 ? sizes[lane] : 0.0f);
    __syncthreads();  // the next round of the loop writes the same places
    return change > LIMIT * largest && done < MOST;
}

// For a host that reads `again` and launches the next round.
__global__ void settle_for_host(const float* b, const float* better, float* x, int* rounds, int* again, int size) {
    const bool more = settle(b, better, x, rounds, size);
    if (threadIdx.x == 0) {
        *again = more;
    }
}

// For a loop in a graph: the device decides.
__global__ void settle_for_graph(const float* b, const float* better, float* x, int* rounds, int size,
                                 unsigned long long condition) {
    const bool more = settle(b, better, x, rounds, size);
    if (threadIdx.x == 0) {
        cudaGraphSetConditional(condition, more);
    }
}
