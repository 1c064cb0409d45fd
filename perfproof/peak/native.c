#include <stddef.h>
#include <stdint.h>

typedef uint64_t lanes __attribute__((vector_size(64)));

/* Read `bytes` (a multiple of 512) `rounds` times; the sum keeps the compiler from leaving reads out. */
uint64_t read_all(const lanes *data, size_t bytes, size_t rounds) {
    lanes sums[8] = {0};
    const size_t count = bytes / sizeof(lanes);
    for (size_t round = 0; round < rounds; round++) {
        for (size_t i = 0; i < count; i += 8)
            for (size_t k = 0; k < 8; k++) sums[k] += data[i + k];
        __asm__ volatile("" ::: "memory");
    }
    uint64_t total = 0;
    for (size_t k = 0; k < 8; k++)
        for (size_t lane = 0; lane < 8; lane++) total += sums[k][lane];
    return total;
}

/* Each step's address is the value that the step before has loaded. */
uint64_t chase(const uint64_t *next, uint64_t start, size_t steps) {
    uint64_t at = start;
    for (size_t i = 0; i < steps; i++) at = next[at];
    return at;
}
