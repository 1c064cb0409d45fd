"""`perfproof explain`: every code and word, in any case, with what to do."""

import pytest

from perfproof.core.warnings import CODES
from perfproof.core.words import OUTCOMES, STATUSES, VERDICTS


@pytest.mark.parametrize("name", [*CODES, *VERDICTS, *STATUSES, *OUTCOMES])
def test_everything_that_can_be_printed_is_explained(perfproof, name):
    shown = perfproof("explain", name)
    assert shown.code == 0
    assert shown.out.startswith(f"{name}: ") and "What to do: " in shown.out
    assert max(len(line) for line in shown.out.splitlines()) <= 100


def test_case_does_not_matter(perfproof):
    assert perfproof("explain", "w104").out == perfproof("explain", "W104").out


def test_an_unknown_code_names_the_nearest(perfproof):
    refused = perfproof("explain", "rejectd")
    assert refused.code == 5
    assert refused.err.startswith("perfproof: nothing is called 'rejectd'; there is rejected")
    assert "W101 to " in perfproof("explain", "zzz").err
