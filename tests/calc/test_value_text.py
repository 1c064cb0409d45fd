"""Values with their units, as people read them."""

import pytest

from perfproof.calc.value_text import number, text


@pytest.mark.parametrize(
    ("value", "unit", "said"),
    [
        (None, "B", "unknown"),
        (None, "tok", "–"),
        (True, "", "yes"),
        ("GQA", "", "GQA"),
        (131_072, "B", "131,072 B (128 KiB)"),
        (0.0015, "s", "1.50 ms"),
        (0.25, "share", "25.0 %"),
        (1.5, "$/h", "$1.500/h"),
        (3.2e15, "FLOP", "3.2 PFLOP"),
        (2.5, "x", "2.5x"),
        (12_345.6, "tok/s", "12,346 tok/s"),
    ],
)
def test_a_value_is_said_with_its_unit(value, unit, said):
    assert text(value, unit) == said


def test_numbers_have_four_digits_and_large_ones_are_whole():
    assert [number(one) for one in (3, 2.0, 0.123456, 1234.5)] == ["3", "2", "0.1235", "1,234"]


def test_a_price_below_a_cent_is_not_shown_as_zero():
    assert text(0.00042, "$/Mtok") == "$0.00042/Mtok" and text(3e-6, "$") == "$3.00e-06" and text(0, "$") == "$0.000"
