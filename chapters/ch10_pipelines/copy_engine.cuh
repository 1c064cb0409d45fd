// Barriers in shared memory that count arrivals and bytes (mbarrier), and the copy engine (TMA) that fills tiles and tells
// such a barrier. From Hopper on.
#pragma once
#include <cuda.h>

using u64 = unsigned long long;

__device__ void begin_barrier(u64* barrier, int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(arrivals) : "memory");
}

// After this and a __syncthreads, the copy engine and all threads see the barriers.
__device__ void barriers_are_ready() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ void arrive(u64* barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"((unsigned)__cvta_generic_to_shared(barrier)) : "memory");
}

__device__ void arrive_and_expect(u64* barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(barrier)), "r"(bytes)
                 : "memory");
}

// Wait until the phase of this parity is over: phases are 0, 1, 0, ... and the one before the first counts as over.
__device__ void wait_for_phase(u64* barrier, unsigned parity) {
    asm volatile(
        "{\n"
        ".reg .pred over;\n"
        "again:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 over, [%0], %1;\n"
        "@!over bra again;\n"
        "}" ::"r"((unsigned)__cvta_generic_to_shared(barrier)),
        "r"(parity)
        : "memory");
}

// Ask for the box of a tensor that begins at column x and row y. Outside of the tensor it is zeros, which count as bytes.
__device__ void load_tile(void* place, const CUtensorMap* map, u64* barrier, int x, int y) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
            (unsigned)__cvta_generic_to_shared(place)),
        "l"(map), "r"(x), "r"(y), "r"((unsigned)__cvta_generic_to_shared(barrier))
        : "memory");
}

// Warps of a group that needs few registers leave them to those that need many.
template <int COUNT>
__device__ __forceinline__ void take_registers() {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(COUNT));
}

template <int COUNT>
__device__ __forceinline__ void give_registers() {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(COUNT));
}

// Which tile of the result a block has. Blocks that run at the same time share rows and columns, so the L2 keeps them:
// ranks go down a band of 16 tiles before they go to the next column.
struct Tile {
    int row, col;
};

__device__ Tile tile_of(int rank, int rows, int cols) {
    const int first = rank / (16 * cols) * 16, height = min(rows - first, 16), place = rank % (16 * cols);
    return {first + place % height, place / height};
}
