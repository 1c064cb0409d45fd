"""The two figures of a ratio, and where they come from in a document that does not store them."""

import pytest

from perfproof.core.documents import Memory, RatioResult, TargetResult, VariantResult
from perfproof.core.ratio_figures import ratio_figures, seconds_of, side_figure

SIDE = VariantResult(
    times={"call": 2e-3, "kernel": 1e-3},
    memory=Memory(peak_bytes=4096, processes=3, exact=True, counter="allocator"),
    energy_joules=0.5,
    startup_seconds=3.0,
    metrics={"loss": 2.5},
)


def measured(**ratios):
    sides = dict.fromkeys(("baseline", *ratios), SIDE)
    return TargetResult(target="x", status="ok", variants=sides, ratios=ratios)


def ratio(before=None, after=None, **fields):
    return RatioResult(verdict="faster", ratio=2.0, baseline=before, variant=after, **fields)


def test_every_ratio_has_its_own_figures():
    target = measured(optimized=ratio(4.0, 2.0), optimized_b=ratio(6.0, 3.0))
    assert ratio_figures(target, "optimized") == (4.0, 2.0)
    assert ratio_figures(target, "optimized_b") == (6.0, 3.0)
    assert ratio_figures(target, "optimized", ratio(8.0, 4.0, claim="memory")) == (8.0, 4.0)


def test_half_a_pair_of_figures_is_none():
    assert ratio_figures(measured(optimized=ratio(4.0, None)), "optimized") == (2e-3, 2e-3)


@pytest.mark.parametrize(
    ("fields", "figure"),
    [
        ({"clock": "kernel"}, 1e-3),
        ({"clock": "latency"}, None),
        ({"claim": "memory"}, 4096),
        ({"claim": "energy"}, 0.5),
        ({"claim": "startup"}, 3.0),
        ({"claim": "metric", "clock": "loss"}, 2.5),
        ({"claim": "metric", "clock": "tokens"}, None),
    ],
)
def test_without_figures_the_sides_say_it(fields, figure):
    assert side_figure(SIDE, ratio(**fields)) == figure
    assert ratio_figures(measured(optimized=ratio(**fields)), "optimized") == (figure, figure)
    assert ratio_figures(TargetResult(target="x", status="ok", ratios={"y": ratio(**fields)}), "y") == (None, None)


def test_the_time_of_a_side_is_that_of_its_ratio_if_the_ratio_is_of_times():
    target = measured(optimized=ratio(4.0, 2.0), optimized_b=ratio(6.0, 3.0))
    assert [seconds_of(target, side) for side in target.variants] == [4.0, 2.0, 3.0]
    assert seconds_of(target, "baseline", "optimized_b") == 6.0
    assert seconds_of(target, "nobody") is None
    assert seconds_of(measured(optimized=ratio(8192.0, 4096.0, claim="memory")), "optimized") == 2e-3
    assert seconds_of(measured(optimized=ratio()), "baseline") == 2e-3
    assert seconds_of(measured(), "baseline") == 2e-3


def test_a_side_whose_samples_were_all_left_out_has_no_time():
    lost = TargetResult(target="x", status="ok", variants={"baseline": VariantResult(times={"call": float("nan")})})
    assert seconds_of(lost, "baseline") is None
