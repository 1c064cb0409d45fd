"""Results of equal values that a program cannot use as it uses the baseline's are named."""

import mmap

import numpy
import pytest
import torch

from perfproof.worker.verify import usable_results
from perfproof.worker.verify.case import Contract

CONTRACT = Contract(names=("x",), constant=(), mutates=(), tolerance={}, lowers_precision="", device="cpu")


def said(baseline, optimized, value):
    return usable_results.check(CONTRACT, dict(baseline=baseline, optimized=optimized), (value,))


def copied(data):
    return numpy.frombuffer(data, dtype=numpy.uint8).copy()


def read_mapped(path, access):
    with open(path, "r+b") as file:
        return numpy.frombuffer(mmap.mmap(file.fileno(), 0, access=access))


def test_memory_that_cannot_be_written_is_named_unless_the_baseline_s_cannot_either():
    def viewed(data):
        return numpy.frombuffer(data, dtype=numpy.uint8)

    assert ["cannot be written" in line for line in said(copied, viewed, b"0123456789")] == [True]
    assert said(viewed, viewed, b"0123456789") == []
    assert said(copied, lambda data: numpy.array(bytearray(data)), b"0123456789") == []


def test_memory_that_is_mapped_from_a_file_is_named_and_a_copy_of_it_is_not(tmp_path):
    numpy.arange(4096.0).tofile(tmp_path / "numbers")
    path = str(tmp_path / "numbers")
    lines = said(numpy.fromfile, lambda one: read_mapped(one, mmap.ACCESS_COPY), path)
    assert ["mapped from a file" in line for line in lines] == [True]
    lines = said(lambda one: torch.from_numpy(numpy.fromfile(one)), lambda one: torch.from_file(one, size=1024), path)
    assert ["mapped from a file" in line for line in lines] == [True]
    assert said(numpy.fromfile, lambda one: read_mapped(one, mmap.ACCESS_READ).copy(), path) == []


def test_memory_that_processes_share_is_not_mapped_from_a_file():
    assert said(torch.clone, lambda x: x.clone().share_memory_(), torch.ones(1 << 16)) == []


def one_set_for_all(x):
    shared = {1}
    return {key: shared for key in x}  # noqa: C420 - it is what the attack does


@pytest.mark.parametrize(
    ("baseline", "optimized"),
    [
        (lambda x: [list(x) for _ in range(4)], lambda x: [list(x)] * 4),
        (lambda x: {key: {1} for key in x}, one_set_for_all),
        (lambda x: [numpy.ones(2) for _ in x], lambda x: [numpy.ones(2)] * len(x)),
        (lambda x: (torch.ones(2), torch.ones(2)), lambda x: (torch.ones(2),) * 2),
    ],
)
def test_one_thing_in_several_places_is_named(baseline, optimized):
    assert ["in several places" in line for line in said(baseline, optimized, [1, 2, 3])] == [True]
    assert said(optimized, optimized, [1, 2, 3]) == []


@pytest.mark.parametrize(
    "optimized",
    [
        lambda x: list(torch.ones(3, 2).unbind()),  # parts of one memory
        lambda x: list(torch.ones(2, 3).unbind(1)),  # that lie between each other
        lambda x: list(numpy.ones((3, 2))),
        lambda x: [(1, 2)] * 3,  # what cannot be changed may be shared
        lambda x: [numpy.empty(0)] * 3,
    ],
)
def test_different_parts_of_one_memory_may_be_returned(optimized):
    assert said(lambda x: [torch.ones(2) for _ in x], optimized, [1, 2, 3]) == []


def test_whole_numbers_of_numpy_are_named_and_its_floats_are_not():
    whole, real = numpy.arange(3), numpy.ones(3)
    assert ["of NumPy" in line for line in said(lambda x: x.tolist(), list, whole)] == [True]
    assert ["of NumPy" in line for line in said(lambda x: bool(x.any()), lambda x: x.any(), whole)] == [True]
    assert said(lambda x: x.tolist(), list, real) == []
    assert said(list, list, whole) == []


def in_single(x):
    return float(x.astype("float32").mean())


def test_doubles_that_all_were_rounded_to_float32_are_named():
    x = numpy.random.rand(100)
    single = said(lambda x: x * 1.1, lambda x: (x * 1.1).astype(numpy.float32).astype(float), x)
    assert ["rounded to float32" in line for line in single] == [True]
    assert said(lambda x: x * 1.1, lambda x: 1.1 * x, x) == []
    assert said(lambda x: numpy.rint(9 * x) / 4, lambda x: numpy.rint(x * 9) / 4, x) == [], "few bits say nothing"


def test_numbers_that_were_rounded_to_float32_are_named():
    x = numpy.linspace(0.1, 0.8, 1000) ** 2
    assert ["rounded to float32" in line for line in said(lambda x: float(x.mean()), in_single, x)] == [True]
    scored = said(lambda x: {"mean": x.mean().item(), "n": 3}, lambda x: {"mean": in_single(x), "n": 3}, x)
    assert ["rounded to float32" in line for line in scored] == [True]


@pytest.mark.parametrize(
    ("baseline", "optimized"),
    [
        (in_single, lambda x: float(torch.from_numpy(x).float().mean())),  # both in float32
        (lambda x: float(x.sum()), lambda x: float(numpy.dot(x, numpy.ones(len(x))))),
        (lambda x: x.max().item() + 0.1, lambda x: 0.25),  # a number of few bits is one of every format
        (lambda x: x.mean().item(), lambda x: float("nan")),
    ],
    ids=["both", "double", "few bits", "nan"],
)
def test_numbers_of_double_precision_and_of_few_bits_are_not_named(baseline, optimized):
    assert said(baseline, optimized, numpy.linspace(0.1, 0.8, 1000) ** 2) == []


def test_a_side_that_raises_says_nothing():
    def raises(x):
        raise ValueError("no")

    assert said(raises, lambda x: [x] * 2, [1]) == said(lambda x: [x], raises, [1]) == []
