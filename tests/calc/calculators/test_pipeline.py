"""The bubble of a pipeline, worked by hand."""

import pytest

from perfproof.calc.calculators.pipeline import bubble, calculate, needed


@pytest.mark.parametrize(
    ("pp", "micro", "chunks", "share"), [(4, 4, 1, 3 / 7), (8, 32, 1, 7 / 39), (8, 32, 4, 7 / 135)]
)
def test_stages_wait_while_the_pipe_fills_and_drains(pp, micro, chunks, share):
    assert bubble(pp, micro, chunks) == pytest.approx(share)


def test_a_simulated_schedule_has_the_same_bubble():
    """GPipe with equal stages: the last stage starts after P - 1 slots and works for m."""
    pp, micro = 6, 10
    ends = [[stage + batch + 1 for batch in range(micro)] for stage in range(pp)]
    span = ends[-1][-1]
    assert bubble(pp, micro) == pytest.approx(1 - micro / span)


def test_one_stage_has_no_bubble_and_is_warned_of_nothing():
    answer = calculate(1, 1)
    assert (answer.get("bubble"), answer.get("slow_down"), answer.warnings) == (0, 1, ())


def test_the_micro_batches_that_are_needed_are_the_fewest():
    for pp, chunks in ((4, 1), (8, 2), (16, 1)):
        least = needed(pp, chunks, 0.1)
        assert bubble(pp, least, chunks) <= 0.1 + 1e-12 < bubble(pp, least - 1, chunks)


def test_fewer_micro_batches_than_stages_are_said():
    assert "never fill" in calculate(8, 4).warnings[0]
    assert calculate(8, 4, step_s=2).get("lost_per_step") == pytest.approx(2 * 7 / 11)
