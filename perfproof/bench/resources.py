"""Values that need processes of their own: peak memory and start-up of one side, energy in loops of a second."""

import contextlib
import math
from dataclasses import dataclass, field
from statistics import median

from perfproof.bench.job import Job
from perfproof.bench.launches import Launch, Launches, Worker
from perfproof.bench.preparation import creation_order, make_ready, open_worker, open_workers
from perfproof.bench.record import ProcessRecord
from perfproof.bench.sampling import ask_samples, calls_in
from perfproof.core.documents import Memory, RatioResult
from perfproof.stats.memory import exact, judge_memory, judge_startup
from perfproof.stats.quads import BASELINE, TWIN
from perfproof.stats.verdicts import judge, systematic_band, words

CALLS = 3  # of each side; one where calls take seconds and memory is not the claim
STARTS = 10
ENERGY_SECONDS = 1.0
ENERGY_LAUNCHES = 8
ENERGY_BAND, ENERGY_DELTA = 0.01, 0.03  # the counter moves in steps that are a few per cent of a loop


@dataclass
class Peaks:
    values: dict[str, list[int]] = field(default_factory=dict)
    counter: str = ""
    quantum: int = 1

    def of(self, side: str) -> Memory | None:
        own = self.values.get(side)
        if not own:
            return None
        middle = sorted(own)[len(own) // 2]
        return Memory(peak_bytes=middle, processes=len(own), exact=exact(own, self.quantum), counter=self.counter)


def measure_memory(job: Job, launches: Launches, processes: int) -> Peaks:
    """Peak memory of each side, in `processes` processes a side; five where they differ."""
    found = Peaks()
    for number in range(max(processes, 1)):
        _peak_of_each(job, launches.get(0), number, found)
    if processes >= 3 and any(not exact(values, found.quantum) for values in found.values.values()):
        for number in range(processes, 5):
            _peak_of_each(job, launches.get(0), number, found)
    return found


def memory_verdict(job: Job, peaks: Peaks, kind: str) -> RatioResult | None:
    a, b = peaks.values.get(BASELINE), peaks.values.get(kind)
    if not a or not b:
        return None
    judged = judge_memory(a, b, peaks.quantum, job.delta, job.level)
    return RatioResult(**judged.fields(), processes=len(a) + len(b), claim="memory", clock=peaks.counter, rung="alone")


def measure_startup(job: Job, launches: Launches) -> dict[str, list[float]]:
    """Seconds to the first result, each in a new interpreter, sides in ABBA order."""
    found: dict[str, list[float]] = {side: [] for side in (BASELINE, *job.variants)}
    for number in range(STARTS):
        order = list(found) if number % 2 else list(found)[::-1]
        for side in order:
            launch = launches.new()
            try:
                found[side].append(_start_once(job, launch, side, number))
            finally:
                launch.close()
    return found


def startup_verdict(job: Job, seconds: dict[str, list[float]], kind: str) -> RatioResult:
    judged = judge_startup(seconds[BASELINE], seconds[kind], delta=job.delta, level=job.level)
    count = len(seconds[BASELINE]) + len(seconds[kind])
    return RatioResult(
        **judged.fields(), processes=count, launches=count, claim="startup", clock="first result", rung="alone"
    )


@dataclass
class Energy:
    """Joules per call of each side, one value per process."""

    joules: dict[str, list[float]] = field(default_factory=dict)
    why: str = ""

    def of(self, side: str) -> float | None:
        return median(self.joules[side]) if self.joules.get(side) else None


def measure_energy(job: Job, launches: Launches, processes: int) -> Energy:
    """Every side in a process of its own, in turn, there and back, so that heat is shared; not on a CPU."""
    found = Energy()
    for number in range(processes):
        order = creation_order(job.variants, 1 if number % 2 else -1, number)
        sides = [side for side in order if side != TWIN]
        with contextlib.ExitStack() as stack:
            workers = open_workers(job, launches.get(number), [[side] for side in sides], stack)
            record = ProcessRecord(number, 0, 1)
            make_ready(job, workers, job.rng("energy", number), record)
            used: dict[str, list[float]] = {}
            for side in [*sides, *sides[::-1]] if processes > 1 else sides:
                _take_calls(job, workers[side], side, record)
                reply = workers[side].ask("energy", job.deadline, side=side, seconds=ENERGY_SECONDS)
                if reply["joules"] is None:
                    return Energy(why=reply["why"])
                used.setdefault(side, []).append(reply["joules"])
        for side, values in used.items():
            found.joules.setdefault(side, []).append(math.fsum(values) / len(values))
    return found


def energy_verdict(job: Job, found: Energy, kind: str) -> RatioResult | None:
    a, b = found.joules.get(BASELINE), found.joules.get(kind)
    if not a or not b:
        return None
    units = [math.log(before / after) for before, after in zip(a, b, strict=True)]
    beta = max(ENERGY_BAND, systematic_band(job.device, len(units)))
    judged = judge(units, beta=beta, delta=max(ENERGY_DELTA, job.delta), level=job.level)
    baseline = math.exp(math.fsum(map(math.log, a)) / len(a))
    fields = {**judged.fields(), "verdict": words(judged.verdict, "energy"), "baseline": baseline}
    fields["variant"] = baseline / judged.ratio if judged.ratio else None
    return RatioResult(
        **fields, processes=len(units), launches=len(units), claim="energy", clock="NVML energy counter", rung="in turn"
    )


def _take_calls(job: Job, worker: Worker, side: str, record: ProcessRecord) -> None:
    """A sample of the side: it says how long a call is now."""
    calls = calls_in(job.sample_seconds, record.call_seconds[side])
    ask_samples(job, worker, [[side, calls, False]], clock="call", warm=True)


def _peak_of_each(job: Job, launch: Launch, number: int, found: Peaks) -> None:
    seed = job.rng("memory", number).getrandbits(62)
    for side in (BASELINE, *job.variants):
        with contextlib.ExitStack() as stack:
            worker = open_worker(job, launch, [side], stack)
            small = job.smoke or job.sizes
            calls = 1 if job.is_slow and job.claim != "memory" else CALLS
            reply = worker.ask("memory", job.deadline, sizes=job.sizes, small=small, seed=seed, calls=calls)
        if reply["peak"] is not None:
            found.values.setdefault(side, []).append(reply["peak"])
            found.counter, found.quantum = reply["counter"], reply["quantum"]


def _start_once(job: Job, launch: Launch, side: str, number: int) -> float:
    with contextlib.ExitStack() as stack:
        worker = open_worker(job, launch, [], stack)  # loading the side is part of what is timed
        seed = job.rng("startup", number).getrandbits(62)
        return worker.ask("startup", job.deadline, side=side, sizes=job.sizes, seed=seed)["seconds"]
