#include "copy_engine.cuh"
#include "warp_products.cuh"

// out = a bᵀ in tiles of ROWS x COLS from a ring of STAGES that one warp fills. Only what multiplies differs: eight warps
// with mma.sync and sums in their registers, or one thread that gives the tensor cores whole tiles (tcgen05), which sum up
// in tensor memory.
constexpr int ROWS = 128, COLS = 256, SIZE = (ROWS + COLS) * DEPTH;

// What the thread that asks for tiles does.
__device__ void fill(bits* ring, u64* full, u64* empty, const CUtensorMap& a, const CUtensorMap& b, Tile tile, int steps) {
    for (int step = 0; step < steps; step++) {
        u64* barrier = full + step % STAGES;
        bits* stage = ring + step % STAGES * SIZE;
        wait_for_phase(empty + step % STAGES, step / STAGES % 2 ^ 1);
        arrive_and_expect(barrier, SIZE * sizeof(bits));
        load_tile(stage, &a, barrier, step * DEPTH, tile.row * ROWS);
        load_tile(stage + ROWS * DEPTH, &b, barrier, step * DEPTH, tile.col * COLS);
    }
}

__device__ void begin(u64* full, u64* empty, int arrivals) {
    for (int stage = 0; stage < STAGES; stage++) {
        begin_barrier(full + stage, 1);
        begin_barrier(empty + stage, arrivals);
    }
    barriers_are_ready();
}

__global__ void __launch_bounds__(384, 1) by_warps(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                                                   bits* out, int rows, int cols, int depth) {
    extern __shared__ __align__(1024) bits ring[];
    __shared__ __align__(8) u64 full[STAGES], empty[STAGES];
    const int warp = threadIdx.x / 32, steps = (depth + DEPTH - 1) / DEPTH;
    const Tile tile = tile_of(blockIdx.x, (rows + ROWS - 1) / ROWS, (cols + COLS - 1) / COLS);
    if (threadIdx.x == 0) {
        begin(full, empty, 8);  // one thread of each warp
    }
    __syncthreads();
    if (warp >= 8) {
        give_registers<40>();
        if (threadIdx.x == 256) {
            fill(ring, full, empty, a, b, tile, steps);
        }
        return;
    }
    take_registers<232>();
    const int down = warp / 4 * 64, across = warp % 4 * 64;
    float sum[4][8][4] = {};
    for (int step = 0; step < steps; step++) {
        const bits* stage = ring + step % STAGES * SIZE;
        wait_for_phase(full + step % STAGES, step / STAGES % 2);
        multiply_in_warp<64>(sum, stage, stage + ROWS * DEPTH, down, across);
        __syncwarp();
        if (threadIdx.x % 32 == 0) {
            arrive(empty + step % STAGES);
        }
    }
    store_from_warp<64>(sum, out, tile.row * ROWS + down, tile.col * COLS + across, rows, cols);
}

// Tensor memory of a multiprocessor has 128 lanes of 512 columns of 4 bytes. An address is lane << 16 | column. A whole warp
// allocates columns, and the same number has to be freed.
__device__ void allocate_tensor_memory(unsigned* to, int columns) {
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"((unsigned)__cvta_generic_to_shared(to)),
                 "r"(columns)
                 : "memory");
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
}

__device__ void free_tensor_memory(unsigned address, int columns) {
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(address), "r"(columns));
}

// One thread starts the product of 128 x 16 and 16 x COLS; it ends later.
__device__ void multiply_in_tensor_memory(unsigned to, u64 a, u64 b, unsigned instruction, bool add) {
    asm volatile(
        "{\n"
        ".reg .pred add;\n"
        "setp.ne.b32 add, %4, 0;\n"
        "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, add;\n"
        "}" ::"r"(to),
        "l"(a), "l"(b), "r"(instruction), "r"((unsigned)add)
        : "memory");
}

// The barrier gets an arrival when all products that this thread started are over.
__device__ void arrive_after_products(u64* barrier) {
    asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(
                     (unsigned)__cvta_generic_to_shared(barrier))
                 : "memory");
}

// 32 columns of the warp's 32 lanes, a lane per thread; they are there after tensor_memory_is_read.
__device__ void read_tensor_memory(unsigned from, float (&to)[32]) {
    asm volatile(
        "tcgen05.ld.sync.aligned.32x32b.x32.b32 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, [%32];"
        : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3]), "=f"(to[4]), "=f"(to[5]), "=f"(to[6]), "=f"(to[7]), "=f"(to[8]),
          "=f"(to[9]), "=f"(to[10]), "=f"(to[11]), "=f"(to[12]), "=f"(to[13]), "=f"(to[14]), "=f"(to[15]), "=f"(to[16]), "=f"(to[17]),
          "=f"(to[18]), "=f"(to[19]), "=f"(to[20]), "=f"(to[21]), "=f"(to[22]), "=f"(to[23]), "=f"(to[24]), "=f"(to[25]), "=f"(to[26]),
          "=f"(to[27]), "=f"(to[28]), "=f"(to[29]), "=f"(to[30]), "=f"(to[31])
        : "r"(from));
}

__device__ void tensor_memory_is_read() { asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory"); }

__device__ void before_threads_meet() { asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory"); }

__device__ void after_threads_met() { asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory"); }

// As on Hopper, but 1 in bits 46 to 48, and the 128-byte swizzle is 2 in bits 61 to 63.
__device__ u64 descriptor_of(const bits* tile) {
    const u64 address = __cvta_generic_to_shared(tile);
    return (address & 0x3ffff) >> 4 | (u64)1 << 16 | (u64)(1024 >> 4) << 32 | (u64)1 << 46 | (u64)2 << 61;
}

// The product's form: sums in float32 (1 in bits 4 and 5), both factors bfloat16 (1 in 7 to 9 and in 10 to 12), their depth
// along rows, columns / 8 from bit 17 on, rows / 16 from bit 24 on.
constexpr unsigned INSTRUCTION = 1u << 4 | 1u << 7 | 1u << 10 | COLS / 8 << 17 | ROWS / 16 << 24;

// Warps 0 to 3 store, warp 4 asks for tiles, warp 5 multiplies.
__global__ void __launch_bounds__(192, 1) by_tensor_memory(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                                                           bits* out, int rows, int cols, int depth) {
    extern __shared__ __align__(1024) bits ring[];
    __shared__ __align__(8) u64 full[STAGES], empty[STAGES], done;
    __shared__ unsigned allocated;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, steps = (depth + DEPTH - 1) / DEPTH;
    const Tile tile = tile_of(blockIdx.x, (rows + ROWS - 1) / ROWS, (cols + COLS - 1) / COLS);
    if (threadIdx.x == 0) {
        begin(full, empty, 1);
        begin_barrier(&done, 1);
        barriers_are_ready();
    }
    if (warp == 5) {
        allocate_tensor_memory(&allocated, COLS);
        before_threads_meet();
    }
    __syncthreads();
    after_threads_met();
    const unsigned sums = allocated;
    if (warp == 4 && lane == 0) {
        fill(ring, full, empty, a, b, tile, steps);
    } else if (warp == 5 && lane == 0) {
        for (int step = 0; step < steps; step++) {
            const bits* stage = ring + step % STAGES * SIZE;
            wait_for_phase(full + step % STAGES, step / STAGES % 2);
            after_threads_met();
            const u64 of_a = descriptor_of(stage), of_b = descriptor_of(stage + ROWS * DEPTH);
            for (int k = 0; k < DEPTH / 16; k++) {  // 32 bytes further along the rows each
                multiply_in_tensor_memory(sums, of_a + 2 * k, of_b + 2 * k, INSTRUCTION, step + k > 0);
            }
            arrive_after_products(empty + step % STAGES);
        }
        arrive_after_products(&done);
    } else if (warp < 4) {
        wait_for_phase(&done, 0);
        after_threads_met();
        for (int left = 0; left < COLS; left += 32) {
            float values[32];
            read_tensor_memory(sums + (warp * 32 << 16) + left, values);
            tensor_memory_is_read();
#pragma unroll
            for (int i = 0; i < 32; i += 2) {
                const int row = tile.row * ROWS + warp * 32 + lane, col = tile.col * COLS + left + i;
                store_two(out, row, col, rows, cols, values[i], values[i + 1]);
            }
        }
        before_threads_meet();
    }
    __syncwarp();  // one lane of warps 4 and 5 worked alone
    __syncthreads();
    if (warp == 5) {
        free_tensor_memory(sums, COLS);
    }
}
