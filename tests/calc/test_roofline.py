"""The roofline's arithmetic, worked by hand: DRAM 4 TB/s, bf16 800 TFLOP/s, fp32 50 TFLOP/s. The ridge is at 200."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfproof.calc.roofline import dtype_name, place, ridge, roofs_of, roofs_of_sheet
from perfproof.core.ceilings import Ceiling, Ceilings
from perfproof.core.roofline import Kernel, Roof

ROOFS = [
    Roof(name="DRAM", kind="memory", value=4e12, unit="bytes/s", basis="measured", source="memory/copy"),
    Roof(name="L2", kind="memory", value=10e12, unit="bytes/s", basis="measured", source="l2/read"),
    Roof(name="bf16", kind="compute", value=800e12, unit="flop/s", basis="measured", source="gemm/bf16/burst"),
    Roof(name="fp32", kind="compute", value=50e12, unit="flop/s", basis="measured", source="gemm/fp32/burst"),
]


def kernel(flops=8e9, moved=4e9, seconds=2e-3, dtype="bf16", **fields):
    values = {"name": "k", "label": "k", "source": "counters", "seconds": seconds, "flops": flops}
    return Kernel(**values | {"work": {dtype: flops}, "bytes": {"DRAM": moved}} | fields)


def placed(one, tolerance=0.05, roofs=ROOFS):
    kernels, findings = place([one], roofs, tolerance)
    return kernels[0], findings


def test_a_kernel_left_of_the_ridge_is_limited_by_memory():
    found, findings = placed(kernel())
    assert found.intensity == {"DRAM": 2.0}
    assert found.limited_by == "DRAM" and found.of_roof == pytest.approx(0.5)
    assert found.attainable == pytest.approx(8e12)  # 4 TB/s times 2 FLOP/byte
    assert found.achieved == pytest.approx(4e12) and findings == []


def test_a_kernel_right_of_the_ridge_is_limited_by_compute():
    found, _ = placed(kernel(flops=8e12, moved=4e9, seconds=20e-3))
    assert found.limited_by == "bf16" and found.of_roof == pytest.approx(0.5)
    assert found.attainable == pytest.approx(800e12)
    assert ridge(800e12, 4e12) == 200


def test_an_inner_level_can_be_the_lowest_roof():
    found, _ = placed(kernel(bytes={"DRAM": 1e9, "L2": 16e9}))
    assert found.limited_by == "L2" and found.of_roof == pytest.approx(0.8)
    assert found.intensity["L2"] == pytest.approx(0.5)


def test_a_kernel_without_arithmetic_still_has_a_share_of_the_memory_roof():
    found, _ = placed(kernel(flops=0.0, moved=6e9))
    assert found.of_roof == pytest.approx(0.75) and found.attainable is None


def test_tensor_operations_add_up_and_vector_units_run_beside_them():
    roofs = [*ROOFS, Roof(name="fp8", kind="compute", value=1600e12, unit="flop/s", basis="measured", source="x")]
    found, _ = placed(kernel(flops=3e12, work={"bf16": 0.8e12, "fp8": 1.6e12, "fp32": 0.05e12}), roofs=roofs)
    shares = {limit.roof: limit.share for limit in found.limits}
    assert shares["fp32"] == pytest.approx(0.5)  # 1 ms of 2 ms
    assert max(shares.get("bf16", 0), shares.get("fp8", 0)) == pytest.approx(1.0)  # 1 ms + 1 ms


def test_a_kernel_of_unknown_dtype_is_held_against_the_fastest_roof():
    found, _ = placed(kernel(flops=8e12, seconds=20e-3, dtype=""))
    assert found.limited_by == "fastest dtype" and found.of_roof == pytest.approx(0.5)


def test_a_point_above_a_roof_is_a_counting_error():
    found, findings = placed(kernel(moved=12e9))
    assert found.of_roof == pytest.approx(1.5)
    assert [finding.level for finding in findings] == ["error"]
    assert findings[0].text == "k is at 1.50 times the DRAM roof: a counting error"


def test_the_tolerance_decides_what_is_above():
    assert placed(kernel(moved=8.3e9), tolerance=0.05)[1] == []
    assert len(placed(kernel(moved=8.3e9), tolerance=0.03)[1]) == 1


def test_a_model_above_the_memory_roof_may_have_read_a_cache():
    _, findings = placed(kernel(moved=12e9, source="model"))
    assert "a cache" in findings[0].text


def test_what_is_not_known_is_not_placed():
    found, findings = placed(kernel(seconds=None))
    assert found.of_roof is None and found.limits == [] and findings == []
    found, _ = placed(kernel(flops=None, work={}))
    assert found.achieved is None and found.limited_by == "DRAM"
    found, _ = placed(kernel(dtype="fp4", bytes={}))
    assert found.of_roof is None


def test_shares_of_time_are_of_one_program_and_the_longest_comes_first():
    kernels, _ = place([kernel(seconds=1.0), kernel(seconds=3.0), kernel(seconds=5.0, group="pair")], ROOFS, 0.05)
    assert [one.seconds for one in kernels] == [3.0, 1.0, 5.0]
    assert [one.share_of_time for one in kernels] == [0.75, 0.25, None]


def ceiling(name, value, unit, **fields):
    return Ceiling(name=name, value=value, unit=unit, low=value, high=value, repeats=3, **fields)


def test_roofs_are_the_best_measured_rates():
    found = roofs_of(
        Ceilings(
            perfproof_version="0",
            fingerprint="f",
            kind="k",
            device="cuda:0",
            measured="now",
            ceilings=[
                ceiling("memory/copy", 4.2e12, "bytes/s"),
                ceiling("memory/read", 4.3e12, "bytes/s"),
                ceiling("memory/write", 9e12, "bytes/s", finding="more than the data sheet"),
                ceiling("l2/read", 7e12, "bytes/s"),
                ceiling("shared/read", 30e12, "bytes/s"),
                ceiling("gemm/bf16/burst", 790e12, "flop/s"),
                ceiling("gemm/bf16/sustained", 670e12, "flop/s"),
                ceiling("gemm/float32/burst", 50e12, "flop/s"),
                ceiling("launch/latency", 3e-6, "s"),
                ceiling("host-to-device/pinned", 55e9, "bytes/s"),
            ],
        )
    )
    assert [(roof.name, roof.source) for roof in found] == [
        ("DRAM", "memory/read"),
        ("L2", "l2/read"),
        ("shared memory", "shared/read"),
        ("bf16", "gemm/bf16/burst"),
        ("fp32", "gemm/float32/burst"),
    ]


def test_a_sheet_gives_roofs_with_its_name():
    found = roofs_of_sheet(4.8e12, {"bf16": 989e12, "fp32": 67e12}, "H200 data sheet")
    assert {roof.basis for roof in found} == {"sheet"} and found[0].source == "H200 data sheet"


@pytest.mark.parametrize("text", ["bf16", "BF16", "bfloat16", "torch.bfloat16"])
def test_a_dtype_has_one_name(text):
    assert dtype_name(text) == "bf16"


@given(st.floats(1e3, 1e18), st.floats(1, 1e15), st.floats(1e-9, 1e3))
def test_the_two_ways_to_write_the_roofline_agree(flops, moved, seconds):
    found, _ = placed(kernel(flops=flops, moved=moved, seconds=seconds))
    attainable = min(800e12, 4e12 * flops / moved)
    assert found.attainable == pytest.approx(attainable, rel=1e-9)
    assert found.of_roof == pytest.approx(flops / seconds / attainable, rel=1e-9)
