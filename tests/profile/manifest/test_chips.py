"""A chip is found by any of its names."""

import pytest

from perfproof.core.errors import UsageError
from perfproof.profile.manifest.chips import chips, find_chip


@pytest.mark.parametrize(
    ("text", "chip"),
    [
        ("gh100", "GH100"),
        ("NVIDIA H200", "GH100"),
        ("sm_90", "GH100"),
        ("9.0", "GH100"),
        ("B200", "GB100"),
        ("sm_103", "GB110"),
        ("NVIDIA GeForce RTX 5090", "GB202"),
        ("A100", "GA100"),
        ("NVIDIA L4", "AD102"),
        ("8.9", "AD102"),
        ("Tesla T4", "TU104"),
    ],
)
def test_any_of_its_names_finds_a_chip(text, chip):
    assert find_chip(text) == chip


def test_a_chip_without_a_list_is_refused_with_those_that_have_one():
    with pytest.raises(UsageError, match=r"--chip 'V100' has no list of counters here: choose GH100 \(Hopper\), GB100"):
        find_chip("V100")


def test_no_name_leads_to_two_chips():
    names = [name for chip in chips().values() for name in chip.also]
    assert len(names) == len(set(names))
