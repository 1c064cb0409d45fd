extern "C" __global__ void read_shared(float *out, int rounds) {
    __shared__ float4 tile[2048];
    for (int i = threadIdx.x; i < 2048; i += blockDim.x) {
        float x = (float)((i * 2654435761u) >> 8) * 1e-7f - 0.8f;
        tile[i] = make_float4(x, -x, 0.5f * x, 1.5f * x);
    }
    __syncthreads();
    float4 sum = make_float4(0.f, 0.f, 0.f, 0.f);
    for (int round = 0; round < rounds; round++) {
        int at = (threadIdx.x + 32 * round) & 1023;   // another place each round: nothing to keep in registers
        #pragma unroll
        for (int k = 0; k < 16; k++) {
            float4 v = tile[at + 64 * k];
            sum.x += v.x; sum.y += v.y; sum.z += v.z; sum.w += v.w;
        }
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum.x + sum.y + sum.z + sum.w;
}
