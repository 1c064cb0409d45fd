"""Points from a saved run without counters: time and declared cost."""

from perfproof.calc.roofline_model import kernels_of
from perfproof.core.documents import Run, TargetResult, VariantResult

COST = {"flops": 268435456.0, "bytes": 268435456.0, "baseline_bytes": 2415919104.0}


def a_run(*targets):
    return Run(perfproof_version="0", run="r", started="now", targets=list(targets))


def a_target(cost=COST, status="ok", **fields):
    sides = {"baseline": VariantResult(times={"call": 8.65e-4}), "optimized": VariantResult(times={"call": 7.07e-5})}
    values = {"target": "ch07:rmsnorm_fusion", "cost": cost, "variants": sides, "sizes": {"dtype": "bfloat16"}}
    return TargetResult(status=status, **values | fields)


def test_every_side_is_a_point_with_its_own_bytes():
    (baseline, optimized), without = kernels_of(a_run(a_target()))
    assert (baseline.variant, baseline.bytes, baseline.seconds) == ("baseline", {"DRAM": 2415919104.0}, 8.65e-4)
    assert (optimized.bytes, optimized.work) == ({"DRAM": 268435456.0}, {"bf16": 268435456.0})
    assert {baseline.source, optimized.source} == {"model"} and baseline.group == optimized.group
    assert without == {}


def test_the_kernel_clock_is_preferred():
    sides = {"baseline": VariantResult(times={"latency": 3.0, "call": 2.0, "kernel": 1.0})}
    assert kernels_of(a_run(a_target(variants=sides)))[0][0].seconds == 1.0


def test_a_pair_without_bytes_is_named_with_the_reason():
    kernels, without = kernels_of(
        a_run(a_target(cost={"predicted_optimized": 2.0}), a_target(target="x", status="skipped"))
    )
    assert kernels == []
    assert without == {"ch07:rmsnorm_fusion": "its `cost` declares no bytes", "x": "it was skipped"}


def test_an_unknown_dtype_is_said_and_can_be_given():
    found = kernels_of(a_run(a_target(sizes={})))[0][0]
    assert found.work == {"": COST["flops"]} and "dtype unknown" in found.notes[0]
    assert kernels_of(a_run(a_target(sizes={})), "float32")[0][0].work == {"fp32": COST["flops"]}
    assert kernels_of(a_run(a_target()), "float32")[0][0].work == {"bf16": COST["flops"]}  # it names one


def test_a_side_without_a_time_is_unknown_not_zero():
    sides = {"baseline": VariantResult()}
    found = kernels_of(a_run(a_target(variants=sides)))[0][0]
    assert found.seconds is None and "time" in found.unknown
    assert kernels_of(a_run(a_target(cost={"bytes": 5.0})))[0][0].unknown["flops"] == "not in `cost`"


def test_a_cost_that_is_no_count_is_unknown():
    found = kernels_of(a_run(a_target(cost={"flops": float("nan"), "bytes": -1.0})))[0][0]
    assert found.flops is None and found.bytes == {} and set(found.unknown) == {"flops", "DRAM bytes"}
