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
