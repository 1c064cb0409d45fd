"""Results beside the machine's limits: shares of ceilings, and rejection of what cannot be."""

import math
from dataclasses import replace

import pytest

from perfproof.bench.ceilings import NAME, Limits, hold_against_light, with_shares
from perfproof.core.ceilings import Ceiling, Ceilings
from perfproof.core.documents import RatioResult, Run, TargetResult, VariantResult
from perfproof.machine import datasheet

MB = 10**6


def ceilings(**rates):
    found = [
        Ceiling(name=name.replace("_", "/"), value=value, unit="bytes/s", low=value, high=value, repeats=3)
        for name, value in rates.items()
    ]
    return Ceilings(perfproof_version="0", fingerprint="f", kind="k", device="cpu", measured="now", ceilings=found)


def result(
    baseline=2e-3, optimized=1e-3, pool_bytes=900 * MB, constant=0, output=0, cache=60 * MB, dtype="float32", **cost
):
    return TargetResult(
        target="t",
        status="ok",
        verdict="faster",
        variants={
            side: VariantResult(times={"call": time})
            for side, time in (("baseline", baseline), ("optimized", optimized))
        },
        ratios={
            "optimized": RatioResult(
                verdict="faster", ratio=baseline / optimized, baseline=baseline, variant=optimized, clock="call"
            )
        },
        cost=cost or dict(bytes=4e9, flops=1e6),
        pool=dict(bytes=pool_bytes, constant_bytes=constant, output_bytes=output, cache_bytes=cache, dtype=dtype),
    )


H200 = Limits(ceilings(memory_copy=4.26e12, memory_write=4.68e12), datasheet.find("NVIDIA H200"), 1.98e9)


def test_a_side_is_shown_as_a_share_of_the_best_measured_memory():
    found = result()
    hold_against_light(found, H200, computes_in={})
    light = found.variants["optimized"].light
    assert (light.bound, light.ceiling) == ("memory", "memory/write")
    assert abs(light.share - 4e9 / 4.68e12 / 1e-3) < 1e-9
    assert found.status == "ok" and [check.result for check in found.checks if check.name == NAME] == ["pass"]


def test_a_gain_is_split_into_traffic_and_bandwidth():
    found = result(bytes=4e9, baseline_bytes=6e9)
    hold_against_light(found, H200, computes_in={})
    light = found.variants["optimized"].light
    assert (round(light.traffic_ratio, 6), round(light.bandwidth_ratio, 6)) == (1.5, round(2 / 1.5, 6))
    assert found.variants["baseline"].light.traffic_ratio is None


def test_an_impossible_time_is_rejected_with_the_arithmetic_and_no_ratio():
    found = result(optimized=0.5e-3)
    hold_against_light(found, H200, computes_in={})
    assert (found.status, found.verdict, found.ratios) == ("rejected", None, {})
    assert "speed of light: optimized: 4e+09 bytes in 500 µs are 8 TB/s" in found.reason


def test_a_constant_that_fits_the_cache_does_not_count_and_one_that_does_not_does():
    for constant, status in ((50 * MB, "ok"), (3600 * MB, "rejected")):
        found = result(optimized=0.824e-3, bytes=4e9, constant=constant)
        hold_against_light(found, H200, computes_in={})
        assert found.status == status, found.reason


def test_calls_that_rotate_inside_the_cache_say_nothing_about_memory():
    found = result(optimized=0.5e-3, pool_bytes=30 * MB)
    hold_against_light(found, H200, computes_in={})
    assert found.status == "ok" and found.variants["optimized"].light.share is None


def test_constants_beyond_the_cache_are_read_from_memory_however_few_the_other_values_are():
    """A decode step: a token, and gigabytes of weights."""
    found = result(pool_bytes=1 * MB, constant=2_000 * MB)
    hold_against_light(found, H200, computes_in={})
    assert found.variants["optimized"].light.bound == "memory" and found.variants["optimized"].light.share > 0.8


def test_without_a_data_sheet_a_quarter_above_the_best_measured_is_the_limit():
    limits = Limits(ceilings(memory_copy=1e12), cache_bytes=60 * MB)
    for seconds, status in ((3.3e-3, "ok"), (3.1e-3, "rejected")):
        found = result(baseline=8e-3, optimized=seconds, cache=None)
        hold_against_light(found, limits, computes_in={})
        assert found.status == status


def test_a_machine_of_which_nothing_is_known_rejects_nothing_and_says_so():
    found = result(optimized=1e-9)
    hold_against_light(found, Limits(None), computes_in={})
    (check,) = found.checks
    assert (found.status, check.result) == ("ok", "not-run") and "perfproof peak" in check.detail


def test_float32_products_may_use_tensor_cores_but_not_lower_precision_unless_it_is_declared():
    flops = dict(flops=0.6e12, bytes=1.0)  # 600 TFLOP/s: above tf32, below fp8
    for lowers, status in (("", "rejected"), ("fp8", "ok")):
        found = result(baseline=2e-2, **flops)
        hold_against_light(found, H200, computes_in={"optimized": lowers})
        assert found.status == status, found.reason


def test_each_side_is_held_against_the_arithmetic_it_says_it_uses():
    rates = ceilings(gemm_fp32=50e12, gemm_tf32=400e12, gemm_fp8=1600e12)
    limits = Limits(rates, datasheet.find("NVIDIA H200"), 1.98e9)
    for lowers, ceiling in (("tf32", "gemm/tf32"), ("fp8", "gemm/fp8"), ("", "gemm/fp32")):
        found = result(baseline=2e-2, optimized=2e-3, flops=0.6e12, bytes=1.0)
        hold_against_light(found, limits, computes_in={"optimized": lowers})
        assert found.variants["baseline"].light.ceiling == "gemm/fp32"
        assert found.variants["optimized"].light.ceiling == ceiling


def test_a_baseline_of_lower_precision_is_held_against_its_own_format():
    rates = Limits(ceilings(gemm_fp32=50e12, gemm_bf16=800e12), datasheet.find("NVIDIA H200"), 1.98e9)
    found = result(baseline=2e-3, optimized=1e-3, flops=0.6e12, bytes=1.0)
    hold_against_light(found, rates, computes_in={"baseline": "bf16", "optimized": "bf16"})
    assert found.status == "ok" and found.variants["baseline"].light.share == pytest.approx(0.375)


def test_a_time_that_the_declared_arithmetic_cannot_reach_is_rejected():
    for lowers, status in (("tf32", "rejected"), ("fp8", "ok")):
        found = result(baseline=2e-2, flops=0.6e12, bytes=1.0)
        hold_against_light(found, H200, computes_in={"optimized": lowers})
        assert found.status == status, found.reason


def test_a_pair_that_declares_no_traffic_is_left_alone():
    found = result(predicted_optimized=2.0)
    hold_against_light(found, H200, computes_in={})
    assert found.checks == [] and found.variants["optimized"].light is None


def test_a_side_that_has_no_time_is_neither_shown_nor_rejected():
    found = result(optimized=math.nan)
    hold_against_light(found, H200, computes_in={})
    assert found.status == "ok" and found.variants["optimized"].light is None


def test_a_little_more_than_the_cache_is_not_cold():
    for pool, status in ((70 * MB, "ok"), (130 * MB, "rejected")):
        found = result(optimized=0.5e-3, pool_bytes=pool)
        hold_against_light(found, H200, computes_in={})
        assert found.status == status, pool


def test_a_share_leaves_out_what_the_cache_must_have_held():
    found = result(optimized=0.84e-3, constant=40 * MB, bytes=4e9)
    hold_against_light(found, H200, computes_in={})
    assert found.status == "ok" and found.variants["optimized"].light.share <= 1.01
    assert found.variants["baseline"].light.share == pytest.approx(4e9 / 4.68e12 / 2e-3)


def test_arithmetic_whose_rate_was_not_measured_takes_the_share_away_where_it_may_be_the_limit():
    """At the data sheet's rate 1e12 operations in float32 take 15 ms at least, the bytes 0.9 ms."""
    bound, free = result(2e-1, 1e-1, bytes=4e9, flops=1e12), result(bytes=4e9, flops=1e6)
    for found in (bound, free):
        hold_against_light(found, H200, computes_in={})
    assert bound.variants["optimized"].light.share is None and free.variants["optimized"].light.share


def test_a_saved_run_is_held_against_ceilings_that_were_measured_since(monkeypatch):
    made = Run(
        perfproof_version="0",
        run="r",
        started="2025",
        machine={"fingerprint": "f", "device": "cuda:0"},
        targets=[result()],
    )
    monkeypatch.setattr("perfproof.bench.ceilings.read_limits", lambda machine: H200)
    assert with_shares(made, {}).targets[0].variants["optimized"].light.share == pytest.approx(4e9 / 4.68e12 / 1e-3)
    known = Run(perfproof_version="0", run="r", started="2025", targets=[result()])  # of a machine that is not known
    assert with_shares(known, {}).targets[0].variants["optimized"].light is None


def test_memory_whose_rate_was_not_measured_takes_the_share_away_where_it_may_be_the_limit():
    """The bytes of the first take 0.8 ms at the data sheet's rate, those of the second next to nothing."""
    products = Limits(ceilings(gemm_fp32_burst=5e13), datasheet.find("NVIDIA H200"), 1.98e9)
    bound, free = result(bytes=4e9, flops=1e9), result(2e-1, 1e-1, bytes=4e6, flops=1e12)
    for found in (bound, free):
        hold_against_light(found, products, computes_in={})
    assert bound.variants["optimized"].light.share is None and free.variants["optimized"].light.share
    inside = result(bytes=4e9, flops=1e9, pool_bytes=10 * MB)
    hold_against_light(inside, products, computes_in={})
    assert inside.variants["optimized"].light.share, "calls rotate inside the cache: memory is no limit"


def test_a_saved_run_is_held_against_later_ceilings_also_if_it_has_a_share(monkeypatch):
    made = Run(
        perfproof_version="0",
        run="r",
        started="2025",
        machine={"fingerprint": "f", "device": "cuda:0"},
        targets=[result()],
    )
    slow, fast = (replace(H200, ceilings=ceilings(memory_copy=rate)) for rate in (4.1e12, 4.5e12))
    for limits in (slow, fast):
        monkeypatch.setattr("perfproof.bench.ceilings.read_limits", lambda machine, limits=limits: limits)
        with_shares(made, {})
    assert made.targets[0].variants["optimized"].light.share == pytest.approx(4e9 / 4.5e12 / 1e-3)
