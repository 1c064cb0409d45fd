// Copies from global to shared memory that nothing waits for, from Ampere on: `cp.async`.
#pragma once

// 16 bytes; with `bytes` = 0 nothing is read and zeros are written.
__device__ void copy_async(uint4* place, const uint4* source, int bytes) {
    const unsigned address = __cvta_generic_to_shared(place);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(address), "l"(source), "r"(bytes) : "memory");
}

__device__ void end_group() { asm volatile("cp.async.commit_group;" ::: "memory"); }

template <int NEWEST>
__device__ void wait_for_all_groups_but() {
    asm volatile("cp.async.wait_group %0;" ::"n"(NEWEST) : "memory");
}
