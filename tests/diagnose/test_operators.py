"""Bytes and operations from shapes, worked by hand."""

import pytest

from perfproof.core.ceilings import Ceiling, Ceilings
from perfproof.diagnose.operators import Work, roofs_of, used_on_device, work_of
from tests.diagnose.shapes import H200, with_operator


def args(dims, *types):
    return {"Input Dims": dims, "Input type": list(types)}


@pytest.mark.parametrize(
    ("name", "given", "work"),
    [
        ("aten::mm", args([[2, 3], [3, 5]], "float", "float"), Work("fp32", 60, 4 * (6 + 15 + 10))),
        ("aten::bmm", args([[7, 2, 3], [7, 3, 5]], "double", "double"), Work("fp64", 420, 7 * 8 * 31)),
        ("aten::addmm", args([[5], [2, 3], [3, 5]], *["c10::Half"] * 3), Work("fp16", 60, 2 * 31)),
        ("aten::add", args([[10], [10], []], "float", "float", "Scalar"), Work("fp32", 10, 120)),
        ("aten::add", args([[8, 10], [10]], "c10::BFloat16", "c10::BFloat16"), Work("bf16", 80, 2 * (80 + 10 + 80))),
        ("aten::copy_", args([[10], [10]], "float", "double"), Work("fp32", 10, 10 * 8 + 10 * 4)),
        ("aten::sum", args([[100]], "float"), Work("fp32", 100, 400)),
    ],
)
def test_every_input_is_read_once_and_every_output_written_once(name, given, work):
    assert work_of(name, given) == work


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("aten::add", {}),
        ("aten::embedding", args([[1000, 8], [4]], "float", "long int")),
        ("aten::mm", args([[2, 3]], "float")),
        ("aten::mm", args([[], []], "float", "float")),
        ("aten::add", args([[[1], [2]], [1]], "TensorList", "Scalar")),
        ("aten::add", {"Input Dims": "no list", "Input type": 3}),
        ("aten::add", args([["x"], [-1]], "float", "float")),
    ],
)
def test_what_shapes_do_not_tell_is_not_guessed(name, given):
    assert work_of(name, given) is None


def test_calls_at_one_shape_are_added_up():
    trace = with_operator("aten::add", [[1000], [1000]], "float", 10, calls=3).traces[0]
    (used,) = used_on_device(trace)
    assert used.calls == 6 and used.time_ns == 60_000 and used.work.bytes == 6 * 12_000  # two steady steps
    assert used.bytes_per_second == pytest.approx(1.2e9)


def test_measured_ceilings_of_a_gpu_come_before_the_data_sheet():
    rates = {"memory/copy": "bytes/s", "gemm/bf16/burst": "flop/s", "gemm/bf16/sustained": "flop/s"}
    found = [
        Ceiling(name=name, value=value, unit=unit, low=value, high=value, repeats=3)
        for (name, unit), value in zip(rates.items(), (4e12, 8e14, 7e14), strict=True)
    ]
    given = {"perfproof_version": "0", "fingerprint": "f", "kind": "k", "measured": "now", "ceilings": found}
    trace = with_operator("aten::add", [[1], [1]], "float", 10, about=H200).traces[0]
    measured = roofs_of(trace, Ceilings(device="cuda:0", **given))
    assert (measured.source, measured.bytes_per_second, measured.flops) == ("measured", 4e12, {"bf16": 8e14})
    assert roofs_of(trace, Ceilings(device="cpu", **given)).source.startswith("data sheet")
