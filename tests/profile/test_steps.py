"""Steps are found by their names, whoever gave them."""

import pytest

from perfproof.core.events import Events, Kind
from perfproof.profile.steps import is_step, steps_of, unnumbered


@pytest.mark.parametrize("name", ["ProfilerStep#12", "step", "train_step 3", "iteration=7", "Step:4", "my.iter"])
def test_these_are_steps(name):
    assert is_step(name)


@pytest.mark.parametrize("name", ["Optimizer.step#AdamW.step2x", "stepper", "footstep9", "forward", "12", ""])
def test_these_are_none(name):
    assert not is_step(name)


def test_a_name_of_digits_only_keeps_them():
    assert unnumbered("12") == "12" and unnumbered("step 12") == "step"


def ranges(*named):
    events = Events("test")
    for name, start, end, *rank in named:
        events.add(Kind.RANGE, name, start, end, rank=rank[0] if rank else -1)
    return events


def test_the_profilers_own_steps_go_before_others():
    events = ranges(("step", 0, 5), ("step", 5, 9), ("step", 9, 12), ("ProfilerStep#1", 0, 10))
    assert steps_of(events) == [(0, 10)]


def test_nested_and_empty_ones_are_left_out_and_the_rest_is_in_order():
    assert steps_of(ranges(("step", 20, 30), ("step", 0, 10), ("step", 2, 4), ("step", 40, 40))) == [(0, 10), (20, 30)]


def test_steps_are_of_one_rank():
    events = ranges(("step", 100, 110, 1), ("step", 0, 10, 0), ("step", 10, 20, 0))
    assert steps_of(events) == [(0, 10), (10, 20)]
    assert steps_of(events, rank=1) == [(100, 110)]


def test_a_function_called_step_is_no_range():
    events = Events("test")
    events.add(Kind.PYTHON, "step", 0, 10)
    assert steps_of(events) == []
