// A transpose through a tile in shared memory: rows are read from memory and rows are written, and the turn happens inside
// the tile. A warp that reads a column of the tile touches words TILE + PAD apart: with PAD = 0 they all lie in one bank and
// the access takes 32 turns, with PAD = 1 they lie in 32 banks.
template <int PAD>
__global__ void transpose(const float* __restrict__ x, float* __restrict__ out, int rows, int cols) {
    __shared__ float tile[TILE][TILE + PAD];
    const int left = blockIdx.x * TILE, top = blockIdx.y * TILE;
    const int column = left + threadIdx.x;
#pragma unroll
    for (int step = 0; step < TILE / HEIGHT; step++) {
        const int y = step * HEIGHT + threadIdx.y;
        if (top + y < rows && column < cols) {
            tile[y][threadIdx.x] = x[(top + y) * (long long)cols + column];
        }
    }
    __syncthreads();
    const int row = top + threadIdx.x;
#pragma unroll
    for (int step = 0; step < TILE / HEIGHT; step++) {
        const int y = step * HEIGHT + threadIdx.y;
        if (left + y < cols && row < rows) {
            out[(left + y) * (long long)rows + row] = tile[threadIdx.x][y];
        }
    }
}

// A row's next four numbers: in one load if rows begin at multiples of 16 bytes, else those that are left.
__device__ float4 four(const float* from, int left, bool aligned) {
    if (aligned && left > 0) {
        return *reinterpret_cast<const float4*>(from);
    }
    return make_float4(left > 0 ? from[0] : 0, left > 1 ? from[1] : 0, left > 2 ? from[2] : 0, left > 3 ? from[3] : 0);
}

__device__ void put_four(float* to, float4 value, int left, bool aligned) {
    if (aligned && left > 0) {
        *reinterpret_cast<float4*>(to) = value;
        return;
    }
    if (left > 0) to[0] = value.x;
    if (left > 1) to[1] = value.y;
    if (left > 2) to[2] = value.z;
    if (left > 3) to[3] = value.w;
}

// The padded tile again, with four numbers per access to memory.
__global__ void transpose_wide(const float* __restrict__ x, float* __restrict__ out, int rows, int cols, bool aligned) {
    __shared__ float tile[TILE][TILE + 1];
    const int left = blockIdx.x * TILE, top = blockIdx.y * TILE, first = 4 * threadIdx.x;
#pragma unroll
    for (int step = 0; step < TILE / WIDE_HEIGHT; step++) {
        const int y = step * WIDE_HEIGHT + threadIdx.y;
        if (top + y < rows) {
            const float4 value = four(x + (top + y) * (long long)cols + left + first, cols - left - first, aligned);
            tile[y][first] = value.x;
            tile[y][first + 1] = value.y;
            tile[y][first + 2] = value.z;
            tile[y][first + 3] = value.w;
        }
    }
    __syncthreads();
#pragma unroll
    for (int step = 0; step < TILE / WIDE_HEIGHT; step++) {
        const int y = step * WIDE_HEIGHT + threadIdx.y;
        if (left + y < cols) {
            const float4 value = make_float4(tile[first][y], tile[first + 1][y], tile[first + 2][y], tile[first + 3][y]);
            put_four(out + (left + y) * (long long)rows + top + first, value, rows - top - first, aligned);
        }
    }
}
