"""Steps of a program that marks none are the turns of what repeats."""

import pytest

from perfproof.core.events import Events, Kind
from perfproof.profile.device_steps import steps_of
from perfproof.profile.repeats import repeated_steps

US = 1000


def on_device(*work):
    """Each (name, µs of work, µs without work after it), one after the other."""
    events, now = Events("kineto"), 0
    for name, length, pause in work:
        events.add(Kind.KERNEL, name, now * US, (now + length) * US, device=0, stream=7)
        now += length + pause
    return events


def step(layers=3, pause=100):
    return [("embed", 50, 0), *[("norm", 100, 0), ("gemm", 900, 0)] * layers, ("adam", 200, pause)]


def test_a_step_is_the_whole_turn_and_not_one_layer_of_it():
    found = repeated_steps(on_device(*step() * 6))
    assert {one.end_ns - one.start_ns for one in found.steady} == {3350 * US}
    assert "repeat 5 times" in found.source and len(found.steady) == 5


def test_marks_come_before_what_repeats():
    events = on_device(*step() * 6)
    for number in range(3):
        events.add(Kind.RANGE, f"ProfilerStep#{number}", number * 5000 * US, (number + 1) * 5000 * US)
    assert "ProfilerStep" in steps_of(events).source


def test_start_up_is_left_out_of_the_steps():
    start = [("normal", 20, 300_000)]
    slow = [("embed", 50, 90_000), *step()[1:]]
    steady = repeated_steps(on_device(*start, *slow, *step() * 8)).steady
    assert {one.end_ns - one.start_ns for one in steady} == {3350 * US} and steady[0].start_ns >= 390_000 * US


def test_one_exception_is_left_out_and_never_the_typical_steps():
    work = [*step() * 10, ("save", 10, 30_000), *step() * 10]
    steady = repeated_steps(on_device(*work)).steady
    assert {one.end_ns - one.start_ns for one in steady} == {3350 * US} and len(steady) == 18


def test_what_takes_much_of_the_time_is_no_exception():
    work = [*step() * 3, ("validate", 10, 30_000)] * 6
    spans = repeated_steps(on_device(*work)).steady
    assert max(one.end_ns - one.start_ns for one in spans) > 30_000 * US


def test_where_most_of_the_time_happens_once_no_step_is_typical():
    work = [*[("norm", 100, 0), ("gemm", 900, 0)] * 3, ("copy", 10, 90_000), *[("norm", 100, 0), ("gemm", 900, 0)] * 3]
    assert repeated_steps(on_device(*work)).steps == ()


def test_short_turns_are_taken_together():
    found = repeated_steps(on_device(*[("add", 5, 5)] * 1000))
    assert "100 at a time" in found.source and {one.end_ns - one.start_ns for one in found.steady} == {1000 * US}


def test_where_contents_vary_the_common_part_makes_the_turn():
    work = []
    for number in range(12):
        work += [("embed", 50, 0), (f"gemm_{number}", 900, 0), ("sample", 100, 50)]
    assert len(repeated_steps(on_device(*work)).steady) >= 9


@pytest.mark.parametrize("work", [[], [("a", 5, 1)], [(f"k{n}", 100, 10) for n in range(30)]])
def test_where_nothing_repeats_there_are_no_steps(work):
    assert repeated_steps(on_device(*work)).steps == ()


def test_without_a_device_operators_repeat():
    events = Events("kineto")
    for number in range(8):
        base = number * 10_000
        events.add(Kind.OPERATOR, "aten::linear", base * US, (base + 3000) * US, thread=1, process=1)
        events.add(Kind.OPERATOR, "aten::addmm", (base + 10) * US, (base + 2900) * US, thread=1, process=1)
        events.add(Kind.OPERATOR, "aten::relu", (base + 3100) * US, (base + 4000) * US, thread=1, process=1)
    found = repeated_steps(events)
    assert {one.end_ns - one.start_ns for one in found.steady} == {10_000 * US} and "operators" in found.source
