"""The first pair with a CUDA source: its kernels are compiled by tests/cuda, run here where there is a GPU."""

import pytest
import torch

from perfproof.pairs.contract import read_pair
from tests.chapters.loaded_pair import CHAPTERS, LoadedPair, wrong_answers

NAME = "ch07_memory_access/coalesced_copy"
COUNTS = [1, 31, 32, 33, 8191, 8192, 8193, 1_000_003]  # around a thread's share and a block's


def test_the_pair_is_its_python_file_and_its_cu():
    pair = read_pair(CHAPTERS / f"{NAME}.py", "ch07:coalesced_copy", "ch07")
    assert [file.name for file in pair.kernel_files] == ["coalesced_copy.cu"]
    assert pair.needs == {"cuda": 8.0} and pair.variants == ("optimized", "optimized_torch")


def test_loading_the_file_compiles_nothing(monkeypatch, tmp_path):
    monkeypatch.setenv("PERFPROOF_CACHE", str(tmp_path))
    LoadedPair(NAME)
    assert list(tmp_path.iterdir()) == []


def test_the_side_in_plain_torch_agrees_with_the_reference():
    pair = LoadedPair(NAME)
    for count in COUNTS:
        x = pair.module.inputs(count)
        copied = pair.module.optimized_torch(x)
        assert torch.equal(copied.double(), pair.module.reference(x)) and copied.data_ptr() != x.data_ptr()


def test_no_wrong_answer_equals_the_right_one():
    x = LoadedPair(NAME).module.inputs(8193)
    for what, answer in wrong_answers(x.double(), [], x.dtype).items():
        assert not torch.equal(answer, x), what


def test_every_side_moves_the_same_bytes():
    assert LoadedPair(NAME).module.cost(count=2**26) == dict(flops=0, bytes=2**29)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="CUDA kernels need a GPU")
def test_the_kernels_copy_every_element_and_write_no_other():
    pair = LoadedPair(NAME)
    for count in COUNTS:
        x = torch.randn(count, device="cuda")
        for side in pair.sides:
            assert torch.equal(getattr(pair.module, side)(x), x), (side, count)
        for kernel in (pair.module.kernels.copy_chunks, pair.module.kernels.copy_coalesced):
            out = torch.full((count + 64,), 7.0, device="cuda")
            kernel(x, out, count, grid=-(-count // 8192) + 2, block=256)
            assert torch.equal(out[:count], x) and bool((out[count:] == 7).all()), (kernel.name, count)
