"""The sampling process, taken apart: what it imports, how it paces what is dear."""

import json
import subprocess
import sys
import time
from itertools import count
from types import SimpleNamespace

import pytest

from perfproof.core.telemetry import TelemetryHeader
from perfproof.machine.telemetry import process
from perfproof.machine.telemetry.columns import LOAD, SM_MHZ, Group


def test_it_imports_nothing_heavy():
    heavy = ("pydantic", "numpy", "torch", "rich", "psutil", "typer")
    code = f"import sys, perfproof.machine.telemetry.process; print([n for n in {heavy} if n in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_its_header_is_the_published_document():
    written = process.header([Group("gpu0", (SM_MHZ,), list)], {"gpu": "why"}, [{"index": 0}], 20.0, 7)
    read = TelemetryHeader.model_validate(json.loads(json.dumps(written)))
    assert read.groups[0].columns[0].name == "sm_mhz"
    assert (read.start_ns, read.unknown) == (7, {"gpu": "why"})


def test_a_row_is_short_and_holds_null_for_what_was_not_read():
    paced = process.Paced(3, Group("host", (LOAD,), lambda: [None]), 20, time.perf_counter_ns())
    number, since, value = json.loads(paced.row(0))
    assert (number, value) == (3, None)
    assert 0 <= since < 1e6


def burning(milliseconds):
    def read():
        end = time.thread_time_ns() + milliseconds * 1_000_000
        while time.thread_time_ns() < end:
            pass
        return [1.0]

    return read


def test_a_reading_that_costs_more_than_its_share_is_taken_less_often():
    paced, pauses = process.Paced(0, Group("host", (LOAD,), burning(5), every=1, share=0.002), 20, 0), []
    for _ in range(8):
        tick = paced.due
        paced.row(tick)
        pauses.append(paced.due - tick)
    assert pauses[:5] == [2, 4, 8, 16, 32]
    assert pauses[-1] >= 50, "5 ms at 0.2 % of a core is once in 2.5 s, 50 ticks of 20 Hz"


def test_one_dear_reading_among_cheap_ones_is_followed_by_others_soon():
    """A driver that is busy while a program opens the GPU: no reading for half a minute hid what the program did."""
    costs = iter([0, 0, 20, 0, 0])
    paced = process.Paced(0, Group("gpu0", (SM_MHZ,), lambda: burning(next(costs))(), every=4, share=0.0005), 20, 0)
    ticks = []
    for _ in range(5):
        ticks.append(paced.due)
        paced.row(paced.due)
    assert ticks[3] - ticks[2] <= 8 + 4


@pytest.mark.parametrize(("every", "seconds"), [(2, 0.05), (3, 0.2), (10, 0.5)])
def test_readings_that_are_dear_now_and_then_take_no_more_than_their_share_in_the_long_run(every, seconds, monkeypatch):
    now, readings = [0], count(1)
    monkeypatch.setattr(process, "time", SimpleNamespace(thread_time_ns=lambda: now[0], perf_counter_ns=lambda: now[0]))

    def read():
        now[0] += int(1e9 * (seconds if next(readings) % every == 0 else 20e-6))
        return [1.0]

    paced, tick = process.Paced(0, Group("gpu0", (SM_MHZ,), read, every=1, share=0.01), 10, 0), 0
    while tick < 36_000:
        paced.row(tick)
        tick = paced.due
    assert now[0] <= 1.1 * 0.01 * 3600e9


def test_a_reading_without_a_share_is_taken_at_every_tick_whatever_it_costs():
    paced = process.Paced(0, Group("gpu0", (SM_MHZ,), burning(5)), 20, 0)
    paced.row(10)
    assert paced.due == 11


def test_a_cheap_reading_keeps_its_own_rhythm():
    paced = process.Paced(0, Group("host", (LOAD,), lambda: [1.0], every=4, share=0.5), 20, 0)
    paced.row(10)
    assert paced.due == 14
