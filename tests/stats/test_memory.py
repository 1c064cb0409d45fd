import math
import random
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfproof.stats.memory import exact, judge_memory, judge_startup, welch

MIB = 2**20


# exact


def test_processes_that_agree_give_an_exact_ratio_without_an_interval():
    found = judge_memory([64 * MIB] * 3, [16 * MIB] * 3, quantum=512)
    assert (found.verdict, found.size, found.ratio) == ("better", "material", 4.0)
    assert (found.low, found.high) == (None, None)
    assert found.note == "exact, 3 of 3 processes"


def test_more_memory_is_worse():
    found = judge_memory([16 * MIB] * 3, [64 * MIB] * 3, quantum=512)
    assert (found.verdict, found.ratio) == ("worse", 0.25)


def test_agreement_is_up_to_the_quantum():
    assert exact([1000, 1512], 512) and not exact([1000, 1513], 512)
    assert judge_memory([64 * MIB, 64 * MIB + 512, 64 * MIB], [64 * MIB] * 3, quantum=512).verdict == "same"


def test_a_real_difference_below_delta_is_small():
    found = judge_memory([100 * MIB] * 3, [100 * MIB - 4096] * 3, quantum=512)
    assert (found.verdict, found.size) == ("better", "small")


def test_same_is_bounded_by_the_quantum():
    found = judge_memory([MIB] * 3, [MIB + 512] * 3, quantum=512)
    assert (found.verdict, found.bound) == ("same", 512 / MIB)


def test_a_difference_within_the_quantum_that_would_matter_is_not_called_same():
    found = judge_memory([1024] * 3, [1536] * 3, quantum=512)
    assert found.verdict == "inconclusive"
    assert "quantum" in found.note


def test_fewer_than_three_processes_are_indicative():
    assert judge_memory([64 * MIB] * 2, [16 * MIB] * 3, quantum=512).verdict == "indicative"


@pytest.mark.parametrize(
    ("a", "b", "verdict", "size"),
    [(0, 0, "same", None), (0, 512, "same", None), (0, 513, "worse", "material"), (MIB, 0, "better", "material")],
)
def test_a_side_without_memory_has_no_ratio_and_is_judged_by_the_difference(a, b, verdict, size):
    found = judge_memory([a] * 3, [b] * 3, quantum=512)
    assert (found.ratio, found.verdict, found.size) == (None, verdict, size)


# by Welch


def test_welch_worked_by_hand():
    """Means 3 and 6, variances 2.5 and 10 over five: error sqrt(.5 + 2), df 2.5^2 / (.5^2/4 + 2^2/4) = 5.882."""
    found, freedom = welch([1, 2, 3, 4, 5], [2, 4, 6, 8, 10], 0.95)
    assert found.theta == pytest.approx(-3.0)
    assert freedom == pytest.approx(5.88235, rel=1e-5)
    assert found.half_width == pytest.approx(2.4589 * math.sqrt(2.5), rel=1e-3)
    assert (found.sd, found.n) == (pytest.approx(math.sqrt(12.5)), 5)


def test_processes_that_differ_are_judged_by_their_logs():
    a = [100 * MIB, 101 * MIB, 102 * MIB, 103 * MIB, 104 * MIB]
    found = judge_memory(a, [value // 2 for value in a], quantum=4096)
    assert (found.verdict, found.size) == ("better", "material")
    assert found.ratio == pytest.approx(2.0)
    assert found.low < 2.0 < found.high
    assert found.beta == pytest.approx(4096 / (50 * MIB))


def test_processes_that_differ_need_five_a_side():
    found = judge_memory([100 * MIB, 101 * MIB, 102 * MIB], [50 * MIB] * 5, quantum=4096)
    assert found.verdict == "indicative"
    assert found.note == "3 processes per side: an interval needs 5"
    assert (found.low, found.high) == (None, None)
    assert found.ratio == pytest.approx(2.02, abs=0.01)


def test_differing_processes_without_a_clear_difference_are_inconclusive():
    found = judge_memory([100 * MIB, 110 * MIB, 120 * MIB, 90 * MIB, 95 * MIB], [100 * MIB] * 5, quantum=4096)
    assert found.verdict == "inconclusive"
    assert found.more_launches > 0


# by the difference in bytes


@pytest.mark.parametrize(
    ("a", "b", "verdict"),
    [
        ([9000, 0, 9000, 8500, 8800], [90_000, 90_500, 91_000, 90_000, 99_000], "worse"),
        ([0, 600, 0, 600, 0, 600, 0], [0, 600, 0, 600, 0, 0, 600], "same"),
        ([0, 90_000, 0, 90_000, 0], [0, 90_000, 90_000, 0, 90_000], "inconclusive"),
        ([0, 9000, 0, 9000], [90_000] * 5, "indicative"),
    ],
)
def test_differing_processes_of_which_some_hold_nothing_are_judged_in_bytes(a, b, verdict):
    found = judge_memory(a, b, quantum=512)
    assert found.verdict == verdict
    assert found.ratio == pytest.approx(fmean(a) / fmean(b)), "the quotient of the two means that are shown"
    assert (found.low, found.high, found.bound) == (None, None, None), "there is no interval of a ratio"


def test_a_side_below_sixteen_quanta_in_any_process_is_judged_in_bytes():
    """At 4 KiB a quantum, 15 pages that come and go are a large ratio and a small amount."""
    few = judge_memory([4096 * pages for pages in (15, 17, 19, 17, 16)], [40 * MIB] * 5, quantum=4096)
    many = judge_memory([4096 * pages for pages in (16, 18, 20, 18, 17)], [40 * MIB] * 5, quantum=4096)
    assert "judged by the difference of -41,874,227 bytes" in few.note and few.low is None
    assert many.note == "" and many.low is not None
    assert few.verdict == many.verdict == "worse"


def test_one_page_more_in_some_processes_is_no_difference_of_a_small_side():
    page = 4096
    found = judge_memory([2 * page, 4 * page, 2 * page] * 4, [3 * page, 2 * page, 4 * page] * 4, quantum=page)
    assert found.verdict not in ("better", "worse")


def test_equal_small_sides_are_rarely_called_different():
    rng = random.Random(3)
    page, words = 4096, []
    for _ in range(1000):
        a, b = ([page * rng.randint(0, 6) for _ in range(5)] for _ in range(2))
        words.append(judge_memory(a, b, quantum=page).verdict)
    assert sum(word in ("better", "worse") for word in words) <= 50


# the two figures


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([64 * MIB] * 3, [16 * MIB] * 3),
        ([100 * MIB, 101 * MIB, 102 * MIB, 103 * MIB, 104 * MIB], [51 * MIB, 52 * MIB, 53 * MIB, 50 * MIB, 49 * MIB]),
        ([100 * MIB, 101 * MIB, 102 * MIB], [50 * MIB] * 3),
        ([600, 1200, 900, 9000, 700], [7000, 90, 800, 900, 9000]),
        ([600, 1200], [7000, 90]),
    ],
)
def test_the_two_figures_divide_to_the_ratio(a, b):
    found = judge_memory(a, b, quantum=512)
    assert found.baseline / found.variant == pytest.approx(found.ratio, rel=1e-12)
    assert min(a) - 1 < found.baseline < max(a) + 1 and min(b) - 1 < found.variant < max(b) + 1


@pytest.mark.parametrize(("a", "b"), [([512] * 3, [0] * 3), ([900, 0, 2000, 90, 1], [0] * 5)])
def test_without_a_ratio_there_are_no_two_figures(a, b):
    found = judge_memory(a, b, quantum=512)
    assert found.ratio is None and found.variant is None


# start-up


def starts(centre, spread=0.002, n=10):
    return [centre * math.exp(spread * (index - (n - 1) / 2)) for index in range(n)]


def test_a_quicker_start_is_better():
    found = judge_startup(starts(2.0), starts(1.0))
    assert (found.verdict, found.size) == ("better", "material")
    assert found.ratio == pytest.approx(2.0)
    assert judge_startup(starts(1.0), starts(2.0)).verdict == "worse"


def test_equal_starts_are_the_same_when_they_are_precise_enough():
    assert judge_startup(starts(1.0, 0.001), starts(1.0, 0.001)).verdict == "same"
    assert judge_startup(starts(1.0, 0.01), starts(1.0, 0.01)).verdict == "inconclusive"


@pytest.mark.parametrize("n", [2, 10])
def test_the_two_start_up_times_divide_to_the_ratio(n):
    found = judge_startup(starts(2.0, 0.05, n), starts(1.3, 0.01, n))
    assert found.baseline / found.variant == pytest.approx(found.ratio, rel=1e-12)
    assert (found.baseline, found.variant) == (pytest.approx(2.0), pytest.approx(1.3))


def test_fewer_than_ten_starts_a_side_are_indicative():
    found = judge_startup(starts(2.0, n=9), starts(1.0))
    assert (found.verdict, found.low) == ("indicative", None)


def test_identical_starts_do_not_divide_by_zero():
    assert judge_startup([1.0] * 10, [1.0] * 10).verdict == "same"


peaks = st.lists(st.integers(0, 10**9), min_size=3, max_size=8)
MIRROR = {"better": "worse", "worse": "better"}


@settings(deadline=None)
@given(peaks, peaks)
def test_swapping_the_sides_mirrors_the_judgement(a, b):
    found, mirrored = judge_memory(a, b, quantum=4096), judge_memory(b, a, quantum=4096)
    assert mirrored.verdict == MIRROR.get(found.verdict, found.verdict)
    assert mirrored.size == found.size
    assert (mirrored.ratio is None) == (found.ratio is None)
    if found.ratio is not None:
        assert mirrored.ratio == pytest.approx(1 / found.ratio)
