// A product of row-major matrices, out = a b, with tiles in shared memory. A block is 16 x 16 threads, and a thread has
// SIZE x SIZE results in registers, so the tile of a block is 16 * SIZE wide. SIZE is all that differs between the sides.
constexpr int SIDE = 16;   // threads along each side of a block
constexpr int DEPTH = 16;  // of the tiles

// WIDTH neighbours of a tile in one load.
template <int WIDTH>
__device__ void take(const float* from, float* to) {
    if constexpr (WIDTH == 4) {
        const float4 four = *reinterpret_cast<const float4*>(from);
        to[0] = four.x, to[1] = four.y, to[2] = four.z, to[3] = four.w;
    } else {
        to[0] = *from;
    }
}

template <int SIZE>
__global__ void __launch_bounds__(SIDE* SIDE)
    product(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ out, int rows, int depth, int cols) {
    constexpr int TILE = SIDE * SIZE, WIDTH = SIZE % 4 == 0 ? 4 : 1, GROUP = SIDE * WIDTH;
    __shared__ __align__(16) float left[DEPTH][TILE + 4];  // turned, so that rows of `a` are neighbours; the 4 spread banks
    __shared__ __align__(16) float right[DEPTH][TILE];
    const int x = threadIdx.x % SIDE, y = threadIdx.x / SIDE;
    const int first_row = blockIdx.y * TILE, first_col = blockIdx.x * TILE;
    float sum[SIZE][SIZE] = {};
    for (int start = 0; start < depth; start += DEPTH) {
#pragma unroll
        for (int i = 0; i < SIZE; i++) {  // zeros stand for what lies outside
            const int row = y + SIDE * i, col = x + SIDE * i;
            const bool in_a = first_row + row < rows && start + x < depth, in_b = start + y < depth && first_col + col < cols;
            left[x][row] = in_a ? a[(long long)(first_row + row) * depth + start + x] : 0.0f;
            right[y][col] = in_b ? b[(long long)(start + y) * cols + first_col + col] : 0.0f;
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < DEPTH; k++) {
            float of_a[SIZE], of_b[SIZE];
#pragma unroll
            for (int i = 0; i < SIZE; i += WIDTH) {
                take<WIDTH>(&left[k][y * WIDTH + i / WIDTH * GROUP], &of_a[i]);
                take<WIDTH>(&right[k][x * WIDTH + i / WIDTH * GROUP], &of_b[i]);
            }
#pragma unroll
            for (int i = 0; i < SIZE; i++) {
#pragma unroll
                for (int j = 0; j < SIZE; j++) {
                    sum[i][j] += of_a[i] * of_b[j];
                }
            }
        }
        __syncthreads();  // all have read before the next tiles are written
    }
#pragma unroll
    for (int i = 0; i < SIZE; i++) {
        const int row = first_row + y * WIDTH + i / WIDTH * GROUP + i % WIDTH;
#pragma unroll
        for (int j = 0; j < SIZE; j++) {
            const int col = first_col + x * WIDTH + j / WIDTH * GROUP + j % WIDTH;
            if (row < rows && col < cols) {
                out[(long long)row * cols + col] = sum[i][j];
            }
        }
    }
}
