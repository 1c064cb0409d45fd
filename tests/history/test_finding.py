"""Finding a run: by what a person writes, the beginning of an id above all."""

import pytest

from perfproof.core.errors import NothingMatched, UsageError
from perfproof.history.finding import find_run, matching

A, B, C = "20250101T000000Z-tour-aaaaaa", "20250102T000000Z-tour-bbbbbb", "20250102T000000Z-ch01-abcdef"


@pytest.fixture
def saved(tmp_path):
    """Folders with a document: saved("20250101T000000Z-tour-aaaaaa")."""

    def make(*names):
        for name in names:
            (tmp_path / name).mkdir()
            (tmp_path / name / "run.json").write_text("{}")
        return tmp_path

    return make


@pytest.mark.parametrize(
    ("written", "name"), [("latest", B), ("previous", A), (A, A), ("aaaaaa", A), ("20250101", A), ("b", B), ("BBBB", B)]
)
def test_a_run_is_found_by_what_a_person_writes(saved, written, name):
    assert find_run(saved(A, B), written).name == name


def test_a_run_is_found_by_its_path(saved):
    parent = saved(A)
    assert find_run("nowhere", str(parent / A)) == parent / A
    assert find_run("nowhere", str(parent / A / "run.json")) == parent / A


def test_a_beginning_that_fits_several_is_refused_with_their_names(saved):
    with pytest.raises(UsageError, match="2 runs begin with"):
        find_run(saved(A, B, C), "20250102")


def test_a_name_that_fits_none_says_what_there_is(saved, tmp_path):
    with pytest.raises(NothingMatched, match=f"latest is {A}"):
        find_run(saved(A), "zzz")
    with pytest.raises(NothingMatched, match="perfproof run"):
        find_run(tmp_path / "nowhere", "latest")
    with pytest.raises(NothingMatched, match="no previous run"):
        find_run(tmp_path, "previous")


def test_an_id_by_its_beginning_is_refused_with_the_candidates_if_it_fits_several(saved):
    parent = saved(A, B, C)
    with pytest.raises(UsageError, match=f"{C}, {A}"):
        find_run(parent, "a")
    assert find_run(parent, "ab").name == C


def test_a_whole_id_is_meant_although_another_name_begins_with_it():
    other = "20250103T000000Z-tour-202501"
    assert matching([A, B, other], "202501") == [other]


def test_many_candidates_are_counted_and_the_newest_named(saved):
    names = [f"20250101T00000{number}Z-tour-a0000{number}" for number in range(9)]
    with pytest.raises(UsageError, match=f"9 runs begin with 'a0': {names[8]}, .* and 4 more"):
        find_run(saved(*names), "a0")


def test_nothing_written_means_no_run(saved):
    with pytest.raises(NothingMatched):
        find_run(saved(A), "zz")
    assert matching([A], "") == []


def test_a_word_that_is_nearly_right_is_named(saved, tmp_path):
    saved(A, B)
    with pytest.raises(NothingMatched, match=r"did you mean latest\?"):
        find_run(tmp_path, "lastest")
    with pytest.raises(NothingMatched) as refused:
        find_run(tmp_path, "zzzzzz")
    assert "did you mean" not in str(refused.value)
