"""The table of two runs, where a mark and an interval seem to disagree."""

from perfproof.core.run_comparison import Change, ComparedRow, RunComparison
from perfproof.report.comparison_table import render


def table(*changes):
    rows = [
        ComparedRow(
            target=f"t{at}", state="compared", speed_up=Change(ratio=ratio, low=low, high=high), verdict="no difference"
        )
        for at, (ratio, low, high) in enumerate(changes)
    ]
    return render(RunComparison(a="A", b="B", rows=rows))


def test_an_interval_that_leaves_out_one_without_a_mark_is_explained():
    assert "corrected for 2 comparisons" in table((0.96, 0.927, 0.994), (1.0, 0.98, 1.02))


def test_nothing_is_explained_where_nothing_disagrees():
    assert "corrected" not in table((0.99, 0.97, 1.01), (1.0, 0.98, 1.02))
