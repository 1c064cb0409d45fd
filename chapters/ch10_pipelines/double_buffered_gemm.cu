#include "warp_products.cuh"

// out = a bᵀ in tiles of TILE x TILE by eight warps. `depth` is a multiple of 8, so 16 bytes never cross the end of a row.
constexpr int TILE = 128, THREADS = 256;
constexpr int EACH = TILE * PIECES / THREADS;  // pieces of 16 bytes that a thread brings of each factor

struct Held {
    uint4 a[EACH], b[EACH];
};

// Load a thread's pieces of both tiles into registers; zeros for what lies outside.
__device__ void fetch(Held& held, const uint4* __restrict__ a, const uint4* __restrict__ b, int start, int rows, int cols, int depth) {
    const uint4 zero = make_uint4(0, 0, 0, 0);
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const int number = i * THREADS + threadIdx.x, piece = start / 8 + number % PIECES;
        const int row = blockIdx.y * TILE + number / PIECES, col = blockIdx.x * TILE + number / PIECES;
        const bool inside = piece < depth / 8;
        held.a[i] = inside && row < rows ? a[(long long)row * (depth / 8) + piece] : zero;
        held.b[i] = inside && col < cols ? b[(long long)col * (depth / 8) + piece] : zero;
    }
}

__device__ void put(const Held& held, bits* tile) {
#pragma unroll
    for (int i = 0; i < EACH; i++) {
        const int number = i * THREADS + threadIdx.x, place = place_of(number / PIECES, number % PIECES);
        *reinterpret_cast<uint4*>(tile + place) = held.a[i];
        *reinterpret_cast<uint4*>(tile + TILE * DEPTH + place) = held.b[i];
    }
}

// With one buffer a block fills it, waits, multiplies, waits. With two, the loads of the next tile are on their way while
// this one is multiplied, and one barrier per tile is enough.
template <int BUFFERS>
__global__ void __launch_bounds__(THREADS)
    product(const uint4* a, const uint4* b, bits* out, int rows, int cols, int depth) {
    extern __shared__ __align__(128) bits tiles[];
    constexpr int SIZE = 2 * TILE * DEPTH;
    const int warp = threadIdx.x / 32, down = warp / 4 * 64, across = warp % 4 * 32;
    float sum[4][4][4] = {};
    Held held;
    fetch(held, a, b, 0, rows, cols, depth);
    put(held, tiles);
    __syncthreads();
    for (int start = 0, step = 0; start < depth; start += DEPTH, step++) {
        const bits* tile = tiles + step % BUFFERS * SIZE;
        const bool more = start + DEPTH < depth;
        if (BUFFERS == 2 && more) {
            fetch(held, a, b, start + DEPTH, rows, cols, depth);
        }
        multiply_in_warp<32>(sum, tile, tile + TILE * DEPTH, down, across);
        if (BUFFERS == 1) {
            __syncthreads();  // all have read before the buffer is filled again
            if (more) {
                fetch(held, a, b, start + DEPTH, rows, cols, depth);
            }
        }
        if (more) {
            put(held, tiles + (step + 1) % BUFFERS * SIZE);
        }
        __syncthreads();
    }
    store_from_warp<32>(sum, out, blockIdx.y * TILE + down, blockIdx.x * TILE + across, rows, cols);
}
