// What a .cu of the catalogue needs to be compiled for a CPU. emulation.cpp runs it.
//
// A kernel keeps its inline assembly in small functions with the names below. The emulation removes every function with
// `asm` from the source, and those declared here stand in for it. Whatever a GPU does later than it is asked for is done
// as late as the rules allow, and the place it writes to is filled with rubbish as soon as it is asked for: a missing wait
// reads rubbish, and a stage that is filled again too soon is destroyed while it is read.
#pragma once
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define __global__ static
#define __device__ static inline
#define __shared__ static __attribute__((section("of_block")))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)
#define __cluster_dims__(...)
#define __grid_constant__
#define __forceinline__

struct Extent { unsigned x, y, z; };
extern Extent threadIdx, blockIdx, blockDim, gridDim;

struct alignas(4) uchar4 { unsigned char x, y, z, w; };
struct alignas(8) short4 { short x, y, z, w; };
struct alignas(8) float2 { float x, y; };
struct alignas(8) uint2 { unsigned x, y; };
struct alignas(16) float4 { float x, y, z, w; };
struct alignas(16) uint4 { unsigned x, y, z, w; };
static inline float4 make_float4(float x, float y, float z, float w) { return {x, y, z, w}; }
static inline uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) { return {x, y, z, w}; }
static inline uint2 make_uint2(unsigned x, unsigned y) { return {x, y}; }
static inline float __uint_as_float(unsigned bits) { float value; memcpy(&value, &bits, 4); return value; }
template <typename T> static inline T min(T a, T b) { return b < a ? b : a; }
template <typename T> static inline T max(T a, T b) { return a < b ? b : a; }

template <typename T> static inline T atomicAdd(T* place, T value) { T old = *place; *place += value; return old; }
template <typename T> static inline T atomicMax(T* place, T value) { T old = *place; *place = max(old, value); return old; }
static inline void __threadfence() {}
#define __expf expf

// How a tensor lies in memory, as the copy engine is told: dimension 0 is the fastest.
struct CUtensorMap {
    char* start;
    unsigned long long extent[5], stride[5];  // stride in bytes
    unsigned box[5], dimensions, size, swizzle;  // size of an element; swizzle 0, 32, 64 or 128 bytes
};

namespace emulation {

using u64 = unsigned long long;

char* dynamic_shared(int alignment);
int run_grid(void (*body)(void**), void** arguments, const unsigned* shape, int order, char* of_block, size_t of_block_size);
[[noreturn]] void broken(const char* rule);
unsigned shared_address(const void* place);
void wait_for_warp();
unsigned shown_by(int lane, int place);
void show(unsigned value, int place);
int lane();
void copy_later(void* place, const void* source, int bytes, int size);
void end_copy_group();
void wait_for_copies(int newest);
void wait_for_part(int part, int threads);
void arrive_at_part(int part, int threads);
void load_box(void* place, const CUtensorMap* map, u64* barrier, const int* at, int dimensions, unsigned blocks);
void load_line(void* place, const void* source, int bytes, u64* barrier, unsigned to);
void store_box(const CUtensorMap* map, const int* at, int dimensions, const void* place);
void end_stores();
void wait_for_store_groups(int newest);
void multiply_later(float* sum, int cols, u64 a, u64 b, bool add);
void end_products();
void wait_for_product_groups(int newest);
void* in_block(const void* place, int rank);
void tensor_memory_multiply(unsigned to, u64 a, u64 b, unsigned instruction, bool add);

template <typename T> struct Plain { using Type = T; };
template <typename T> struct Plain<const T> { using Type = T; };

template <auto KERNEL> struct Launch;
template <typename... P, void (*KERNEL)(P...)> struct Launch<KERNEL> {
    template <int... I> struct Places {};
    template <int N, int... I> struct Count : Count<N - 1, N - 1, I...> {};
    template <int... I> struct Count<0, I...> { using Type = Places<I...>; };
    template <int... I> static void call(void** arguments, Places<I...>) {
        KERNEL(*static_cast<typename Plain<P>::Type*>(arguments[I])...);
    }
    static void body(void** arguments) { call(arguments, typename Count<sizeof...(P)>::Type()); }
};

}  // namespace emulation

// Threads of a block and of a warp.
void __syncthreads();
static inline void __syncwarp(unsigned = ~0u) { emulation::wait_for_warp(); }
template <typename T> static inline T __shfl_sync(unsigned, T value, int lane, int = 32) {
    static_assert(sizeof(T) == 4, "the emulation exchanges values of four bytes");
    unsigned bits;
    memcpy(&bits, &value, 4);
    emulation::show(bits, 0);
    emulation::wait_for_warp();
    bits = emulation::shown_by(lane & 31, 0);
    memcpy(&value, &bits, 4);
    return value;
}
template <typename T> static inline T __shfl_up_sync(unsigned mask, T value, unsigned by) {
    const int lane = emulation::lane();
    return __shfl_sync(mask, value, lane < int(by) ? lane : lane - int(by));
}
template <typename T> static inline T __shfl_down_sync(unsigned mask, T value, unsigned by) {
    const int lane = emulation::lane();
    return __shfl_sync(mask, value, lane + int(by) < 32 ? lane + int(by) : lane);
}
template <typename T> static inline T __shfl_xor_sync(unsigned mask, T value, int by) {
    return __shfl_sync(mask, value, emulation::lane() ^ by);
}
// Threads that meet at a barrier with a number: all of them wait, or some arrive and go on.
static inline void sync_part(int part, int threads) { emulation::wait_for_part(part, threads); }
static inline void arrive_part(int part, int threads) { emulation::arrive_at_part(part, threads); }
// A warp may give registers back, or take more: nothing to do here.
template <int COUNT> static inline void take_registers() {}
template <int COUNT> static inline void give_registers() {}

// cp.async: a copy of one word, or of 16 bytes; what is not read is zero.
static inline void copy_async(unsigned* place, const unsigned* source, int bytes) { emulation::copy_later(place, source, bytes, 4); }
static inline void copy_async(uint4* place, const uint4* source, int bytes) { emulation::copy_later(place, source, bytes, 16); }
static inline void end_group() { emulation::end_copy_group(); }
template <int NEWEST> static inline void wait_for_all_groups_but() { emulation::wait_for_copies(NEWEST); }

// Shared memory as the instructions address it.
static inline unsigned __cvta_generic_to_shared(const void* place) { return emulation::shared_address(place); }

// mbarriers: count arrivals and bytes; a phase ends when none of either is missing.
void begin_barrier(emulation::u64* barrier, int arrivals);
void arrive(emulation::u64* barrier);
void arrive_and_expect(emulation::u64* barrier, int bytes);
void wait_for_phase(emulation::u64* barrier, unsigned parity);
static inline void barriers_are_ready() {}   // fence.mbarrier_init
static inline void writes_are_visible() {}   // fence.proxy.async: not checked

// The copy engine (TMA).
static inline void load_tile(void* place, const CUtensorMap* map, emulation::u64* barrier, int x, int y) {
    const int at[] = {x, y};
    emulation::load_box(place, map, barrier, at, 2, 0);
}
static inline void load_tile_to(unsigned blocks, void* place, const CUtensorMap* map, emulation::u64* barrier, int x, int y) {
    const int at[] = {x, y};
    emulation::load_box(place, map, barrier, at, 2, blocks);
}
static inline void load_line(void* place, const void* source, int bytes, emulation::u64* barrier) {
    emulation::load_line(place, source, bytes, barrier, 0);
}
static inline void load_line_to(unsigned blocks, void* place, const void* source, int bytes, emulation::u64* barrier) {
    emulation::load_line(place, source, bytes, barrier, blocks);
}
static inline void store_tile(const CUtensorMap* map, int x, int y, const void* place) {
    const int at[] = {x, y};
    emulation::store_box(map, at, 2, place);
}
static inline void end_store_group() { emulation::end_stores(); }
template <int NEWEST> static inline void wait_for_all_stores_but() { emulation::wait_for_store_groups(NEWEST); }

// Clusters of blocks, and the shared memory of the other blocks.
void sync_cluster();
void arrive_at_cluster();
void wait_for_cluster();
unsigned rank_in_cluster();
unsigned blocks_in_cluster();
template <typename T> static inline T* of_rank(T* place, int rank) { return static_cast<T*>(emulation::in_block(place, rank)); }
void arrive_at_rank(emulation::u64* barrier, int rank);

// Half precision and bfloat16, as 16 bits.
#ifdef __aarch64__
using Half = __fp16;  // g++ knows _Float16 there from version 13 on
#else
using Half = _Float16;
#endif
static inline float widened(unsigned short half) {
    Half value;
    memcpy(&value, &half, 2);
    return float(value);
}
static inline unsigned short narrowed(float value) {
    const Half half = Half(value);
    unsigned short bits;
    memcpy(&bits, &half, 2);
    return bits;
}
static inline float of_bfloat16(unsigned short bits) {
    const unsigned wide = unsigned(bits) << 16;
    float value;
    memcpy(&value, &wide, 4);
    return value;
}
static inline unsigned short as_bfloat16(float value) {  // to the nearest, ties to even
    unsigned wide;
    memcpy(&wide, &value, 4);
    if (value != value) return 0x7fff;
    return (wide + 0x7fff + (wide >> 16 & 1)) >> 16;
}
static inline unsigned as_two_bfloat16(float low, float high) { return as_bfloat16(low) | unsigned(as_bfloat16(high)) << 16; }

// ldmatrix .x4: lane 8 m + r gives the address of row r of matrix m; a lane gets two neighbours of each matrix.
template <bool TURNED> static inline void load_matrices(const unsigned short* row, unsigned (&to)[4]) {
    const uintptr_t address = reinterpret_cast<uintptr_t>(row);
    if (address % 16) emulation::broken("a row for ldmatrix does not begin at a multiple of 16 bytes");
    emulation::show(unsigned(address), 0);
    emulation::show(unsigned(address >> 32), 1);
    emulation::wait_for_warp();
    const int lane = emulation::lane();
    for (int matrix = 0; matrix < 4; matrix++) {
        to[matrix] = 0;
        for (int e = 0; e < 2; e++) {
            const int r = TURNED ? lane % 4 * 2 + e : lane / 4, c = TURNED ? lane / 4 : lane % 4 * 2 + e;
            const uintptr_t of_row = emulation::shown_by(8 * matrix + r, 0) | uintptr_t(emulation::shown_by(8 * matrix + r, 1)) << 32;
            to[matrix] |= unsigned(reinterpret_cast<const unsigned short*>(of_row)[c]) << 16 * e;
        }
    }
}

// stmatrix .x4: the same matrices and addresses on the way back.
static inline void store_matrices(unsigned short* row, unsigned first, unsigned second, unsigned third, unsigned fourth) {
    const uintptr_t address = reinterpret_cast<uintptr_t>(row);
    if (address % 16) emulation::broken("a row for stmatrix does not begin at a multiple of 16 bytes");
    emulation::show(unsigned(address), 0);
    emulation::show(unsigned(address >> 32), 1);
    emulation::wait_for_warp();
    const int lane = emulation::lane();
    const unsigned pairs[] = {first, second, third, fourth};
    for (int matrix = 0; matrix < 4; matrix++) {
        const int giver = 8 * matrix + lane / 4;
        const uintptr_t of_row = emulation::shown_by(giver, 0) | uintptr_t(emulation::shown_by(giver, 1)) << 32;
        memcpy(reinterpret_cast<unsigned short*>(of_row) + lane % 4 * 2, &pairs[matrix], 4);
    }
    emulation::wait_for_warp();
}

// mma .m16n8k16 .row .col: which lane holds which element is the layout of the PTX manual.
template <typename Widen> static inline void multiply_in_warp(float (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1, Widen widen) {
    for (int i = 0; i < 4; i++) emulation::show(a[i], i);
    emulation::show(b0, 4);
    emulation::show(b1, 5);
    emulation::wait_for_warp();
    const int lane = emulation::lane();
    for (int e = 0; e < 4; e++) {
        const int row = lane / 4 + e / 2 * 8, col = lane % 4 * 2 + e % 2;
        for (int k = 0; k < 16; k++) {
            const unsigned of_a = emulation::shown_by(row % 8 * 4 + k % 8 / 2, row / 8 + k / 8 * 2);
            const unsigned of_b = emulation::shown_by(col * 4 + k % 8 / 2, 4 + k / 8);
            sum[e] += widen(of_a >> k % 2 * 16 & 0xffff) * widen(of_b >> k % 2 * 16 & 0xffff);
        }
    }
}
static inline void multiply(float (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    multiply_in_warp(sum, a, b0, b1, widened);
}
static inline void multiply_bfloat16(float (&sum)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
    multiply_in_warp(sum, a, b0, b1, of_bfloat16);
}

// wgmma .m64nNk16 of bfloat16, both factors in shared memory: `sum` has N / 2 elements, and is not to be touched before
// the group was waited for.
void registers_are_ready();  // wgmma.fence
template <int COUNT> static inline void multiply_tiles(float (&sum)[COUNT], emulation::u64 a, emulation::u64 b) {
    emulation::multiply_later(sum, COUNT * 2, a, b, true);
}
template <int COUNT> static inline void pin(float (&)[COUNT]) {}  // only the compiler has to know
static inline void end_product_group() { emulation::end_products(); }
template <int NEWEST> static inline void wait_for_all_products_but() { emulation::wait_for_product_groups(NEWEST); }

// tcgen05: products of bfloat16 in tensor memory, 128 lanes of 512 columns. Address: lane << 16 | column.
void allocate_tensor_memory(unsigned* to, int columns);
void free_tensor_memory(unsigned address, int columns);
static inline void multiply_in_tensor_memory(unsigned to, emulation::u64 a, emulation::u64 b, unsigned instruction, bool add) {
    emulation::tensor_memory_multiply(to, a, b, instruction, add);
}
void arrive_after_products(emulation::u64* barrier);  // tcgen05.commit
void read_tensor_memory(unsigned from, float (&to)[32]);
void tensor_memory_is_read();  // tcgen05.wait::ld: nothing is there before
static inline void before_threads_meet() {}       // tcgen05.fence
static inline void after_threads_met() {}

static inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }

// Programmatic dependent launch: launches come one after the other here.
static inline void let_next_begin() {}
static inline void wait_for_previous() {}
static inline float load_now(const float* from) { return *from; }

// The condition of a loop in a graph: its handle is the address of a number.
extern "C" inline void cudaGraphSetConditional(unsigned long long condition, unsigned int value) {
    *reinterpret_cast<unsigned int*>(condition) = value;
}
