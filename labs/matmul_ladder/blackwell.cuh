// The instructions of Blackwell's tensor cores: one thread asks for a product, and the sum lies in tensor memory, which
// has 128 lanes of 512 columns. An address there is the lane in the upper 16 bits and the column in the lower.
#pragma once
#include "hopper.cuh"

// By a whole warp: columns of all lanes; where they begin is written to shared memory.
__device__ void allocate_tensor_memory(unsigned* begin, int columns) {
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%0], %1;" ::"r"(address_of(begin)), "r"(columns)
                 : "memory");
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;" ::: "memory");
}

__device__ void free_tensor_memory(unsigned begin, int columns) {
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(begin), "r"(columns) : "memory");
}

// Before and after a barrier between threads that use tensor memory.
__device__ void before_threads_meet() { asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory"); }

__device__ void after_threads_met() { asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory"); }

// A tile as Hopper's products have it; here bits 46 to 48 are 1, and the swizzle of 128 bytes is mode 2 in bits 61 to
// 63.
__device__ unsigned long long described_here(const bits* tile) {
    return (address_of(tile) & 0x3ffffull) >> 4 | 1ull << 16 | (1024ull >> 4) << 32 | 1ull << 46 | 2ull << 61;
}

// The kind of a product: float32 sums (bits 4, 5), bfloat16 factors (7 to 9, 10 to 12), both along the depth, columns /
// 8 from bit 17 on and rows / 16 from bit 24 on.
__device__ constexpr unsigned kind_of_product(int rows, int cols) {
    return 1u << 4 | 1u << 7 | 1u << 10 | unsigned(cols / 8) << 17 | unsigned(rows / 16) << 24;
}

// sum = a b, or sum += a b with `add`, for a depth of 16. One thread asks, and does not wait.
__device__ void multiply_in_tensor_memory(unsigned sum, unsigned long long a, unsigned long long b, unsigned kind, bool add) {
    asm volatile(
        "{\n"
        ".reg .pred add;\n"
        "setp.ne.u32 add, %4, 0;\n"
        "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, add;\n"
        "}" ::"r"(sum),
        "l"(a), "l"(b), "r"(kind), "r"(unsigned(add))
        : "memory");
}

// An arrival at the barrier when all products that this thread asked for are done.
__device__ void arrive_after_products(Barrier* barrier) {
    asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%0];" ::"r"(address_of(barrier))
                 : "memory");
}

// By a whole warp: 32 columns, of which a lane gets its own. Warp w of four reaches lanes 32 w to 32 w + 31.
__device__ void read_tensor_memory(unsigned from, float (&to)[32]) {
    asm volatile(
        "tcgen05.ld.sync.aligned.32x32b.x32.b32 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, [%32];"
        : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3]), "=f"(to[4]), "=f"(to[5]), "=f"(to[6]), "=f"(to[7]),
          "=f"(to[8]), "=f"(to[9]), "=f"(to[10]), "=f"(to[11]), "=f"(to[12]), "=f"(to[13]), "=f"(to[14]), "=f"(to[15]),
          "=f"(to[16]), "=f"(to[17]), "=f"(to[18]), "=f"(to[19]), "=f"(to[20]), "=f"(to[21]), "=f"(to[22]), "=f"(to[23]),
          "=f"(to[24]), "=f"(to[25]), "=f"(to[26]), "=f"(to[27]), "=f"(to[28]), "=f"(to[29]), "=f"(to[30]), "=f"(to[31])
        : "r"(from)
        : "memory");
}

// Until what was read is in the registers.
__device__ void tensor_memory_is_read() { asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory"); }
