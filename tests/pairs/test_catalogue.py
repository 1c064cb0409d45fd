from pathlib import Path

import pytest

from perfproof.pairs import catalogue as module
from perfproof.pairs.catalogue import canonical, catalogue, catalogue_root, entries
from perfproof.pairs.pair import Broken, Pair


@pytest.fixture
def root(tmp_path, valid, monkeypatch):
    def write(path, text=valid):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)

    for path in ["ch02_hardware/b.py", "ch01_goodput/b.py", "ch01_goodput/a.py"]:
        write(f"chapters/{path}")
    for ignored in ["_shared.py", "conftest.py", "test_a.py", "README.md", "kernel.cu"]:
        write(f"chapters/ch01_goodput/{ignored}")
    write("chapters/notes/c.py")
    write("chapters/__pycache__/d.py")
    write("labs/moe/step_01.py")
    write("labs/moe/step_02.py", "not a pair")
    monkeypatch.setattr(module, "catalogue_root", lambda: tmp_path)
    return tmp_path


def test_pairs_are_found_by_their_place_sorted_chapters_first(root):
    assert [entry.name for entry in entries()] == ["ch01:a", "ch01:b", "ch02:b", "labs/moe:step_01", "labs/moe:step_02"]


def test_a_file_that_breaks_the_contract_is_listed_as_broken(root):
    found = catalogue()
    assert [type(pair) for pair in found] == [Pair, Pair, Pair, Pair, Broken]
    assert found[0].chapter == "ch01" and found[3].chapter == "labs/moe"
    assert "step_02.py" in found[4].error and len(found[4].error.splitlines()) == 1


def test_the_catalogue_is_beside_the_package_in_a_repository():
    assert catalogue_root() == Path(module.__file__).parents[2]


def test_the_catalogue_of_a_wheel_comes_first(tmp_path, monkeypatch):
    (tmp_path / "perfproof" / "catalogue").mkdir(parents=True)
    monkeypatch.setattr(module, "__file__", str(tmp_path / "perfproof" / "pairs" / "catalogue.py"))
    assert catalogue_root() == tmp_path / "perfproof" / "catalogue"


def test_no_catalogue_is_an_empty_one(tmp_path, monkeypatch):
    monkeypatch.setattr(module, "catalogue_root", lambda: tmp_path)
    assert catalogue() == []


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("ch1", "ch01"),
        ("ch1:x", "ch01:x"),
        ("ch1_goodput", "ch01_goodput"),
        ("ch10", "ch10"),
        ("chx", "chx"),
        ("ch1*", "ch1*"),
    ],
)
def test_a_chapter_may_be_written_with_one_digit(written, meant):
    assert canonical(written) == meant
