"""The rows of a run's document: the times that divide to its ratio, and what they are."""

import json

from perfproof.core.documents import Memory, VariantResult
from perfproof.history.folders import document_text
from perfproof.history.index.rows import entry_of
from tests.history.measured_runs import judged, run, target


def results(*targets):
    return entry_of(json.loads(document_text(run(*targets)))).results


def test_times_are_those_of_the_ratio_and_each_variant_has_its_own_baseline():
    ratios = {"optimized": judged(2.0, seconds=3e-3), "optimized_b": judged(4.0, seconds=8e-3)}
    rows = results(target(ratios=ratios, seconds=9.0))
    assert [(row["baseline_seconds"], row["variant_seconds"]) for row in rows] == [(3e-3, 1.5e-3), (8e-3, 2e-3)]
    assert {row["statistic"] for row in rows} == {"mean"}


def test_an_older_document_has_the_medians_of_its_sides_in_a_series_of_their_own():
    (row,) = results(target(ratios={"optimized": judged(2.0, seconds=None)}, seconds=4e-3))
    assert (row["baseline_seconds"], row["variant_seconds"], row["statistic"]) == (4e-3, 2e-3, "median")


def test_figures_that_are_no_times_are_not_taken_for_some():
    sides = {
        name: VariantResult(
            times={"call": 1e-3}, memory=Memory(peak_bytes=2**20, processes=3, exact=True, counter="allocator")
        )
        for name in ("baseline", "optimized")
    }
    memory = judged(2.0, claim="memory", seconds=2.0**21)
    (row,) = results(target(ratios={"optimized": memory}, variants=sides))
    assert (row["baseline_seconds"], row["variant_seconds"], row["statistic"]) == (1e-3, 1e-3, "median")
