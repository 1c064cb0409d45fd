// The instructions of Hopper: barriers that count bytes, the tensor memory accelerator, products of a warpgroup,
// clusters. One function is one instruction, unless its comment says more.
#pragma once
#include <cuda.h>

#include "numbers.cuh"

using Barrier = unsigned long long;  // in shared memory

__device__ unsigned address_of(const void* place) { return __cvta_generic_to_shared(place); }

// Dynamic shared memory from its first multiple of 1,024 bytes on: the pattern of swizzled tiles repeats there.
template <typename T>
__device__ T& aligned(unsigned char* memory) {
    return *reinterpret_cast<T*>(memory + (1024 - address_of(memory) % 1024) % 1024);
}

// ---- barriers: a phase ends when all arrivals and all bytes that were announced have come. The parity of phases is 0
// and 1 in turn.

__device__ void begin_barrier(Barrier* barrier, int arrivals) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address_of(barrier)), "r"(arrivals) : "memory");
}

// After all barriers were set up: the copy engine and the other blocks of a cluster see them.
__device__ void barriers_are_ready() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }

__device__ void arrive(Barrier* barrier) {
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address_of(barrier)) : "memory");
}

// At the barrier in the same place of a block of the cluster. The products that read the stage are done and nothing was
// written for the other block: a release for the cluster is not needed, and would be a fence of the whole GPU per slab.
__device__ void arrive_at_rank(Barrier* barrier, int rank) {
    asm volatile(
        "{\n"
        ".reg .b32 there;\n"
        "mapa.shared::cluster.u32 there, %0, %1;\n"
        "mbarrier.arrive.shared::cluster.b64 _, [there];\n"
        "}" ::"r"(address_of(barrier)),
        "r"(rank)
        : "memory");
}

// Arrive, and announce bytes that copies will bring.
__device__ void arrive_and_expect(Barrier* barrier, int bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address_of(barrier)), "r"(bytes)
                 : "memory");
}

// Until the phase of this parity has ended. On a new barrier a wait for parity 1 returns at once.
__device__ void wait_for_phase(Barrier* barrier, unsigned parity) {
    asm volatile(
        "{\n"
        ".reg .pred ended;\n"
        "again:\n"
        "mbarrier.try_wait.parity.shared::cta.b64 ended, [%0], %1;\n"
        "@!ended bra again;\n"
        "}" ::"r"(address_of(barrier)),
        "r"(parity)
        : "memory");
}

// ---- the tensor memory accelerator: a box of a matrix from column x and row y on; what lies
// outside comes as zeros and counts.

__device__ void load_tile(bits* tile, const CUtensorMap* matrix, Barrier* barrier, int x, int y) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
            address_of(tile)),
        "l"(matrix), "r"(x), "r"(y), "r"(address_of(barrier))
        : "memory");
}

// To the same place in every block of the cluster that has a bit in `blocks`; each block's own barrier counts the
// bytes.
__device__ void load_tile_to(unsigned short blocks, bits* tile, const CUtensorMap* matrix, Barrier* barrier, int x,
                                    int y) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
        "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(address_of(tile)),
        "l"(matrix), "r"(x), "r"(y), "r"(address_of(barrier)), "h"(blocks)
        : "memory");
}

// Shared memory that threads wrote becomes visible to the copy engine.
__device__ void writes_are_visible() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// A box on its way out; what lies outside is not written.
__device__ void store_tile(const CUtensorMap* matrix, int x, int y, const bits* tile) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(matrix),
                 "r"(x), "r"(y), "r"(address_of(tile))
                 : "memory");
}

__device__ void end_store_group() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }

// Until all groups of boxes on their way out but the newest have been read: their shared memory may be written again.
template <int NEWEST>
__device__ void wait_for_all_stores_but() {
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(NEWEST) : "memory");
}

// ---- products of a warpgroup: both factors in shared memory, the sum in its registers.

// A tile whose rows are 64 numbers along the depth, 128 bytes, swizzled by the copy engine: its address in units of 16
// bytes, 1,024 bytes from eight rows to the next eight, and swizzle mode 1, which is 128 bytes. 16 numbers further
// along the depth is 2 more.
__device__ unsigned long long described(const bits* tile) {
    return (address_of(tile) & 0x3ffffull) >> 4 | 1ull << 16 | (1024ull >> 4) << 32 | 1ull << 62;
}

// Before the first product, and after anything else wrote the registers of the sum.
__device__ void registers_are_ready() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }

__device__ void end_product_group() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }

// Until all groups of products but the newest are done: their tiles may be written again.
template <int NEWEST>
__device__ void wait_for_all_products_but() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(NEWEST) : "memory");
}

// sum += a b for 64 x 16 and 16 x 128, by the 128 threads of a warpgroup together, which do not wait for it.
__device__ void multiply_tiles(float (&sum)[64], unsigned long long a, unsigned long long b) {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
        "%64, %65, 1, 1, 1, 0, 0;"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3]), "+f"(sum[4]), "+f"(sum[5]),
          "+f"(sum[6]), "+f"(sum[7]), "+f"(sum[8]), "+f"(sum[9]), "+f"(sum[10]), "+f"(sum[11]),
          "+f"(sum[12]), "+f"(sum[13]), "+f"(sum[14]), "+f"(sum[15]), "+f"(sum[16]), "+f"(sum[17]),
          "+f"(sum[18]), "+f"(sum[19]), "+f"(sum[20]), "+f"(sum[21]), "+f"(sum[22]), "+f"(sum[23]),
          "+f"(sum[24]), "+f"(sum[25]), "+f"(sum[26]), "+f"(sum[27]), "+f"(sum[28]), "+f"(sum[29]),
          "+f"(sum[30]), "+f"(sum[31]), "+f"(sum[32]), "+f"(sum[33]), "+f"(sum[34]), "+f"(sum[35]),
          "+f"(sum[36]), "+f"(sum[37]), "+f"(sum[38]), "+f"(sum[39]), "+f"(sum[40]), "+f"(sum[41]),
          "+f"(sum[42]), "+f"(sum[43]), "+f"(sum[44]), "+f"(sum[45]), "+f"(sum[46]), "+f"(sum[47]),
          "+f"(sum[48]), "+f"(sum[49]), "+f"(sum[50]), "+f"(sum[51]), "+f"(sum[52]), "+f"(sum[53]),
          "+f"(sum[54]), "+f"(sum[55]), "+f"(sum[56]), "+f"(sum[57]), "+f"(sum[58]), "+f"(sum[59]),
          "+f"(sum[60]), "+f"(sum[61]), "+f"(sum[62]), "+f"(sum[63])
        : "l"(a), "l"(b));
}

// sum += a b for 64 x 16 and 16 x 256, by the 128 threads of a warpgroup together, which do not wait for it.
__device__ void multiply_tiles(float (&sum)[128], unsigned long long a, unsigned long long b) {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {"
        "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
        "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, "
        "%32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "
        "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63, "
        "%64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "
        "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "
        "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, %111, "
        "%112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, %125, %126, %127}, "
        "%128, %129, 1, 1, 1, 0, 0;"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3]), "+f"(sum[4]), "+f"(sum[5]),
          "+f"(sum[6]), "+f"(sum[7]), "+f"(sum[8]), "+f"(sum[9]), "+f"(sum[10]), "+f"(sum[11]),
          "+f"(sum[12]), "+f"(sum[13]), "+f"(sum[14]), "+f"(sum[15]), "+f"(sum[16]), "+f"(sum[17]),
          "+f"(sum[18]), "+f"(sum[19]), "+f"(sum[20]), "+f"(sum[21]), "+f"(sum[22]), "+f"(sum[23]),
          "+f"(sum[24]), "+f"(sum[25]), "+f"(sum[26]), "+f"(sum[27]), "+f"(sum[28]), "+f"(sum[29]),
          "+f"(sum[30]), "+f"(sum[31]), "+f"(sum[32]), "+f"(sum[33]), "+f"(sum[34]), "+f"(sum[35]),
          "+f"(sum[36]), "+f"(sum[37]), "+f"(sum[38]), "+f"(sum[39]), "+f"(sum[40]), "+f"(sum[41]),
          "+f"(sum[42]), "+f"(sum[43]), "+f"(sum[44]), "+f"(sum[45]), "+f"(sum[46]), "+f"(sum[47]),
          "+f"(sum[48]), "+f"(sum[49]), "+f"(sum[50]), "+f"(sum[51]), "+f"(sum[52]), "+f"(sum[53]),
          "+f"(sum[54]), "+f"(sum[55]), "+f"(sum[56]), "+f"(sum[57]), "+f"(sum[58]), "+f"(sum[59]),
          "+f"(sum[60]), "+f"(sum[61]), "+f"(sum[62]), "+f"(sum[63]), "+f"(sum[64]), "+f"(sum[65]),
          "+f"(sum[66]), "+f"(sum[67]), "+f"(sum[68]), "+f"(sum[69]), "+f"(sum[70]), "+f"(sum[71]),
          "+f"(sum[72]), "+f"(sum[73]), "+f"(sum[74]), "+f"(sum[75]), "+f"(sum[76]), "+f"(sum[77]),
          "+f"(sum[78]), "+f"(sum[79]), "+f"(sum[80]), "+f"(sum[81]), "+f"(sum[82]), "+f"(sum[83]),
          "+f"(sum[84]), "+f"(sum[85]), "+f"(sum[86]), "+f"(sum[87]), "+f"(sum[88]), "+f"(sum[89]),
          "+f"(sum[90]), "+f"(sum[91]), "+f"(sum[92]), "+f"(sum[93]), "+f"(sum[94]), "+f"(sum[95]),
          "+f"(sum[96]), "+f"(sum[97]), "+f"(sum[98]), "+f"(sum[99]), "+f"(sum[100]), "+f"(sum[101]),
          "+f"(sum[102]), "+f"(sum[103]), "+f"(sum[104]), "+f"(sum[105]), "+f"(sum[106]), "+f"(sum[107]),
          "+f"(sum[108]), "+f"(sum[109]), "+f"(sum[110]), "+f"(sum[111]), "+f"(sum[112]), "+f"(sum[113]),
          "+f"(sum[114]), "+f"(sum[115]), "+f"(sum[116]), "+f"(sum[117]), "+f"(sum[118]), "+f"(sum[119]),
          "+f"(sum[120]), "+f"(sum[121]), "+f"(sum[122]), "+f"(sum[123]), "+f"(sum[124]), "+f"(sum[125]),
          "+f"(sum[126]), "+f"(sum[127])
        : "l"(a), "l"(b));
}

// The results of a warpgroup, 64 rows from (row, col) on. Of 16 rows per warp a lane has two neighbours in every eight
// columns, and two more eight rows below.
template <int COUNT>
__device__ void store_sum(bits* out, int row, int col, int rows, int cols, const float (&sum)[COUNT]) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
    row += 16 * warp + lane / 4, col += lane % 4 * 2;
#pragma unroll
    for (int i = 0; i < COUNT; i += 4) {
        store_two(out, row, col + 2 * i, rows, cols, sum[i], sum[i + 1]);
        store_two(out, row + 8, col + 2 * i, rows, cols, sum[i + 2], sum[i + 3]);
    }
}

// Four 8 x 8 matrices from the registers of a warp to shared memory. Lane 8 m + r gives the address of row r of matrix
// m.
__device__ void store_matrices(bits* row, unsigned first, unsigned second, unsigned third, unsigned fourth) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(address_of(row)), "r"(first),
                 "r"(second), "r"(third), "r"(fourth)
                 : "memory");
}

// ---- warpgroups and clusters

// A barrier for some of the threads of a block; number 0 is __syncthreads.
__device__ void sync_part(int number, int threads) {
    asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
}

// All threads of all blocks of the cluster, two instructions: arrive and wait.
__device__ void sync_cluster() {
    asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
}
