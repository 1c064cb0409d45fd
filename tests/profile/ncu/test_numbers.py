"""Numbers of Nsight Compute: right in every locale, or not read at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfproof.profile.ncu.numbers import decimal_mark, read, scale_of


@pytest.mark.parametrize(
    ("cell", "mark", "value"),
    [
        ("1234", None, 1234.0),
        ("1,234,567", ".", 1234567.0),
        ("1.234.567", ",", 1234567.0),
        ("1,234,567.89", ".", 1234567.89),
        ("1.234.567,89", ",", 1234567.89),
        ("0,93", ",", 0.93),
        ("-0.5", ".", -0.5),
        ("1.5e+09", ".", 1.5e9),
        ("1’234’567", None, 1234567.0),
        ("1\u202f234\u202f567,5", ",", 1234567.5),
        ("1,234", ".", 1234.0),
        ("1,234", ",", 1.234),
        ("17.5 (8.5; 9.0)", ".", 17.5),
    ],
)
def test_a_number_is_read_in_its_locale(cell, mark, value):
    assert read(cell, "", mark).value == pytest.approx(value)


@pytest.mark.parametrize(
    "cell", ["n/a", "", "nan", "inf", "-", "abc", "1..2", "1,23,456", "12 apples", "0x10", "1_000"]
)
def test_what_is_no_number_is_unknown(cell):
    found = read(cell, "", ".")
    assert found.value is None and found.why


def test_a_number_that_can_be_read_in_two_ways_is_not_read():
    found = read("1,234", "", None)
    assert found.value is None and "two ways" in found.why


def test_the_decimal_mark_comes_from_the_numbers_that_show_it():
    assert decimal_mark(["1,234", "12.5", "n/a"]) == "."
    assert decimal_mark(["1.234", "12,5"]) == ","
    assert decimal_mark(["0.123"]) == "."
    assert decimal_mark(["1,234,567"]) == "."
    assert decimal_mark(["1,234", "77"]) is None
    with pytest.raises(ValueError, match="two locales"):
        decimal_mark(["12,5", "12.5"])


@pytest.mark.parametrize(
    ("unit", "factor", "dimension"),
    [
        ("nsecond", 1e-9, "time"),
        ("ns", 1e-9, "time"),
        ("usecond", 1e-6, "time"),
        ("msecond", 1e-3, "time"),
        ("s", 1.0, "time"),
        ("byte", 1.0, "byte"),
        ("Kbyte", 1e3, "byte"),
        ("Mbyte", 1e6, "byte"),
        ("Gbyte", 1e9, "byte"),
        ("Gbyte/second", 1e9, "rate"),
        ("byte/second", 1.0, "rate"),
        ("cycle/nsecond", 1e9, "rate"),
        ("Ghz", 1e9, "rate"),
        ("%", 0.01, "share"),
        ("inst", 1.0, "count"),
        ("hz", 1.0, "rate"),
        ("register/thread", 1.0, "ratio"),
        ("byte/block", 1.0, "ratio"),
        *((unit, 1.0, "count") for unit in ("block", "branches", "cluster", "pass", "SM", "thread", "warp")),
        ("", 1.0, "count"),
    ],
)
def test_units_are_taken_to_base_units(unit, factor, dimension):
    assert scale_of(unit) == (pytest.approx(factor), dimension)


@pytest.mark.parametrize("unit", ["furlong", "Xbyte", "byte/furlong", "kB", "second/"])
def test_a_unit_that_is_not_known_makes_the_value_unknown(unit):
    found = read("5", unit, ".")
    assert found.value is None and unit in found.why


@given(st.floats(0, 1e15), st.sampled_from(["en", "de"]))
def test_any_number_printed_in_a_locale_is_read_back(value, locale):
    text = f"{value:,.4f}"
    mark = "."
    if locale == "de":
        text, mark = text.translate(str.maketrans(",.", ".,")), ","
    assert read(text, "", mark).value == pytest.approx(value, abs=1e-4)
    assert decimal_mark([text]) == mark


@given(st.text(max_size=20), st.text(max_size=8), st.sampled_from([".", ",", None]))
def test_no_text_crashes_the_reader(cell, unit, mark):
    found = read(cell, unit, mark)
    assert (found.value is None) == bool(found.why)
