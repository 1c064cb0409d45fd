"""Calls that were spared their work when they were timed: held against calls on values from elsewhere."""

import contextlib
from types import SimpleNamespace

import pytest

from perfproof.worker import remembered
from perfproof.worker.drawn_elsewhere import MOST_BYTES, ROUNDS, TRIES, sets_to_draw
from perfproof.worker.remembered import (
    SLACK,
    TIMES,
    UNEVEN_TIMES,
    USUAL,
    Memory,
    look_for_memories,
    remembered_problem,
)
from perfproof.worker.row import Row
from perfproof.worker.verification import Findings


def memory(timed, fresh, uneven=False):
    return Memory([timed] * 3, [fresh] * 3, uneven)


def test_a_call_that_costs_more_on_new_values_was_spared_work_when_it_was_timed():
    found = {"baseline": memory(100e-6, 105e-6), "optimized": memory(10e-6, 100e-6)}
    words = remembered_problem("optimized", found)
    assert words.startswith("optimized takes 100 µs per call on values that were not there before, 10 µs when timed")
    assert remembered_problem("baseline", found) == ""
    assert remembered_problem("optimized", {**found, "optimized": memory(10e-6, 12e-6)}) == ""


def test_what_single_calls_cost_every_side_is_allowed_for():
    assert remembered_problem("optimized", {"baseline": memory(1e-4, 3e-4), "optimized": memory(1e-4, 3.2e-4)}) == ""
    assert remembered_problem("optimized", {"baseline": memory(1e-4, 1e-4), "optimized": memory(1e-4, 3.2e-4)})


def test_a_fast_baseline_on_new_values_makes_no_rule_stricter():
    limit = TIMES * 1e-3 + SLACK
    assert (
        remembered_problem("optimized", {"baseline": memory(1e-3, 1e-4), "optimized": memory(1e-3, 0.99 * limit)}) == ""
    )


def test_one_round_that_was_held_up_is_no_finding():
    held_up = Memory([1e-4] * 5, [1e-4, 1e-4, 1e-4, 1e-2, 1e-2])
    assert remembered_problem("optimized", {"baseline": memory(1e-4, 1e-4), "optimized": held_up}) == ""


def test_a_machine_that_slows_down_holds_up_both_of_a_round():
    slowing = Memory([1e-4, 2e-4, 4e-4, 8e-4, 16e-4], [1.1e-4, 2.2e-4, 4.4e-4, 8.8e-4, 17.6e-4])
    assert slowing.times == pytest.approx(1.1)


def test_a_side_by_itself_is_held_to_what_is_usual():
    limit = TIMES * USUAL * 1e-3 + SLACK
    assert remembered_problem("optimized", {"optimized": memory(1e-3, limit * 0.99)}) == ""
    assert remembered_problem("optimized", {"optimized": memory(1e-3, limit * 1.01)})


def test_of_ranks_the_fastest_calls_are_compared_with_more_room():
    found = {"baseline": memory(1e-3, 1e-3, uneven=True), "optimized": Memory([1e-3, 9e-3], [2.9e-3, 90e-3], True)}
    assert found["optimized"].times == pytest.approx(2.9)
    assert remembered_problem("optimized", found) == ""
    found["optimized"] = memory(1e-3, (UNEVEN_TIMES + 0.1) * 1e-3, uneven=True)
    assert remembered_problem("optimized", found)


@pytest.mark.parametrize(
    ("device", "several", "beside", "left"),
    [
        ("cpu", False, 0.0, 1e-3),
        ("cpu", False, 20e-3, 6e-3),  # threads of the side's own had the core so long
        ("cpu", False, 50e-3, 9e-3),
        ("cpu", True, 0.0, 9e-3),
        ("cuda:0", False, 0.0, 9e-3),
    ],
)
def test_the_time_that_a_thread_waited_for_other_programs_is_not_its_own(device, several, beside, left):
    pair = SimpleNamespace(device=device, meeting=SimpleNamespace(several=several))
    assert remembered._undelayed(SimpleNamespace(pair=pair), 9e-3, 32e-3, beside, calls=4) == pytest.approx(left)


class Target:
    """As much of a worker as is asked; `cheat` calls of the optimized side are fast where they could be foreseen."""

    def foreign(self):
        return 0.0

    def __init__(self, cheats):
        self.cheats, self.looks, self.clocks = iter(cheats), 0, []
        self.pair = self
        self.cold, self.device, self.findings = [], "cpu", Findings()
        self.meeting = SimpleNamespace(several=False, timed=lambda read: read())
        self.sides = {
            name: SimpleNamespace(name=name, state=(), function=lambda: None) for name in ("baseline", "optimized")
        }
        self.pool_seconds, self.sample_like = 1e-6, 250e-6
        self.call_seconds = dict.fromkeys(self.sides, 1e-4)
        self.pool = SimpleNamespace(draw=tuple, take_warm=lambda count: [()] * count)

    @contextlib.contextmanager
    def aside(self, clock, primed):
        self.clocks.append((clock, primed))
        yield

    def sample(self, side, calls):
        if side.name == "baseline":
            self.cheat = next(self.cheats, False) if self._new_look() else self.cheat
            return Row(0, 0, 1e-4)
        return Row(0, 0, 1e-5 if self.cheat else 1e-4)

    def _new_look(self):
        self.looks += 1
        return self.looks % remembered.ROUNDS == 1

    def read(self, side, arguments):
        return SimpleNamespace(seconds=1e-4)


def looked(cheats):
    """As many looks as are wanted, as a run takes them."""
    target = Target(cheats)
    for number in range(TRIES):
        if not look_for_memories(target, [], last=number == TRIES - 1):
            break
    return target


@pytest.mark.parametrize(("cheats", "result"), [([], "pass"), ([True] * 3, "fail"), ([True, True, False], "pass")])
def test_a_cheat_is_one_in_every_look_and_a_machine_that_was_held_up_is_not(cheats, result):
    target = looked(cheats)
    assert target.findings.checks["nothing remembered"].result == result
    assert target.clocks == [("call", False)] * max(1, len(cheats))


def test_an_honest_pair_is_looked_at_once():
    assert looked([]).looks == remembered.ROUNDS


def test_calls_on_cold_files_are_not_compared():
    target = Target([True] * 3)
    target.cold = [0]
    assert not look_for_memories(target, [], last=False)
    assert target.looks == 0 and "nothing remembered" not in target.findings.checks


def test_drawing_that_takes_long_shortens_the_look():
    slow = Target([])
    slow.pool_seconds = 1.0
    look_for_memories(slow, [], last=True)
    assert 1 <= slow.looks < remembered.ROUNDS


def with_sets(target, sets, works=lambda arguments: True):
    """A target that unpacks sets of another process, and a side that may not know what to do with them."""
    used = []
    target.pool.unpacked = lambda packed: (packed,)

    def read(side, arguments):
        used.append((side.name, arguments[0][0]))
        if not works(arguments[0]):
            raise KeyError("no answer was left for it")
        return SimpleNamespace(seconds=1e-4)

    target.read = read
    look_for_memories(target, sets, last=True)
    return used


def test_every_side_sees_each_set_of_another_process_once():
    target = Target([True] * 3)
    used = with_sets(target, [bytes([number]) for number in range(4)])
    assert len(used) == len(set(used)) == 4 * 2
    assert target.findings.checks["nothing remembered"].result == "fail"


def test_a_side_that_fails_on_them_has_used_more_than_its_arguments():
    target = Target([])
    with_sets(target, [b"1", b"2", b"3"], works=lambda arguments: False)
    check = target.findings.checks["nothing remembered"]
    assert check.result == "fail"
    assert "baseline fails on values that another process drew (KeyError: 'no answer" in check.detail


def test_as_many_sets_are_drawn_as_are_looked_at():
    assert sets_to_draw(1000, [1e-5, 1e-5], 1e-6) == ROUNDS
    assert sets_to_draw(1000, [3.0, 3.0], 1e-6) == 1, "long calls"
    assert sets_to_draw(1000, [1e-5, 1e-5], 0.1) < ROUNDS, "drawing takes long"
    assert sets_to_draw(MOST_BYTES, [1e-5], 1e-6) == 1
    assert sets_to_draw(MOST_BYTES + 1, [1e-5], 1e-6) == 0, "too large to travel"
