"""Steps are found by their names, whoever gave them."""

import pytest

from perfproof.core.events import ABSENT, Events, Kind
from perfproof.profile.steps import Step, find_steps, is_step, number_of, unnumbered


@pytest.mark.parametrize(
    "name", ["ProfilerStep#12", "step", "train_step 3", "iteration=7", "Step:4", "my.iter", "train/batch_9"]
)
def test_these_are_steps(name):
    assert is_step(name)


@pytest.mark.parametrize(
    "name",
    [
        "Optimizer.step#AdamW.step",
        "Optimizer.step#AdamW.step2x",
        "next_batch",
        "load_batch 3",
        "stepper",
        "footstep9",
        "forward",
        "12",
        "",
    ],
)
def test_these_are_none(name):
    assert not is_step(name)


def test_a_name_of_digits_only_keeps_them():
    assert unnumbered("12") == "12" and unnumbered("step 12") == "step"


@pytest.mark.parametrize("name", ["_" * 1_000_000, "_" * 1_000_000 + "x"])
def test_a_strangers_endless_name_is_looked_at_once_and_not_from_each_of_its_letters(name):
    assert not is_step(name) and unnumbered(name) == name  # hours, where it is looked at from each


def test_a_number_of_thousands_of_digits_counts_no_steps():
    assert number_of("step " + "9" * 5000) == ABSENT and number_of("step") == ABSENT and number_of("step_007") == 7
    assert unnumbered("step " + "9" * 5000) == "step"


def ranges(*named):
    events = Events("test")
    for name, start, end, *rank in named:
        events.add(Kind.RANGE, name, start, end, rank=rank[0] if rank else -1)
    return events


def spans_of(events, **which):
    return find_steps(events, **which).intervals


def test_the_profilers_own_steps_go_before_others():
    events = ranges(("step", 0, 5), ("step", 5, 9), ("step", 9, 12), ("ProfilerStep#1", 0, 10))
    assert spans_of(events) == [(0, 10)]


def test_nested_and_empty_ones_are_left_out_and_the_rest_is_in_order():
    assert spans_of(ranges(("step", 20, 30), ("step", 0, 10), ("step", 2, 4), ("step", 40, 40))) == [(0, 20), (20, 30)]


def test_steps_are_of_one_rank():
    events = ranges(("step", 100, 110, 1), ("step", 0, 10, 0), ("step", 10, 20, 0))
    assert spans_of(events) == [(0, 10), (10, 20)]
    assert spans_of(events, rank=1) == [(100, 110)]


def test_steps_are_those_of_the_process_that_works_on_the_device():
    events = Events("test")
    for process in (1, 2):
        for number in range(3):
            start = 10 * number + 5 * (process - 1)
            events.add(Kind.RANGE, f"step {number}", start, start + 8, process=process)
    assert len(spans_of(events)) == 6
    events.add(Kind.KERNEL, "gemm", 6, 7, process=2)
    assert spans_of(events) == [(5, 15), (15, 25), (25, 33)]


def test_a_function_called_step_is_no_range():
    events = Events("test")
    events.add(Kind.PYTHON, "step", 0, 10)
    assert spans_of(events) == []


def test_a_step_keeps_the_number_of_its_range():
    events = ranges(("ProfilerStep#11", 0, 8), ("ProfilerStep#12", 10, 20))
    assert find_steps(events).steps == (Step(0, 10, 11), Step(10, 20, 12))


def test_a_turn_of_a_loop_has_no_end_where_no_other_follows():
    found = find_steps(ranges(*(("enumerate(DataLoader)#It.__next__", n * 100, n * 100 + 5) for n in range(4))))
    assert found.intervals == [(0, 100), (100, 200), (200, 300)] and found.found == 4
    assert [one[:2] for one in found.steady] == [(100, 200), (200, 300)]


def test_the_family_that_covers_most_time_is_taken_however_often_others_come():
    found = find_steps(ranges(*(("micro_step", n, n + 1) for n in range(0, 90, 10)), ("step", 0, 50), ("step", 50, 90)))
    assert found.intervals == [(0, 50), (50, 90)] and found.source == "ranges called 'step'"
