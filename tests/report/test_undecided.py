"""What an undecided comparison still needs, in words."""

import pytest

from perfproof.report.undecided import needs_text, rough, suffices
from tests.report.sample_runs import SAME, judged


def undecided(more, seconds=None, **fields):
    return judged("inconclusive", 1.02, 0.97, 1.07, more_launches=more, more_seconds=seconds, **fields)


def test_only_an_undecided_comparison_needs_more():
    assert needs_text(SAME) == "" and needs_text(undecided(None)) == ""


def test_blocks_of_runs_are_those_of_programs():
    assert needs_text(undecided(7)) == "needs 7 more launches"
    assert needs_text(undecided(7, 41.0, rung="programs")) == "needs 7 more blocks of runs, about 40 s"


@pytest.mark.parametrize("rung", ["programs", "corrected"])
def test_more_than_the_largest_effort_has_calls_for_less_noise(rung):
    said = needs_text(undecided(3959, 612934.0, rung=rung))
    assert "too noisy" in said and "170 hours" in said and "quieter machine" in said


def test_a_larger_effort_has_more_runs_in_a_block_if_they_are_short():
    """32 blocks of a second hold 64 of half a second, and 32 of two seconds."""
    assert suffices("standard", undecided(50, 25.0, launches=5, rung="programs"))
    assert not suffices("standard", undecided(50, 100.0, launches=5, rung="programs"))


@pytest.mark.parametrize(
    ("seconds", "text"), [(3, "10 s"), (41, "40 s"), (150, "2 min"), (3601, "60 min"), (9000, "2 hours")]
)
def test_a_guess_has_few_digits(seconds, text):
    assert rough(seconds) == text
