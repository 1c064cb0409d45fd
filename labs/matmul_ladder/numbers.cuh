// bfloat16 numbers, handled as their 16 bits: the upper half of a float32.
#pragma once
using bits = unsigned short;

__device__ float wide(unsigned value) { return __uint_as_float(value << 16); }

// Two numbers, rounded to the nearest. Volatile, so that it stays behind the wait for an asynchronous sum.
__device__ unsigned as_two_bfloat16(float low, float high) {
    unsigned both;
    asm volatile("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
    return both;
}

// Eight neighbours of a row, zeros for what lies outside. One load if rows begin at multiples of 16 bytes.
__device__ uint4 load_eight(const bits* __restrict__ matrix, int row, int col, int rows, int cols) {
    const bits* place = matrix + (long long)row * cols + col;
    if (row < rows && col + 8 <= cols && cols % 8 == 0) {
        return *reinterpret_cast<const uint4*>(place);
    }
    unsigned pairs[4] = {};
    for (int i = 0; i < 8; i++) {
        pairs[i / 2] |= row < rows && col + i < cols ? unsigned(place[i]) << 16 * (i % 2) : 0u;
    }
    return make_uint4(pairs[0], pairs[1], pairs[2], pairs[3]);
}

// Two neighbours of a row; `col` is even. One store if every row begins at a multiple of four bytes.
__device__ void store_two(bits* matrix, int row, int col, int rows, int cols, float first, float second) {
    const unsigned both = as_two_bfloat16(first, second);
    bits* place = matrix + (long long)row * cols + col;
    if (row < rows && col + 1 < cols && cols % 2 == 0) {
        *reinterpret_cast<unsigned*>(place) = both;
    } else if (row < rows && col < cols) {
        place[0] = both & 0xffff;
        if (col + 1 < cols) {
            place[1] = both >> 16;
        }
    }
}
