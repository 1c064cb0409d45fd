// Products of bfloat16 by a warp (mma.sync), from tiles in shared memory. For out = a bᵀ both factors lie with their depth
// in a row. A row of a tile is DEPTH numbers, 128 bytes: eight pieces of 16 bytes. Piece c of row r lies at place c ^ r % 8
// (the 128-byte swizzle of the copy engine), so eight rows of one piece are in different banks.
#pragma once
using bits = unsigned short;  // a bfloat16

constexpr int DEPTH = 64, PIECES = DEPTH / 8;

__device__ int place_of(int row, int piece) { return row * DEPTH + (piece ^ row % 8) * 8; }

__device__ unsigned as_two_bfloat16(float low, float high) {
    unsigned two;
    asm volatile("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(two) : "f"(high), "f"(low));
    return two;
}

// Two neighbours of a row of the result, if they are inside.
__device__ void store_two(bits* out, int row, int col, int rows, int cols, float low, float high) {
    if (row >= rows || col >= cols) {
        return;
    }
    const unsigned two = as_two_bfloat16(low, high);
    bits* place = out + (long long)row * cols + col;
    if (cols % 2 == 0) {
        *reinterpret_cast<unsigned*>(place) = two;
        return;
    }
    place[0] = two & 0xffff;
    if (col + 1 < cols) {
        place[1] = two >> 16;
    }
}

// Four 8 x 8 matrices from shared memory, spread over the registers of a warp. Each lane gives the address of one row.
template <bool TURNED>
__device__ void load_matrices(const bits* row, unsigned (&to)[4]) {
    const unsigned address = __cvta_generic_to_shared(row);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(address)
                 : "memory");
}

// sum += a b for 16 x 16 and 16 x 8, by the 32 threads of a warp together.
__device__ void multiply_bfloat16(float (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// A warp multiplies 64 rows of tile `a`, from `down` on, with COLS rows of tile `b`, from `across` on.
template <int COLS>
__device__ void multiply_in_warp(float (&sum)[4][COLS / 8][4], const bits* a, const bits* b, int down, int across) {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int piece = 0; piece < PIECES; piece += 2) {
        unsigned of_a[4][4], of_b[COLS / 16][4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            load_matrices<false>(a + place_of(down + 16 * i + lane % 16, piece + lane / 16), of_a[i]);
        }
#pragma unroll
        for (int j = 0; j < COLS / 16; j++) {
            load_matrices<false>(b + place_of(across + 16 * j + lane % 16, piece + lane / 16), of_b[j]);
        }
#pragma unroll
        for (int i = 0; i < 4; i++) {
#pragma unroll
            for (int j = 0; j < COLS / 8; j++) {
                multiply_bfloat16(sum[i][j], of_a[i], of_b[j / 2][j % 2], of_b[j / 2][j % 2 + 2]);
            }
        }
    }
}

// What the warp summed up, to the result; `top` and `left` are where its part begins.
template <int COLS>
__device__ void store_from_warp(const float (&sum)[4][COLS / 8][4], bits* out, int top, int left, int rows, int cols) {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < 4; i++) {
#pragma unroll
        for (int j = 0; j < COLS / 8; j++) {
#pragma unroll
            for (int half = 0; half < 2; half++) {  // a lane has two neighbours, and two more eight rows below
                const int row = top + 16 * i + lane / 4 + 8 * half, col = left + 8 * j + lane % 4 * 2;
                store_two(out, row, col, rows, cols, sum[i][j][2 * half], sum[i][j][2 * half + 1]);
            }
        }
    }
}
