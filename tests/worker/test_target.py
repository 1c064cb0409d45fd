"""What the worker does when it verifies: in which order, and what ends it early."""

from dataclasses import replace

from tests.conftest import SMALL

TINY = replace(SMALL, name="quick", launches=1, most_launches=1, couples=1, quads=10, most_quads=10)
PREPARED = """
    import torch
    from numpy.random import default_rng

    workload = dict(n=500)

    def inputs(n):
        return {drawn}

    def prepare_optimized(x):
        raise RuntimeError("prepared")

    def baseline(x):
        return x * 2

    def optimized(state, x):
        return x + x
"""


def test_equal_draws_are_refused_before_a_preparation_runs(run_pair):
    """The preparation would raise: it is reached only if the draws differ."""
    fixed = run_pair(PREPARED.format(drawn="default_rng(0).random(n)"), effort=TINY, own=True)
    assert fixed.status == "refused", fixed.reason
    assert "default_rng(0) makes every draw begin alike (" in fixed.reason
    drawn = run_pair(PREPARED.format(drawn="torch.randn(n)"), effort=TINY, own=True)
    assert drawn.status == "crashed" and "RuntimeError: prepared" in drawn.reason
