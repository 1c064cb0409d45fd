// Products of bfloat16 by a group of four warps (wgmma, sm_90a), both factors in shared memory.
#pragma once
#include "warp_products.cuh"

using u64 = unsigned long long;

// Where a tile with swizzled rows of 128 bytes lies: its address in bits 0 to 13, the distance of 8 rows (1024 bytes) in
// bits 32 to 45, both in units of 16 bytes, and the kind of swizzle in bits 62 and 63. The tile begins at a multiple of
// 1024 bytes; 32 bytes further along a row are the next 16 numbers of the depth.
__device__ u64 descriptor_of(const bits* tile) {
    const u64 address = __cvta_generic_to_shared(tile);
    return (address & 0x3ffff) >> 4 | (u64)1 << 16 | (u64)(1024 >> 4) << 32 | (u64)1 << 62;
}

constexpr u64 NEXT_16 = 32 >> 4;  // further along the depth

// Before the first product, and after other instructions wrote the sums.
__device__ __forceinline__ void registers_are_ready() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

__device__ __forceinline__ void end_product_group() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

template <int NEWEST>
__device__ __forceinline__ void wait_for_all_products_but() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(NEWEST) : "memory");
}

// The compiler does not know that products write the sums later: it must not move what sets or uses them over this line.
template <int COUNT>
__device__ __forceinline__ void pin(float (&sum)[COUNT]) {
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        asm volatile("" : "+f"(sum[i])::"memory");
    }
}

#define FOUR(s, i) "+f"(s[i]), "+f"(s[i + 1]), "+f"(s[i + 2]), "+f"(s[i + 3])
#define SIXTEEN(s, i) FOUR(s, i), FOUR(s, i + 4), FOUR(s, i + 8), FOUR(s, i + 12)

// sum += a b for 64 x 16 and 16 x 128, or 16 x 256.
__device__ __forceinline__ void multiply_tiles(float (&sum)[64], u64 a, u64 b) {
    asm volatile(
        "{\n"
        ".reg .pred add;\n"
        "setp.ne.b32 add, 1, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
        "}, %64, %65, add, 1, 1, 0, 0;\n"
        "}"
        : SIXTEEN(sum, 0),
          SIXTEEN(sum, 16),
          SIXTEEN(sum, 32),
          SIXTEEN(sum, 48)
        : "l"(a), "l"(b));
}

__device__ __forceinline__ void multiply_tiles(float (&sum)[128], u64 a, u64 b) {
    asm volatile(
        "{\n"
        ".reg .pred add;\n"
        "setp.ne.b32 add, 1, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
        "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
        "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
        "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
        "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127"
        "}, %128, %129, add, 1, 1, 0, 0;\n"
        "}"
        : SIXTEEN(sum, 0),
          SIXTEEN(sum, 16),
          SIXTEEN(sum, 32),
          SIXTEEN(sum, 48),
          SIXTEEN(sum, 64),
          SIXTEEN(sum, 80),
          SIXTEEN(sum, 96),
          SIXTEEN(sum, 112)
        : "l"(a), "l"(b));
}

// The depth of one stage: four products that follow each other. `sum` has half as many numbers as the product has columns.
template <int COUNT>
__device__ __forceinline__ void multiply_stage(float (&sum)[COUNT], const bits* a, const bits* b) {
    const u64 of_a = descriptor_of(a), of_b = descriptor_of(b);
#pragma unroll
    for (int k = 0; k < DEPTH / 16; k++) {
        multiply_tiles(sum, of_a + k * NEXT_16, of_b + k * NEXT_16);
    }
}

// A thread of the group has two neighbours of every eight columns, in its row and eight rows below.
template <int COUNT>
__device__ __forceinline__ void store_from_group(const float (&sum)[COUNT], bits* out, int top, int left, int rows, int cols) {
    const int warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < COUNT; i += 2) {
        const int row = top + 16 * warp + lane / 4 + i / 2 % 2 * 8, col = left + i / 4 * 8 + lane % 4 * 2;
        store_two(out, row, col, rows, cols, sum[i], sum[i + 1]);
    }
}
