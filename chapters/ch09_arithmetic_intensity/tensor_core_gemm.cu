// A product of row-major matrices of half-precision numbers, summed in float32: out = a b. Both kernels fill the same
// tiles in shared memory in the same way with the same threads; they differ in what multiplies the tiles.
// A number of half precision is handled as its 16 bits.
using bits = unsigned short;

constexpr int TILE = 128, DEPTH = 32, THREADS = 256;
constexpr int PAD = 8;  // of a row: eight rows in turn then lie in different banks

struct Tiles {
    bits a[TILE][DEPTH + PAD];
    bits b[DEPTH][TILE + PAD];
};

__device__ float widened(bits half) {
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half));
    return value;
}

__device__ bits narrowed(float value) {
    bits half;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(value));
    return half;
}

// Eight neighbours of a row, zeros for what lies outside. One load if the row begins at a multiple of 16 bytes.
__device__ void load_eight(const bits* __restrict__ from, bits* to, int row, int col, int rows, int cols) {
    if (row < rows && col + 8 <= cols && cols % 8 == 0) {
        *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(from + (long long)row * cols + col);
        return;
    }
    for (int i = 0; i < 8; i++) {
        to[i] = row < rows && col + i < cols ? from[(long long)row * cols + col + i] : 0;
    }
}

__device__ void fill(Tiles& tiles, const bits* __restrict__ a, const bits* __restrict__ b, int first_row, int first_col,
                     int start, int rows, int depth, int cols) {
    for (int i = threadIdx.x; i < TILE * DEPTH / 8; i += THREADS) {
        const int row = i / (DEPTH / 8), col = i % (DEPTH / 8) * 8;
        load_eight(a, &tiles.a[row][col], first_row + row, start + col, rows, depth);
    }
    for (int i = threadIdx.x; i < DEPTH * TILE / 8; i += THREADS) {
        const int row = i / (TILE / 8), col = i % (TILE / 8) * 8;
        load_eight(b, &tiles.b[row][col], start + row, first_col + col, depth, cols);
    }
}

// Every thread multiplies 8 rows with 8 columns, one multiply-add after the other.
__global__ void __launch_bounds__(THREADS)
    with_cuda_cores(const bits* a, const bits* b, bits* out, int rows, int depth, int cols) {
    __shared__ __align__(16) Tiles tiles;
    const int x = threadIdx.x % 16, y = threadIdx.x / 16;
    const int first_row = blockIdx.y * TILE, first_col = blockIdx.x * TILE;
    float sum[8][8] = {};
    for (int start = 0; start < depth; start += DEPTH) {
        fill(tiles, a, b, first_row, first_col, start, rows, depth, cols);
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < DEPTH; k++) {
            const uint4 packed = *reinterpret_cast<const uint4*>(&tiles.b[k][x * 8]);
            const unsigned two[4] = {packed.x, packed.y, packed.z, packed.w};
            float of_b[8];
#pragma unroll
            for (int j = 0; j < 8; j++) {
                of_b[j] = widened(two[j / 2] >> 16 * (j % 2) & 0xffff);
            }
#pragma unroll
            for (int i = 0; i < 8; i++) {
                const float of_a = widened(tiles.a[y + 16 * i][k]);
#pragma unroll
                for (int j = 0; j < 8; j++) {
                    sum[i][j] += of_a * of_b[j];
                }
            }
        }
        __syncthreads();  // all have read before the next tiles are written
    }
#pragma unroll
    for (int i = 0; i < 8; i++) {
#pragma unroll
        for (int j = 0; j < 8; j++) {
            const int row = first_row + y + 16 * i, col = first_col + x * 8 + j;
            if (row < rows && col < cols) {
                out[(long long)row * cols + col] = narrowed(sum[i][j]);
            }
        }
    }
}

// Four 8 x 8 matrices from shared memory, spread over the registers of a warp as the tensor cores want them. Each lane
// gives the address of one row. TURNED exchanges rows and columns, which the right factor needs.
template <bool TURNED>
__device__ void load_matrices(const bits* row, unsigned (&to)[4]) {
    const unsigned address = __cvta_generic_to_shared(row);
    if constexpr (TURNED) {
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                     : "r"(address)
                     : "memory");
    } else {
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                     : "r"(address)
                     : "memory");
    }
}

// sum += a b for 16 x 16 and 16 x 8, by the 32 threads of a warp together.
__device__ void multiply(float (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
                 : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Every warp multiplies 64 rows with 32 columns, in pieces of 16 x 8 x 16 on the tensor cores.
__global__ void __launch_bounds__(THREADS)
    with_tensor_cores(const bits* a, const bits* b, bits* out, int rows, int depth, int cols) {
    __shared__ __align__(16) Tiles tiles;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int down = warp / 4 * 64, across = warp % 4 * 32;  // where the warp's part of the tile begins
    const int first_row = blockIdx.y * TILE, first_col = blockIdx.x * TILE;
    float sum[4][4][4] = {};
    for (int start = 0; start < depth; start += DEPTH) {
        fill(tiles, a, b, first_row, first_col, start, rows, depth, cols);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < DEPTH; k += 16) {
            unsigned of_a[4][4], of_b[2][4];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                load_matrices<false>(&tiles.a[down + 16 * i + lane % 16][k + lane / 16 * 8], of_a[i]);
            }
#pragma unroll
            for (int j = 0; j < 2; j++) {
                load_matrices<true>(&tiles.b[k + lane % 16][across + 16 * j + lane / 16 * 8], of_b[j]);
            }
#pragma unroll
            for (int i = 0; i < 4; i++) {
#pragma unroll
                for (int j = 0; j < 4; j++) {
                    multiply(sum[i][j], of_a[i], of_b[j / 2][j % 2 * 2], of_b[j / 2][j % 2 * 2 + 1]);
                }
            }
        }
        __syncthreads();  // all have read before the next tiles are written
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
#pragma unroll
        for (int j = 0; j < 4; j++) {
#pragma unroll
            for (int e = 0; e < 4; e++) {  // a lane has two neighbours, and two more eight rows below
                const int row = first_row + down + 16 * i + lane / 4 + e / 2 * 8;
                const int col = first_col + across + 8 * j + lane % 4 * 2 + e % 2;
                if (row < rows && col < cols) {
                    out[(long long)row * cols + col] = narrowed(sum[i][j][e]);
                }
            }
        }
    }
}
