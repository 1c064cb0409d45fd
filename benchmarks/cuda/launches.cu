// One kernel for each way of launching that perfproof.cuda knows; gpu_cuda_check.py checks what they compute.
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda/barrier>

namespace cg = cooperative_groups;

__global__ void scale(const float* x, float* out, float factor, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = x[i] * factor;
}

__global__ void nothing(const float* x, float* out, long long count) {}

extern "C" __global__ void scale_untyped(const float* x, float* out, float factor, int count) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = x[i] * factor;
}

// An instance copies WIDTH elements a thread.
template <typename T, int WIDTH>
__global__ void widened(const T* x, T* out, long long count) {
    const long long first = (blockIdx.x * (long long)blockDim.x + threadIdx.x) * WIDTH;
    for (int k = 0; k < WIDTH; k++) {
        if (first + k < count) out[first + k] = x[first + k] + T(1);
    }
}

// A block turns `count` elements around through dynamic shared memory.
__global__ void reversed(const float* x, float* out, int count) {
    extern __shared__ float held[];
    for (int i = threadIdx.x; i < count; i += blockDim.x) held[i] = x[i];
    __syncthreads();
    for (int i = threadIdx.x; i < count; i += blockDim.x) out[i] = held[count - 1 - i];
}

// All blocks add up their part, wait for the whole grid, then divide by the total.
__global__ void shares(const float* x, float* partial, float* out, int count) {
    cg::grid_group grid = cg::this_grid();
    __shared__ float total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    for (int i = grid.thread_rank(); i < count; i += grid.size()) atomicAdd(&total, x[i]);
    __syncthreads();
    if (threadIdx.x == 0) partial[blockIdx.x] = total;
    grid.sync();
    float sum = 0;
    for (int b = 0; b < gridDim.x; b++) sum += partial[b];
    for (int i = grid.thread_rank(); i < count; i += grid.size()) out[i] = x[i] / sum;
}

#if __CUDA_ARCH__ >= 900  // clusters, bulk copies and dependent launches

// Each block of a cluster writes what its right neighbour holds in shared memory.
__global__ void rotated(const float* x, float* out) {
    __shared__ float held[128];
    cg::cluster_group cluster = cg::this_cluster();
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    held[threadIdx.x] = x[i];
    cluster.sync();
    const unsigned neighbour = (cluster.block_rank() + 1) % cluster.num_blocks();
    out[i] = cluster.map_shared_rank(held, neighbour)[threadIdx.x];
    cluster.sync();  // nobody leaves while its memory is read
}

constexpr int ROWS = 16, COLS = 32;

// One bulk copy brings a tile of a matrix to shared memory; outside of the matrix it brings zeros.
__global__ void tile(const __grid_constant__ CUtensorMap map, float* out, int row, int col) {
    __shared__ alignas(128) float held[ROWS * COLS];
    __shared__ alignas(8) unsigned long long ready;
    const unsigned target = static_cast<unsigned>(__cvta_generic_to_shared(held));
    const unsigned barrier = static_cast<unsigned>(__cvta_generic_to_shared(&ready));
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier));
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(unsigned(sizeof(held)))
                     : "memory");
        asm volatile(
            "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
            ::"r"(target), "l"(&map), "r"(col), "r"(row), "r"(barrier)
            : "memory");
    }
    __syncthreads();
    unsigned done = 0;
    while (!done) {
        asm volatile(
            "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"
            : "=r"(done)
            : "r"(barrier)
            : "memory");
    }
    for (int i = threadIdx.x; i < ROWS * COLS; i += blockDim.x) out[i] = held[i];
}

// The first lets the second begin early; the second waits for the first to have written.
__global__ void first_half(const float* x, float* out, int count) {
    asm volatile("griddepcontrol.launch_dependents;");
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = x[i] + 1;
}

__global__ void second_half(const float* x, float* out, int count) {
    asm volatile("griddepcontrol.wait;" ::: "memory");
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] = x[i] * 2;
}

#endif
