// Two fixed-point equations in turn: even elements solve v = x - 0.625 v v, odd ones v = x + 0.875 (v - v v).
// Both take the same number of steps, and a step of either is two instructions.
__device__ float solve_even(float x) {
    float v = x;
#pragma unroll 8
    for (int step = 0; step < STEPS; step++) {
        v = fmaf(-0.625f * v, v, x);
    }
    return v;
}

__device__ float solve_odd(float x) {
    float v = x;
#pragma unroll 8
    for (int step = 0; step < STEPS; step++) {
        v = fmaf(0.875f, fmaf(-v, v, v), x);
    }
    return v;
}

__device__ float solve(float x, long long place) { return place % 2 ? solve_odd(x) : solve_even(x); }

// A warp owns 64 neighbours, and a thread two that lie 32 apart: both are even or both are odd. In either step half of
// the warp takes one branch while the other half waits, and then the other way round.
__global__ void solve_apart(const float* __restrict__ x, float* __restrict__ out, long long count) {
    const long long thread = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    const long long first = thread / 32 * 64 + thread % 32;
    for (long long i = first; i < min(first + 33, count); i += 32) {
        out[i] = solve(x[i], i);
    }
}

// A warp owns the same 64, and a thread two neighbours: all threads do an even one first, then all do an odd one.
__global__ void solve_neighbours(const float* __restrict__ x, float* __restrict__ out, long long count) {
    const long long thread = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    const long long first = 2 * thread;
    for (long long i = first; i < min(first + 2, count); i++) {
        out[i] = solve(x[i], i);
    }
}
