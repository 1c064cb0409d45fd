"""A small line beside the numbers of a series."""

import re

from perfproof.report.figures.spark import MOST, spark


def heights(drawn):
    line = re.search(r'points="([^"]+)"', drawn)[1]
    return [float(one.split(",")[1]) for one in line.split()]


def test_a_fall_goes_down_and_the_change_is_marked():
    drawn = spark((2.0, 2.0, 1.0, 1.0), changed_at=2)
    assert heights(drawn)[0] < heights(drawn)[-1] and drawn.count('class="cut"') == 1
    assert 'aria-hidden="true"' in drawn


def test_noise_of_a_thousandth_looks_flat_and_has_no_mark():
    drawn = spark((1.0, 1.001, 0.999))
    assert max(heights(drawn)) - min(heights(drawn)) < 2 and "cut" not in drawn


def test_a_long_series_is_thinned_and_keeps_its_last_point():
    drawn = spark((1.0,) * 5_000 + (3.0,))
    assert len(heights(drawn)) <= MOST + 1 and heights(drawn)[-1] == min(heights(drawn))
