"""A few steady steps of a program are kept, by its steps or by time; one that ends before is kept as a whole."""

import importlib
import json
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

from perfproof.core.events import Kind
from perfproof.profile.children import capture as capture_module
from perfproof.profile.children import window as module
from perfproof.profile.children.capture import capture
from perfproof.profile.children.window import BESIDE, STEADY_AFTER, Window
from perfproof.profile.reading import read


class Recording:
    def __init__(self):
        self.stopped = False

    def stop(self):
        self.stopped = True


class Clock:
    """Steps of given lengths, and the time in the queue for a CPU; the window looks at nothing else."""

    def __init__(self, monkeypatch):
        self.now, self.queued = 0.0, 0.0
        monkeypatch.setattr(module.time, "monotonic", lambda: self.now)
        monkeypatch.setattr(module, "_queued_seconds", lambda: self.queued)


@pytest.fixture
def program(monkeypatch):
    clock, begun, saved = Clock(monkeypatch), [], []

    def begin():
        begun.append(Recording())
        return begun[-1]

    def made(**wish):
        window = Window(begin, saved.append, wish)

        def steps(*lengths, kind="steps"):
            for length in lengths:
                clock.now += length
                window.tick(kind)

        return window, steps

    made.begun, made.saved, made.clock = begun, saved, clock
    return made


def test_uneven_steps_at_the_beginning_are_waited_for(program):
    window, steps = program(warmup=0)
    steps(9, 5, 3, 2, 1.9)
    assert window.phase == "start"
    steps(1, 1, 1)
    assert window.phase == "steady" and program.begun[0].stopped and len(program.begun) == 2
    steps(*[1] * (3 + BESIDE))
    assert window.phase == "done" and program.saved == [program.begun[1]] and "3 steps" in window.told


def test_short_steps_are_recorded_until_there_are_samples_unless_a_number_was_asked_for(program):
    window, steps = program(warmup=0)
    steps(*[0.01] * 50)
    assert window.phase == "steady"
    steps(*[0.01] * 500)
    assert window.phase == "done" and window._lasted() >= module.STEPS_SECONDS
    window, steps = program(warmup=0, steps=3)
    steps(*[0.01] * 50)
    assert window.phase == "done"


def test_the_end_of_a_program_that_waited_for_others_does_not_replace_what_came_before(program):
    window, _ = program(wait_seconds=1.0)
    program.clock.now += 9
    window.renew()
    program.clock.now += 0.3
    window.restart()
    program.clock.now += 0.2
    window.finish()
    assert program.saved == [program.begun[0]]


def test_a_recording_without_samples_does_not_replace_one_with_many(program):
    window, _ = program()
    program.begun[0].stacks = SimpleNamespace(samples=[()] * 100)
    window.by_time, program.clock.now = True, 10.0
    window.restart()
    program.begun[1].stacks = SimpleNamespace(samples=[])
    program.clock.now += 2.0
    window.finish()
    assert program.saved == [program.begun[0]]


def test_a_program_whose_steps_stay_uneven_is_recorded_all_the_same(program):
    window, steps = program()
    steps(*[1, 5] * 12)
    assert window.phase != "start"


def test_a_given_number_of_steps_is_waited_for_whatever_they_take(program):
    window, steps = program(wait_steps=7, warmup=2)
    steps(*[1] * 9)
    assert window.phase == "start"
    steps(1)
    assert window.phase == "steady"


def test_batches_and_optimizer_steps_of_one_loop_are_not_counted_twice(program):
    window, steps = program(warmup=0)
    for _ in range(STEADY_AFTER):
        steps(0.5, kind="batches")
        steps(0.5, kind="optimizer")
    assert window.counted == "batches" and window.phase == "start"


def test_a_program_that_ends_before_it_is_steady_is_kept_from_its_beginning(program):
    window, steps = program()
    steps(1, 1)
    window.finish()
    window.finish()
    assert program.saved == [program.begun[0]] and window.told == "the whole program"


def test_of_a_long_beginning_without_steps_only_the_last_seconds_are_kept(program):
    window, _ = program()
    for _ in range(2):
        program.clock.now += 4
        window.renew()
    window.finish()
    assert program.saved == [program.begun[1]] and "before the program's end" in window.told
    assert all(recording.stopped for recording in program.begun)


def test_a_main_thread_that_only_waits_for_others_does_not_lose_the_recording(program):
    window, _ = program(wait_seconds=1.0)
    program.clock.now += 9
    window.renew()
    window.restart()  # all at once, when it runs again at the program's end
    window.finish()
    assert program.saved == [program.begun[0]] and window.phase == "done"


def test_seconds_that_were_kept_do_not_replace_steady_steps(program):
    window, steps = program(wait_steps=0, warmup=0)
    window.renew()
    steps(*[1] * 8)
    assert program.saved == [program.begun[2]] and "3 steps" in window.told


def test_short_steps_are_recorded_until_there_are_samples_enough(program):
    window, steps = program(warmup=0)
    steps(*[0.125] * (STEADY_AFTER + 1 + 3 + BESIDE))
    assert window.phase == "steady"
    steps(*[0.125] * 4)
    assert window.phase == "done" and "6 steps" in window.told


@pytest.mark.parametrize(("share", "kept"), [(0.5, 14), (1.0, 30)])
def test_the_queue_for_a_cpu_does_not_count_up_to_a_limit(program, share, kept):
    window, steps = program(warmup=0)
    for _ in range(STEADY_AFTER + 1 + kept + BESIDE - 1):
        program.clock.queued += share * 0.125
        steps(0.125)
    assert window.phase == "steady"
    steps(0.125)
    assert window.phase == "done" and f"{kept} steps" in window.told


def test_a_number_of_steps_that_was_asked_for_is_kept_however_short_they_are(program):
    window, steps = program(steps=3, warmup=0)
    steps(*[0.125] * (STEADY_AFTER + 1 + 3 + BESIDE))
    assert window.phase == "done" and "3 steps" in window.told


@pytest.mark.parametrize("recorded", [False, True])
def test_steps_that_come_after_a_long_beginning_take_the_place_of_a_recording_by_time(program, recorded):
    window, steps = program(warmup=0)
    window.by_time = True  # the wait is over
    window.restart()
    program.clock.now += 2
    if recorded:
        window.finish()
    steps(*[1] * (STEADY_AFTER + 1))
    assert window.phase == "steady"
    steps(*[1] * (3 + BESIDE))
    assert program.saved[-1] is program.begun[-1] and "3 steps" in window.told


def test_a_time_that_was_asked_for_is_kept_whatever_steps_come(program):
    window, steps = program(duration=2.0)
    window.restart()
    program.clock.now += 2
    window.finish()
    steps(*[1] * 20)
    assert len(program.saved) == 1


def test_steps_of_an_optimizer_are_seen_and_only_steady_ones_are_in_the_trace(monkeypatch, tmp_path):
    wish = {"kind": "torch", "output": str(tmp_path / "it"), "window": {"steps": 2, "wait_steps": 3, "warmup": 0}}
    monkeypatch.setenv("PERFPROOF_CAPTURE", json.dumps(wish))
    model = torch.nn.Linear(4, 4)
    learner = torch.optim.SGD(model.parameters(), lr=0.1)
    with capture():
        torch.ones(3).cumsum(0)
        for _ in range(12):
            model(torch.ones(2, 4)).sum().backward()
            learner.step()
        torch.ones(3).exp()
    events = read(tmp_path / "it.trace.json.gz")
    names = [row.name for row in events.rows(Kind.RANGE, Kind.OPERATOR)]
    assert not {"aten::cumsum", "aten::exp"} & set(names)
    assert sum(name.startswith("Optimizer.step#") for name in names) == 2 + BESIDE
    assert "2 steps" in json.loads((tmp_path / "it.window.json").read_text())["recorded"]


def test_without_steps_it_records_by_time_on_the_main_thread(monkeypatch, tmp_path):
    wish = {"kind": "torch", "output": str(tmp_path / "it"), "window": {"wait_seconds": 0.2, "duration": 0.8}}
    monkeypatch.setenv("PERFPROOF_CAPTURE", json.dumps(wish))
    end = time.monotonic() + 60  # the test ends in any case
    many = torch.ones(1_000_000)  # a recording of short operators has 100,000 of them, which take long to read
    torch.ones(3).cumsum(0)  # the first call takes longest; the next one has ended when the recording begins
    # A recording with fewer looks than what came before would not replace it: it is four times as long.
    with capture():
        torch.ones(3).cumsum(0)
        while not (tmp_path / "it.window.json").exists() and time.monotonic() < end:
            many.neg()
        torch.ones(3).exp()
    names = {row.name for row in read(tmp_path / "it.trace.json.gz").rows(Kind.OPERATOR)}
    assert "aten::neg" in names and not {"aten::cumsum", "aten::exp"} & names


def test_a_program_that_ends_before_its_time_keeps_no_more_than_its_last_seconds(monkeypatch, tmp_path):
    monkeypatch.setattr(module, "KEPT_SECONDS", 0.2)
    load = capture_module._sibling
    monkeypatch.setattr(capture_module, "_sibling", lambda name: module if name == "window" else load(name))
    wish = {"kind": "torch", "output": str(tmp_path / "it"), "window": {"wait_seconds": 60.0}}
    monkeypatch.setenv("PERFPROOF_CAPTURE", json.dumps(wish))
    made, given = [], module.Window
    monkeypatch.setattr(module, "Window", lambda *of: made.append(given(*of)) or made[-1])
    many, end = torch.ones(1_000_000), time.monotonic() + 60
    with capture():
        torch.ones(3).cumsum(0)
        first = made[0].recording
        while made[0].kept in (None, first) and time.monotonic() < end:
            many.neg()
    names = {row.name for row in read(tmp_path / "it.trace.json.gz").rows(Kind.OPERATOR)}
    assert "aten::neg" in names and "aten::cumsum" not in names


class Stacks:
    """A stack of plain Python per sample, and one of torch in some."""

    def __init__(self, samples, of_torch=0):
        self.numbers = {("thread:MainThread", "work (a.py:3)"): 0, ("thread:MainThread", "torch.nn:forward"): 1}
        self.samples = [(1, at, 5.0, int(at < of_torch), False, True) for at in range(samples)]
        self.dropped_before = 0

    def drop_before(self, moment):
        self.dropped_before = moment


@pytest.mark.parametrize(
    ("stacks", "names_torch", "only"),
    [
        (Stacks(100), False, True),
        (Stacks(100, of_torch=1), False, True),
        (Stacks(100, of_torch=10), False, False),
        (Stacks(100), True, False),
        (Stacks(5), False, False),
        (None, False, False),
    ],
)
def test_a_program_without_torch_has_only_stacks(program, monkeypatch, stacks, names_torch, only):
    monkeypatch.setattr(module, "_own_modules_name_torch", lambda: names_torch)
    window, _ = program()
    program.begun[0].stacks = stacks
    assert window._has_only_stacks() == only


def test_a_program_without_torch_that_goes_on_keeps_what_came_after_the_wait(program, monkeypatch):
    monkeypatch.setattr(module, "_own_modules_name_torch", lambda: False)
    window, _ = program()
    program.begun[0].stacks = Stacks(100)
    for name in ("_wait", "_sleep"):
        monkeypatch.setattr(window, name, lambda seconds: setattr(program.clock, "now", program.clock.now + seconds))
    monkeypatch.setattr(window, "_on_main", lambda action, _: action())
    window._watch()
    assert program.saved == [program.begun[0]] and len(program.begun) == 1
    assert program.begun[0].stacks.dropped_before > 0 and window.told.startswith("20.0 s, after 10.0 s")


def test_a_program_without_torch_that_ends_meanwhile_is_recorded_as_a_whole(program, monkeypatch):
    monkeypatch.setattr(module, "_own_modules_name_torch", lambda: False)
    window, _ = program()
    program.begun[0].stacks = Stacks(100)
    monkeypatch.setattr(window, "_wait", lambda seconds: None)
    monkeypatch.setattr(window, "_sleep", lambda seconds: window.finish())
    monkeypatch.setattr(window, "_on_main", lambda action, _: action())
    window._watch()
    assert program.saved == [program.begun[0]] and program.begun[0].stacks.dropped_before == 0


def time_goes_by(program, window, monkeypatch, each=lambda: None, most=400):
    """What sleeps makes the clock go on; the program ends after so many sleeps."""
    slept = []

    def sleep(seconds):
        program.clock.now += seconds
        slept.append(seconds)
        each()
        if len(slept) == most:
            window.finish()

    monkeypatch.setattr(module.time, "sleep", sleep)


def test_a_program_that_goes_on_for_long_after_its_last_step_is_recorded_there(program, monkeypatch):
    window, steps = program(warmup=0)
    steps(*[0.01] * 50)
    assert window.phase == "steady", "a second of steps has not been recorded yet"
    time_goes_by(program, window, monkeypatch)
    monkeypatch.setattr(window, "_on_main", lambda action, _: action())
    window._watch()
    assert "the steps were over" in window.told and program.saved == [program.begun[-1]] and len(program.begun) == 3


def test_steps_that_go_on_are_waited_for(program, monkeypatch):
    window, steps = program(warmup=0)
    steps(*[0.5] * 3)
    time_goes_by(program, window, monkeypatch, each=lambda: steps(0.4))
    window._watch()
    assert "steps, after" in window.told


def test_a_validation_that_is_shorter_than_the_steps_before_it_ends_nothing(program, monkeypatch):
    window, steps = program(warmup=0)
    steps(*[30, 8, 2, 1])
    time_goes_by(program, window, monkeypatch, most=350)  # 35 s
    assert not window._are_steps_over()


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("import torch", True),
        ("from torch import nn", True),
        ("from torch.nn.functional import relu", True),
        ("import json", False),
    ],
)
def test_a_module_of_the_program_names_torch(line, found, tmp_path, monkeypatch):
    (tmp_path / "of_the_program.py").write_text(f"{line}\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    own = {"of_the_program": importlib.import_module("of_the_program")}
    del sys.modules["of_the_program"]
    monkeypatch.setattr(module, "sys", SimpleNamespace(modules=own))
    assert module._own_modules_name_torch() == found


def test_nothing_is_stopped_while_a_range_is_open(program):
    window, steps = program(wait_steps=1, warmup=0)
    window.range_begins()
    steps(1, 1, 1)
    assert window.phase == "start" and not program.begun[0].stopped
    window.range_ends()
    assert window.phase == "steady"


def test_nothing_is_stopped_inside_a_pass_backward(program):
    window, steps = program(wait_steps=0, warmup=0)
    phases = []
    value = torch.ones(2, requires_grad=True)
    value.register_hook(lambda gradient: (steps(1, 1), phases.append(window.phase))[0])
    value.sum().backward()
    assert phases == ["start"]
    window.do_asked()
    assert window.phase == "steady"


def test_a_change_that_is_asked_for_inside_of_a_model_is_made_on_the_next_line_after_it(program):
    window, _ = program()
    inside = []

    class Model(torch.nn.Module):
        def forward(self, x):
            window.ask(window.restart)
            inside.append(window.phase)
            return x

    Model()(torch.ones(1))
    assert inside == ["start"] and window.phase == "steady" and sys.gettrace() is None


def test_a_debugger_keeps_its_trace_function(program):
    window, steps = program(wait_steps=0, warmup=0)
    value, mine = torch.ones(2, requires_grad=True), lambda *_: None
    value.register_hook(lambda gradient: steps(1, 1))
    before = sys.gettrace()
    sys.settrace(mine)
    try:
        value.sum().backward()
        kept = sys.gettrace()
    finally:
        sys.settrace(before)
    assert kept is mine and window.phase == "start"


STANDS_STILL = """
import sys, threading, time
import torch
from perfproof.profile.children import window as module

module.LOOK_SECONDS = 0.0  # ask as often as can be, also while the main thread answers
sys.setswitchinterval(1e-6)
class Recording:
    def stop(self): pass
window = module.Window(Recording, lambda recording: None, {})
asked = threading.Thread(target=lambda: window._on_main(window.restart, lambda: window.phase == "steady"), daemon=True)

class Long(torch.nn.Module):
    def forward(self, count):
        end, turns = time.monotonic() + 1.0, 0
        while time.monotonic() < end:
            turns += self.turn()
        return turns

    def turn(self):
        return 1

asked.start()
turns = Long()(0)
for _ in range(50): time.sleep(0.01)
print(turns > 100, window.phase)
"""


def test_a_program_goes_on_while_a_change_is_asked_for_inside_of_a_model(warm_python, tmp_path):
    (tmp_path / "program.py").write_text(STANDS_STILL)
    command = [sys.executable, str(tmp_path / "program.py")]
    done = subprocess.run(command, cwd=Path(__file__).parents[3], capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == ["True", "steady"], done.stderr


def test_where_only_the_steady_state_is_wanted_nothing_is_begun_before(monkeypatch):
    clock, begun, saved = Clock(monkeypatch), [], []

    def begin():
        begun.append(Recording())
        return begun[-1]

    window = Window(begin, saved.append, {"warmup": 0, "steps": 1}, only_steady=True)
    for _ in range(STEADY_AFTER):
        clock.now += 1
        window.tick("steps")
    assert begun == [] and window.phase == "start"
    for _ in range(1 + BESIDE + 2):
        clock.now += 1
        window.tick("steps")
    assert len(begun) == 1 and begun[0].stopped and saved == begun


def test_a_program_that_ends_before_has_nothing_then(monkeypatch):
    Clock(monkeypatch)
    begun, saved = [], []
    window = Window(lambda: begun.append(Recording()) or begun[-1], saved.append, {}, only_steady=True)
    window.finish()
    assert begun == [] and len(saved) == 1
