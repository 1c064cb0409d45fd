// One layer of a network on a single vector: out = tanh(weight @ x). A warp per row, which holds up to 1,024 weights.
constexpr int HELD = 32;

// The next kernel may be started as soon as all blocks have come here; what it waits for is the end of this one.
__device__ void let_next_begin() { asm volatile("griddepcontrol.launch_dependents;" ::: "memory"); }

// Until the kernel before has ended and its results are visible. Returns at once in a launch that may not begin early.
__device__ void wait_for_previous() { asm volatile("griddepcontrol.wait;" ::: "memory"); }

// A load that stays before the wait. One that is marked as read-only is moved behind it by the assembler.
__device__ float load_now(const float* from) {
    float value;
    asm volatile("ld.global.f32 %0, [%1];" : "=f"(value) : "l"(from) : "memory");
    return value;
}

__global__ void layer(const float* weight, const float* x, float* out, int width) {
    let_next_begin();
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float held[HELD];
#pragma unroll
    for (int i = 0; i < HELD; i++) {  // weights do not depend on the kernel before
        const int col = 32 * i + lane;
        held[i] = row < width && col < width ? load_now(weight + row * (long long)width + col) : 0.0f;
    }
    wait_for_previous();
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < HELD; i++) {
        const int col = 32 * i + lane;
        sum += col < width ? held[i] * x[col] : 0.0f;
    }
    for (int step = 16; step > 0; step /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, step);
    }
    if (lane == 0 && row < width) {
        out[row] = tanhf(sum);
    }
}
