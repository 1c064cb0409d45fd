// Numbers for codes, by a table of 256 entries. Every block copies the table into its shared memory first: a set-up that
// costs the same, however many codes the block decodes afterwards.
__global__ void decode(const unsigned char* __restrict__ codes, const float* __restrict__ table,
                       float* __restrict__ out, long long count) {
    __shared__ float kept[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x) {
        kept[i] = table[i];
    }
    __syncthreads();
    const long long first = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    const long long threads = gridDim.x * (long long)blockDim.x;
    const long long fours = count / 4;  // four codes are one load of 4 bytes, their numbers one store of 16
#pragma unroll 4
    for (long long i = first; i < fours; i += threads) {
        const uchar4 four = reinterpret_cast<const uchar4*>(codes)[i];
        reinterpret_cast<float4*>(out)[i] = make_float4(kept[four.x], kept[four.y], kept[four.z], kept[four.w]);
    }
    for (long long i = 4 * fours + first; i < count; i += threads) {  // up to three that are left
        out[i] = kept[codes[i]];
    }
}
