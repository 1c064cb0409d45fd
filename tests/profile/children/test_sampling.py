"""Stacks of the program's threads are sampled; a thread that waits is told from one that works."""

import json
import threading
import time

from perfproof.profile.children import sampling
from perfproof.profile.children.sampling import Stacks, stack_of


def spin(until):
    while not until.is_set():
        sum(range(200))


def sampled(target, monkeypatch):
    """Milliseconds of one thread by (its innermost own function, whether it waits)."""
    monkeypatch.setattr(sampling, "PERIOD_SECONDS", 0.002)
    ended = threading.Event()
    thread = threading.Thread(target=target, args=(ended,), name="worker")
    thread.start()
    stacks = Stacks()
    end = time.monotonic() + 30  # the test ends in any case
    while sum(ms for *_, ms, _, _ in stacks.samples) < 200 and time.monotonic() < end:
        ended.wait(0.01)
    stacks.stop()
    ended.set()
    thread.join()
    names = list(stacks.numbers)
    return [
        (names[place], ms, waits) for _, _, ms, place, waits in stacks.samples if names[place][0] == "thread:worker"
    ]


def test_a_thread_that_computes_does_not_wait_however_busy_the_machine_is(monkeypatch):
    found = sampled(spin, monkeypatch)
    working = sum(ms for _, ms, waits in found if not waits)
    assert working > 0.7 * sum(ms for _, ms, _ in found)
    assert any("spin (test_sampling.py:" in frame for stack, *_ in found for frame in stack)


def test_a_thread_that_sleeps_waits(monkeypatch):
    found = sampled(lambda ended: ended.wait(), monkeypatch)
    waiting = sum(ms for _, ms, waits in found if waits)
    assert waiting > 0.7 * sum(ms for _, ms, _ in found)
    assert any("threading:wait" in stack for stack, *_ in found)


def test_own_threads_are_left_out_and_the_file_has_stacks_and_samples(tmp_path, monkeypatch):
    monkeypatch.setattr(sampling, "PERIOD_SECONDS", 60.0)
    stacks = Stacks()
    stacks.sample()
    stacks.sample()
    stacks.stop()
    stacks.write(str(tmp_path / "x.json"))
    content = json.loads((tmp_path / "x.json").read_text())
    assert content["samples"] and all("perfproof" not in stack[0] for stack in content["stacks"])


def test_frames_of_libraries_have_their_module_and_own_ones_their_line():
    import sys

    inner = []
    sorted([1], key=lambda _: inner.extend(stack_of(sys._getframe())) or 0)
    assert inner[-1].startswith("<lambda> (test_sampling.py:")
    json.loads("[1]", object_hook=None, parse_int=lambda _: inner.extend(stack_of(sys._getframe())) or 1)
    assert any(frame.startswith("json.decoder:") for frame in inner)
