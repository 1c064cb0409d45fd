// A copy of 16-bit elements in words of any width. A thread has ITEMS words on their way at once; a block takes its words
// in rows of blockDim.x, so that neighbouring threads always touch neighbouring words.
template <typename Word>
__global__ void copy(const unsigned short* __restrict__ x, unsigned short* __restrict__ out, long long count) {
    constexpr int width = sizeof(Word) / sizeof(unsigned short);
    const long long words = count / width;
    const long long first = blockIdx.x * (long long)blockDim.x * ITEMS + threadIdx.x;
    Word held[ITEMS];
#pragma unroll
    for (int item = 0; item < ITEMS; item++) {
        const long long i = first + item * (long long)blockDim.x;
        if (i < words) {
            held[item] = reinterpret_cast<const Word*>(x)[i];
        }
    }
#pragma unroll
    for (int item = 0; item < ITEMS; item++) {
        const long long i = first + item * (long long)blockDim.x;
        if (i < words) {
            reinterpret_cast<Word*>(out)[i] = held[item];
        }
    }
    if (blockIdx.x == 0 && threadIdx.x < count - words * width) {  // what does not fill a word: fewer than eight elements
        out[words * width + threadIdx.x] = x[words * width + threadIdx.x];
    }
}
