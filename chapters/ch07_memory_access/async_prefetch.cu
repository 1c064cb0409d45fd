// Running sums along rows, one block per row. A row is worked through in tiles, because each tile needs the sum of all
// before it. THREADS threads have four elements of a tile each.
constexpr int TILE = 4 * THREADS, WARPS = THREADS / 32;

__device__ unsigned int sum_of_lanes_up_to_mine(unsigned int value) {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
        const unsigned int other = __shfl_up_sync(0xffffffffu, value, distance);
        value += lane >= distance ? other : 0;
    }
    return value;
}

// Turn a tile into its running sums, beginning at `before`; the sum of all is returned. Ends with a barrier.
__device__ unsigned int scan(unsigned int* tile, unsigned int* of_warps, unsigned int before) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint4 own = reinterpret_cast<uint4*>(tile)[threadIdx.x];
    own.y += own.x;
    own.z += own.y;
    own.w += own.z;
    const unsigned int up_to_mine = sum_of_lanes_up_to_mine(own.w);
    if (lane == 31) {
        of_warps[warp] = up_to_mine;
    }
    __syncthreads();
    const unsigned int of_warp = lane < WARPS ? of_warps[lane] : 0;  // every warp adds up the warps by itself
    const unsigned int up_to_warp = sum_of_lanes_up_to_mine(of_warp);
    const unsigned int start = before + __shfl_sync(0xffffffffu, up_to_warp - of_warp, warp) + up_to_mine - own.w;
    reinterpret_cast<uint4*>(tile)[threadIdx.x] =
        make_uint4(own.x + start, own.y + start, own.z + start, own.w + start);
    __syncthreads();
    return before + __shfl_sync(0xffffffffu, up_to_warp, WARPS - 1);
}

__device__ void write(const unsigned int* tile, unsigned int* row, int first, int cols) {
#pragma unroll
    for (int item = 0; item < 4; item++) {
        const int i = item * THREADS + threadIdx.x;
        if (first + i < cols) {
            row[first + i] = tile[i];
        }
    }
}

// Load a tile, wait for it, scan it, write it; then the next.
__global__ void scan_waiting(const unsigned int* __restrict__ x, unsigned int* __restrict__ out, int cols) {
    __shared__ __align__(16) unsigned int tile[TILE];
    __shared__ unsigned int of_warps[WARPS];
    x += blockIdx.x * (long long)cols;
    out += blockIdx.x * (long long)cols;
    unsigned int sum = 0;
    for (int first = 0; first < cols; first += TILE) {
#pragma unroll
        for (int item = 0; item < 4; item++) {
            const int i = item * THREADS + threadIdx.x;
            tile[i] = first + i < cols ? x[first + i] : 0;
        }
        __syncthreads();
        sum = scan(tile, of_warps, sum);
        write(tile, out, first, cols);  // a thread loads the next tile to where it has read this one: no barrier
    }
}

// A copy of four bytes to shared memory that nobody waits for. Of `bytes` = 0 nothing is read, and zeros are written.
__device__ void copy_async(unsigned int* place, const unsigned int* source, int bytes) {
    const unsigned int address = static_cast<unsigned int>(__cvta_generic_to_shared(place));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(address), "l"(source), "r"(bytes) : "memory");
}

__device__ void end_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }

template <int NEWEST>
__device__ void wait_for_all_groups_but() {
    asm volatile("cp.async.wait_group %0;" ::"n"(NEWEST) : "memory");
}

// Start the copy of a tile; a group without copies counts as one as well.
__device__ void fetch(unsigned int* tile, const unsigned int* row, int first, int cols) {
#pragma unroll
    for (int item = 0; item < 4; item++) {
        const int i = item * THREADS + threadIdx.x;
        const bool inside = first + i < cols;
        copy_async(tile + i, row + (inside ? first + i : 0), inside ? 4 : 0);
    }
    end_group();
}

// The same with a ring of STAGES tiles: while one is scanned, the next STAGES - 1 are on their way.
__global__ void scan_prefetching(const unsigned int* __restrict__ x, unsigned int* __restrict__ out, int cols) {
    __shared__ __align__(16) unsigned int tiles[STAGES][TILE];
    __shared__ unsigned int of_warps[WARPS];
    x += blockIdx.x * (long long)cols;
    out += blockIdx.x * (long long)cols;
#pragma unroll
    for (int stage = 0; stage < STAGES - 1; stage++) {
        fetch(tiles[stage], x, stage * TILE, cols);
    }
    unsigned int sum = 0;
    const int count = (cols + TILE - 1) / TILE;
    for (int t = 0; t < count; t++) {
        wait_for_all_groups_but<STAGES - 2>();  // tile t is there, as far as this thread copied it
        __syncthreads();  // as far as all threads did; tile t - 1 is written, and its place is free
        fetch(tiles[(t + STAGES - 1) % STAGES], x, (t + STAGES - 1) * TILE, cols);
        sum = scan(tiles[t % STAGES], of_warps, sum);
        write(tiles[t % STAGES], out, t * TILE, cols);
    }
}
