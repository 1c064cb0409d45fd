"""The memory story: the peak and who holds it, what leaks, what is wasted, and what cannot be known."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from perfproof.core.events import Events, Total
from perfproof.profile.allocations import Allocation, Recorded, recorded_in
from perfproof.profile.memory_story import alive_at, memory_stories, timeline
from perfproof.profile.reading import read

UNHURRIED = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])

TRACE = Path(__file__).parent / "recorded_torch" / "memory_trace.json.gz"


def held(start, end, size, stack=("f",), released=True, device="gpu0"):
    return Allocation(device, start, end, size, stack, released)


def story(*own, steps=(), events=None):
    found, *_ = memory_stories(Recorded(list(own), list(steps)), Events("test") if events is None else events)
    return found


def test_the_leak_of_the_recorded_program_is_the_only_one_found():
    events = read(TRACE)
    (found,) = memory_stories(recorded_in(events), events)
    (leak,) = found.leaks
    assert leak.stack[-2:] == ("trace.py(15): step", "aten::add")
    assert (leak.bytes_a_step, leak.steps) == (16384, 3)
    assert found.holders[0].stack == leak.stack and found.peak_bytes == max(found.live_bytes)
    assert "fragmentation" in found.unknown


def test_the_peak_is_where_most_lives_and_its_holders_add_up_to_it():
    found = story(held(0, 10, 100), held(5, 20, 50, ("g",)), held(6, 8, 5, ("g",)), held(30, 40, 60))
    assert (found.peak_bytes, found.peak_ns) == (155, 6)
    assert [(one.stack, one.bytes, one.count) for one in found.holders] == [(("f",), 100, 1), (("g",), 55, 2)]
    assert [one.bytes for one in found.largest] == [100, 50, 5]


def test_memory_released_in_the_moment_of_a_birth_is_not_counted_twice():
    times, live = timeline([held(0, 5, 100), held(5, 9, 100)])
    assert list(live) == [100, 0, 100, 0] and list(times) == [0, 5, 5, 9]


STEPS = [(0, 10), (10, 20), (20, 30), (30, 40)]


def test_what_every_step_keeps_is_a_leak():
    kept = [held(start + 1, 40, 8, ("leaks",), released=False) for start, _ in STEPS]
    passed_on = [held(start + 2, start + 15, 8, ("gradient",), released=start < 30) for start, _ in STEPS]
    once = held(3, 40, 1000, ("cache",), released=False)
    found = story(*kept, *passed_on, once, steps=STEPS)
    assert [(leak.stack, leak.bytes_a_step, leak.steps, leak.bytes) for leak in found.leaks] == [(("leaks",), 8, 3, 24)]
    assert "leaks" not in found.unknown


def test_a_leak_may_begin_after_the_first_step_but_not_pause():
    late = [held(start + 1, 40, 8, ("late",), released=False) for start, _ in STEPS[1:]]
    pausing = [held(start + 1, 40, 8, ("pausing",), released=False) for start, _ in (STEPS[0], STEPS[2])]
    assert [leak.stack for leak in story(*late, *pausing, steps=STEPS).leaks] == [("late",)]


@pytest.mark.parametrize(("steps", "why"), [([], "no range marks the steps"), (STEPS[:2], "2 steps are too few")])
def test_without_enough_steps_leaks_are_unknown_and_not_none(steps, why):
    found = story(held(1, 2, 3, released=False), steps=steps)
    assert found.leaks == [] and why in found.unknown["leaks"]


def test_what_the_allocator_wastes_comes_from_the_snapshot():
    events = Events("memory snapshot")
    values = {"reserved_bytes": 1000.0, "rounding_bytes": 7.0, "fragmentation": 0.25}
    events.totals = [Total(("GPU memory",), values, 1), Total(("GPU memory",), values | {"reserved_bytes": 5.0}, 0)]
    found = story(held(0, 1, 2), events=events)
    assert (found.reserved_bytes, found.rounding_bytes, found.fragmentation) == (5, 7, 0.25)
    del values["fragmentation"]
    events.totals = [Total(("GPU memory",), values, 0)]
    assert story(held(0, 1, 2), events=events).fragmentation is None


def test_readings_of_the_sum_alone_give_a_timeline_and_say_what_is_missing():
    events = Events("kineto")
    for time, value in ((1, 10.0), (2, 30.0), (3, 20.0)):
        events.read("gpu0.allocated_bytes", time, value, "B")
    (found,) = memory_stories(Recorded([], []), events)
    assert (found.device, found.peak_bytes, found.peak_ns) == ("gpu0", 30, 2)
    assert "holders" in found.unknown and "leaks" in found.unknown


def test_without_stacks_it_is_said_how_to_record_them():
    assert "with_stack=True" in story(held(0, 1, 2, ())).unknown["stacks"]


def test_nothing_gives_no_story():
    assert memory_stories(Recorded([], []), Events("test")) == []


lives = st.builds(
    lambda start, length, size, released: held(start, start + length, size, released=released),
    st.integers(0, 30),
    st.integers(0, 30),
    st.integers(0, 1000),
    st.booleans(),
)


@UNHURRIED
@given(st.lists(lives, min_size=1, max_size=30))
def test_live_bytes_are_never_negative_and_the_holders_add_up_to_the_peak(own):
    found = story(*own)
    assert min(found.live_bytes) >= 0 and list(found.times_ns) == sorted(found.times_ns)
    assert sum(one.bytes for one in alive_at(own, found.peak_ns)) == found.peak_bytes
    assert found.live_bytes[-1] == sum(one.bytes for one in own if not one.released)


def test_a_snapshot_without_history_tells_what_is_reserved_and_that_the_rest_is_unknown():
    events = Events("memory snapshot")
    values = {"reserved_bytes": 1000.0, "rounding_bytes": 7.0, "fragmentation": 0.25}
    events.totals = [Total(("GPU memory",), values, 0)]
    (found,) = memory_stories(Recorded([], []), events)
    assert (found.device, found.reserved_bytes, found.fragmentation) == ("gpu0", 1000, 0.25)
    assert found.peak_bytes is None and "no history" in found.unknown["timeline"]
