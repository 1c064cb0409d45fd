"""The worker: a forked process that loads one target and does what the run asks, one command at a time.

    open      load the pair: inputs and reference in one instance, every side in its own
    verify    all sides against the reference, at smoke and timed sizes
    ready     the pool of arguments, preparation, warm-up to a plateau
    run       timed samples, as many calls of a side as the run says
    check     the outputs of timed calls against the reference; what was patched or switched meanwhile
    kernels   what ran on the device, and how long
    memory    peak memory of one side
    startup   load, prepare and first call of one side
    energy    joules a call of one side

The run decides what is sampled, in which order, how long, and which outputs are kept to be checked: nothing in this
process knows it beforehand.
"""

import contextlib
import gc
import inspect
import os
import random
import resource
from collections.abc import Iterator
from statistics import median
from time import perf_counter as _now  # before a pair can reach it
from typing import Any

import torch

from perfproof.bench import aftermath, afterwards, device_work, in_flight, process_group, verification, weighing
from perfproof.bench.meeting import Alone, Meeting
from perfproof.bench.sides import Side, Source
from perfproof.core.trees import clone, holds_buffers, is_array, is_tensor, leaves, size_in_bytes
from perfproof.core.units import MiB
from perfproof.measure import clocks
from perfproof.measure.arguments import ArgumentPool, seeded
from perfproof.measure.pages import drop_pages
from perfproof.measure.reading import Reading
from perfproof.measure.warmup import LEAST_ON_GPU, MOST_OF_RANKS, MOST_ON_CPU, MOST_ON_GPU, warm_up
from perfproof.verify import watch
from perfproof.verify.compare import Difference, difference
from perfproof.verify.guard import Guard
from perfproof.verify.outputs import alias_problem, changed_problem, kind_problem, poison, same_bits

MOST_SETS = 8192
GLANCES = 15
HOST_SPARE = 200e-6  # seconds that a synchronised host may take longer than the device's events
CPU_POOL_BYTES, GPU_POOL_BYTES = 256 * MiB, 4096 * MiB
WARM_SETS, WARM_BYTES = 32, 8 * MiB
HOLD_SPARE, HOLD_LEAST, HOLD_MOST = 1.3, 50e-6, 0.02  # how much longer than queueing took last time the queue is held


class Target:
    """One pair in this process."""

    def __init__(self, guard: Guard):
        self._guard = guard
        self.meeting: Alone | Meeting = Alone()

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
        os.chdir(scratch)
        torch.set_num_threads(threads)
        self.device = spec["device"]
        if self.device.startswith("cuda"):
            torch.cuda.set_device(self.device)
        if place:
            self.meeting = process_group.join(place, self.device, threads)
        self._flags = watch.flags()
        self.source = Source(spec["path"], spec["siblings"], spec["borrowed"], spec["pickled"])
        self.contract = verification.Contract(
            tuple(spec["arguments"]),
            tuple(spec["constant"]),
            tuple(spec["mutates"]),
            spec["tolerance"],
            spec["lowers_precision"],
            self.device,
        )
        self.cold = [spec["arguments"].index(name) for name in spec["cold"]]
        self._structured = bool(spec["structured"])
        self.inputs, self.imports = self.source.named("inputs"), spec["imports"]
        self.reference = self.source.named("reference")
        for name, function in (("inputs", self.inputs), ("reference", self.reference)):
            self._guard.remember(f"{name}'s own", getattr(inspect.unwrap(function), "__globals__", {}))
        self.sides = {name: self.source.side(name) for name in sides}
        self.kept: list[tuple[str, tuple, Any, dict]] = []
        self.taken = {name: aftermath.Taken() for name in sides}
        self._enqueue = dict.fromkeys(sides, 0.0)  # seconds that the host last needed to queue a call
        self._waits = dict.fromkeys(sides, False)  # does a call wait for the device before it returns?
        self._output_bytes = 0
        self.findings = verification.Findings(agree=self.meeting.most)
        self._look_around("on import")
        return {"load_seconds": {name: side.load_seconds for name, side in self.sides.items()}}

    def warm(self, *, device: str) -> dict:
        """Open the device before anything of a pair is there: that takes a quarter of a second."""
        torch.cuda.set_device(device)
        torch.empty(1, device=device)
        return {}

    def cost(self, *, sizes: dict[str, Any]) -> dict:
        declared = self.source.named("cost")(**sizes)
        return {"cost": {str(name): float(value) for name, value in declared.items()}}

    def verify(self, *, plan: list[dict[str, Any]], seed: int, repeats: int) -> dict:
        """`plan` is a list of {"where": name, "sizes": {...}}."""
        rng = random.Random(seed)
        findings = self.findings
        for step in plan:
            pool = self.new_pool(step["sizes"], rng)
            findings.note("values change", verification.sameness_problem(pool, self.contract))
            self._look_at_constants(pool)
            sides = [
                self.source.side(name)
                for name in ("baseline", *[s for s in self.sides if s not in ("baseline", "twin")])
            ]
            for side in sides:
                side.make_ready(pool.draw(), self.device)
            self._look_around("in its preparation")
            if not findings.failed:
                verification.verify_sides(
                    sides,
                    pool,
                    self.reference,
                    self.contract,
                    findings,
                    repeats=repeats,
                    where=step["where"],
                    after_return=step is plan[-1],
                )
                in_flight.look(self.meeting, sides, pool, self.device, findings)
            if findings.failed:
                break
        else:
            verification.judge_precision(findings, self.contract)
        self._look_around("while it was verified")
        return self._findings()

    def ready(
        self,
        *,
        sizes: dict,
        seed: int,
        clock: str,
        sample_seconds: float,
        footprint: int,
        most_calls: int,
        pool_seconds: float,
    ) -> dict:
        """Make the pool, prepare and warm every side, in the order in which the run created them."""
        self.clock, self._primed = self.clock_named("call" if clock == "kernel" else clock), False
        self.rng, self.sample_like = random.Random(seed), sample_seconds
        self.pool = self.new_pool(sizes, self.rng)
        self.pool.inspect = self._inspect
        self._buffers = [at for at, value in enumerate(self.pool.sets[0]) if holds_buffers(value)]
        for side in self.sides.values():
            side.make_ready(self.pool.draw(), self.device)
        tasks = watch.tasks()
        call_seconds = self._warm(sample_seconds)
        fastest = min(call_seconds.values())
        self.pool.choose_renewal(fastest)
        calls = sample_seconds / fastest
        # What a call mutates must not come round again within its sample: the answer that is checked is of one call.
        least = min(2 + round(2 * calls), MOST_SETS) if self.contract.mutates else 2
        self.pool.grow(self._sets(footprint, calls, most_calls), pool_seconds, least)
        for name, side in self.sides.items():  # cold arguments are slower than the few that warm-up went round
            length = max(1, round(sample_seconds / call_seconds[name]))
            call_seconds[name] = median(self._paid(side, length)[0] for _ in range(3))
        holds = self.clock is clocks.call_on_cuda and not self.meeting.several  # held unevenly, ranks start unevenly
        held = self._held_seconds(call_seconds, sample_seconds) if holds else {}
        floor = clocks.floor_seconds(
            self.clock, (*self.sides["baseline"].state, *self.pool.sets[0]) if "baseline" in self.sides else ()
        )
        self._constants = clone(self._constant_values())
        self.pool.calls = self.pool.repeated_calls = 0
        self.taken = {name: aftermath.Taken() for name in self.sides}
        gc.collect()
        gc.freeze()
        return {
            "call_seconds": call_seconds,
            "held_seconds": held,
            "enqueue_seconds": {name: self._enqueue[name] for name in held},
            "waits": {name: self._waits[name] for name in held},
            "floor": floor,
            "setup_seconds": {name: side.setup_seconds for name, side in self.sides.items()},
            "pool": {
                "sets": len(self.pool.sets),
                "bytes": len(self.pool.sets) * self.pool.set_bytes,
                "renewal": self.pool.renewal,
                **self._sizes_in_bytes(),
            },
            "tasks": tasks,
        }

    def run(self, *, samples: list[list], renew: float, clock: str, primed: bool) -> dict:
        """Take samples: [side, calls, lead-in calls, keep the output?] each; returns one row of readings a sample."""
        self._renew_seconds, self.clock, self._primed = renew, self.clock_named(clock), primed
        with device_work.recording(self.clock) as recording:
            rows = [self.sample(self.sides[name], calls, lead, keep) for name, calls, lead, keep in samples]
        device_work.take_busy_seconds(recording, rows, [calls for _, calls, _, _ in samples])
        self._look_around("while it was timed")
        turns = self.pool.calls / len(self.pool.sets)
        own = {} if recording else self.meeting.own_seconds(len(rows))  # what a device recorded is every rank's own
        return {"rows": rows, **own, "repeated": self.pool.repeated_calls / max(1, self.pool.calls), "turns": turns}

    def glance(self, *, side: str, clock: str, calls: int, hot: bool) -> dict:
        """Seconds a call by another clock, or on one hot set, for the reader; no verdict is made of it."""
        with self.aside(clock):
            take = self._hot_seconds if hot else lambda side, calls: self.sample(side, calls)[2]
            return {"seconds": median(take(self.sides[side], calls) for _ in range(GLANCES))}

    @contextlib.contextmanager
    def aside(self, clock: str | None = None, primed: bool = False) -> Iterator[None]:
        """Samples that are not the run's: by another clock if one is named, and out of what was taken."""
        usual, taken = (self.clock, self._primed), self.taken
        self.taken = {name: aftermath.Taken() for name in self.sides}
        self.clock, self._primed = self.clock_named(clock) if clock else self.clock, primed
        try:
            yield
        finally:
            (self.clock, self._primed), self.taken = usual, taken

    def call_seconds(self, side: Side) -> float:
        """Of the samples that were timed."""
        return self.taken[side.name].call_seconds

    def check(self, *, most_seconds: float, quiet: bool) -> dict:
        """Hold what timed calls returned against the reference, and look for what was changed meanwhile."""
        findings, contract = self.findings, self.contract
        afterwards.cut_short(self, aftermath.CUT_SHORT if quiet else 1)
        spent, checked = 0.0, set()
        kept = self.kept if quiet else self.kept[::-1]  # elsewhere the last come first
        for name, arguments, output, changed in kept:
            if self.meeting.most(spent) > most_seconds and name in checked:
                continue
            started = _now()
            problem = self.answer_problem(name, arguments, output, changed)
            spent += _now() - started
            findings.note("timed outputs", f"{name}: a timed call's result {problem}" if problem else "")
            checked.add(name)
        for name in self.sides:
            if name not in checked:
                findings.note("timed outputs", f"{name}: no output of a timed call was kept")
        verification.judge_precision(findings, contract)
        same = same_bits(self._constants, self._constant_values())
        findings.note("arguments unchanged", "" if same else "a constant argument was changed while it was timed")
        self.pool.question_witnesses()
        if quiet:
            verification.look_for_leftovers(findings)
            afterwards.look_beside(self)
            afterwards.look_for_memories(self)
        self._look_around("while it was timed")
        return self._findings()

    def _inspect(self, before: tuple, now: tuple) -> None:
        problem = changed_problem(before, now, self.contract.names, self.contract.mutates)
        self.findings.note("arguments unchanged", f"a side {problem}" if problem else "")

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
        expected = verification.expect(self.reference, arguments, self.contract, self.findings)
        problem = kind_problem(output, self.device)
        apart = Difference() if problem else difference((output, changed), expected, self.contract.tolerance, arguments)
        self.findings.error(name, apart)
        return problem or apart.problem

    def sample(self, side: Side, calls: int, lead: int = 0, keep: bool = False) -> list:
        """One sample: [start ns, end ns, seconds a call, host seconds or None, involuntary switches, major faults,
        seconds to queue a call or None, device clock in hertz or None]."""
        places = self.pool.take(lead + calls)
        arguments = [(*side.state, *self.pool.sets[place]) for place in places]
        last = clone(self.pool.sets[places[-1]]) if keep else None
        for index in self.cold:
            drop_pages(row[index + len(side.state)] for row in arguments)
        if lead:
            self.clock(side.function, arguments[:lead])
        self.meeting.meet()  # what a rank does while it waits for others is not of the sample
        before, beside = resource.getrusage(resource.RUSAGE_THREAD), self.meeting.foreign_seconds()
        reading = self.meeting.timed(lambda: self.read(side, arguments[lead:]))
        beside, after = self.meeting.foreign_seconds() - beside, resource.getrusage(resource.RUSAGE_THREAD)
        host = None if self.meeting.several else reading.host_seconds  # seconds are agreed on, the host's are not
        own_cpu = (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)
        self.taken[side.name].add(_paid(reading.seconds, host), calls, own_cpu, beside)
        own = self.pool.sets[places[-1]]
        if last is not None:
            changed = clone(verification.changed_arguments(own, self.contract))
            self.kept.append((side.name, last, clone(reading.output), changed))
        self._output_bytes = self._output_bytes or size_in_bytes(reading.output)
        if not self._look_at(side.name, reading.output, last, own):
            poison(reading.output)
        reading.output = None
        self.pool.renew(self._renew_seconds)
        return [
            reading.start_ns,
            reading.end_ns,
            reading.seconds / calls,
            reading.host_seconds,
            after.ru_nivcsw - before.ru_nivcsw,
            after.ru_majflt - before.ru_majflt,
            None if reading.enqueue_seconds is None else reading.enqueue_seconds / calls,
            reading.clock_hz,
        ]

    def read(self, side: Side, arguments: list[tuple]) -> Reading:
        if self.clock is not clocks.call_on_cuda:
            return self.clock(side.function, arguments)
        if self._primed:
            return clocks.call_on_cuda(side.function, arguments, self._hold_seconds(side.name, len(arguments)))
        reading = clocks.call_on_cuda(side.function, arguments)
        self._enqueue[side.name] = (reading.enqueue_seconds or 0.0) / len(arguments)
        return reading

    def _held_seconds(self, call_seconds: dict[str, float], sample_seconds: float) -> dict[str, float]:
        """Seconds a call when the device never waits for the host: its own, gaps between kernels included."""
        self._primed = True
        found = {}
        for name, side in self.sides.items():
            length = max(1, round(sample_seconds / call_seconds[name]))
            rows = [self.sample(side, length) for _ in range(3)]
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
        (place,) = self.pool.take(1)
        arguments = [(*side.state, *self.pool.sets[place])] * calls
        return self.meeting.timed(lambda: self.read(side, arguments)).seconds / calls

    def clock_named(self, name: str) -> Any:
        return clocks.CLOCKS[name, self.device.split(":")[0]]

    def _look_at(self, name: str, output: Any, before: tuple | None, own: tuple) -> bool:
        """Hold a timed call to what verification asks of one: it may have known that it was verified.

        Says whether the output lives in an argument: then it is not to be poisoned.
        """
        names, mutates = self.contract.names, self.contract.mutates
        shared = self._lives_in(output, own, ())
        problems = {
            "plain result": kind_problem(output, self.device),
            "own memory": self._lives_in(output, own, mutates) if shared else "",
            "arguments unchanged": changed_problem(before, own, names, mutates) if before else "",
        }
        for check, problem in problems.items():
            self.findings.note(check, f"{name} while it was timed: {problem}" if problem else "")
        return bool(shared)

    def _lives_in(self, output: Any, arguments: tuple, mutates: tuple[str, ...]) -> str:
        """Does the output share memory with an argument? Only arguments that hold buffers are looked through."""
        names = tuple(self.contract.names[at] for at in self._buffers)
        return alias_problem(output, tuple(arguments[at] for at in self._buffers), names, mutates)

    def _sets(self, footprint: int, calls: float, most_samples: int) -> int:
        """As many sets as the footprint asks for, enough for a sample without repeats, none that is never used."""
        size = max(1, self.pool.set_bytes)
        most_bytes = GPU_POOL_BYTES if self.device.startswith("cuda") else CPU_POOL_BYTES
        footprint = max(footprint, 3 * (self._cache_bytes() or 0))
        used = max(4, round(calls * most_samples))
        return min(max(-(-footprint // size), round(1.5 * calls)), most_bytes // size, used, MOST_SETS)

    def _warm(self, sample_seconds: float) -> dict[str, float]:
        """Seconds a call of each side, warmed up on a few argument sets."""
        self.pool.grow(min(WARM_SETS, WARM_BYTES // max(1, self.pool.set_bytes)), 0.02)
        self._renew_seconds = 0.0
        on_gpu = self.device.startswith("cuda")
        least, most = (LEAST_ON_GPU, MOST_ON_GPU) if on_gpu else (0.0, MOST_ON_CPU)
        most = MOST_OF_RANKS if self.meeting.several and not on_gpu else most
        found, agree = {}, self.meeting.most
        for name, side in self.sides.items():

            def sample(calls: int, side: Side = side) -> tuple[float, float | None]:
                return self._paid(side, calls)

            found[name] = warm_up(sample, self._quick_look(side), sample_seconds, least=least, most=most, agree=agree)
            least = 0.0  # the device's clocks have risen with the first side
        return found

    def _quick_look(self, side: Side) -> float:
        """Roughly how long a call takes, after the first ones that load and compile."""
        for _ in range(2):
            self.sample(side, 1)
        return min(self._paid(side, 1)[0] for _ in range(3))

    def _paid(self, side: Side, calls: int) -> tuple[float, float | None]:
        """Seconds a call, the same on all ranks, and the device's clock, of one sample."""
        row = self.sample(side, calls)
        return self.meeting.most(_paid(row[2] * calls, row[3]) / calls), row[7]

    def _sizes_in_bytes(self) -> dict[str, Any]:
        """What caches may hold over calls, how large the last one is, and the type that most of the data has."""
        by_type: dict[str, int] = {}
        for _, leaf in leaves(self.pool.sets[0]):
            if is_tensor(leaf) or is_array(leaf):
                name = str(leaf.dtype).removeprefix("torch.")
                by_type[name] = by_type.get(name, 0) + size_in_bytes(leaf)
        return {
            "constant_bytes": size_in_bytes(self._constant_values()),
            "output_bytes": self._output_bytes,
            "dtype": max(by_type, key=lambda name: by_type[name], default=""),
            "cache_bytes": self._cache_bytes(),
        }

    def _cache_bytes(self) -> int | None:
        """Of a GPU's L2; on a CPU the run knows better."""
        return torch.cuda.get_device_properties(self.device).L2_cache_size if self.device.startswith("cuda") else None

    def new_pool(self, sizes: dict[str, Any], rng: random.Random) -> ArgumentPool:
        contract = self.contract
        draw = seeded(self.inputs, sizes, self.device, self.imports)
        draw = self.meeting.draw(draw, contract.names, contract.constant)
        pool = ArgumentPool(draw, contract.names, contract.constant, contract.mutates, rng, self.meeting.most)
        pool.structured = self._structured
        return pool

    def _look_at_constants(self, pool: ArgumentPool) -> None:
        problem = "a constant argument differs between ranks: `inputs` must give the same one for the same seed"
        self.findings.note("values change", problem if self.meeting.unequal(self._constant_values(pool)) else "")

    def _constant_values(self, pool: ArgumentPool | None = None) -> tuple:
        pairs = zip(self.contract.names, (pool or self.pool).sets[0], strict=True)
        return tuple(value for name, value in pairs if name in self.contract.constant)

    def _look_around(self, when: str) -> None:
        moved = watch.switched(self._flags)
        problem = f"{'; '.join(moved[:4])} {when}: set and restore it inside the function" if moved else ""
        self.findings.note("switches restored", problem)

    def _findings(self) -> dict:
        return {
            "checks": [check.model_dump() for check in self.findings.checks.values()],
            "errors": {side: _as_dict(apart) for side, apart in self.findings.errors.items()},
            "calls": self.findings.calls,
            "reference_seconds": self.findings.reference_seconds,
        }


def _paid(seconds: float, host: float | None) -> float:
    """Of a sample, as its length has to count them: work that escapes a device's events takes its time too."""
    return seconds if host is None else max(seconds, (host - HOST_SPARE) / 1.5)


def _as_dict(apart: Difference) -> dict[str, float]:
    return {"rms_relative": apart.rms_relative, "max_absolute": apart.max_absolute, "of_tolerance": apart.of_tolerance}
