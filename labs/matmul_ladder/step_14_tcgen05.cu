// out = a bT on Blackwell: one thread fetches, one asks for products of 128 x 256 x 16, and the sum lies in tensor
// memory. Then four warps write it, each its 32 rows.
#include "blackwell.cuh"

constexpr int ROWS = 128, COLS = 256, DEPTH = 64, STAGES = 4, THREADS = 128;
constexpr int BYTES = (ROWS + COLS) * DEPTH * sizeof(bits);  // per stage, of both factors

struct Shared {
    bits a[STAGES][ROWS * DEPTH], b[STAGES][COLS * DEPTH];
    Barrier full[STAGES], empty[STAGES], done;
    unsigned sum;  // where it begins in tensor memory
};

__global__ void __launch_bounds__(THREADS)
    multiply_matrices(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                      bits* __restrict__ out, int rows, int depth, int cols) {
    extern __shared__ unsigned char memory[];
    Shared& shared = aligned<Shared>(memory);
    const int warp = threadIdx.x / 32;
    const int first_row = blockIdx.y * ROWS, first_col = blockIdx.x * COLS;
    const int slabs = (depth + DEPTH - 1) / DEPTH;
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < STAGES; stage++) {
            begin_barrier(&shared.full[stage], 1);
            begin_barrier(&shared.empty[stage], 1);
        }
        begin_barrier(&shared.done, 1);
        barriers_are_ready();
    }
    if (warp == 0) {
        __syncwarp();
        allocate_tensor_memory(&shared.sum, COLS);
    }
    before_threads_meet();
    __syncthreads();
    after_threads_met();
    const unsigned sum = shared.sum;
    if (threadIdx.x == 0) {
        for (int slab = 0; slab < slabs; slab++) {
            const int stage = slab % STAGES;
            wait_for_phase(&shared.empty[stage], slab / STAGES % 2 ^ 1);  // the first round waits for nothing
            arrive_and_expect(&shared.full[stage], BYTES);
            load_tile(shared.a[stage], &a, &shared.full[stage], slab * DEPTH, first_row);
            load_tile(shared.b[stage], &b, &shared.full[stage], slab * DEPTH, first_col);
        }
    } else if (threadIdx.x == 32) {
        for (int slab = 0; slab < slabs; slab++) {
            const int stage = slab % STAGES;
            wait_for_phase(&shared.full[stage], slab / STAGES % 2);
            after_threads_met();
            const unsigned long long of_a = described_here(shared.a[stage]), of_b = described_here(shared.b[stage]);
            for (int k = 0; k < DEPTH / 16; k++) {
                multiply_in_tensor_memory(sum, of_a + 2 * k, of_b + 2 * k, kind_of_product(ROWS, COLS), slab > 0 || k > 0);
            }
            arrive_after_products(&shared.empty[stage]);
        }
        arrive_after_products(&shared.done);
    }
    __syncwarp();
    wait_for_phase(&shared.done, 0);
    after_threads_met();
    for (int col = 0; col < COLS; col += 32) {
        float part[32];
        read_tensor_memory(sum + (32 * warp << 16) + col, part);
        tensor_memory_is_read();
#pragma unroll
        for (int i = 0; i < 32; i += 2) {
            store_two(out, first_row + threadIdx.x, first_col + col + i, rows, cols, part[i], part[i + 1]);
        }
    }
    before_threads_meet();
    __syncthreads();
    if (warp == 0) {
        free_tensor_memory(sum, COLS);
    }
}
