"""What a reader is told about ranks: one line beside the verdict, whatever the number of variants."""

from perfproof.core.documents import Ranks, RankTimes, RatioResult, TargetResult, VariantResult
from perfproof.report.rows import target_rows


def target(**changes):
    uneven = RankTimes(spread=0.25, straggler=1, straggler_share=0.8)
    even = RankTimes(spread=0.001, straggler=0, straggler_share=0.5)
    sides = {"baseline": even, "optimized": uneven, "optimized_b": even}
    found = dict(
        target="ch04:x",
        status="ok",
        variants={name: VariantResult(times={"call": 1.0}, ranks=ranks) for name, ranks in sides.items()},
        ratios={name: RatioResult(verdict="same", ratio=1.0) for name in ("optimized", "optimized_b")},
        ranks=Ranks(count=2, backend="gloo", threads=1, cpus=[[0], [1]], skew_seconds=1.2e-6),
    )
    return TargetResult(**{**found, **changes})


def test_the_ranks_are_described_once_and_by_side():
    first, second = target_rows(target())
    (note,) = first.notes
    assert note.startswith("2 gloo ranks, the slowest is the time: baseline 0.1 % apart (rank 0 last in 50 %)")
    assert "optimized 25.0 % apart (rank 1 last in 80 %)" in note
    assert note.endswith("they start 1.20 µs apart")
    assert second.notes == ()


def test_a_pair_in_one_process_says_nothing_of_ranks():
    assert all(row.notes == () for row in target_rows(target(ranks=None)))
