// bfloat16 to NVFP4: one thread converts one block of 16 numbers, 32 bytes in and 8 bytes out.
#include <cuda_bf16.h>

// Two numbers as E2M1 in one byte, the first in the lower half.
__device__ unsigned pair_of_fours(float first, float second) {
    unsigned short both;
    asm("{ .reg .b8 four; cvt.rn.satfinite.e2m1x2.f32 four, %1, %2; cvt.u16.u8 %0, four; }"
        : "=h"(both) : "f"(second), "f"(first));
    return both;
}

// A scale as E4M3, and the value that it then has.
__device__ unsigned char as_e4m3(float scale, float& value) {
    unsigned short pair;
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(scale));
    unsigned halves;
    asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(halves) : "h"(pair));
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"((unsigned short)(halves & 0xffff)));
    return pair & 0xff;
}

// Scales lie in tiles of 128 rows by 4 blocks, 512 bytes each; in a tile, row r and block c have byte
// 16 (r mod 32) + 4 (r / 32) + c: the order in which the tensor core's copy reads them.
__device__ long long place_of_scale(long long row, long long block, long long blocks) {
    const long long tile = row / 128 * ((blocks + 3) / 4) + block / 4;
    return tile * 512 + row % 32 * 16 + row % 128 / 32 * 4 + block % 4;
}

__global__ void quantise_blocks(const __nv_bfloat16* __restrict__ x, unsigned char* __restrict__ numbers,
                                unsigned char* __restrict__ scales, const float* __restrict__ factor,
                                long long rows, long long width) {
    const long long blocks = width / 16;
    const long long index = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (index >= rows * blocks) {
        return;
    }
    const uint4* from = reinterpret_cast<const uint4*>(x + index * 16);
    const uint4 raw[2] = {from[0], from[1]};
    const __nv_bfloat16* values = reinterpret_cast<const __nv_bfloat16*>(raw);
    float wide[16], largest = 0.0f;
    for (int i = 0; i < 16; i++) {
        wide[i] = __bfloat162float(values[i]);
        largest = fmaxf(largest, fabsf(wide[i]));
    }
    float step;  // what one unit of an E2M1 number is worth, in units of the tensor's factor
    const unsigned char scale = as_e4m3(largest / (6.0f * *factor), step);
    const float inverse = step > 0.0f ? 1.0f / (step * *factor) : 0.0f;
    unsigned packed[2] = {0, 0};
    for (int i = 0; i < 16; i += 2) {
        packed[i / 8] |= pair_of_fours(wide[i] * inverse, wide[i + 1] * inverse) << (i % 8 * 4);
    }
    *reinterpret_cast<uint2*>(numbers + index * 8) = make_uint2(packed[0], packed[1]);
    scales[place_of_scale(index / blocks, index % blocks, blocks)] = scale;
}
