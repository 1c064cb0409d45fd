"""Steps are found where they are, drifts are drifts, spikes and the last points raise no alarm."""

import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perfproof.stats.changepoints import clip, find_changes, noise_of


def noisy(seed, count=60, sigma=0.01, spikes=0.05):
    chance = random.Random(seed)
    return [
        chance.gauss(0, sigma) + (chance.choice((-1, 1)) * 10 * sigma if chance.random() < spikes else 0)
        for _ in range(count)
    ]


def stepped(seed, at, shift, count=60):
    return [value + (shift if place >= at else 0) for place, value in enumerate(noisy(seed, count))]


def kinds(values):
    return [change.kind for change in find_changes(values).changes]


def test_a_step_is_found_at_its_place_with_an_interval_around_its_size():
    found = 0
    for seed in range(20):
        steps = [one for one in find_changes(stepped(seed, 30, 0.05)).changes if one.kind == "step"]
        assert len(steps) == 1 and abs(steps[0].at - 30) <= 2
        assert steps[0].low < steps[0].shift < steps[0].high
        found += steps[0].low < 0.05 < steps[0].high
    assert found >= 18


def test_two_steps_and_the_stretches_between_them():
    values = [value + (0.05 if 20 <= at < 40 else 0) for at, value in enumerate(noisy(4))]
    found = find_changes(values)
    up, down = (one for one in found.changes if one.kind == "step")
    assert up.shift > 0 > down.shift and abs(up.at - 20) <= 2 and abs(down.at - 40) <= 2
    assert [stretch.start for stretch in found.stretches] == [0, up.at, down.at]
    assert found.stretches[-1].end == 60


def test_a_flat_series_with_spikes_has_no_step():
    assert sum("step" in kinds(noisy(seed)) or "drift" in kinds(noisy(seed)) for seed in range(40)) <= 1


def test_a_slow_change_is_a_drift_and_no_step():
    named = 0
    for seed in range(20):
        values = [value + 0.09 * at / 59 for at, value in enumerate(noisy(seed))]
        found = kinds(values)
        named += "drift" in found and "step" not in found
    assert named >= 18


def test_the_size_of_a_drift_is_that_of_its_whole_line():
    values = [value + 0.2 * at / 59 for at, value in enumerate(noisy(2))]
    (drift,) = (one for one in find_changes(values).changes if one.kind == "drift")
    assert drift.low < 0.2 < drift.high and (drift.at, drift.end) == (0, 60)


@pytest.mark.parametrize("late", [1, 2, 3])
def test_a_shift_of_the_last_points_is_watched_and_never_an_alarm(late):
    values = [value + (0.2 if at >= 60 - late else 0) for at, value in enumerate(noisy(5, spikes=0))]
    (change,) = find_changes(values).changes
    assert change.kind == "watch" and change.at == 60 - late and change.low < 0.2 < change.high


def test_four_points_are_enough_to_call_a_large_step():
    values = [value + (0.2 if at >= 56 else 0) for at, value in enumerate(noisy(5, spikes=0))]
    assert kinds(values) == ["step"]


@pytest.mark.parametrize("values", [[], [1.0], [1.0, 2.0], [0.5] * 40, [0.0] * 7])
def test_short_and_constant_series_have_no_change(values):
    assert find_changes(values).changes == []


def test_a_step_between_two_constants_is_found():
    found = find_changes([0.0] * 20 + [0.05] * 20)
    assert [(one.kind, one.at) for one in found.changes] == [("step", 20)]


def test_noise_is_read_from_neighbours_and_a_step_hardly_moves_it():
    flat, step = noisy(9, 400, spikes=0), stepped(9, 200, 0.5, 400)
    assert math.isclose(noise_of(flat), 0.01, rel_tol=0.2)
    assert math.isclose(noise_of(step), noise_of(stepped(9, 200, 0.0, 400)), rel_tol=0.05)


def test_a_spike_is_clipped_and_a_level_is_not():
    values = [0.0] * 10 + [1.0] + [0.0] * 10
    assert max(clip(values, 0.01)) == 0.025
    assert clip([0.0] * 10 + [1.0] * 10, 0.01)[12] == 1.0


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(-5, 5, allow_nan=False), min_size=1, max_size=60))
def test_whatever_the_series_its_stretches_cover_it_and_its_changes_lie_in_it(values):
    found = find_changes(values)
    assert found.stretches[0].start == 0 and found.stretches[-1].end == len(values)
    assert all(a.end == b.start for a, b in zip(found.stretches, found.stretches[1:], strict=False))
    assert all(0 <= one.at < len(values) and one.low <= one.shift <= one.high for one in found.changes)


@pytest.mark.parametrize("late", [1, 2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_a_step_a_few_points_ago_is_watched_and_no_drift_of_the_whole(late, seed):
    rng = random.Random(seed)
    values = [rng.gauss(0.0, 0.005) for _ in range(10)] + [-0.2 + rng.gauss(0.0, 0.005) for _ in range(late)]
    assert [one.kind for one in find_changes(values).changes] == ["watch"]


@pytest.mark.parametrize("count", [21, 40])
def test_a_zigzag_is_noise(count):
    assert find_changes([0.002 * (-1) ** at for at in range(count)]).changes == []
