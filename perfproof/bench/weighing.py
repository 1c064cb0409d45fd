"""What is weighed of one side alone, in the worker: peak memory, start-up, energy. Each call must give the answer."""

import time
from random import Random
from typing import TYPE_CHECKING, Any

import torch

from perfproof.bench import libraries, verification
from perfproof.bench.sides import Side
from perfproof.core.trees import settings
from perfproof.machine.energy import GpuEnergy
from perfproof.measure import clocks
from perfproof.measure.memory import live_bytes, peak_of

if TYPE_CHECKING:
    from perfproof.bench.worker import Target

ENERGY_BATCH = 0.02  # seconds of calls between two looks at the clock
HELD_QUANTUM = 64 * 1024  # bytes; what loading a file takes beyond its data


def peak_memory(target: "Target", sizes: dict, small: dict, rng: Random, calls: int) -> dict:
    """Peak over a few calls of the one side that this process has; what its file and its preparation hold counts."""
    (name,) = target.sides
    warm = target.new_pool(small, rng)
    starter = target.source.side(name)
    starter.make_ready(warm.draw, target.device)
    starter.function(*starter.state, *warm.draw())  # libraries load and initialise here, at small sizes
    libraries.forget_graphs()  # or the next size would make them dynamic: not what was timed
    pool = target.new_pool(sizes, rng)
    throwaway = pool.draw()
    before = live_bytes(target.device)
    side = target.source.side(name)
    side.make_ready(lambda: throwaway, target.device, target.kept_preparation(name, sizes))
    held = max(0, live_bytes(target.device) - before)
    held = held if held > HELD_QUANTUM else 0  # the interpreter's own noise when a file is loaded
    sets = [pool.draw() for _ in range(calls)]
    last, output = target.contract.copied(sets[-1]), None

    def region() -> None:
        nonlocal output
        for arguments in sets:
            output = None
            output = side.function(*side.state, *arguments)

    peak = peak_of(region, target.device)
    _must_be_right(target, side.name, last, output, sets[-1])
    if peak is None:
        return {"peak": None}
    return {"peak": peak.bytes + held, "counter": peak.counter, "quantum": peak.quantum}


def start_up(target: "Target", name: str, sizes: dict, rng: Random) -> dict:
    """Seconds from an interpreter with torch to the first result: the file with its imports, preparation, first call.

    The side is loaded before anything else of the pair: what the file imports is paid here, not by `inputs`.
    """
    loaded = target.meeting.timed(lambda: clocks.call_on_cpu(lambda: target.source.side(name), [()]))
    side: Side = loaded.output
    target.load_inputs()
    pool = target.new_pool(sizes, rng, afresh=True)  # or a start could find what an earlier one left on a disk
    throwaway, arguments = pool.draw(), pool.draw()
    before = target.contract.copied(arguments)

    def first_result() -> Any:
        side.make_ready(lambda: throwaway, target.device)
        output = side.function(*side.state, *arguments)
        if target.device.startswith("cuda"):
            torch.cuda.synchronize()
        return output

    reading = target.meeting.timed(lambda: clocks.call_on_cpu(first_result, [()]))
    _must_be_right(target, name, before, reading.output, arguments)
    return {"seconds": loaded.seconds + reading.seconds}


def energy(target: "Target", side: Side, seconds: float) -> dict:
    """Joules per call, from the card's own counter, which moves in steps: over a loop long enough for many of them."""
    counter = GpuEnergy(str(torch.cuda.get_device_properties(target.device).uuid))
    before = counter.joules()
    if target.meeting.most(before is None):
        return {"joules": None, "why": counter.why}
    at_once = max(1, round(ENERGY_BATCH / target.call_seconds[side.name]))
    torch.cuda.synchronize()
    calls, started, before = 0, time.perf_counter(), counter.joules() or 0.0
    while target.meeting.most(time.perf_counter() - started) < seconds:
        for arguments in target.pool.take_warm(at_once):
            side.function(*side.state, *arguments)
        torch.cuda.synchronize()
        calls += at_once
    elapsed, used = time.perf_counter() - started, (counter.joules() or 0.0) - before
    return {"joules": used / calls, "watts": used / elapsed, "calls": calls, "seconds": elapsed}


def _must_be_right(target: "Target", name: str, arguments: tuple, output: Any, after: tuple) -> None:
    """A call that is not timed but weighed has to give the answer as well."""
    changed = verification.changed_arguments(after, target.contract, settings(arguments))
    problem = target.answer_problem(name, arguments, output, changed)
    if problem:
        raise ValueError(f"{name}: the result of the call that was weighed {problem}")
