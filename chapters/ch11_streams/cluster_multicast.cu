// Codes are replaced by entries of their group's codebook. BLOCKS blocks share a group, and each needs the whole codebook.
// The copy engine brings it; the barrier counts the bytes that have arrived.
constexpr int BYTES = ENTRIES * sizeof(float), PIECE = ENTRIES / BLOCKS;

__device__ unsigned int address(const void* shared) { return static_cast<unsigned int>(__cvta_generic_to_shared(shared)); }

__device__ void begin_barrier(unsigned long long* barrier, int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(barrier)), "r"(arrivals) : "memory");
}

// The copy engine and the other blocks of the cluster see the barrier.
__device__ void barriers_are_ready() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ void arrive_and_expect(unsigned long long* barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(barrier)), "r"(bytes) : "memory");
}

__device__ void wait_for_phase(unsigned long long* barrier, unsigned int parity) {
    asm volatile(
        "{\n"
        ".reg .pred done;\n"
        "again:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
        "@!done bra again;\n"
        "}" ::"r"(address(barrier)),
        "r"(parity)
        : "memory");
}

__device__ void load_line(void* to, const void* from, int bytes, unsigned long long* barrier) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(address(to)),
                 "l"(from), "r"(bytes), "r"(address(barrier))
                 : "memory");
}

// The same place of each of these blocks gets the bytes, and the barrier at the same place counts them.
__device__ void load_line_to(unsigned int blocks, void* to, const void* from, int bytes, unsigned long long* barrier) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(
            address(to)),
        "l"(from), "r"(bytes), "r"(address(barrier)), "h"(static_cast<unsigned short>(blocks))
        : "memory");
}

// Relaxed: nobody reads what these threads wrote, and a release would be a fence of the whole GPU.
__device__ void arrive_at_cluster() { asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory"); }

__device__ void wait_for_cluster() { asm volatile("barrier.cluster.wait;" ::: "memory"); }

__device__ unsigned int rank_in_cluster() {
    unsigned int rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

// `aligned`: every group begins at a multiple of 16 bytes, so that 8 codes are read at once.
__device__ void decode(const float* codebook, const unsigned short* codes, float* out, int count, int part, bool aligned,
                       int block) {
    const int first = block * part, last = min(count, first + part);
    const int vectors = aligned ? max(0, last - first) / 8 : 0;
    for (int i = threadIdx.x; i < vectors; i += THREADS) {
        const uint4 packed = reinterpret_cast<const uint4*>(codes + first)[i];
        float4* to = reinterpret_cast<float4*>(out + first) + 2 * i;
        to[0] = make_float4(codebook[packed.x & 0xffff], codebook[packed.x >> 16], codebook[packed.y & 0xffff],
                            codebook[packed.y >> 16]);
        to[1] = make_float4(codebook[packed.z & 0xffff], codebook[packed.z >> 16], codebook[packed.w & 0xffff],
                            codebook[packed.w >> 16]);
    }
    for (int i = first + vectors * 8 + threadIdx.x; i < last; i += THREADS) {
        out[i] = codebook[codes[i]];
    }
}

__global__ void __launch_bounds__(THREADS)
    each_loads_all(const unsigned short* __restrict__ codes, const float* __restrict__ codebooks, float* __restrict__ out,
                   int count, int part, bool aligned) {
    extern __shared__ __align__(128) float codebook[];
    __shared__ __align__(8) unsigned long long arrived;
    const int group = blockIdx.x / BLOCKS;
    if (threadIdx.x == 0) {
        begin_barrier(&arrived, 1);
        barriers_are_ready();
        arrive_and_expect(&arrived, BYTES);
        load_line(codebook, codebooks + group * (long long)ENTRIES, BYTES, &arrived);
    }
    __syncthreads();  // the barrier is there for all threads
    wait_for_phase(&arrived, 0);
    decode(codebook, codes + group * (long long)count, out + group * (long long)count, count, part, aligned,
           blockIdx.x % BLOCKS);
}

__global__ void __launch_bounds__(THREADS)
    each_sends_a_piece(const unsigned short* __restrict__ codes, const float* __restrict__ codebooks,
                       float* __restrict__ out, int count, int part, bool aligned) {
    extern __shared__ __align__(128) float codebook[];
    __shared__ __align__(8) unsigned long long arrived;
    const int group = blockIdx.x / BLOCKS, block = rank_in_cluster();
    if (threadIdx.x == 0) {
        begin_barrier(&arrived, 1);
        barriers_are_ready();
        arrive_and_expect(&arrived, BYTES);  // of the pieces of all blocks
    }
    arrive_at_cluster();
    wait_for_cluster();  // nothing is sent to a block whose barrier is not there
    if (threadIdx.x == 0) {
        const float* piece = codebooks + group * (long long)ENTRIES + block * PIECE;
        load_line_to((1u << BLOCKS) - 1, codebook + block * PIECE, piece, PIECE * sizeof(float), &arrived);
    }
    wait_for_phase(&arrived, 0);
    arrive_at_cluster();
    decode(codebook, codes + group * (long long)count, out + group * (long long)count, count, part, aligned, block);
    wait_for_cluster();  // no block ends before all have their codebook
}
