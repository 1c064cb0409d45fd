"""A stored result judged by another delta: only the words that follow from delta change."""

import pytest

from perfproof.core.documents import RatioResult
from perfproof.stats.judged_again import with_delta
from perfproof.stats.judgement import Judgement
from perfproof.stats.memory import judge_memory
from perfproof.stats.verdicts import judge

QUIET = [0.0012, -0.0021, 0.0009, 0.0004, -0.0013, 0.0017, -0.0008, 0.0011]
SLOWER = [unit - 0.02 for unit in QUIET]
NOISY = [10 * unit for unit in QUIET]


def stored(judgement: Judgement) -> RatioResult:
    return RatioResult(**judgement.fields(), launches=8)


@pytest.mark.parametrize("units", [QUIET, SLOWER, NOISY], ids=["quiet", "slower", "noisy"])
@pytest.mark.parametrize("bias", [0.0, 0.004])
@pytest.mark.parametrize("delta", [0.003, 0.01, 0.03, 0.05])
def test_it_is_what_would_have_been_said_with_that_delta(units, bias, delta):
    first = stored(judge(units, beta=0.002, delta=0.01, level=0.985, bias=bias))
    again, direct = with_delta(first, delta), stored(judge(units, beta=0.002, delta=delta, level=0.985, bias=bias))
    assert again.model_dump(exclude={"bound"}) == direct.model_dump(exclude={"bound"})
    assert again.bound == pytest.approx(direct.bound)


def test_a_doubt_about_the_measurement_stays():
    unstable = stored(judge(QUIET, beta=0.002, invalid_share=0.5))
    few = stored(judge(QUIET[:3], beta=0.002))
    for one in (unstable, few):
        again = with_delta(one, 0.2)
        assert (again.verdict, again.note, again.delta) == (one.verdict, one.note, 0.2)


def test_exact_memory_has_a_difference_that_matters_or_not():
    worse = stored(judge_memory([1000, 1000, 1000], [1020, 1020, 1020], 1))
    assert (worse.verdict, worse.size) == ("worse", "material")
    assert (with_delta(worse, 0.05).verdict, with_delta(worse, 0.05).size) == ("worse", "small")


def test_time_that_is_still_needed_is_that_of_the_same_launches():
    first = stored(judge(NOISY, beta=0.002, delta=0.01)).model_copy(update={"more_seconds": 30.0})
    again = with_delta(first, 0.008)
    assert again.more_seconds == pytest.approx(30.0 * again.more_launches / first.more_launches)
