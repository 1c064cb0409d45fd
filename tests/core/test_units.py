"""Numbers as people read them, worked by hand."""

import math

import pytest

from perfproof.core import units


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0 ns"),
        (1.234e-9, "1.23 ns"),
        (9.999e-7, "1.00 µs"),
        (4.56e-5, "45.6 µs"),
        (1.23e-3, "1.23 ms"),
        (0.9996, "1.00 s"),
        (123.4, "123 s"),
        (-0.002, "-2.00 ms"),
        (None, "–"),
        (math.nan, "–"),
    ],
)
def test_seconds_have_three_digits_and_the_unit_that_keeps_them_readable(value, text):
    assert units.seconds(value) == text


def test_bytes_are_binary_and_say_so():
    assert units.binary_bytes(1536) == "1.50 KiB"
    assert units.binary_bytes(3 * units.GiB) == "3.00 GiB"
    assert units.binary_bytes(1023) == "1023 B"
    assert units.binary_bytes(None) == "–"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (42_949_672_960, "42.9 GB (40.0 GiB)"),
        (131_072, "131,072 B (128 KiB)"),
        (-5e9, "-5.00 GB (-4.66 GiB)"),
        (1.5e12, "1.50 TB (1397 GiB)"),
        (656, "656 B"),
        (None, "–"),
    ],
)
def test_sizes_are_said_in_decimal_and_in_binary(value, text):
    assert units.both_bytes(value) == text


def test_a_ratio_near_one_keeps_the_digits_that_matter():
    assert units.ratio(1.004) == "1.004x"
    assert units.ratio(3.2149) == "3.21x"
    assert units.ratio(53.21) == "53.2x"
    assert units.ratio(None) == "–"


def test_a_share_is_shown_in_per_cent():
    assert units.percent(0.0084) == "0.8 %"
    assert units.percent(0.5, 0) == "50 %"
    assert units.percent(None) == "–"


@pytest.mark.parametrize(
    ("number", "word", "text"),
    [
        (1, "launch", "1 launch"),
        (2, "launch", "2 launches"),
        (0, "run", "0 runs"),
        (3000, "process", "3,000 processes"),
    ],
)
def test_counted_words_have_their_plural(number, word, text):
    assert units.count(number, word) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "–"),
        (3.127e12, "3.13 TB/s"),
        (999.96e9, "1 TB/s"),
        (990e9, "990 GB/s"),
        (999.0, "999 B/s"),
        (0.5, "0.5 B/s"),
    ],
)
def test_amounts_have_decimal_prefixes(value, text):
    assert units.amount(value, "B/s") == text
