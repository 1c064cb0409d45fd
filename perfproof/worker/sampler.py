"""Samples: warm sides up, then time as many calls of a side as the run says, and keep what is to be checked."""

import contextlib
import gc
import random
import resource
from collections.abc import Callable, Iterator
from statistics import median
from time import perf_counter as _now  # before a pair can reach it
from time import thread_time as _thread_time
from typing import Any

import torch

from perfproof.core.trees import (
    clone,
    holds_buffers,
    is_array,
    is_tensor,
    settings,
    size_in_bytes,
    special_leaves,
    tensors_in,
)
from perfproof.core.units import MiB
from perfproof.machine.cgroup import memory_left
from perfproof.worker import device_work, libraries, verification
from perfproof.worker.load import Side
from perfproof.worker.measure import allocator, clocks
from perfproof.worker.measure.digest import digest
from perfproof.worker.measure.memory import fits, room
from perfproof.worker.measure.pages import drop_pages
from perfproof.worker.measure.reading import Reading
from perfproof.worker.measure.run_queue import waited_for_a_core
from perfproof.worker.measure.warmup import LEAST_ON_GPU, MOST_OF_RANKS, MOST_ON_CPU, MOST_ON_GPU, warm_up
from perfproof.worker.pair import LoadedPair
from perfproof.worker.row import Row
from perfproof.worker.verify import watch
from perfproof.worker.verify.outputs import alias_problem, changed_problem, kind_problem, poison

GLANCES, LEAST_GLANCES, GLANCE_SECONDS = 15, 3, 0.3  # readings by another clock, and how long they may take
HOST_SPARE = 200e-6  # seconds that a synchronised host may take longer than the device's events
CPU_POOL_BYTES, GPU_POOL_BYTES = 256 * MiB, 12_288 * MiB
MOST_TENSORS = 4_096  # of a pool on a GPU: memory is taken for each
TIGHT = 20  # sets of arguments and results: a process that has no room for so many keeps few of them to be checked
LONG_CALL_SECONDS = 0.1  # a call of this length is warm after its first two
SLOW_CALL_SECONDS = 0.02  # a call of this length is read once where shorter ones are read three times
LOOK_SHARE = 0.05  # of the time of samples may be spent on looking at their outputs
AS_USUAL = 1.2  # times what it took in another process: nothing was set up in this call
HOLD_SPARE, HOLD_LEAST, HOLD_MOST = 1.3, 50e-6, 0.02  # how much longer than queueing took last time the queue is held
HOLD_SINGLE = 1e-3  # a single call after a pause takes the host longer than one of many


class Sampler:
    """All that is timed of a pair in this process."""

    def __init__(self, pair: LoadedPair):
        self.pair = pair
        self.kept: list[tuple[str, tuple, Any, dict]] = []  # side, arguments, output, what it changed
        self.call_seconds: dict[str, float] = {}
        self.between: dict[str, list[float]] = {}  # side -> CPU seconds of other threads after its samples, of seconds
        self._sampled: tuple[str, float, float] | None = None  # the last sample: its side, foreign CPU, its end
        self._enqueue = dict.fromkeys(pair.sides, 0.0)  # seconds that the host last needed to queue a call
        self._waits = dict.fromkeys(pair.sides, False)  # does a call wait for the device before it returns?
        self._output_bytes = 0
        self._laid_out: list[tuple] = []
        self._look_share = 1.0  # of the outputs that are looked at
        self._has_room = False  # for a few more copies of arguments and results, on a device

    def ready(
        self, *, sizes: dict, seed: int, clock: str, sample_seconds: float, usual: dict[str, float] | None = None
    ) -> dict:
        """Prepare and warm every side, in the order in which the run created them.

        `usual` are the seconds per call of another process: a long first call that took no longer needs no other.
        """
        allocator.warm()
        self.clock, self._primed = self.clock_named("call" if clock == "kernel" else clock), False
        self.rng, self.sample_like = random.Random(seed), sample_seconds
        self.pool = self.pair.new_pool(sizes, self.rng)
        arguments: tuple = self.pool.example  # drawing may take long: every draw here is one in each process
        self._buffers = [at for at, value in enumerate(arguments) if holds_buffers(value)]
        for side in self.pair.sides.values():
            side.make_ready(self.pool.draw, self.pair.device, self.pair.kept_preparation(side.name, sizes))
        tasks = watch.tasks()
        first = {name: self._first_call(side) for name, side in self.pair.sides.items()}
        known = {
            name: seconds
            for name, seconds in first.items()
            if LONG_CALL_SECONDS < seconds < AS_USUAL * (usual or {}).get(name, 0.0)
        }
        call_seconds = self._warm(sample_seconds, known)
        self.pool_seconds = self.pair.meeting.most(self.pool.draw_seconds())
        if self.pair.device == "cpu":  # new values are colder than the few that warm-up went round
            call_seconds |= self._seconds_on_new_values(call_seconds, sample_seconds)
        self.call_seconds = call_seconds
        # Ranks whose queues are held unevenly start unevenly.
        short = max(call_seconds.values()) < LONG_CALL_SECONDS  # else the host queues a call long before it ends
        holds = self.clock is clocks.call_on_cuda and short and not self.pair.meeting.several
        held = self._held_seconds(call_seconds, sample_seconds) if holds else {}
        floor = clocks.floor_seconds(self.clock, arguments)
        most = CPU_POOL_BYTES if self.pair.device == "cpu" else min(GPU_POOL_BYTES, torch.cuda.mem_get_info()[0] // 8)
        tensors = 1 if self.pair.device == "cpu" else len(tensors_in(arguments))
        sets = min(most // self.pool.set_bytes, MOST_TENSORS // max(1, tensors))
        self._most_sets = int(self.pair.meeting.least(max(1, sets)))
        self.constants = clone(self.bits_of_constants())
        tight = not fits(TIGHT * max(self.pool.set_bytes, self._output_bytes), self.pair.device, memory_left())
        self._has_room = self.pair.device.startswith("cuda") and not tight
        self.graphs = libraries.compiled_graphs()
        self._forget_samples()
        self.pool.drawn = self.pool.repeated = 0
        sizes_in_bytes = self._sizes_in_bytes(arguments)
        del arguments
        self.pool.forget_example()
        gc.collect()
        gc.freeze()
        return {
            "call_seconds": call_seconds,
            "first_call_seconds": {name: max(0.0, first[name] - call_seconds[name]) for name in first},
            "held_seconds": held,
            "enqueue_seconds": {name: self._enqueue[name] for name in held},
            "waits": {name: self._waits[name] for name in held},
            "floor": floor,
            "setup_seconds": {name: side.setup_seconds for name, side in self.pair.sides.items()},
            "draw_seconds": self.pool_seconds,
            "room": room(self.pair.device, memory_left()),
            "pool": {
                "set_bytes": self.pool.set_bytes,
                "most_sets": self._most_sets,
                **sizes_in_bytes,
                "tight": tight,
            },
            "tasks": tasks,
        }

    def plan(self, *, calls: dict[str, int]) -> dict:
        """How many calls of each side come next: the values for them are drawn together, as far as memory allows."""
        self.pool.plan(calls, self._most_sets)
        return {}

    def run(self, *, samples: list[list], clock: str, primed: bool, warm: bool = False) -> dict:
        """Take samples: [side, calls, keep the output?] each; returns one row of readings per sample.

        With `warm` they see the few sets of the warm-up: for looks at the clocks, which no verdict is made of.
        """
        self.clock, self._primed = self.clock_named(clock), primed
        with device_work.recording(self.clock) as recording:
            rows = [self.sample(self.pair.sides[name], count, keep, warm) for name, count, keep in samples]
        rows = device_work.with_busy_seconds(recording, rows, [count for _, count, _ in samples])
        self.pair.look_around("while it was timed")
        # What a device recorded is every rank's own.
        own = {} if recording else self.pair.meeting.own_seconds(len(rows))
        repeated = self.pool.repeated / max(1, self.pool.drawn)
        return {"rows": rows, **own, "repeated": repeated, "held_sets": self.pool.most_held}

    def lay_out(self, *, calls: int) -> dict:
        """Make the arguments of the next warm sample now, so that nothing but calls is left to do in it."""
        self._laid_out = self.pool.take_warm(calls)
        return {}

    def glance(self, *, side: str, clock: str, calls: int, hot: bool) -> dict:
        """Seconds per call by another clock, or on one hot set, for the reader; no verdict is made of it."""
        with self.aside(clock):
            take = self._hot_seconds if hot else lambda side, calls: self.sample(side, calls, warm=True).seconds
            usual = calls * max(1e-9, self.call_seconds[side])
            glances = max(LEAST_GLANCES, min(GLANCES, int(GLANCE_SECONDS / usual)))
            return {"seconds": median(take(self.pair.sides[side], calls) for _ in range(glances))}

    @contextlib.contextmanager
    def aside(self, clock: str | None = None, primed: bool = False) -> Iterator[None]:
        """Samples that are not the run's: by another clock if one is named."""
        usual = (self.clock, self._primed, self.between)
        self.between = {}
        self.clock, self._primed = self.clock_named(clock) if clock else self.clock, primed
        try:
            yield
        finally:
            self.clock, self._primed, self.between = usual

    def sample(self, side: Side, calls: int, keep: bool = False, warm: bool = False) -> Row:
        """One sample of so many calls; with `keep` its last output is checked later."""
        sets = self._warm_sets(calls) if warm else self.pool.take(side.name, calls)
        arguments = [(*side.state, *one) for one in sets]
        last = self._beside(lambda: self.pair.contract.copied(sets[-1])) if keep else None
        for index in self.pair.cold:
            drop_pages(row[index + len(side.state)] for row in arguments)
        self.pair.meeting.meet()  # what a rank does while it waits for others is not of the sample
        before, beside, own_cpu = resource.getrusage(resource.RUSAGE_THREAD), self.foreign(), _thread_time()
        delayed = waited_for_a_core()
        self._count_between(beside)
        reading = self.pair.meeting.timed(lambda: self.read(side, arguments))
        own_cpu, beside_after = _thread_time() - own_cpu, self.foreign()
        after, delayed_after = resource.getrusage(resource.RUSAGE_THREAD), waited_for_a_core()
        self._sampled = (side.name, beside_after, _now())
        own = sets[-1]
        if last is not None:
            changed = clone(verification.changed_arguments(own, self.pair.contract, settings(last)))
            self.kept.append((side.name, last, self._beside(lambda: clone(reading.output)), changed))
        if not warm and (keep or self.rng.random() < self._look_share):
            self._look_at(side.name, reading, last, own)
        reading.output = None
        return Row(
            start_ns=reading.start_ns,
            end_ns=reading.end_ns,
            seconds=reading.seconds / calls,
            host_seconds=reading.host_seconds,
            switches=after.ru_nivcsw - before.ru_nivcsw,
            faults=after.ru_majflt - before.ru_majflt,
            enqueue_seconds=None if reading.enqueue_seconds is None else reading.enqueue_seconds / calls,
            clock_hz=reading.clock_hz,
            cpu_seconds=own_cpu,
            foreign_seconds=beside_after - beside,
            waits=after.ru_nvcsw - before.ru_nvcsw,
            delayed_seconds=None if delayed is None or delayed_after is None else delayed_after - delayed,
        )

    def _beside(self, make: Callable[[], Any]) -> Any:
        """A copy that takes nothing from the calls: the free blocks that it finds are theirs, and are there afterwards.

        Made once, it would take the block that the next result of the same size is written to: a timed call would have
        to ask the driver for memory.
        """
        spare = make() if self._has_room else None
        made = make()
        del spare
        return made

    def _warm_sets(self, calls: int) -> list[tuple]:
        made, self._laid_out = self._laid_out, []
        return made if len(made) == calls else self.pool.take_warm(calls)

    def read(self, side: Side, arguments: list[tuple]) -> Reading:
        if self.clock is not clocks.call_on_cuda:
            return self.clock(side.function, arguments)
        if self._primed:
            return clocks.call_on_cuda(side.function, arguments, self._hold_seconds(side.name, len(arguments)))
        reading = clocks.call_on_cuda(side.function, arguments)
        self._enqueue[side.name] = (reading.enqueue_seconds or 0.0) / len(arguments)
        return reading

    def clock_named(self, name: str) -> Any:
        return clocks.CLOCKS[name, self.pair.device.split(":")[0]]

    def call_each(self) -> None:
        for side in self.pair.sides.values():
            self.sample(side, 1, warm=True)

    def foreign(self) -> float:
        return self.pair.meeting.foreign_seconds()

    def _forget_samples(self) -> None:
        self.between, self._sampled = {}, None

    def _count_between(self, beside: float) -> None:
        """CPU time of other threads since the last sample ended, on the account of the side that ran in it."""
        if self._sampled is not None:
            name, foreign, ended = self._sampled
            spent = self.between.setdefault(name, [0.0, 0.0])
            spent[0] += beside - foreign
            spent[1] += _now() - ended

    def _look_at(self, name: str, reading: Reading, before: tuple | None, own: tuple) -> None:
        """Hold a timed call to what verification asks of one: it may have known that it was verified.

        Only as many are looked at as take a twentieth of the time of the samples, and a side cannot know which.
        """
        started, output = _now(), reading.output
        names, mutates = self.pair.contract.names, self.pair.contract.mutates
        shared = self._lives_in(output, own, ())
        problems = {
            "plain result": kind_problem(output, self.pair.device),
            "own memory": self._lives_in(output, own, mutates) if shared else "",
            "arguments unchanged": changed_problem(before, own, names, mutates) if before else "",
        }
        for check, problem in problems.items():
            self.pair.findings.note(check, f"{name} while it was timed: {problem}" if problem else "")
        if not shared:
            poison(output)
        self._look_share = min(1.0, LOOK_SHARE * reading.seconds / max(1e-9, _now() - started))

    def _lives_in(self, output: Any, arguments: tuple, mutates: tuple[str, ...]) -> str:
        """Does the output share memory with an argument? Only arguments that hold buffers are looked through."""
        names = tuple(self.pair.contract.names[at] for at in self._buffers)
        return alias_problem(output, tuple(arguments[at] for at in self._buffers), names, mutates)

    def _first_call(self, side: Side) -> float:
        """Seconds of the very first call after the preparation: what is set up or compiled in it is in there."""
        (arguments,) = self.pool.take_warm(1)
        reading = self.pair.meeting.timed(lambda: self.clock(side.function, [(*side.state, *arguments)]))
        self._output_bytes = max(self._output_bytes, size_in_bytes(reading.output))
        return reading.seconds

    def _warm(self, sample_seconds: float, known: dict[str, float]) -> dict[str, float]:
        """Seconds per call of each side, warmed up on a few argument sets; some are known."""
        on_gpu = self.pair.device.startswith("cuda")
        least, most = (LEAST_ON_GPU, MOST_ON_GPU) if on_gpu else (0.0, MOST_ON_CPU)
        most = MOST_OF_RANKS if self.pair.meeting.several and not on_gpu else most
        found, agree = {}, self.pair.meeting.most
        for name, side in self.pair.sides.items():

            def sample(calls: int, side: Side = side) -> tuple[float, float | None]:
                return self._paid(side, calls, warm=True)

            found[name] = known[name] if self.pair.meeting.least(name in known) else sample(1)[0]
            if found[name] < LONG_CALL_SECONDS:
                again = 0 if found[name] > SLOW_CALL_SECONDS else 2
                quick = min([found[name], *(sample(1)[0] for _ in range(again))])
                found[name] = warm_up(sample, quick, sample_seconds, least=least, most=most, agree=agree)
            least = 0.0  # the device's clocks have risen with the first side
        return found

    def _seconds_on_new_values(self, call_seconds: dict[str, float], sample_seconds: float) -> dict[str, float]:
        """Seconds per call in one sample of each side with short calls. All sides get the same new values."""
        short = {name: seconds for name, seconds in call_seconds.items() if seconds < LONG_CALL_SECONDS}
        calls = {name: max(1, round(sample_seconds / seconds)) for name, seconds in short.items()}
        self.pool.plan(calls, max(calls.values(), default=1))
        return {name: self._paid(self.pair.sides[name], count)[0] for name, count in calls.items()}

    def _paid(self, side: Side, calls: int, warm: bool = False) -> tuple[float, float | None]:
        """Seconds per call, the same on all ranks, and the device's clock, of one sample."""
        row = self.sample(side, calls, warm=warm)
        return self.pair.meeting.most(_paid(row.seconds * calls, row.host_seconds) / calls), row.clock_hz

    def _held_seconds(self, call_seconds: dict[str, float], sample_seconds: float) -> dict[str, float]:
        """Seconds per call when the device never waits for the host: its own, gaps between kernels included."""
        self._primed = True
        found = {}
        for name, side in self.pair.sides.items():
            length = max(1, round(sample_seconds / call_seconds[name]))
            count = 1 if length * call_seconds[name] > SLOW_CALL_SECONDS else 3
            rows = [self.sample(side, length, warm=True) for _ in range(count)]
            found[name] = median(row.seconds for row in rows)
            # Queueing behind a spin takes no longer, unless something in the call waits for the spin to end. It then
            # does so every time, unlike a host that is slow for a moment.
            longer = min(row.enqueue_seconds or 0.0 for row in rows) - self._enqueue[name]
            self._waits[name] = longer * length > self._hold_seconds(name, length) / 2
        self._primed = False
        return found

    def _hold_seconds(self, name: str, calls: int) -> float:
        least = HOLD_LEAST if calls > 1 else HOLD_SINGLE
        return min(HOLD_SPARE * self._enqueue[name] * calls + least, HOLD_MOST)

    def _hot_seconds(self, side: Side, calls: int) -> float:
        """The same set over and over: what the caches give."""
        arguments = [(*side.state, *self.pool.take_warm(1)[0])] * calls
        return self.pair.meeting.timed(lambda: self.read(side, arguments)).seconds / calls

    def _sizes_in_bytes(self, arguments: tuple) -> dict[str, Any]:
        """What caches may hold over calls, how large the last one is, and the type that most of the data has."""
        by_type: dict[str, int] = {}
        for _, leaf in special_leaves(arguments):
            if is_tensor(leaf) or is_array(leaf):
                name = str(leaf.dtype).removeprefix("torch.")
                by_type[name] = by_type.get(name, 0) + size_in_bytes(leaf)
        return {
            "constant_bytes": size_in_bytes(self.pool.constants),
            "output_bytes": self._output_bytes,
            "dtype": max(by_type, key=lambda name: by_type[name], default=""),
            "cache_bytes": self._cache_bytes(),
        }

    def _cache_bytes(self) -> int | None:
        """L2 size of the GPU; None on a CPU."""
        return (
            torch.cuda.get_device_properties(self.pair.device).L2_cache_size
            if self.pair.device.startswith("cuda")
            else None
        )

    def bits_of_constants(self) -> Any:
        """The constants, or a checksum of them if they are too large to be kept twice."""
        return digest(self.pool.constants) if self.pair.contract.lent else self.pool.constants


def _paid(seconds: float, host: float | None) -> float:
    """Seconds by which the length of samples is chosen. Work that the device's events miss is counted by the host."""
    return seconds if host is None else max(seconds, (host - HOST_SPARE) / 1.5)
