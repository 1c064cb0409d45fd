// Results on their way from registers to memory, by way of shared memory and the copy engine.
#include "hopper.cuh"

// A warpgroup's 64 x 256 results leave as four boxes of 64 x 64, swizzled as the engine expects it: of a row's eight
// pieces of 16 bytes, piece p of row r lies at p ^ (r % 8).
__device__ void send_sum(const CUtensorMap& out, bits (&boxes)[2][64 * 64], int row, int col,
                         const float (&sum)[128]) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4, group = threadIdx.x / 128;
    const int line = 16 * warp + lane % 16;  // the row that this lane gives the address of
#pragma unroll
    for (int box = 0; box < 4; box++) {
        if (threadIdx.x % 128 == 0) {
            wait_for_all_stores_but<1>();  // the box before the last has been read
        }
        sync_part(1 + group, 128);
#pragma unroll
        for (int pair = 0; pair < 4; pair++) {  // 16 columns
            const float* two = &sum[32 * box + 8 * pair];
            const int piece = (2 * pair + lane / 16) ^ line % 8;
            store_matrices(&boxes[box % 2][64 * line + 8 * piece], as_two_bfloat16(two[0], two[1]), as_two_bfloat16(two[2], two[3]),
                           as_two_bfloat16(two[4], two[5]), as_two_bfloat16(two[6], two[7]));
        }
        writes_are_visible();
        sync_part(1 + group, 128);
        if (threadIdx.x % 128 == 0) {
            store_tile(&out, col + 64 * box, row, boxes[box % 2]);
            end_store_group();
        }
    }
}
