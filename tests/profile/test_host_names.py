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


def test_waits_are_calls_and_the_operators_around_them():
    assert all(map(is_wait, ("cudaStreamSynchronize", "cudaMemcpy", "aten::item", "cuCtxSynchronize")))
    assert not any(map(is_wait, ("cudaMemcpyAsync", "cudaLaunchKernel", "aten::add")))
