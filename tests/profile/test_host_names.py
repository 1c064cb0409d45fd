"""What a name says of the host."""

import pytest

from perfproof.profile.host_names import is_input, is_wait


@pytest.mark.parametrize(
    "name",
    ["enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", "next_batch", "data_loading", "train/load_batch 3"],
)
def test_these_wait_for_input(name):
    assert is_input(name)


@pytest.mark.parametrize("name", ["step", "batch_norm", "aten::native_batch_norm", "dataloaders_are_nice", "forward"])
def test_these_do_not(name):
    assert not is_input(name)


@pytest.mark.parametrize(
    "name",
    [
        "cudaMemcpy_v3020",
        "cudaMemcpy_ptds_v7000",
        "cudaMemcpy2D_v3020",
        "cudaMemcpyToSymbol_v3020",
        "cudaMemcpyFromSymbol_ptds_v7000",
        "cudaDeviceSynchronize_v3020",
        "cuMemcpyDtoH_v2",
        "cuMemcpyDtoH_v2_ptds",
    ],
)
def test_a_wait_is_known_with_the_version_that_nsys_writes_into_its_name(name):
    assert is_wait(name)


@pytest.mark.parametrize("name", ["cudaMemcpyAsync_v3020", "cudaMemcpyAsync_ptsz_v7000", "cuMemcpyDtoHAsync_v2"])
def test_a_call_that_only_queues_a_copy_is_no_wait(name):
    assert not is_wait(name)


def test_a_strangers_endless_name_is_no_call():
    assert not is_wait("cuda" + "Synchronize_" * 100_000 + "!")  # hours, where all of it is looked at


def test_waits_are_calls_and_the_operators_around_them():
    assert all(map(is_wait, ("cudaStreamSynchronize", "cudaMemcpy", "aten::item", "cuCtxSynchronize")))
    assert not any(map(is_wait, ("cudaMemcpyAsync", "cudaLaunchKernel", "aten::add")))
