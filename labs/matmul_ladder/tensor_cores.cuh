// The instructions of a warp for the tensor cores, from Ampere on.
#pragma once
#include "numbers.cuh"

// Four 8 x 8 matrices from shared memory, spread over the registers of a warp as `multiply_bfloat16` wants them. Lane 8
// m + r gives the address of row r of matrix m.
template <bool TURNED>
__device__ void load_matrices(const bits* row, unsigned (&to)[4]) {
    static_assert(!TURNED, "both factors lie along the depth");
    const unsigned address = __cvta_generic_to_shared(row);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(address)
                 : "memory");
}

// sum += a b for 16 x 16 and 16 x 8, by the 32 threads of a warp together.
__device__ void multiply_bfloat16(float (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
