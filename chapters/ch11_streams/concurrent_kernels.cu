// Each thread follows one oscillator: a chain of dependent steps, which a few blocks do as fast as many would.
__global__ void follow(const float* __restrict__ start, const float* __restrict__ stiffness, float* __restrict__ out,
                       int first, int count, int steps) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) {
        return;
    }
    const int family = first + blockIdx.y;
    const float pull = stiffness[family] * STEP;
    float place = start[family * (long long)count + i], speed = 0.0f;
    for (int step = 0; step < steps; step++) {
        speed -= pull * place;
        place += STEP * speed;
    }
    out[family * (long long)count + i] = place;
}
