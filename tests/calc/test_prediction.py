"""The predicted ratio is that of the resource that takes longest, and is named with it."""

import pytest

from perfproof.calc.light import Fastest
from perfproof.calc.prediction import LAUNCH_SECONDS, predict, prediction_of
from perfproof.core.documents import Light, TargetResult, VariantResult

LAUNCHES = {"baseline_launches": 40.0, "launches": 1.0}
BYTES = {"baseline_bytes": 5.0, "bytes": 3.0}


def bound(seconds, by="memory"):
    return Fastest(seconds, by, "")


@pytest.mark.parametrize(
    ("cost", "words", "ratio"),
    [
        ({"predicted_optimized": 31.0, **LAUNCHES}, "31.0x", 31.0),
        ({"flops": 10.0, "bytes": 5.0, "optimized_bytes": 2.5}, "2.00x bytes", 2.0),
        (
            {"flops": 10.0, "baseline_flops": 40.0, "bytes": 5.0, "baseline_bytes": 10.0},
            "2.00x bytes, 4.00x flops",
            4.0,
        ),
        ({"flops": 10.0, "bytes": 5.0}, "the same work", 1.0),
        ({"flops": 10.0, "bytes": 5.0, "optimized_bytes": 10.0}, "0.50x bytes", 1.0),
        ({**BYTES, **LAUNCHES}, "40.0x launches", 40.0),
        ({**BYTES, "launches": 7.0}, "1.67x bytes", 5 / 3),
        ({**BYTES, "baseline_launches": 40.0}, "1.67x bytes", 5 / 3),
    ],
)
def test_without_ceilings_the_counts_predict(cost, words, ratio):
    found = predict(cost, "optimized")
    assert (found.words, found.ratio) == (words, pytest.approx(ratio))


@pytest.mark.parametrize("cost", [{}, {"samples": 8.0}, {"bytes": 0.0, "flops": -1.0}, {"bytes": float("nan")}])
def test_what_counts_nothing_predicts_nothing(cost):
    assert predict(cost, "optimized") is None


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (bound(5e-3), bound(3e-3), "1.67x bytes"),  # 40 launches are 200 µs
        (bound(5e-6), bound(3e-6), "40.0x launches"),
        (bound(1e-4), bound(1e-4), "2.00x launches to bytes"),
        (bound(8e-3, "compute"), bound(5e-4, "compute"), "16.0x flops"),
        (bound(8e-3, "compute"), bound(4e-3), "2.00x flops to bytes"),
    ],
)
def test_with_ceilings_the_longest_time_of_each_side_binds(before, after, words):
    cost = {**BYTES, **LAUNCHES, "flops": 7.0}
    assert predict(cost, "optimized", (before, after), LAUNCH_SECONDS).words == words


def test_where_the_cost_of_a_launch_is_not_known_a_pair_that_counts_them_says_that_they_bind():
    sides = (bound(5e-3), bound(3e-3))
    assert predict({**BYTES, **LAUNCHES}, "optimized", sides).words == "40.0x launches"
    assert predict({**BYTES, "launches": 3.0}, "optimized", sides).words == "1.67x bytes"


def test_the_same_work_at_the_same_rate_leaves_what_else_differs():
    sides = (bound(1e-3, "compute"), bound(1e-3, "compute"))
    assert predict({**BYTES, "flops": 9.0}, "optimized", sides).words == "1.67x bytes"
    assert predict({"bytes": 3.0, "flops": 9.0}, "optimized", sides).words == "the same work"


def test_what_binds_is_read_from_the_document():
    def measured(device, **lights):
        sides = {name: VariantResult(light=light) for name, light in lights.items()}
        return TargetResult(target="x", status="ok", device=device, cost={**BYTES, **LAUNCHES}, variants=sides)

    long = Light(fastest_seconds=1.0, bound="memory")
    assert prediction_of(measured("cuda:0", baseline=long, optimized=long), "optimized").words == "1.67x bytes"
    assert prediction_of(measured("cpu", baseline=long, optimized=long), "optimized").words == "40.0x launches"
    assert prediction_of(measured("cuda:0", baseline=long, optimized=Light()), "optimized").words == "40.0x launches"
    assert prediction_of(measured("cuda:0"), "optimized").words == "40.0x launches"
