// Kernels on a CPU: one block (or one cluster of blocks) after the other, its threads as fibers that run until they wait.
// The order in which threads run is given, so a kernel that lacks a barrier gives another answer in some order. What a GPU
// does asynchronously happens when a thread waits for it, or when no thread can run: as late as the rules allow.
#include "emulation.h"

#include <algorithm>
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <deque>
#include <numeric>
#include <random>
#include <vector>

#include <ucontext.h>

Extent threadIdx, blockIdx, blockDim, gridDim;

namespace emulation {
namespace {

constexpr size_t STACK = 64 * 1024, ARENA = 256 * 1024;
constexpr int RUBBISH = 0x7f;  // as float 3.4e38, as half precision NaN, as an integer 2,139,062,143
constexpr int PARTS = 16, GROUP = 128, LANES = 128, COLUMNS = 512;
enum State { RUNNABLE, AT_BARRIER, AT_WARP, AT_PART, AT_PHASE, AT_PRODUCT, AT_CLUSTER, DONE };
enum Ended { WELL, OUTSIDE, STUCK, BROKEN };

struct Copy { void* place; const void* source; int bytes, size; };
struct Store { CUtensorMap map; int at[5], dimensions; const void* place; };
struct Product { int issued = 0, cols = 0; bool done = false, add = true; u64 a = 0, b = 0; float* sums[GROUP]; };
struct Part { int arrived = 0, threads = 0; };

struct Fiber {
    ucontext_t context;  // of its first run; from then on it is `place` that is left and returned to
    jmp_buf place;
    bool entered;
    Extent index;
    State state;
    int block, part;
    const u64* barrier;
    unsigned parity;
    size_t product, products;  // awaited; issued so far
    bool fenced;
    unsigned exchanges, exchanged[2][8];  // two places in turn, so that one wait per exchange is enough
    std::vector<Copy> copies;
    std::deque<std::vector<Copy>> copy_groups;
    std::vector<Store> stores;
    std::deque<std::vector<Store>> store_groups;
    std::deque<size_t> product_groups;  // how many products were issued at the end of each
    std::vector<std::pair<float*, unsigned>> reads;  // of tensor memory
};

struct Block {
    Extent index;
    std::vector<char> of_block, dynamic;  // what it has in shared memory while another block runs
    Part parts[PARTS];
    std::vector<std::deque<Product>> products;  // of each group of four warps
    std::vector<unsigned> tensor_memory;
    unsigned allocated;
};

struct Barrier { long long magic : 8, phase : 2, expected : 13, pending : 13, bytes : 28; };
constexpr int MAGIC = 0x5b;

struct Later {  // what the copy engine or the tensor memory has still to do
    enum { BOX, LINE, PRODUCT, ARRIVAL } what;
    int block;
    void* place;
    CUtensorMap map;
    int at[5], dimensions, bytes;
    unsigned blocks;
    const void* source;
    u64* barrier;
    u64 a, b;
    unsigned to, instruction;
    bool add;
};

alignas(1024) char arena[ARENA];
size_t arena_offset;
unsigned shared_size;
char* static_start;
size_t static_size;

std::vector<Fiber> fibers;
std::vector<Block> blocks;
std::vector<char> stacks;
std::deque<Later> engine, tensor_cores;
std::mt19937 random_bits;
ucontext_t first_return;
jmp_buf scheduler;
int current, threads, loaded, order_of_threads;
void (*body)(void**);
void** arguments;
sigjmp_buf on_fault;
const char* message = "";

Fiber& self() { return fibers[current]; }
Block& own_block() { return blocks[self().block]; }

// Jumps, because swapcontext asks the kernel for the signal mask each time: ten times as long.
void pause() {
    if (!_setjmp(self().place)) _longjmp(scheduler, 1);
}

void resume(Fiber& fiber) {
    if (_setjmp(scheduler)) return;
    if (fiber.entered) _longjmp(fiber.place, 1);
    fiber.entered = true;
    swapcontext(&first_return, &fiber.context);
}

void wait_in(State state) {
    self().state = state;
    pause();
}

// A thread of every block in turn: what it ran before has ended.
void enter() {
    for (;;) {
        body(arguments);
        wait_in(DONE);
    }
}

// Where a place of shared memory is just now for a block of the cluster: live, or kept until the block runs again.
char* at(const void* place, int block) {
    char* live = static_cast<char*>(const_cast<void*>(place));
    if (block == loaded) return live;
    if (live >= arena && live < arena + ARENA) return blocks[block].dynamic.data() + (live - arena);
    if (live >= static_start && live < static_start + static_size) return blocks[block].of_block.data() + (live - static_start);
    broken("an address of another block is not in shared memory");
}

void load(int block) {
    if (block == loaded) return;
    Block &out = blocks[loaded], &in = blocks[block];
    memcpy(out.of_block.data(), static_start, static_size);
    memcpy(out.dynamic.data(), arena, ARENA);
    memcpy(static_start, in.of_block.data(), static_size);
    memcpy(arena, in.dynamic.data(), ARENA);
    loaded = block;
}

Barrier read(const void* place) {
    Barrier barrier;
    memcpy(&barrier, place, sizeof barrier);
    if (barrier.magic != MAGIC) broken("a barrier is used before it is initialised");
    return barrier;
}

void write(void* place, Barrier barrier) {
    if (barrier.pending == 0 && barrier.bytes == 0) {
        barrier.phase = barrier.phase ? 0 : 1;
        barrier.pending = barrier.expected;
    }
    memcpy(place, &barrier, sizeof barrier);
}

void arrive_at(void* place, int bytes) {
    Barrier barrier = read(place);
    if (barrier.pending == 0) broken("more arrivals at a barrier than it expects in one phase");
    barrier.bytes += bytes;
    barrier.pending -= 1;
    write(place, barrier);
}

void bytes_arrived(void* place, int bytes) {
    Barrier barrier = read(place);
    barrier.bytes -= bytes;
    write(place, barrier);
}

// For each piece of 16 bytes of a box: where it lies in shared memory, and in the tensor (null outside).
template <typename Visit> void walk(const CUtensorMap& map, const int* first, const void* place, Visit visit) {
    const unsigned row = map.box[0] * map.size;
    unsigned rows = 1;
    for (unsigned d = 1; d < map.dimensions; d++) rows *= map.box[d];
    for (unsigned r = 0; r < rows; r++) {
        bool inside = true;
        const char* source = map.start;
        unsigned rest = r;
        for (unsigned d = 1; d < map.dimensions; d++) {
            const long long where = first[d] + (long long)(rest % map.box[d]);
            rest /= map.box[d];
            inside &= where >= 0 && where < (long long)map.extent[d];
            source += where * (long long)map.stride[d];
        }
        for (unsigned byte = 0; byte < row; byte += map.size) {
            const long long where = first[0] + (long long)(byte / map.size);
            uintptr_t address = reinterpret_cast<uintptr_t>(place) + r * row + byte;
            if (map.swizzle) address ^= (address >> 7 & (map.swizzle / 16 - 1)) << 4;
            const bool within = inside && where >= 0 && where < (long long)map.extent[0];
            visit(reinterpret_cast<char*>(address), within ? const_cast<char*>(source) + where * map.size : nullptr);
        }
    }
}

int bytes_of(const CUtensorMap& map) {
    int bytes = map.size;
    for (unsigned d = 0; d < map.dimensions; d++) bytes *= map.box[d];
    return bytes;
}

void fetch(const Later& later) {
    for (size_t block = 0; block < blocks.size(); block++) {
        if (!(later.blocks >> block & 1)) continue;
        walk(later.map, later.at, later.place, [&](char* place, const char* source) {
            if (source) memcpy(at(place, block), source, later.map.size);
            else memset(at(place, block), 0, later.map.size);
        });
        bytes_arrived(at(later.barrier, block), bytes_of(later.map));
    }
}

// The factors of a product in shared memory by their descriptor: `count` rows of 16 numbers along the depth.
void read_factor(u64 descriptor, int count, int swizzle, int block, std::vector<float>& to) {
    const unsigned start = (descriptor & 0x3fff) << 4, along = (descriptor >> 16 & 0x3fff) << 4, down = (descriptor >> 32 & 0x3fff) << 4;
    if (descriptor >> 49 & 7) broken("a descriptor with a base offset");
    to.resize(count * 16);
    for (int row = 0; row < count; row++)
        for (int k = 0; k < 16; k++) {
            unsigned address = start + row / 8 * down;
            address += swizzle ? row % 8 * swizzle + k * 2 : row % 8 * 16 + k / 8 * along + k % 8 * 2;
            if (swizzle) address ^= (address >> 7 & (swizzle / 16 - 1)) << 4;
            if (address + 2 > ARENA) broken("a descriptor leads outside of shared memory");
            unsigned short bits;
            memcpy(&bits, at(arena + address, block), 2);
            to[row * 16 + k] = of_bfloat16(bits);
        }
}

void run_product(Product& product, int block) {
    static const int SWIZZLES[] = {0, 128, 64, 32};
    std::vector<float> a, b;
    read_factor(product.a, 64, SWIZZLES[product.a >> 62], block, a);
    read_factor(product.b, product.cols, SWIZZLES[product.b >> 62], block, b);
    for (int thread = 0; thread < GROUP; thread++)
        for (int i = 0; i < product.cols / 2; i++) {
            const int row = thread / 32 * 16 + thread % 32 / 4 + i / 2 % 2 * 8, col = i / 4 * 8 + thread % 4 * 2 + i % 2;
            float sum = product.add ? product.sums[thread][i] : 0;
            for (int k = 0; k < 16; k++) sum += a[row * 16 + k] * b[col * 16 + k];
            product.sums[thread][i] = sum;
        }
    product.done = true;
}

int swizzle_of_blackwell(u64 descriptor) {
    if ((descriptor >> 46 & 7) != 1) broken("a descriptor for tcgen05 without its constant in bits 46 to 48");
    switch (descriptor >> 61) {
        case 0: return 0;
        case 2: return 128;
        case 4: return 64;
        case 6: return 32;
        default: broken("a descriptor for tcgen05 with an unknown swizzle");
    }
}

void run_in_tensor_memory(const Later& later) {
    const unsigned kind = later.instruction, cols = (kind >> 17 & 63) * 8, rows = (kind >> 24 & 31) * 16;
    if ((kind >> 4 & 3) != 1 || (kind >> 7 & 7) != 1 || (kind >> 10 & 7) != 1) broken("an instruction that is not bfloat16 into float32");
    if (kind >> 13 & 15 || rows != 128 || cols % 16 || cols > 256) broken("an instruction of a shape or form that is not emulated");
    std::vector<float> a, b;
    read_factor(later.a, rows, swizzle_of_blackwell(later.a), later.block, a);
    read_factor(later.b, cols, swizzle_of_blackwell(later.b), later.block, b);
    const unsigned first = later.to & 0xffff;
    if (later.to >> 16 || first + cols > blocks[later.block].allocated) broken("a product outside of the tensor memory that was allocated");
    for (unsigned row = 0; row < rows; row++)
        for (unsigned col = 0; col < cols; col++) {
            unsigned& place = blocks[later.block].tensor_memory[row * COLUMNS + first + col];
            float sum;
            memcpy(&sum, &place, 4);
            if (!later.add) sum = 0;
            for (int k = 0; k < 16; k++) sum += a[row * 16 + k] * b[col * 16 + k];
            memcpy(&place, &sum, 4);
        }
}

// One thing that was asked for happens; false if nothing is left.
bool deliver() {
    if (!tensor_cores.empty() && (engine.empty() || order_of_threads % 2 == 0)) {
        const Later later = tensor_cores.front();
        tensor_cores.pop_front();
        if (later.what == Later::PRODUCT) run_in_tensor_memory(later);
        else arrive_at(at(later.barrier, later.block), 0);
        return true;
    }
    if (engine.empty()) return false;
    size_t which = order_of_threads == 0 ? 0 : engine.size() - 1;
    if (order_of_threads > 1) which = random_bits() % engine.size();
    const Later later = engine[which];
    engine.erase(engine.begin() + which);
    if (later.what == Later::LINE) {
        for (size_t block = 0; block < blocks.size(); block++) {
            if (!(later.blocks >> block & 1)) continue;
            memcpy(at(later.place, block), later.source, later.bytes);
            bytes_arrived(at(later.barrier, block), later.bytes);
        }
    } else {
        fetch(later);
    }
    return true;
}

bool release(int first, int last, State state, bool done_counts) {
    bool any = false;
    for (int i = first; i < last; i++) {
        if (fibers[i].state != state && !(done_counts && fibers[i].state == DONE)) return false;
        any |= fibers[i].state == state;
    }
    for (int i = first; i < last; i++)
        if (fibers[i].state == state) fibers[i].state = RUNNABLE;
    return any;
}

bool wake() {
    bool any = false;
    for (int i = 0; i < int(fibers.size()); i++) {
        Fiber& fiber = fibers[i];
        if (fiber.state == AT_PHASE) {
            if (unsigned(read(at(fiber.barrier, fiber.block)).phase & 1) == fiber.parity) continue;
        } else if (fiber.state == AT_PRODUCT) {
            if (blocks[fiber.block].products[i % threads / GROUP][fiber.product].issued < GROUP) continue;
        } else {
            continue;
        }
        fiber.state = RUNNABLE;
        any = true;
    }
    for (int block = 0; block < int(blocks.size()); block++)
        for (int first = 0; first < threads; first += 32)
            any |= release(block * threads + first, block * threads + min(first + 32, threads), AT_WARP, false);
    if (any) return true;
    for (int block = 0; block < int(blocks.size()); block++) any |= release(block * threads, (block + 1) * threads, AT_BARRIER, true);
    return any || release(0, fibers.size(), AT_CLUSTER, true);
}

// Run the threads of one warp that can run; false if there is none.
bool run_warp(int block, const std::vector<int>& order, size_t first) {
    bool ran = false;
    for (size_t i = first; i < min(first + 32, order.size()); i++) {
        const int next = block * threads + order[i];
        if (fibers[next].state != RUNNABLE) continue;
        load(block);
        current = next;
        threadIdx = fibers[next].index;
        blockIdx = blocks[block].index;
        resume(fibers[next]);
        ran = true;
    }
    return ran;
}

// `order` has the threads of a warp one after the other. By turns, every warp gets on by one wait before another gets on
// again. If not, the first warp that can run does: warps drift apart as far as their barriers let them.
Ended run_cluster(const std::vector<int>& order, bool by_turns) {
    for (;;) {
        bool ran = false;
        for (size_t block = 0; block < blocks.size() && (by_turns || !ran); block++)
            for (size_t first = 0; first < order.size() && (by_turns || !ran); first += 32) ran |= run_warp(block, order, first);
        if (!wake() && !ran) {
            const auto is_done = [](const Fiber& fiber) { return fiber.state == DONE; };
            if (std::all_of(fibers.begin(), fibers.end(), is_done)) return WELL;
            if (!deliver()) return STUCK;
        }
    }
}

void begin_cluster(unsigned first_x, unsigned first_y, unsigned first_z, const unsigned* cluster) {
    const unsigned count = cluster[0] * cluster[1] * cluster[2];
    blocks.assign(count, Block());
    engine.clear();
    tensor_cores.clear();
    memset(arena, RUBBISH, ARENA);
    memset(static_start, RUBBISH, static_size);
    loaded = 0;
    for (unsigned b = 0; b < count; b++) {
        Block& block = blocks[b];
        block.index = {first_x + b % cluster[0], first_y + b / cluster[0] % cluster[1], first_z + b / cluster[0] / cluster[1]};
        block.products.resize((threads + GROUP - 1) / GROUP);
        block.allocated = 0;
        if (b > 0) block.of_block.assign(static_size, RUBBISH), block.dynamic.assign(ARENA, RUBBISH);
    }
    blocks[0].of_block.resize(static_size), blocks[0].dynamic.resize(count > 1 ? ARENA : 0);
    for (int i = 0; i < int(fibers.size()); i++) {
        Fiber& fiber = fibers[i];
        const unsigned t = i % threads;
        fiber.index = {t % blockDim.x, t / blockDim.x % blockDim.y, t / blockDim.x / blockDim.y};
        fiber.block = i / threads;
        fiber.state = RUNNABLE;
        fiber.products = 0;
        fiber.fenced = false;
        fiber.exchanges = 0;
        fiber.copies.clear(), fiber.copy_groups.clear(), fiber.stores.clear(), fiber.store_groups.clear();
        fiber.product_groups.clear(), fiber.reads.clear();
    }
}

void make_fibers(size_t count) {
    fibers.resize(count);
    stacks.resize(count * STACK);
    for (size_t i = 0; i < count; i++) {
        Fiber& fiber = fibers[i];
        getcontext(&fiber.context);
        fiber.context.uc_stack = {stacks.data() + i * STACK, 0, STACK};
        fiber.context.uc_link = nullptr;
        makecontext(&fiber.context, enter, 0);
        fiber.entered = false;
    }
}

// The threads of a block, a warp together: forwards, backwards, or warps and their lanes shuffled.
std::vector<int> in_order(int order) {
    std::vector<int> warps((threads + 31) / 32), sequence;
    std::iota(warps.begin(), warps.end(), 0);
    if (order == 1) std::reverse(warps.begin(), warps.end());
    if (order > 1) std::shuffle(warps.begin(), warps.end() - (threads % 32 ? 1 : 0), random_bits);
    for (int warp : warps) {
        std::vector<int> lanes(min(32, threads - warp * 32));
        std::iota(lanes.begin(), lanes.end(), warp * 32);
        if (order == 1) std::reverse(lanes.begin(), lanes.end());
        if (order > 1) std::shuffle(lanes.begin(), lanes.end(), random_bits);
        sequence.insert(sequence.end(), lanes.begin(), lanes.end());
    }
    return sequence;
}

bool all_rubbish(const char* from, const char* to) {
    return from == to || (*from == char(RUBBISH) && !memcmp(from, from + 1, to - from - 1));
}

// What a block left behind: nothing outside of the shared memory that was asked for, and no tensor memory.
Ended end_cluster() {
    for (size_t block = 0; block < blocks.size(); block++) {
        const char* start = at(arena, block);
        if (!all_rubbish(start, start + arena_offset) || !all_rubbish(start + arena_offset + shared_size, start + ARENA)) {
            message = "writes outside of its dynamic shared memory";
            return BROKEN;
        }
        if (blocks[block].allocated) {
            message = "keeps tensor memory that it allocated";
            return BROKEN;
        }
    }
    return WELL;
}

void fault(int) { siglongjmp(on_fault, OUTSIDE); }

}  // namespace

extern "C" const char* emulation_message() { return message; }

char* dynamic_shared(int alignment) {
    arena_offset = alignment >= 1024 ? 0 : alignment > 16 ? alignment : 16;
    return arena + arena_offset;
}

[[noreturn]] void broken(const char* rule) {
    message = rule;
    siglongjmp(on_fault, BROKEN);
}

// `shape`: grid, block and cluster of three numbers each, then bytes of dynamic shared memory. `order` 0 prefers the first
// threads and 1 the last, another shuffles them and lets all warps get on evenly.
int run_grid(void (*one_thread)(void**), void** given, const unsigned* shape, int order, char* start, size_t size) {
    body = one_thread;
    arguments = given;
    gridDim = {shape[0], shape[1], shape[2]};
    blockDim = {shape[3], shape[4], shape[5]};
    const unsigned* cluster = shape + 6;
    shared_size = shape[9], arena_offset = 0;
    static_start = start, static_size = size;
    threads = blockDim.x * blockDim.y * blockDim.z;
    order_of_threads = order;
    random_bits.seed(order);
    make_fibers(threads * cluster[0] * cluster[1] * cluster[2]);
    const std::vector<int> sequence = in_order(order);
    static char alternate[64 * 1024];
    stack_t own = {alternate, 0, sizeof alternate}, old_stack;
    struct sigaction act = {}, old_fault, old_bus;
    act.sa_handler = fault;
    act.sa_flags = SA_ONSTACK | SA_NODEFER;
    sigaltstack(&own, &old_stack);
    sigaction(SIGSEGV, &act, &old_fault);
    sigaction(SIGBUS, &act, &old_bus);
    volatile int result = sigsetjmp(on_fault, 1);
    if (!result)
        for (unsigned z = 0; !result && z < gridDim.z; z += cluster[2])
            for (unsigned y = 0; !result && y < gridDim.y; y += cluster[1])
                for (unsigned x = 0; !result && x < gridDim.x; x += cluster[0]) {
                    begin_cluster(x, y, z, cluster);
                    result = run_cluster(sequence, order > 1);
                    if (!result) result = end_cluster();
                }
    sigaction(SIGSEGV, &old_fault, nullptr);
    sigaction(SIGBUS, &old_bus, nullptr);
    sigaltstack(&old_stack, nullptr);
    return result;
}

void wait_for_warp() {
    self().exchanges++;
    wait_in(AT_WARP);
}

int lane() { return current % threads % 32; }

void show(unsigned value, int place) { self().exchanged[self().exchanges % 2][place] = value; }

unsigned shown_by(int lane, int place) {
    const int first = current - emulation::lane();
    return fibers[min(first + lane, int(fibers.size()) - 1)].exchanged[(self().exchanges - 1) % 2][place];
}

unsigned shared_address(const void* place) {
    const char* live = static_cast<const char*>(place);
    if (live >= arena && live < arena + ARENA) return live - arena;
    if (live >= static_start && live < static_start + static_size) return (1 << 20) + (live - static_start);
    broken("an address that is not in shared memory is used as one");
}

void copy_later(void* place, const void* source, int bytes, int size) {
    if (reinterpret_cast<uintptr_t>(place) % size || (bytes && reinterpret_cast<uintptr_t>(source) % size))
        broken("an asynchronous copy is not aligned to its size");
    memset(place, RUBBISH, size);
    self().copies.push_back({place, source, bytes, size});
}

void end_copy_group() {
    self().copy_groups.push_back(self().copies);
    self().copies.clear();
}

void wait_for_copies(int newest) {
    auto& groups = self().copy_groups;
    for (; groups.size() > static_cast<size_t>(newest); groups.pop_front())
        for (const Copy& one : groups.front()) {
            char bytes[16] = {};
            memcpy(bytes, one.source, one.bytes);
            memcpy(one.place, bytes, one.size);
        }
}

void arrive_at_part(int number, int count) {
    if (number < 0 || number >= PARTS) broken("a barrier of a number that is not 0 to 15");
    Part& part = own_block().parts[number];
    if (part.arrived && part.threads != count) broken("threads disagree how many meet at a barrier");
    part.threads = count;
    if (++part.arrived < count) return;
    part.arrived = 0;
    for (Fiber& fiber : fibers)
        if (fiber.block == self().block && fiber.state == AT_PART && fiber.part == number) fiber.state = RUNNABLE;
}

void wait_for_part(int number, int count) {
    Fiber& mine = self();
    mine.state = AT_PART;
    mine.part = number;
    arrive_at_part(number, count);
    if (mine.state == AT_PART) pause();
}

void load_box(void* place, const CUtensorMap* map, u64* barrier, const int* first, int dimensions, unsigned to) {
    if (int(map->dimensions) != dimensions) broken("a box of another number of dimensions than its descriptor");
    if (reinterpret_cast<uintptr_t>(place) % 128) broken("a box does not begin at a multiple of 128 bytes of shared memory");
    Later later = {Later::BOX, self().block, place, *map};
    memcpy(later.at, first, dimensions * sizeof(int));
    later.blocks = to ? to : 1u << self().block;
    later.barrier = barrier;
    for (size_t block = 0; block < blocks.size(); block++)
        if (later.blocks >> block & 1) memset(at(place, block), RUBBISH, bytes_of(*map));
    engine.push_back(later);
}

void load_line(void* place, const void* source, int bytes, u64* barrier, unsigned to) {
    if (bytes % 16 || reinterpret_cast<uintptr_t>(place) % 16 || reinterpret_cast<uintptr_t>(source) % 16)
        broken("a bulk copy is not a multiple of 16 bytes");
    Later later = {Later::LINE, self().block, place};
    later.source = source, later.bytes = bytes, later.barrier = barrier;
    later.blocks = to ? to : 1u << self().block;
    for (size_t block = 0; block < blocks.size(); block++)
        if (later.blocks >> block & 1) memset(at(place, block), RUBBISH, bytes);
    engine.push_back(later);
}

void store_box(const CUtensorMap* map, const int* first, int dimensions, const void* place) {
    if (int(map->dimensions) != dimensions) broken("a box of another number of dimensions than its descriptor");
    if (reinterpret_cast<uintptr_t>(place) % 128) broken("a box does not begin at a multiple of 128 bytes of shared memory");
    Store store = {*map, {}, dimensions, place};
    memcpy(store.at, first, dimensions * sizeof(int));
    self().stores.push_back(store);
}

void end_stores() {
    self().store_groups.push_back(self().stores);
    self().stores.clear();
}

void wait_for_store_groups(int newest) {
    auto& groups = self().store_groups;
    for (; groups.size() > static_cast<size_t>(newest); groups.pop_front())
        for (const Store& store : groups.front())
            walk(store.map, store.at, store.place, [&](char* place, char* to) { if (to) memcpy(to, place, store.map.size); });
}

void multiply_later(float* sum, int cols, u64 a, u64 b, bool add) {
    Fiber& mine = self();
    if (!mine.fenced) broken("wgmma without wgmma.fence before it");
    const int thread = current % threads;
    auto& products = own_block().products[thread / GROUP];
    if (products.size() == mine.products) products.emplace_back();
    Product& product = products[mine.products++];
    if (product.issued && (product.a != a || product.b != b || product.cols != cols)) broken("threads of a warp group disagree about a product");
    product.a = a, product.b = b, product.cols = cols, product.add = add;
    product.sums[thread % GROUP] = sum;
    product.issued++;
}

void end_products() { self().product_groups.push_back(self().products); }

void wait_for_product_groups(int newest) {
    const int thread = current % threads, me = current;
    for (auto& groups = self().product_groups; groups.size() > static_cast<size_t>(newest); groups.pop_front()) {
        for (size_t i = 0; i < groups.front(); i++) {
            auto& product = own_block().products[thread / GROUP][i];
            if (product.done) continue;
            fibers[me].product = i;
            if (product.issued < GROUP) wait_in(AT_PRODUCT);
            Product& whole = own_block().products[thread / GROUP][i];
            if (!whole.done) run_product(whole, fibers[me].block);
        }
    }
}

void* in_block(const void* place, int rank) {
    if (rank < 0 || rank >= int(blocks.size())) broken("a rank outside of the cluster");
    return at(place, rank);
}

void tensor_memory_multiply(unsigned to, u64 a, u64 b, unsigned instruction, bool add) {
    Later later = {Later::PRODUCT, self().block};
    later.to = to, later.a = a, later.b = b, later.instruction = instruction, later.add = add;
    tensor_cores.push_back(later);
}

}  // namespace emulation

using namespace emulation;

void __syncthreads() { wait_in(AT_BARRIER); }

void begin_barrier(u64* barrier, int arrivals) {
    if (reinterpret_cast<uintptr_t>(barrier) % 8) broken("a barrier does not begin at a multiple of 8 bytes");
    Barrier fresh = {MAGIC, 0, arrivals, arrivals, 0};
    memcpy(barrier, &fresh, sizeof fresh);
}

void arrive(u64* barrier) { arrive_at(barrier, 0); }

void arrive_and_expect(u64* barrier, int bytes) { arrive_at(barrier, bytes); }

void arrive_at_rank(u64* barrier, int rank) { arrive_at(in_block(barrier, rank), 0); }

void wait_for_phase(u64* barrier, unsigned parity) {
    if (parity > 1) broken("a parity is 0 or 1");
    if (unsigned(read(barrier).phase & 1) != parity) return;
    self().barrier = barrier;
    self().parity = parity;
    wait_in(AT_PHASE);
}

void sync_cluster() { wait_in(AT_CLUSTER); }

// As late as the rules allow: whoever arrives is counted when it waits.
void arrive_at_cluster() {}

void wait_for_cluster() { wait_in(AT_CLUSTER); }

unsigned rank_in_cluster() { return self().block; }

unsigned blocks_in_cluster() { return blocks.size(); }

void registers_are_ready() { self().fenced = true; }

void allocate_tensor_memory(unsigned* to, int columns) {
    Block& block = own_block();
    if (lane() == 0) {
        if (columns < 32 || columns > COLUMNS || columns & (columns - 1)) broken("tensor memory of a number of columns that is no power of two from 32 to 512");
        if (block.allocated) broken("tensor memory is allocated twice");
        block.tensor_memory.assign(LANES * COLUMNS, 0x7f7f7f7f);
        block.allocated = columns;
        *to = 0;
    }
    wait_for_warp();
}

void free_tensor_memory(unsigned address, int columns) {
    if (lane() == 0) {
        if (address || own_block().allocated != unsigned(columns)) broken("tensor memory is freed that was not allocated");
        own_block().allocated = 0;
    }
    wait_for_warp();
}

void arrive_after_products(u64* barrier) {
    Later later = {Later::ARRIVAL, self().block};
    later.barrier = barrier;
    tensor_cores.push_back(later);
}

void read_tensor_memory(unsigned from, float (&to)[32]) {
    const unsigned warp = current % threads / 32 % 4, row = (from >> 16) + lane(), column = from & 0xffff;
    if (from >> 16 != warp * 32) broken("a warp reads lanes of tensor memory that are not its own");
    if (column + 32 > own_block().allocated) broken("a read outside of the tensor memory that was allocated");
    memset(to, RUBBISH, sizeof to);
    self().reads.push_back({to, row * COLUMNS + column});
}

void tensor_memory_is_read() {
    for (auto& [to, from] : self().reads) memcpy(to, &own_block().tensor_memory[from], 32 * sizeof(float));
    self().reads.clear();
}
