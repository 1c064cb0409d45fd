"""What is weighed of one side alone, in the worker: peak memory, start-up, energy. Each call must give the answer."""

import time
from random import Random
from typing import Any

import torch

from perfproof.core.trees import settings
from perfproof.machine.energy import GpuEnergy
from perfproof.worker import libraries, verification
from perfproof.worker.load import Side
from perfproof.worker.measure import clocks
from perfproof.worker.measure.device_clocks import wait_for
from perfproof.worker.measure.memory import held_by, peak_of
from perfproof.worker.pair import LoadedPair
from perfproof.worker.sampler import Sampler

ENERGY_BATCH = 0.02  # seconds of calls between two looks at the clock
A_LOOK, AT_REST, MOST_AFTERWARDS = 0.1, 0.02, 20.0  # seconds after a start-up, the share of a core that is rest
HELD_QUANTUM = 64 * 1024  # bytes; what loading a file takes beyond its data


def peak_memory(pair: LoadedPair, sizes: dict, small: dict, rng: Random, calls: int) -> dict:
    """Peak over a few calls of the one side that this process has; what its file and its preparation hold counts."""
    (name,) = pair.sides
    warm = pair.new_pool(small, rng)
    starter = pair.source.side(name)
    starter.make_ready(warm.draw, pair.device)
    starter.function(*starter.state, *warm.draw())  # libraries load and initialise here, at small sizes
    libraries.forget_graphs()  # or the next size would make them dynamic: not what was timed
    pool = pair.new_pool(sizes, rng)
    throwaway = pool.draw()
    side: Side | None = None

    def load() -> None:
        nonlocal side
        side = pair.source.side(name)
        side.make_ready(lambda: throwaway, pair.device, pair.kept_preparation(name, sizes))

    held = held_by(load, pair.device)
    assert side is not None
    held = held if held > HELD_QUANTUM else 0  # the interpreter's own noise when a file is loaded
    sets = [pool.draw() for _ in range(calls)]
    last, output = pair.contract.copied(sets[-1]), None

    def region() -> None:
        nonlocal output
        for arguments in sets:
            output = None
            output = side.function(*side.state, *arguments)

    peak = peak_of(region, pair.device)
    _must_be_right(pair, side.name, last, output, sets[-1])
    if peak is None:
        return {"peak": None}
    return {"peak": peak.bytes + held, "counter": peak.counter, "quantum": peak.quantum}


def start_up(pair: LoadedPair, name: str, sizes: dict, rng: Random) -> dict:
    """Seconds from an interpreter with torch to the first result: the file with its imports, preparation, first call.

    The side is loaded before anything else of the pair: what the file imports is paid here, not by `inputs`. So is the
    CPU time of what its threads still do after the first result.
    """
    loaded = pair.meeting.timed(lambda: clocks.call_on_cpu(lambda: pair.source.side(name), [()]))
    side: Side = loaded.output
    pair.load_inputs()
    pool = pair.new_pool(sizes, rng, afresh=True)  # or a start could find what an earlier one left on a disk
    throwaway, arguments = pool.draw(), pool.draw()
    before = pair.contract.copied(arguments)

    def first_result() -> Any:
        side.make_ready(lambda: throwaway, pair.device)
        output = side.function(*side.state, *arguments)
        wait_for(pair.device)
        return output

    reading = pair.meeting.timed(lambda: clocks.call_on_cpu(first_result, [()]))
    seconds = loaded.seconds + reading.seconds + pair.meeting.most(_seconds_until_quiet())
    _must_be_right(pair, name, before, reading.output, arguments)
    return {"seconds": seconds}


def _seconds_until_quiet() -> float:
    """CPU seconds that other threads of this process still take, until they rest."""
    began, ends = time.process_time(), time.monotonic() + MOST_AFTERWARDS
    while time.monotonic() < ends:
        before = time.process_time()
        time.sleep(A_LOOK)
        if time.process_time() - before < AT_REST * A_LOOK:
            break
    return time.process_time() - began


def energy(sampler: Sampler, side: Side, seconds: float) -> dict:
    """Joules per call, from the card's own counter, which moves in steps: over a loop long enough for many of them."""
    counter = GpuEnergy(str(torch.cuda.get_device_properties(sampler.pair.device).uuid))
    before = counter.joules()
    if sampler.pair.meeting.most(before is None):
        return {"joules": None, "why": counter.why}
    at_once = max(1, round(ENERGY_BATCH / sampler.call_seconds[side.name]))
    torch.cuda.synchronize()
    calls, started, before = 0, time.perf_counter(), counter.joules() or 0.0
    while sampler.pair.meeting.most(time.perf_counter() - started) < seconds:
        for arguments in sampler.pool.take_warm(at_once):
            side.function(*side.state, *arguments)
        torch.cuda.synchronize()
        calls += at_once
    elapsed, used = time.perf_counter() - started, (counter.joules() or 0.0) - before
    return {"joules": used / calls, "watts": used / elapsed, "calls": calls, "seconds": elapsed}


def _must_be_right(pair: LoadedPair, name: str, arguments: tuple, output: Any, after: tuple) -> None:
    """A call that is not timed but weighed has to give the answer as well."""
    changed = verification.changed_arguments(after, pair.contract, settings(arguments))
    problem = pair.answer_problem(name, arguments, output, changed)
    if problem:
        raise ValueError(f"{name}: the result of the call that was weighed {problem}")
