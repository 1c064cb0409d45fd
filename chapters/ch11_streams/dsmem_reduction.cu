// Rows divided by their root mean square. BLOCKS blocks of a cluster share a row; a word is one float, or four.
constexpr int WARPS = THREADS / 32;

__device__ float squares(float x) { return x * x; }
__device__ float squares(float4 x) { return x.x * x.x + x.y * x.y + x.z * x.z + x.w * x.w; }
__device__ float scaled(float x, float by) { return x * by; }
__device__ float4 scaled(float4 x, float by) { return make_float4(x.x * by, x.y * by, x.z * by, x.w * by); }

__device__ float warp_sum(float sum) {
    for (int step = 16; step > 0; step /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, step);
    }
    return sum;
}

// Every block of the cluster has come here, and what it wrote before is visible to the others.
__device__ void sync_cluster() {
    asm volatile("barrier.cluster.arrive.release;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}

__device__ unsigned int rank_in_cluster() {
    unsigned int rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

// The same place in the shared memory of another block of the cluster.
__device__ const float* of_rank(const float* place, int rank) {
    const float* there;
    asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(place), "r"(rank));
    return there;
}

// One block has a whole row. It is too long for shared memory, so it is read from memory a second time.
template <typename Word>
__global__ void __launch_bounds__(THREADS, 3) one_block(const Word* __restrict__ x, Word* __restrict__ out, int words,
                                                     int count, float tiny) {
    __shared__ float sums[WARPS];
    const Word* row = x + blockIdx.x * (long long)words;
    float sum = 0.0f;
#pragma unroll 8
    for (int i = threadIdx.x; i < words; i += THREADS) {
        sum += squares(row[i]);
    }
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0) {
        sums[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    const int lane = threadIdx.x % 32;
    const float factor = rsqrtf(warp_sum(lane < WARPS ? sums[lane] : 0.0f) / count + tiny);
    Word* to = out + blockIdx.x * (long long)words;
#pragma unroll 8
    for (int i = threadIdx.x; i < words; i += THREADS) {
        to[i] = scaled(row[i], factor);
    }
}

// Each block keeps its part of the row in shared memory; the blocks read each other's sums from there.
template <typename Word>
__global__ void __launch_bounds__(THREADS, 3) cluster_of_blocks(const Word* __restrict__ x, Word* __restrict__ out,
                                                             int words, int count, float tiny, int part) {
    extern __shared__ float4 room[];  // the sums of the warps, then the block's part of the row
    float* sums = reinterpret_cast<float*>(room);
    Word* kept = reinterpret_cast<Word*>(room + (WARPS + 3) / 4);
    const int first = rank_in_cluster() * part;
    const int mine = max(0, min(part, words - first));  // the last blocks may have less, or nothing
    const Word* from = x + blockIdx.x / BLOCKS * (long long)words + first;
    float sum = 0.0f;
#pragma unroll 8
    for (int i = threadIdx.x; i < mine; i += THREADS) {
        const Word word = from[i];
        kept[i] = word;
        sum += squares(word);
    }
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0) {
        sums[threadIdx.x / 32] = sum;
    }
    sync_cluster();
    float all = 0.0f;  // every warp adds up the sums of all warps: no second barrier
    for (int i = threadIdx.x % 32; i < BLOCKS * WARPS; i += 32) {
        all += *of_rank(sums + i % WARPS, i / WARPS);
    }
    const float factor = rsqrtf(warp_sum(all) / count + tiny);
    Word* to = out + blockIdx.x / BLOCKS * (long long)words + first;
    for (int i = threadIdx.x; i < mine; i += THREADS) {
        to[i] = scaled(kept[i], factor);
    }
    sync_cluster();  // a block may not end while another reads its sums
}
