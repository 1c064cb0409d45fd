"""The emulation itself: clusters, bulk copies and stores do what a GPU does, and what breaks a rule is reported."""

import pytest
import torch

from tests.chapters.emulated_kernels import COMPILER, ORDERS, EmulatedCuda, EmulatedKernels, KernelFault

pytestmark = pytest.mark.skipif(COMPILER is None, reason="the emulation is compiled by g++")
SOURCE = """
using u64 = unsigned long long;

// Each block of a cluster adds up its part; the first adds up the parts.
__global__ void sum_in_cluster(const int* x, int* out) {
    __shared__ int part;
    if (threadIdx.x == 0) {
        part = 0;
    }
    __syncthreads();
    atomicAdd(&part, x[blockIdx.x * blockDim.x + threadIdx.x]);
    sync_cluster();  // parts are whole
    if (rank_in_cluster() == 0 && threadIdx.x == 0) {
        int sum = 0;
        for (unsigned rank = 0; rank < blocks_in_cluster(); rank++) {
            sum += *of_rank(&part, rank);
        }
        out[blockIdx.x / blocks_in_cluster()] = sum;
    }
    sync_cluster();  // parts stay until they are read
}

// The first block of a cluster loads a tile for all of them; each stores it to its own place.
__global__ void share_a_tile(const __grid_constant__ CUtensorMap x, const __grid_constant__ CUtensorMap out) {
    extern __shared__ __align__(1024) float tile[];
    __shared__ u64 full;
    if (threadIdx.x == 0) {
        begin_barrier(&full, 1);
        arrive_and_expect(&full, 8 * 32 * 4);
    }
    sync_cluster();
    if (rank_in_cluster() == 0 && threadIdx.x == 0) {
        load_tile_to((1 << blocks_in_cluster()) - 1, tile, &x, &full, 0, 0);
    }
    wait_for_phase(&full, 0);
    if (threadIdx.x == 0) {
        store_tile(&out, 0, blockIdx.x * 8, tile);
        end_store_group();
        wait_for_all_stores_but<0>();
    }
}

// A line to shared memory, and from there by all threads.
__global__ void copy_line(const int* x, int* out, int count) {
    extern __shared__ __align__(16) int line[];
    __shared__ u64 full;
    if (threadIdx.x == 0) {
        begin_barrier(&full, 1);
        arrive_and_expect(&full, count * 4);
        load_line(line, x, count * 4, &full);
    }
    __syncthreads();
    wait_for_phase(&full, 0);
    for (int i = threadIdx.x; i < count; i += blockDim.x) {
        out[i] = line[i];
    }
}

// The first warp waits until the other has arrived at barrier 1; the other does not wait.
__global__ void hand_over(int* out) {
    __shared__ int given;
    if (threadIdx.x >= 32) {
        given = 5;
        arrive_part(1, 64);
    } else {
        sync_part(1, 64);
        out[threadIdx.x] = given;
    }
}
"""
KERNELS = ("sum_in_cluster", "share_a_tile", "copy_line", "hand_over")


def right(kernels: EmulatedKernels, order: int) -> dict[str, bool]:
    """Which kernels give the right answer; one that is reported does not."""
    kernels.order = order
    found = {}
    for name in KERNELS:
        try:
            found[name] = globals()[f"run_{name}"](kernels[name])
        except KernelFault:
            found[name] = False
    return found


def run_sum_in_cluster(kernel) -> bool:
    x, out = torch.arange(4 * 64, dtype=torch.int32), torch.zeros(2, dtype=torch.int32)
    kernel(x, out, grid=4, block=64, cluster=2)
    return torch.equal(out, x.view(2, -1).sum(1).int())


def run_share_a_tile(kernel) -> bool:
    x, out = torch.randn(6, 32), torch.full((4 * 8, 32), 7.0)
    maps = [EmulatedCuda.tensor_map(one, box=(8, 32), swizzle="128B") for one in (x, out)]
    kernel(*maps, grid=4, block=32, shared=8 * 32 * 4, cluster=4)
    expected = torch.nn.functional.pad(x, (0, 0, 0, 2)).repeat(4, 1)  # zeros for rows that the tensor does not have
    return torch.equal(out, expected)


def run_copy_line(kernel) -> bool:
    x, out = torch.arange(100, dtype=torch.int32), torch.zeros(100, dtype=torch.int32)
    kernel(x, out, 100, grid=1, block=64, shared=400)
    return torch.equal(x, out)


def run_hand_over(kernel) -> bool:
    out = torch.zeros(32, dtype=torch.int32)
    kernel(out, grid=1, block=64)
    return bool((out == 5).all())


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("emulation")


def test_clusters_bulk_copies_stores_and_numbered_barriers_work(folder):
    kernels = EmulatedKernels(SOURCE, KERNELS, {}, folder)
    for order in ORDERS:
        assert right(kernels, order) == dict.fromkeys(KERNELS, True), order


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("sum_in_cluster", "    sync_cluster();  // parts are", "    // parts are"),
        ("share_a_tile", "        wait_for_all_stores_but<0>();\n", ""),
        ("share_a_tile", "8 * 32 * 4", "8 * 32 * 5"),
        ("copy_line", "    wait_for_phase(&full, 0);\n    for", "    for"),
        ("copy_line", "out[i] = line[i]", "line[i + 1] = 0, out[i] = line[i]"),
        ("copy_line", "load_line(line, x,", "load_line(line, x + 1,"),
        ("hand_over", "        sync_part(1, 64);\n", ""),
        ("hand_over", "        arrive_part(1, 64);\n", ""),
    ],
)
def test_a_kernel_that_breaks_a_rule_is_wrong_or_reported(name, old, new, folder):
    assert old in SOURCE
    kernels = EmulatedKernels(SOURCE.replace(old, new), KERNELS, {}, folder)
    found = [right(kernels, order) for order in ORDERS]
    assert not all(one[name] for one in found)
    assert all(one[other] for one in found for other in KERNELS if other != name)


def test_a_kernel_that_is_reported_says_why(folder):
    kernels = EmulatedKernels(SOURCE.replace("begin_barrier(&full, 1);", ""), KERNELS, {}, folder)
    with pytest.raises(KernelFault, match="initialised"):
        run_copy_line(kernels["copy_line"])
    without = SOURCE.replace("        load_line(line, x, count * 4, &full);\n", "")
    with pytest.raises(KernelFault, match="for ever"):
        run_copy_line(EmulatedKernels(without, KERNELS, {}, folder)["copy_line"])
