// Replace every code by its entry of a table that each block keeps in shared memory. The table decides how many blocks a
// multiprocessor holds; the size of a block, which the launch chooses, decides how many threads that is.
__global__ void decode(const short* __restrict__ codes, const float* __restrict__ table, float* __restrict__ out,
                       int entries, long long count) {
    extern __shared__ float kept[];
    for (int i = threadIdx.x; i < entries; i += blockDim.x) {
        kept[i] = table[i];
    }
    __syncthreads();
    const long long thread = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    const long long threads = gridDim.x * (long long)blockDim.x;
    const long long fours = count / 4;  // 8 bytes of codes become 16 bytes of values
    for (long long i = thread; i < fours; i += threads) {
        const short4 code = reinterpret_cast<const short4*>(codes)[i];
        reinterpret_cast<float4*>(out)[i] = make_float4(kept[code.x], kept[code.y], kept[code.z], kept[code.w]);
    }
    for (long long i = fours * 4 + thread; i < count; i += threads) {
        out[i] = kept[codes[i]];
    }
}
