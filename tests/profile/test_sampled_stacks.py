"""Samples become collapsed stacks that end in the operator, in a wait or in the line that ran."""

import json

import pytest

from perfproof.core.events import Events, Kind
from perfproof.profile.reading import read
from perfproof.profile.sampled_stacks import collapse


@pytest.fixture
def events():
    table = Events("kineto")
    table.add(Kind.OPERATOR, "aten::linear", 1_000, 2_000, process=1, thread=7)
    table.add(Kind.OPERATOR, "aten::addmm", 1_200, 1_800, process=1, thread=7)
    return table


def written(tmp_path, events, samples):
    path = tmp_path / "x.samples.json"
    path.write_text(json.dumps({"stacks": [["thread:MainThread", "main (a.py:3)"]], "samples": samples}))
    made = collapse(path, events, tmp_path / "x.stacks.txt")
    return made and (tmp_path / "x.stacks.txt").read_text().splitlines()


def test_a_sample_inside_an_operator_names_the_outermost_one(tmp_path, events):
    assert written(tmp_path, events, [[7, 1_500, 12.0, 0, True, True]]) == [
        "thread:MainThread;main (a.py:3);[aten::linear] 12"
    ]


def test_outside_of_operators_it_waits_or_runs_and_times_are_summed(tmp_path, events):
    samples = [[7, 500, 3.0, 0], [7, 2_500, 4.0, 0], [7, 2_600, 5.0, 0], [8, 1_500, 2.0, 0]]
    samples = [[*one, one[1] == 2_600, False] for one in samples]
    assert written(tmp_path, events, samples) == [
        "thread:MainThread;main (a.py:3) 9",
        "thread:MainThread;main (a.py:3);[waits] 5",
    ]


def test_a_line_that_holds_the_interpreters_lock_ends_in_python(tmp_path, events):
    samples = [[7, 500, 3.0, 0, False, True], [7, 2_500, 4.0, 0, False, False], [7, 2_600, 5.0, 0, True, True]]
    assert written(tmp_path, events, samples) == [
        "thread:MainThread;main (a.py:3);[waits] 5",
        "thread:MainThread;main (a.py:3) 4",
        "thread:MainThread;main (a.py:3);[python] 3",
    ]


def test_the_reader_of_stacks_knows_the_file(tmp_path, events):
    assert written(tmp_path, events, [[7, 500, 3.0, 0, False, False]])
    assert read(tmp_path / "x.stacks.txt").source == "stacks"


@pytest.mark.parametrize("content", ["", "{}", '{"stacks": [], "samples": [[1, 2, 3.0, 9, true, true]]}', "[1"])
def test_broken_samples_make_no_stacks(tmp_path, events, content):
    (tmp_path / "x.samples.json").write_text(content)
    assert not collapse(tmp_path / "x.samples.json", events, tmp_path / "x.stacks.txt")
    assert not (tmp_path / "x.stacks.txt").exists()
    assert not collapse(tmp_path / "absent.json", events, tmp_path / "x.stacks.txt")
