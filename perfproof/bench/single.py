"""Values that need a process of one side only: peak memory, and start-up in a new interpreter."""

import contextlib
from dataclasses import dataclass, field

from perfproof.bench.job import Job
from perfproof.bench.launches import Launch, Launches
from perfproof.bench.process import open_worker
from perfproof.core.documents import Memory, RatioResult
from perfproof.stats.memory import exact, judge_memory, judge_startup
from perfproof.stats.quads import BASELINE

CALLS = 3
STARTS = 10


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
    judged = judge_memory(a, b, peaks.quantum, job.delta)
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
    judged = judge_startup(seconds[BASELINE], seconds[kind], delta=job.delta)
    count = len(seconds[BASELINE]) + len(seconds[kind])
    return RatioResult(
        **judged.fields(), processes=count, launches=count, claim="startup", clock="first result", rung="alone"
    )


def _peak_of_each(job: Job, launch: Launch, number: int, found: Peaks) -> None:
    seed = job.rng("memory", number).getrandbits(62)
    for side in (BASELINE, *job.variants):
        with contextlib.ExitStack() as stack:
            worker = open_worker(job, launch, [side], stack)
            small = job.smoke or job.sizes
            reply = worker.ask("memory", job.deadline, sizes=job.sizes, small=small, seed=seed, calls=CALLS)
        if reply["peak"] is not None:
            found.values.setdefault(side, []).append(reply["peak"])
            found.counter, found.quantum = reply["counter"], reply["quantum"]


def _start_once(job: Job, launch: Launch, side: str, number: int) -> float:
    with contextlib.ExitStack() as stack:
        worker = open_worker(job, launch, [], stack)  # loading the side is part of what is timed
        seed = job.rng("startup", number).getrandbits(62)
        return worker.ask("startup", job.deadline, side=side, sizes=job.sizes, seed=seed)["seconds"]
