#include "warp_products.cuh"

// out = a bᵀ in tiles of TILE x TILE by eight warps, from a ring of STAGES tiles that cp.async fills. `depth` is a multiple
// of 8, so 16 bytes never cross the end of a row.
constexpr int TILE = 128, THREADS = 256, SIZE = 2 * TILE * DEPTH;

// A copy of 16 bytes to shared memory that nothing waits for. If `bytes` is 0, nothing is read and zeros are written.
__device__ void copy_async(uint4* place, const uint4* source, int bytes) {
    const unsigned address = __cvta_generic_to_shared(place);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(source), "r"(bytes) : "memory");
}

__device__ void end_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }

template <int NEWEST>
__device__ void wait_for_all_groups_but() {
    asm volatile("cp.async.wait_group %0;" ::"n"(NEWEST) : "memory");
}

__device__ void fetch(bits* tile, const uint4* factor, int first, int start, int rows, int depth) {
#pragma unroll
    for (int i = 0; i < TILE * PIECES / THREADS; i++) {
        const int number = i * THREADS + threadIdx.x, row = number / PIECES, piece = number % PIECES;
        const bool inside = first + row < rows && start / 8 + piece < depth / 8;
        const long long from = inside ? (long long)(first + row) * (depth / 8) + start / 8 + piece : 0;
        copy_async(reinterpret_cast<uint4*>(tile + place_of(row, piece)), factor + from, inside ? 16 : 0);
    }
}

template <int STAGES>
__global__ void __launch_bounds__(THREADS)
    product(const uint4* a, const uint4* b, bits* out, int rows, int cols, int depth) {
    extern __shared__ __align__(128) bits ring[];
    const int warp = threadIdx.x / 32, down = warp / 4 * 64, across = warp % 4 * 32;
    const int top = blockIdx.y * TILE, left = blockIdx.x * TILE, steps = (depth + DEPTH - 1) / DEPTH;
    float sum[4][4][4] = {};
    auto request = [&](int step) {  // a group without copies counts as one as well
        if (step < steps) {
            bits* tile = ring + step % STAGES * SIZE;
            fetch(tile, a, top, step * DEPTH, rows, depth);
            fetch(tile + TILE * DEPTH, b, left, step * DEPTH, cols, depth);
        }
        end_group();
    };
    for (int step = 0; step < STAGES - 1; step++) {
        request(step);
    }
    for (int step = 0; step < steps; step++) {
        wait_for_all_groups_but<STAGES - 2>();  // this thread's part of the tile is there
        __syncthreads();                        // everyone's part is, and the tile of the step before was read
        request(step + STAGES - 1);
        const bits* tile = ring + step % STAGES * SIZE;
        multiply_in_warp<32>(sum, tile, tile + TILE * DEPTH, down, across);
    }
    store_from_warp<32>(sum, out, top + down, left + across, rows, cols);
}
