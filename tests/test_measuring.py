"""The lists of tests that `make test` runs one at a time name tests that exist, and are read as they are written."""

import re
from types import SimpleNamespace

import pytest

from tests.conftest import ALONE, HERE, MEASURING, NOT_MEASURING, is_measuring, matches


def test_what_is_listed_exists():
    assert [pattern for pattern in (*MEASURING, *NOT_MEASURING, *ALONE) if not exists(pattern)] == []
    assert not exists("worker/test_of_nothing.py") and not exists("test_measuring.py::test_of_nothing")


def exists(pattern: str) -> bool:
    path, _, test = pattern.partition("::")
    if not (HERE / path).exists():
        return False
    return not test or bool(re.search(rf"^def {test}\(", (HERE / path).read_text(), re.MULTILINE))


def test_make_names_every_file_with_a_test_that_needs_all_cores():
    make = (HERE.parent / "Makefile").read_text().replace("\\\n", " ")
    named = re.search(r"^ALONE := (.*)$", make, re.MULTILINE)[1].split()
    files = {pattern.partition("::")[0] for pattern in MEASURING}
    assert sorted(named) == sorted(file for file in files if any(matches(f"{file}::", one) for one in ALONE))


@pytest.mark.parametrize(
    ("name", "pattern", "found"),
    [
        ("worker/measure/test_clocks.py::test_a", "worker/measure/", True),
        ("worker/measure/test_clocks.py::test_a", "worker/measure/test_clocks.py", True),
        ("worker/measure/test_clocks.py::test_a", "worker/measure/test_clocks.py::test_a", True),
        ("worker/measure/test_clocks.py::test_a", "worker/measure/test_clocks.py::test_ab", False),
        ("worker/measure/test_clocks.py::test_ab", "worker/measure/test_clocks.py::test_a", False),
        ("measured/test_clocks.py::test_a", "measure/", False),
    ],
)
def test_a_pattern_is_a_folder_a_file_or_a_test(name, pattern, found):
    assert matches(name, pattern) is found


@pytest.mark.parametrize(
    ("path", "name", "measures"),
    [
        ("worker/measure/test_clocks.py", "test_any", True),
        ("attacks/cuda/test_cuda_attacks.py", "test_any", False),
        ("stats/test_quads.py", "test_any", False),
    ],
)
def test_a_test_is_found_by_where_it_is(path, name, measures):
    item = SimpleNamespace(path=HERE / path, name=f"{name}[1]", originalname=name)
    assert is_measuring(item) is measures
