// Which of sixteen intervals a value lies in: the number of limits below it, four bits. The limits come by value, so that
// they lie in constant memory.
struct Limits {
    float at[15];
};

// A tree of comparisons, as it is first written. The lanes of a warp take different branches, and the warp takes all.
__device__ int by_branches(float x, const Limits& limits) {
    if (x > limits.at[7]) {
        if (x > limits.at[11]) {
            if (x > limits.at[13]) {
                if (x > limits.at[14]) {
                    return 15;
                } else {
                    return 14;
                }
            } else {
                if (x > limits.at[12]) {
                    return 13;
                } else {
                    return 12;
                }
            }
        } else {
            if (x > limits.at[9]) {
                if (x > limits.at[10]) {
                    return 11;
                } else {
                    return 10;
                }
            } else {
                if (x > limits.at[8]) {
                    return 9;
                } else {
                    return 8;
                }
            }
        }
    } else {
        if (x > limits.at[3]) {
            if (x > limits.at[5]) {
                if (x > limits.at[6]) {
                    return 7;
                } else {
                    return 6;
                }
            } else {
                if (x > limits.at[4]) {
                    return 5;
                } else {
                    return 4;
                }
            }
        } else {
            if (x > limits.at[1]) {
                if (x > limits.at[2]) {
                    return 3;
                } else {
                    return 2;
                }
            } else {
                if (x > limits.at[0]) {
                    return 1;
                } else {
                    return 0;
                }
            }
        }
    }
}

// The same comparisons down the same tree, but the next limit is selected: all lanes run the same instructions.
__device__ int by_selection(float x, const Limits& limits) {
    const bool eight = x > limits.at[7];
    const bool four = x > (eight ? limits.at[11] : limits.at[3]);
    const float right = eight ? limits.at[13] : limits.at[5], left = eight ? limits.at[9] : limits.at[1];
    const bool two = x > (four ? right : left);
    const float right_right = eight ? limits.at[14] : limits.at[6], right_left = eight ? limits.at[12] : limits.at[4];
    const float left_right = eight ? limits.at[10] : limits.at[2], left_left = eight ? limits.at[8] : limits.at[0];
    const float of_right = two ? right_right : right_left, of_left = two ? left_right : left_left;
    const bool one = x > (four ? of_right : of_left);
    return 8 * eight + 4 * four + 2 * two + one;
}

template <bool BRANCHES>
__global__ void quantise(const float* __restrict__ x, unsigned char* __restrict__ out, Limits limits, long long count) {
    const long long fours = count / 4;
    const long long thread = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (thread < fours) {
        const float4 values = reinterpret_cast<const float4*>(x)[thread];
        uchar4 codes;
        codes.x = BRANCHES ? by_branches(values.x, limits) : by_selection(values.x, limits);
        codes.y = BRANCHES ? by_branches(values.y, limits) : by_selection(values.y, limits);
        codes.z = BRANCHES ? by_branches(values.z, limits) : by_selection(values.z, limits);
        codes.w = BRANCHES ? by_branches(values.w, limits) : by_selection(values.w, limits);
        reinterpret_cast<uchar4*>(out)[thread] = codes;
    } else if (thread < fours + count % 4) {
        const long long i = fours * 4 + thread - fours;
        out[i] = BRANCHES ? by_branches(x[i], limits) : by_selection(x[i], limits);
    }
}
