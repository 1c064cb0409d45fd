"""Numbers on a command line."""

import pytest

from perfproof.calc.number_text import parse_number
from perfproof.core.errors import UsageError


@pytest.mark.parametrize(
    ("written", "number"),
    [
        *(("131072", 131_072), ("1e6", 10**6), ("128k", 128_000), ("128K", 128_000), ("128Ki", 131_072)),
        *(("1.5M", 1_500_000), ("15e12", 15 * 10**12), ("15T", 15 * 10**12), ("2B", 2 * 10**9), ("1_000", 1000)),
        *((" 4 k ", 4000), ("-3", -3), ("1ki", 1024), ("2g", 2 * 10**9)),
    ],
)
def test_a_whole_number_is_read_in_every_spelling(written, number):
    found = parse_number(written, "--tokens", is_whole=True)
    assert found == number and isinstance(found, int)


@pytest.mark.parametrize("written", ["", "k", "1.2.3", "12x", "1e", "0x10", "1,5", "128kk", "one"])
def test_what_is_no_number_is_refused_with_its_option(written):
    with pytest.raises(UsageError, match=r"--tokens .*is no number"):
        parse_number(written, "--tokens", is_whole=True)


def test_a_share_of_a_token_is_no_whole_number():
    with pytest.raises(UsageError, match="whole number"):
        parse_number("1.5", "--tokens", is_whole=True)
    assert parse_number("1.5", "--rate", is_whole=False) == 1.5
    assert parse_number("0.25k", "--tokens", is_whole=True) == 250
