"""Numbers of profiles: what is not finite, or has more digits than a float, is none."""

import pytest

from perfproof.profile.finite import finite, parsed


@pytest.mark.parametrize("value", [float("nan"), float("-inf"), 10**400, True, None, "1", [1]])
def test_what_is_no_finite_number_of_json_is_none(value):
    assert finite(value) is None


@pytest.mark.parametrize("text", ["", None, "nan", "1e999", "1,5", "-"])
def test_text_without_a_number_is_none(text):
    assert parsed(text) is None


def test_numbers_are_taken_as_they_are():
    assert finite(3) == 3.0 and finite(-0.5) == -0.5 and parsed("12.5") == 12.5
