"""Amdahl, Gustafson and Karp-Flatt, worked by hand."""

import pytest

from perfproof.calc.calculators.scaling import amdahl, calculate
from perfproof.core.errors import UsageError


def test_a_twentieth_that_is_serial_limits_to_twenty():
    answer = calculate(8, serial=0.05)
    assert answer.get("amdahl") == pytest.approx(1 / (0.05 + 0.95 / 8)) and answer.get("limit") == pytest.approx(20)
    assert answer.get("gustafson") == pytest.approx(8 - 0.05 * 7)


def test_what_scales_wholly_has_no_limit():
    answer = calculate(8, serial=0)
    assert (answer.get("amdahl"), answer.get("gustafson"), answer.get("limit")) == (8, 8, None)


def test_a_measured_speed_up_gives_back_the_share_it_was_made_with():
    answer = calculate(64, speed_up=amdahl(0.03, 16), measured_gpus=16)
    assert answer.get("serial_share") == pytest.approx(0.03)


def test_the_gpus_that_are_worth_it_are_the_most():
    most = calculate(8, serial=0.02, efficiency=0.8).get("gpus_worth_it")
    assert amdahl(0.02, most) / most >= 0.8 - 1e-12 > amdahl(0.02, most + 1) / (most + 1)


@pytest.mark.parametrize(
    ("more", "text"),
    [
        ({}, "--serial"),
        (dict(serial=0.1, speed_up=2, measured_gpus=4), "--serial"),
        (dict(speed_up=5, measured_gpus=4), "linear"),
    ],
)
def test_what_makes_no_sense_is_refused(more, text):
    with pytest.raises(UsageError, match=text):
        calculate(8, **more)


def test_slower_on_more_gpus_is_said():
    assert "slower" in calculate(8, speed_up=0.5, measured_gpus=4).warnings[0]
