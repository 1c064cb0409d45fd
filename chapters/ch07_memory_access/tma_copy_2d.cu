#include <cuda.h>

// Tiles of SIDE x SIDE numbers on their way through shared memory, where a real kernel would work on them.
constexpr int BYTES = SIDE * SIDE * sizeof(float), WORDS = SIDE / 4;  // a row of a tile is WORDS times 16 bytes

// Every thread works out addresses, loads its part, stores it to shared memory, and the same way out.
__global__ void copy_by_threads(const float4* __restrict__ x, float4* __restrict__ out, int rows, int words) {
    __shared__ float4 tile[SIDE][WORDS];
    const int left = blockIdx.x * WORDS, top = blockIdx.y * SIDE;
#pragma unroll
    for (int step = 0; step < SIDE * WORDS / THREADS; step++) {
        const int i = step * THREADS + threadIdx.x;
        const int row = i / WORDS, word = i % WORDS;
        if (top + row < rows && left + word < words) {
            tile[row][word] = x[(top + row) * (long long)words + left + word];
        }
    }
    __syncthreads();
#pragma unroll
    for (int step = 0; step < SIDE * WORDS / THREADS; step++) {
        const int i = step * THREADS + threadIdx.x;
        const int row = i / WORDS, word = i % WORDS;
        if (top + row < rows && left + word < words) {
            out[(top + row) * (long long)words + left + word] = tile[row][word];
        }
    }
}

// One thread asks the copy engine for the whole tile, waits on a barrier that counts bytes, and asks for the way out. The
// descriptors know the edges: what lies outside is neither read nor written, and counts as arrived.
__global__ void copy_by_engine(const __grid_constant__ CUtensorMap x, const __grid_constant__ CUtensorMap out) {
    __shared__ __align__(128) float tile[SIDE * SIDE];
    __shared__ __align__(8) unsigned long long arrived;
    if (threadIdx.x != 0) {
        return;
    }
    const int left = blockIdx.x * SIDE, top = blockIdx.y * SIDE;
    const unsigned int place = static_cast<unsigned int>(__cvta_generic_to_shared(tile));
    const unsigned int barrier = static_cast<unsigned int>(__cvta_generic_to_shared(&arrived));
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(barrier) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // the engine has to see the barrier
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(BYTES) : "memory");
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
            place),
        "l"(&x), "r"(left), "r"(top), "r"(barrier)
        : "memory");
    asm volatile(
        "{\n"
        ".reg .pred done;\n"
        "again:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], 0;\n"
        "@!done bra again;\n"
        "}" ::"r"(barrier)
        : "memory");
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&out), "r"(left),
                 "r"(top), "r"(place)
                 : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");  // shared memory has to stay until it was read
}
