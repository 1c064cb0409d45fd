"""The worker: a forked process that loads one target and does what the run asks, one command at a time.

    open      load the pair: inputs and reference in one instance, every side in its own
    verify    all sides against the reference, at smoke and timed sizes
    ready     preparation, first call, warm-up to a plateau
    plan      how many calls come next: the values for them are drawn together
    run       timed samples, as many calls of a side as the run says
    draw      values for another process, which finds nothing else of theirs
    check     the outputs of timed calls against the reference; what was patched or switched meanwhile
    kernels   what ran on the device, and how long
    memory    peak memory of one side
    startup   load, prepare and first call of one side
    energy    joules per call of one side

The run decides what is sampled, in which order, how long, and which outputs are kept to be checked: nothing in this
process knows it beforehand.
"""

import contextlib
import gc
import inspect
import os
import pickle
import random
import resource
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter as _now  # before a pair can reach it
from time import thread_time as _thread_time
from typing import Any

import torch

from perfproof.bench import (
    device_work,
    in_flight,
    leftovers,
    libraries,
    own_files,
    process_group,
    remembered,
    shelf,
    verification,
    weighing,
)
from perfproof.bench.constants import Constants
from perfproof.bench.meeting import Alone, Meeting
from perfproof.bench.sides import Side, Source
from perfproof.core.trees import clone, holds_buffers, is_array, is_tensor, leaves, settings, size_in_bytes
from perfproof.core.units import MiB
from perfproof.machine.cgroup import memory_left
from perfproof.measure import allocator, clocks
from perfproof.measure.arguments import ArgumentPool, seeded
from perfproof.measure.digest import digest
from perfproof.measure.memory import fits, room
from perfproof.measure.pages import drop_pages
from perfproof.measure.reading import Reading
from perfproof.measure.run_queue import waited_for_a_core
from perfproof.measure.warmup import LEAST_ON_GPU, MOST_OF_RANKS, MOST_ON_CPU, MOST_ON_GPU, warm_up
from perfproof.verify import watch
from perfproof.verify.compare import Difference, difference
from perfproof.verify.guard import Guard
from perfproof.verify.outputs import alias_problem, argument_problem, changed_problem, kind_problem, poison, same_bits
from perfproof.verify.timed_draws import TimedDraws

GLANCES = 15
HOST_SPARE = 200e-6  # seconds that a synchronised host may take longer than the device's events
CPU_POOL_BYTES, GPU_POOL_BYTES = 256 * MiB, 12_288 * MiB
LENT_BYTES = 256 * MiB  # larger constants are not copied for every side
LONG_CALL_SECONDS = 0.25  # a call of this length is warm after its first two
AS_USUAL = 1.2  # times what it took in another process: nothing was set up in this call
HOLD_SPARE, HOLD_LEAST, HOLD_MOST = 1.3, 50e-6, 0.02  # how much longer than queueing took last time the queue is held


class Target:
    """One pair in this process."""

    def __init__(self, guard: Guard):
        self._guard = guard
        self._modules = frozenset(sys.modules)
        self._folders: tuple[str, ...] = ()  # of the project around the pair
        self._set: list[str] = []  # environment variables that libraries set when they were imported
        self.meeting: Alone | Meeting = Alone()
        self._between: dict[str, list[float]] = {}  # side -> CPU seconds of other threads after its samples, of seconds
        self._sampled: tuple[str, float, float] | None = None  # the last sample: its side, foreign CPU, its end

    def open(
        self,
        *,
        spec: dict[str, Any],
        sides: list[str],
        cpus: list[int],
        threads: int,
        scratch: str,
        place: dict[str, Any] | None = None,
    ) -> dict:
        """Load the pair; `sides` gives the order in which instances are created, `place` the one among ranks."""
        os.sched_setaffinity(0, cpus)
        sys.path[:0] = [folder for folder in spec["folders"] if folder not in sys.path]
        self._folders = tuple(spec["folders"])
        if sides:  # else a start is timed, and what the file imports is part of it
            self._load_libraries(spec)
        os.chdir(scratch)
        self._beside = own_files.link(spec["files"])
        os.environ["TMPDIR"] = tempfile.tempdir = scratch  # what is kept in the temporary folder ends with this process
        torch.set_num_threads(threads)
        self.device = spec["device"]
        if self.device.startswith("cuda"):
            torch.cuda.set_device(self.device)
        if place:
            self.meeting = process_group.join(place, self.device, threads)
        self._flags = watch.flags()
        self.source = Source(spec["path"], spec["siblings"], spec["borrowed"], spec["pickled"])
        self.contract = verification.Contract(
            names=tuple(spec["arguments"]),
            constant=tuple(spec["constant"]),
            mutates=tuple(spec["mutates"]),
            tolerance=spec["tolerance"],
            lowers_precision=spec["lowers_precision"],
            device=self.device,
            domain=spec["domain"],
            layout=spec["layout"],
            distribution=spec["distribution"],
        )
        self.cold = [spec["arguments"].index(name) for name in spec["cold"]]
        self.imports = spec["imports"]
        self._seed_of_constants, self._has_maker = spec["constants_seed"], spec["constants"]
        self._shared = Path(scratch).parent
        self.findings = verification.Findings(agree=self.meeting.most)
        self._draws = TimedDraws(self.contract.tolerance)
        self.sides: dict[str, Side] = {}
        if sides:
            self._load(sides)
        return {"load_seconds": {name: side.load_seconds for name, side in self.sides.items()}}

    def _load_libraries(self, spec: dict[str, Any]) -> None:
        """What libraries do on import is part of no side; the variables that they set are said."""
        before = dict(os.environ)
        if libraries.load([*libraries.installed(spec["imports"]), *libraries.compilers_in(spec["path"])]):
            self._guard.begin()
        self._set = sorted(name for name, value in os.environ.items() if before.get(name) != value)

    def _load(self, sides: list[str]) -> None:
        self.load_inputs()
        self.sides = {name: self.source.side(name) for name in sides}
        for name, module in own_files.modules_in(self._folders):
            self._guard.remember(name, vars(module))
        self.kept: list[tuple[str, tuple, Any, dict]] = []
        self.call_seconds: dict[str, float] = {}
        self._enqueue = dict.fromkeys(sides, 0.0)  # seconds that the host last needed to queue a call
        self._waits = dict.fromkeys(sides, False)  # does a call wait for the device before it returns?
        self._output_bytes = 0
        self._laid_out: list[tuple] = []
        self._look_share = 1.0  # of the outputs that are looked at
        self._forget_samples()
        self._look_around("on import")

    def load_inputs(self) -> None:
        """`inputs` and `reference`, in instances of their own."""
        self.inputs, self.reference = self.source.named("inputs"), self.source.named("reference")
        for name, function in (("inputs", self.inputs), ("reference", self.reference)):
            self._guard.remember(f"{name}'s own", getattr(inspect.unwrap(function), "__globals__", {}))
        self._constants_made = self._maker_of_constants() if self._has_maker else None

    def _maker_of_constants(self) -> Constants:
        return Constants(
            inspect.unwrap(self.inputs).__globals__["constants"],
            self.inputs,
            self.contract.names,
            self.contract.constant,
            self.device,
            self.imports,
            self._seed_of_constants,
            self._shared,
            self.source.path,
        )

    def warm(self, *, device: str) -> dict:
        """Open the device before anything of a pair is there: that takes a quarter of a second."""
        torch.cuda.set_device(device)
        torch.empty(1, device=device)
        return {}

    def cost(self, *, sizes: dict[str, Any]) -> dict:
        declared = self.source.named("cost")(**sizes)
        return {"cost": {str(name): float(value) for name, value in declared.items()}}

    def verify(self, *, where: str, sizes: dict[str, Any], seed: int, repeats: int, last: bool, extremes: bool) -> dict:
        """All sides at one size: a process of its own for each, so that nothing compiled for one serves the other.

        At the `last` size the proof itself is tested; with `extremes` values that `inputs` may never draw are tried.
        """
        findings, pool = self.findings, self.new_pool(sizes, random.Random(seed))
        lent = digest(pool.constants) if self.contract.lent else None
        findings.note("plain arguments", argument_problem(pool.draw(), self.contract.names))
        if findings.failed:
            return {**self._findings(), "libraries": []}
        findings.note("values change", verification.sameness_problem(pool, self.contract))
        self._look_at_constants(pool)
        baseline = self.sides.get("baseline") or self.source.side("baseline")
        sides = [baseline, *(side for name, side in self.sides.items() if name not in ("baseline", "twin"))]
        for side in sides:
            side.make_ready(pool.draw, self.device, self.kept_preparation(side.name, sizes))
        self._look_around("in its preparation")
        if not findings.failed:
            verification.verify_sides(
                sides,
                pool,
                self.reference,
                self.contract,
                findings,
                repeats=repeats,
                where=where,
                last=last,
                try_extremes=extremes,
                load_again=partial(self._load_again, pool),
            )
            in_flight.look(self.meeting, sides, pool, self.device, findings)
            if lent is not None and lent != digest(pool.constants):
                findings.note("arguments unchanged", "a constant argument was changed: work on a copy")
        if not findings.failed:
            verification.judge_precision(findings, self.contract)
        self._look_around("while it was verified")
        findings.notes += [f"a library that the pair imports sets {', '.join(self._set)}"] if self._set else []
        return {**self._findings(), "libraries": libraries.loaded_since(self._modules)}

    def _load_again(self, pool: ArgumentPool, name: str) -> Side:
        side = self.source.side(name)
        side.make_ready(pool.draw, self.device)
        return side

    def ready(
        self, *, sizes: dict, seed: int, clock: str, sample_seconds: float, usual: dict[str, float] | None = None
    ) -> dict:
        """Prepare and warm every side, in the order in which the run created them.

        `usual` are the seconds per call of another process: a long first call that took no longer needs no other.
        """
        allocator.warm()
        self.clock, self._primed = self.clock_named("call" if clock == "kernel" else clock), False
        self.rng, self.sample_like = random.Random(seed), sample_seconds
        self.pool = self.new_pool(sizes, self.rng)
        arguments = self.pool.example  # drawing may take long: every draw here is one in each process
        self._buffers = [at for at, value in enumerate(arguments) if holds_buffers(value)]
        for side in self.sides.values():
            side.make_ready(self.pool.draw, self.device, self.kept_preparation(side.name, sizes))
        tasks = watch.tasks()
        first = {name: self._first_call(side) for name, side in self.sides.items()}
        known = {
            name: seconds
            for name, seconds in first.items()
            if LONG_CALL_SECONDS < seconds < AS_USUAL * (usual or {}).get(name, 0.0)
        }
        call_seconds = self._warm(sample_seconds, known)
        self.pool_seconds = self.meeting.most(self.pool.draw_seconds())
        if self.device == "cpu":  # new values are colder than the few that warm-up went round
            call_seconds |= self._seconds_on_new_values(call_seconds, sample_seconds)
        self.call_seconds = call_seconds
        holds = self.clock is clocks.call_on_cuda and not self.meeting.several  # held unevenly, ranks start unevenly
        held = self._held_seconds(call_seconds, sample_seconds) if holds else {}
        floor = clocks.floor_seconds(self.clock, arguments)
        most = CPU_POOL_BYTES if self.device == "cpu" else min(GPU_POOL_BYTES, torch.cuda.mem_get_info()[0] // 8)
        self._most_sets = int(self.meeting.least(max(1, most // self.pool.set_bytes)))
        self._constants = clone(self._bits_of_constants())
        self._graphs = libraries.compiled_graphs()
        self._forget_samples()
        self.pool.drawn = self.pool.repeated = 0
        gc.collect()
        gc.freeze()
        return {
            "call_seconds": call_seconds,
            "first_call_seconds": {name: max(0.0, first[name] - call_seconds[name]) for name in first},
            "held_seconds": held,
            "enqueue_seconds": {name: self._enqueue[name] for name in held},
            "waits": {name: self._waits[name] for name in held},
            "floor": floor,
            "setup_seconds": {name: side.setup_seconds for name, side in self.sides.items()},
            "draw_seconds": self.pool_seconds,
            "room": room(self.device, memory_left()),
            "pool": {
                "set_bytes": self.pool.set_bytes,
                "most_sets": self._most_sets,
                **self._sizes_in_bytes(arguments),
            },
            "tasks": tasks,
        }

    def run(self, *, samples: list[list], clock: str, primed: bool, warm: bool = False) -> dict:
        """Take samples: [side, calls, keep the output?] each; returns one row of readings per sample.

        With `warm` they see the few sets of the warm-up: for looks at the clocks, which no verdict is made of.
        """
        self.clock, self._primed = self.clock_named(clock), primed
        with device_work.recording(self.clock) as recording:
            rows = [self.sample(self.sides[name], count, keep, warm) for name, count, keep in samples]
        device_work.take_busy_seconds(recording, rows, [count for _, count, _ in samples])
        self._look_around("while it was timed")
        own = {} if recording else self.meeting.own_seconds(len(rows))  # what a device recorded is every rank's own
        repeated = self.pool.repeated / max(1, self.pool.drawn)
        return {"rows": rows, **own, "repeated": repeated, "held_sets": self.pool.most_held}

    def plan(self, *, calls: dict[str, int]) -> dict:
        """How many calls of each side come next: the values for them are drawn together, as far as memory allows."""
        self.pool.plan(calls, self._most_sets)
        return {}

    def lay_out(self, *, calls: int) -> dict:
        """Make the arguments of the next warm sample now, so that nothing but calls is left to do in it."""
        self._laid_out = self.pool.take_warm(calls)
        return {}

    def glance(self, *, side: str, clock: str, calls: int, hot: bool) -> dict:
        """Seconds per call by another clock, or on one hot set, for the reader; no verdict is made of it."""
        with self.aside(clock):
            take = self._hot_seconds if hot else lambda side, calls: self.sample(side, calls, warm=True)[2]
            return {"seconds": median(take(self.sides[side], calls) for _ in range(GLANCES))}

    @contextlib.contextmanager
    def aside(self, clock: str | None = None, primed: bool = False) -> Iterator[None]:
        """Samples that are not the run's: by another clock if one is named."""
        usual = (self.clock, self._primed, self._between)
        self._between = {}
        self.clock, self._primed = self.clock_named(clock) if clock else self.clock, primed
        try:
            yield
        finally:
            self.clock, self._primed, self._between = usual

    def draw(self, *, sizes: dict, seed: int, sets: int, path: str) -> dict:
        """Write sets of values to a file, for calls in another process."""
        packed = self.new_pool(sizes, random.Random(seed)).packed(sets)
        Path(path).write_bytes(pickle.dumps(packed))
        return {}

    def check(self, *, most_seconds: float, quiet: bool, sides: list[str], drawn: str = "") -> dict:
        """Hold what timed calls of these sides returned against the reference, and look for what was changed.

        `drawn` is a file with values that another process drew.
        """
        findings, contract = self.findings, self.contract
        spent, checked = 0.0, set()
        kept = self.kept if quiet else self.kept[::-1]  # elsewhere the last come first
        for name, arguments, output, changed in (one for one in kept if one[0] in sides):
            enough = name in checked and not (contract.distribution and self._draws.lacks(name))
            if self.meeting.most(spent) > most_seconds and enough:
                continue
            started = _now()
            problem = self.answer_problem(name, arguments, output, changed)
            spent += _now() - started
            findings.note("timed outputs", f"{name}: a timed call's result {problem}" if problem else "")
            checked.add(name)
        for name in sides:
            if name not in checked:
                findings.note("timed outputs", f"{name}: no output of a timed call was kept")
        verification.judge_precision(findings, contract)
        same = same_bits(self._constants, self._bits_of_constants())
        findings.note("arguments unchanged", "" if same else "a constant argument was changed while it was timed")
        leftovers.between_samples(findings, self._between)
        if quiet:
            leftovers.busy(findings, "a side", self._call_each)
            remembered.look_for_memories(self, pickle.loads(Path(drawn).read_bytes()) if drawn else [])
        self._look_around("while it was timed")
        compiled = libraries.compiled_graphs() - self._graphs
        return {**self._findings(), "compiled": compiled, "processes": watch.processes()}

    def _call_each(self) -> None:
        for side in self.sides.values():
            self.sample(side, 1, warm=True)

    def memory(self, *, sizes: dict, small: dict, seed: int, calls: int) -> dict:
        """Peak memory over a few calls of the one side that this process has."""
        return weighing.peak_memory(self, sizes, small, random.Random(seed), calls)

    def startup(self, *, side: str, sizes: dict, seed: int) -> dict:
        """Seconds from an interpreter with torch to the first result: load, prepare, first call."""
        return weighing.start_up(self, side, sizes, random.Random(seed))

    def energy(self, *, side: str, seconds: float) -> dict:
        """Joules a call of a side that is ready, over a hot loop of so many seconds."""
        return weighing.energy(self, self.sides[side], seconds)

    def kernels(self, *, calls: dict[str, int]) -> dict:
        """What ran on the device in so many calls of each side, from its own activity records."""
        return device_work.kernels(self, calls)

    def answer_problem(self, name: str, arguments: tuple, output: Any, changed: dict) -> str:
        if self.contract.distribution:
            problem = kind_problem(output, self.device)
            draw = verification.reference_draws(self.reference, arguments, self.contract, self.findings)
            alike = not self.meeting.most(bool(problem))
            compared = verification.only_compared((output, changed))
            return self._draws.problem(name, compared, draw, self.meeting.most) if alike else problem
        expected = verification.expect(self.reference, arguments, self.contract, self.findings)
        problem = kind_problem(output, self.device)
        apart = Difference() if problem else difference((output, changed), expected, self.contract.tolerance, arguments)
        self.findings.error(name, apart)
        return problem or apart.problem

    def sample(self, side: Side, calls: int, keep: bool = False, warm: bool = False) -> list:
        """One sample: [start ns, end ns, seconds per call, host seconds or None, involuntary switches, major faults,
        seconds to queue a call or None, device clock in hertz or None, CPU seconds of this thread, of all others,
        voluntary switches, seconds that this thread waited for a core or None]."""
        sets = self._warm_sets(calls) if warm else self.pool.take(side.name, calls)
        arguments = [(*side.state, *one) for one in sets]
        last = self.contract.copied(sets[-1]) if keep else None
        for index in self.cold:
            drop_pages(row[index + len(side.state)] for row in arguments)
        self.meeting.meet()  # what a rank does while it waits for others is not of the sample
        before, beside, own_cpu = resource.getrusage(resource.RUSAGE_THREAD), self._foreign(), _thread_time()
        delayed = waited_for_a_core()
        self._count_between(beside)
        reading = self.meeting.timed(lambda: self.read(side, arguments))
        own_cpu, beside_after = _thread_time() - own_cpu, self._foreign()
        after, delayed_after = resource.getrusage(resource.RUSAGE_THREAD), waited_for_a_core()
        self._sampled = (side.name, beside_after, _now())
        own = sets[-1]
        if last is not None:
            changed = clone(verification.changed_arguments(own, self.contract, settings(last)))
            self.kept.append((side.name, last, clone(reading.output), changed))
        if not warm and (keep or self.rng.random() < self._look_share):
            self._look_at(side.name, reading.output, last, own)
        reading.output = None
        return [
            reading.start_ns,
            reading.end_ns,
            reading.seconds / calls,
            reading.host_seconds,
            after.ru_nivcsw - before.ru_nivcsw,
            after.ru_majflt - before.ru_majflt,
            None if reading.enqueue_seconds is None else reading.enqueue_seconds / calls,
            reading.clock_hz,
            own_cpu,
            beside_after - beside,
            after.ru_nvcsw - before.ru_nvcsw,
            None if delayed is None or delayed_after is None else delayed_after - delayed,
        ]

    def _warm_sets(self, calls: int) -> list[tuple]:
        made, self._laid_out = self._laid_out, []
        return made if len(made) == calls else self.pool.take_warm(calls)

    def _foreign(self) -> float:
        return self.meeting.foreign_seconds()

    def _forget_samples(self) -> None:
        self._between, self._sampled = {}, None

    def _count_between(self, beside: float) -> None:
        """CPU time of other threads since the last sample ended, on the account of the side that ran in it."""
        if self._sampled is not None:
            name, foreign, ended = self._sampled
            spent = self._between.setdefault(name, [0.0, 0.0])
            spent[0] += beside - foreign
            spent[1] += _now() - ended

    def read(self, side: Side, arguments: list[tuple]) -> Reading:
        if self.clock is not clocks.call_on_cuda:
            return self.clock(side.function, arguments)
        if self._primed:
            return clocks.call_on_cuda(side.function, arguments, self._hold_seconds(side.name, len(arguments)))
        reading = clocks.call_on_cuda(side.function, arguments)
        self._enqueue[side.name] = (reading.enqueue_seconds or 0.0) / len(arguments)
        return reading

    def _held_seconds(self, call_seconds: dict[str, float], sample_seconds: float) -> dict[str, float]:
        """Seconds per call when the device never waits for the host: its own, gaps between kernels included."""
        self._primed = True
        found = {}
        for name, side in self.sides.items():
            length = max(1, round(sample_seconds / call_seconds[name]))
            rows = [self.sample(side, length, warm=True) for _ in range(3)]
            found[name] = median(row[2] for row in rows)
            # Queueing behind a spin takes no longer, unless something in the call waits for the spin to end.
            longer = median(row[6] for row in rows) - self._enqueue[name]
            self._waits[name] = longer * length > self._hold_seconds(name, length) / 2
        self._primed = False
        return found

    def _hold_seconds(self, name: str, calls: int) -> float:
        return min(HOLD_SPARE * self._enqueue[name] * calls + HOLD_LEAST, HOLD_MOST)

    def _hot_seconds(self, side: Side, calls: int) -> float:
        """The same set over and over: what the caches give."""
        arguments = [(*side.state, *self.pool.take_warm(1)[0])] * calls
        return self.meeting.timed(lambda: self.read(side, arguments)).seconds / calls

    def clock_named(self, name: str) -> Any:
        return clocks.CLOCKS[name, self.device.split(":")[0]]

    def _look_at(self, name: str, output: Any, before: tuple | None, own: tuple) -> None:
        """Hold a timed call to what verification asks of one: it may have known that it was verified.

        Large results of many parts take long to look at: then only as many of them are as take the time of a sample.
        """
        started = _now()
        names, mutates = self.contract.names, self.contract.mutates
        shared = self._lives_in(output, own, ())
        problems = {
            "plain result": kind_problem(output, self.device),
            "own memory": self._lives_in(output, own, mutates) if shared else "",
            "arguments unchanged": changed_problem(before, own, names, mutates) if before else "",
        }
        for check, problem in problems.items():
            self.findings.note(check, f"{name} while it was timed: {problem}" if problem else "")
        self._output_bytes = self._output_bytes or size_in_bytes(output)
        if not shared:
            poison(output)
        self._look_share = min(1.0, self.sample_like / max(1e-9, _now() - started))

    def _lives_in(self, output: Any, arguments: tuple, mutates: tuple[str, ...]) -> str:
        """Does the output share memory with an argument? Only arguments that hold buffers are looked through."""
        names = tuple(self.contract.names[at] for at in self._buffers)
        return alias_problem(output, tuple(arguments[at] for at in self._buffers), names, mutates)

    def _first_call(self, side: Side) -> float:
        """Seconds of the very first call after the preparation: what is set up or compiled in it is in there."""
        (arguments,) = self.pool.take_warm(1)
        return self.meeting.timed(lambda: self.clock(side.function, [(*side.state, *arguments)])).seconds

    def _warm(self, sample_seconds: float, known: dict[str, float]) -> dict[str, float]:
        """Seconds per call of each side, warmed up on a few argument sets; some are known."""
        on_gpu = self.device.startswith("cuda")
        least, most = (LEAST_ON_GPU, MOST_ON_GPU) if on_gpu else (0.0, MOST_ON_CPU)
        most = MOST_OF_RANKS if self.meeting.several and not on_gpu else most
        found, agree = {}, self.meeting.most
        for name, side in self.sides.items():

            def sample(calls: int, side: Side = side) -> tuple[float, float | None]:
                return self._paid(side, calls, warm=True)

            found[name] = known[name] if self.meeting.least(name in known) else sample(1)[0]
            if found[name] < LONG_CALL_SECONDS:
                quick = min(found[name], *(sample(1)[0] for _ in range(2)))
                found[name] = warm_up(sample, quick, sample_seconds, least=least, most=most, agree=agree)
            least = 0.0  # the device's clocks have risen with the first side
        return found

    def _seconds_on_new_values(self, call_seconds: dict[str, float], sample_seconds: float) -> dict[str, float]:
        """Seconds per call in one sample of each side with short calls. All sides get the same new values."""
        short = {name: seconds for name, seconds in call_seconds.items() if seconds < LONG_CALL_SECONDS}
        calls = {name: max(1, round(sample_seconds / seconds)) for name, seconds in short.items()}
        self.pool.plan(calls, max(calls.values(), default=1))
        return {name: self._paid(self.sides[name], count)[0] for name, count in calls.items()}

    def _paid(self, side: Side, calls: int, warm: bool = False) -> tuple[float, float | None]:
        """Seconds per call, the same on all ranks, and the device's clock, of one sample."""
        row = self.sample(side, calls, warm=warm)
        return self.meeting.most(_paid(row[2] * calls, row[3]) / calls), row[7]

    def _sizes_in_bytes(self, arguments: tuple) -> dict[str, Any]:
        """What caches may hold over calls, how large the last one is, and the type that most of the data has."""
        by_type: dict[str, int] = {}
        for _, leaf in leaves(arguments):
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
        return torch.cuda.get_device_properties(self.device).L2_cache_size if self.device.startswith("cuda") else None

    def new_pool(self, sizes: dict[str, Any], rng: random.Random, afresh: bool = False) -> ArgumentPool:
        """The arguments of this process. All processes of a run have equal constants, if not drawn `afresh`."""
        contract, redraw, made = self.contract, None, self._constants_made
        if made and afresh:
            made = replace(made, seed=rng.getrandbits(62), _made={})
        if made:
            draw, redraw = made.draw(sizes), partial(made.draw_all, sizes)
        else:
            draw = seeded(self.inputs, sizes, self.device, self.imports)
        draw = self.meeting.draw(draw, contract.names, contract.constant)
        seed = self._seed_of_constants if contract.constant and not afresh else None
        pool = ArgumentPool(draw, contract.names, contract.constant, contract.mutates, rng, redraw, seed)
        large = size_in_bytes(pool.constants)
        self.contract = replace(contract, lent=frozenset(contract.constant) if large > LENT_BYTES else frozenset())
        if redraw and self.meeting.most(not fits(large, self.device, memory_left())):
            pool.keep_constants()
        return pool

    def _bits_of_constants(self) -> Any:
        """The constants, or a checksum of them if they are too large to be kept twice."""
        return digest(self.pool.constants) if self.contract.lent else self.pool.constants

    def kept_preparation(self, name: str, sizes: dict[str, Any]) -> Path | None:
        """Where what a side has prepared at this size is kept; the twin is another baseline. Not of ranks."""
        if self.meeting.several:
            return None
        side = "baseline" if name == "twin" else name
        told_by = (self.source.path, self.source.borrowed, self._seed_of_constants, sorted(sizes.items()), side)
        return shelf.place(self._shared, "prepared", *told_by)

    def _look_at_constants(self, pool: ArgumentPool) -> None:
        problem = "a constant argument differs between ranks: `inputs` must give the same one for the same seed"
        self.findings.note("values change", problem if self.meeting.unequal(pool.constants) else "")

    def _look_around(self, when: str) -> None:
        moved = watch.switched(self._flags) + own_files.written(self._beside)
        problem = f"{'; '.join(moved[:4])} {when}: set and restore it inside the function" if moved else ""
        self.findings.note("switches restored", problem)

    def _findings(self) -> dict:
        return {
            "checks": [check.model_dump() for check in self.findings.checks.values()],
            "errors": {side: _as_dict(apart) for side, apart in self.findings.errors.items()},
            "calls": self.findings.calls,
            "notes": self.findings.notes,
            "reference_seconds": self.findings.reference_seconds,
        }


def _paid(seconds: float, host: float | None) -> float:
    """Of a sample, as its length has to count them: work that escapes a device's events takes its time too."""
    return seconds if host is None else max(seconds, (host - HOST_SPARE) / 1.5)


def _as_dict(apart: Difference) -> dict[str, float]:
    return {"rms_relative": apart.rms_relative, "max_absolute": apart.max_absolute, "of_tolerance": apart.of_tolerance}
