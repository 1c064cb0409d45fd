"""Names with numbers in them are in the order in which people count."""

import random

import pytest

from perfproof.core.natural_order import natural_order


@pytest.mark.parametrize(
    "names",
    [
        ["x[n=2]", "x[n=16]", "x[n=128]", "x[n=1024]"],
        ["x[threads=1,n=8]", "x[threads=1,n=64]", "x[threads=12,n=8]"],
        ["x[share=0.05]", "x[share=0.5]", "x[share=1]", "x[share=10]"],
        ["ch02:a", "ch10:a", "labs/a"],
        ["a", "a1", "a01b", "ab"],
        ["", "1", "x", "y"],
    ],
)
def test_names_are_in_the_order_in_which_people_count(names):
    mixed = random.Random(1).sample(names, len(names))
    assert sorted(mixed, key=natural_order) == names
