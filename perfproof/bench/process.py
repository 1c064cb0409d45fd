"""One process of a couple: fork, load, warm up, quads of samples, check what was timed.

On the isolated rung every side has a process of its own and they are driven in turn; the schedule is the same.
"""

import contextlib
import itertools
import random
import tempfile
import time
from collections.abc import Callable, Sequence
from typing import Any, cast

from perfproof.bench import honesty
from perfproof.bench.job import Job, Rung
from perfproof.bench.launches import Launch, Worker
from perfproof.bench.process_record import ProcessRecord
from perfproof.bench.rank_replies import RankedRow
from perfproof.bench.ranks import fork_ranks
from perfproof.bench.rulers import look_by_other_clocks
from perfproof.bench.sampling import ask_samples, choose_clock, choose_priming
from perfproof.core.documents import Check
from perfproof.stats.quads import BASELINE, ORDERS, STAY_ORDERS, TWIN, Quad, Sample, schedule

BATCH_QUADS = 20  # between two looks of the run's clock
POOL_SECONDS = 0.06  # most that filling the pool may take in a process
CHECK_SECONDS = 0.5  # for holding outputs against the reference in the first process; a fifth of it in the others
MOST_PROCESS_SECONDS = {"quick": 0.4, "standard": 0.6, "final": 6.0}  # launches differ more than samples
LEAST_QUADS = 5  # one of them A/A′
SETTLING = 2
SWITCH_BURST, SWITCH_RATE = 3, 500.0  # involuntary context switches that make a sample invalid: n + rate * seconds


def run_process(
    job: Job,
    launch: Launch,
    rung: Rung,
    number: int,
    couple: int,
    slot: int,
    *,
    first: bool,
    primed: bool | None = None,
    sampled: Callable[[], None] = lambda: None,
) -> ProcessRecord:
    """Measure once; `slot` swaps the order of creation. `first` adds the audit and the other clocks.

    `primed` says whether a device's queue is held; the first process of a comparison decides it for all. `sampled` is
    called when no more time is read.
    """
    record = ProcessRecord(number, couple, slot)
    rng = job.rng(rung.name, number, couple, slot)
    started = time.perf_counter()
    sides = creation_order(job.variants, slot, number)
    with contextlib.ExitStack() as stack:
        groups = [[side] for side in sides] if rung.isolated else [sides]
        workers = open_workers(job, launch, groups, stack)
        opened = time.perf_counter() - started
        make_ready(job, rung, workers, rng, record)
        choose_priming(record, primed)
        choose_clock(job, workers, record)
        asked = time.perf_counter()
        quads = _affordable_quads(job, rung, record)
        plan = schedule(job.variants, quads, rng, STAY_ORDERS if rung.stay else ORDERS)
        take_quads(job, rung, workers, plan, record, rng)
        record.overhead = opened + (time.perf_counter() - asked) - _busy(record)
        record.checks.append(_one_stream(record))
        if record.checks[-1].result == "fail":
            return record
        if first:
            record.checks.append(_audit(job, rung, workers, record))
            look_by_other_clocks(job, workers, record)
        else:
            sampled()
        seconds = CHECK_SECONDS if first else CHECK_SECONDS / 5
        for worker in unique(workers):
            take_findings(worker.ask("check", job.deadline, most_seconds=seconds, quiet=first), record)
    record.seconds = time.perf_counter() - started
    return record


def creation_order(variants: Sequence[str], slot: int, number: int) -> list[str]:
    """Who is loaded, prepared and warmed first. The slots of a couple exchange the places of baseline and variant.

    The twin stays out of that exchange, or a variant would keep the middle in both; it is last in one launch and first
    in the next.
    """
    sides = [BASELINE, *variants][::slot]
    return [TWIN, *sides] if number % 2 else [*sides, TWIN]


def open_workers(job: Job, launch: Launch, groups: list[list[str]], stack: contextlib.ExitStack) -> dict[str, Worker]:
    """Fork one worker for each group of sides; returns the worker of each side."""
    workers: dict[str, Worker] = {}
    for sides in groups:
        workers.update(dict.fromkeys(sides, open_worker(job, launch, sides, stack)))
    return workers


def open_worker(job: Job, launch: Launch, sides: list[str], stack: contextlib.ExitStack) -> Worker:
    """Fork a worker that loads these sides, in this order, in an empty folder of its own."""
    scratch = stack.enter_context(tempfile.TemporaryDirectory(dir=launch.scratch, ignore_cleanup_errors=True))
    worker = stack.enter_context(cast(Worker, fork_ranks(job, launch)) if job.ranks > 1 else launch.fork())
    worker.ask(
        "open", job.deadline, spec=job.spec, sides=sides, cpus=list(job.cpus), threads=job.threads, scratch=scratch
    )
    return worker


def make_ready(
    job: Job,
    rung: Rung,
    workers: dict[str, Worker],
    rng: random.Random,
    record: ProcessRecord,
    pool_seconds: float = POOL_SECONDS,
) -> None:
    seed = rng.getrandbits(62)  # one seed: isolated sides see the same values
    for worker in unique(workers):
        reply = worker.ask(
            "ready",
            job.deadline,
            sizes=job.sizes,
            seed=seed,
            clock=job.clock,
            sample_seconds=job.sample_seconds(rung),
            footprint=job.footprint,
            most_calls=4 * job.effort.most_quads,
            pool_seconds=pool_seconds,
        )
        record.call_seconds.update(reply["call_seconds"])
        record.setup_seconds.update(reply["setup_seconds"])
        record.held_seconds.update(reply["held_seconds"])
        record.enqueue_seconds.update(reply["enqueue_seconds"])
        record.waits.update(reply["waits"])
        record.floor, record.pool = max(record.floor, reply["floor"]), reply["pool"]


def take_quads(
    job: Job,
    rung: Rung,
    workers: dict[str, Worker],
    plan: Sequence[tuple[str, str]],
    record: ProcessRecord,
    rng: random.Random,
) -> None:
    """Run the plan in batches, hold each against the run's own clock, and make quads of the readings."""
    steps = [(kind, BASELINE if letter == "A" else kind) for kind, order in plan for letter in order]
    kept = _kept_steps([side for _, side in steps], rng)
    samples = []
    for index, (kind, side) in enumerate(steps):
        calls = _random_length(job.sample_seconds(rung), record.call_seconds[side], rng, single=bool(job.cold))
        samples.append((kind, side, calls, round(rung.lead * calls + 0.49) if rung.lead else 0, index in kept))
    for kind, block in itertools.groupby(samples, key=lambda sample: sample[0]):
        _settle(job, rung, workers, kind, record)
        for part in batched(list(block), 4 * BATCH_QUADS):
            rows = _run_batch(job, rung, workers, part, record)
            for step, row in zip(part, rows, strict=True):
                record.rows.append(_row(job, rung, record, step, row))
    if job.mark:
        record.rows = job.mark(record.rows)
    for four in batched(record.rows, 4):
        record.quads.append(Quad(four[0]["kind"], tuple(_sample(row) for row in four)))  # type: ignore[arg-type]


def batched(items: list, size: int) -> list[list]:
    return [items[begin : begin + size] for begin in range(0, len(items), size)]


def _settle(job: Job, rung: Rung, workers: dict[str, Worker], kind: str, record: ProcessRecord) -> None:
    """Both sides of a comparison, untimed, before its block: neither begins colder than the other."""
    for side in (BASELINE, kind) * SETTLING:
        calls = max(1, round(job.sample_seconds(rung) / record.call_seconds[side]))
        renew = 1.5 * job.sample_seconds(rung)
        ask_samples(job, workers[side], [[side, calls, 0, False]], renew, record.primed, record.clock)


def take_findings(reply: dict[str, Any], record: ProcessRecord) -> None:
    record.checks += [Check(**check) for check in reply["checks"]]
    record.errors.update(reply["errors"])
    record.calls.update(reply["calls"])


def unique(workers: dict[str, Worker]) -> list[Worker]:
    return list(dict.fromkeys(workers.values()))


def _run_batch(
    job: Job, rung: Rung, workers: dict[str, Worker], part: Sequence[tuple], record: ProcessRecord
) -> list[list]:
    renew = 1.5 * job.sample_seconds(rung)
    asks = [[side, calls, lead, keep] for _, side, calls, lead, keep in part]
    if rung.isolated:
        rows = [ask_samples(job, workers[ask[0]], [ask], renew, record.primed, record.clock)[0] for ask in asks]
    else:
        rows = ask_samples(job, workers[BASELINE], asks, renew, record.primed, record.clock)
    record.repeated = max(worker.repeated for worker in unique(workers))
    record.turns = max(worker.turns for worker in unique(workers))
    return rows


def _affordable_quads(job: Job, rung: Rung, record: ProcessRecord) -> int:
    """Many where samples are short, the effort's number where calls are long, never more than a process may take."""
    effort, variants = job.effort, len(job.variants)
    quad = 4 * max(max(seconds, job.sample_seconds(rung)) for seconds in record.call_seconds.values())
    wanted = min(effort.most_quads, max(job.least_quads, int(job.least_seconds / quad)))
    return max(LEAST_QUADS * variants, min(wanted * variants, int(MOST_PROCESS_SECONDS[effort.name] / quad)))


def _random_length(sample_seconds: float, call_seconds: float, rng: random.Random, single: bool) -> int:
    """Calls of a sample: about `sample_seconds` long, and nobody can know which call is the last."""
    calls = sample_seconds / max(call_seconds, 1e-9)
    if single or calls < 1.5:
        return 1
    return max(1, round(calls * rng.uniform(0.75, 1.25)))


def _kept_steps(sides: list[str], rng: random.Random) -> set[int]:
    """Which samples' outputs are checked: of each side the first, the last and one at random."""
    kept = set()
    for side in set(sides):
        own = [index for index, name in enumerate(sides) if name == side]
        kept |= {own[0], own[-1], rng.choice(own)}
    return kept


def _row(job: Job, rung: Rung, record: ProcessRecord, step: tuple, row: list) -> dict[str, Any]:
    kind, side, calls, lead, _ = step
    start, end, seconds, host, switches, faults, enqueue, clock_hz = row
    # Of ranks a backend's own threads put the calling one aside: that is no evidence of anybody else.
    burst = job.ranks == 1 and switches > SWITCH_BURST + SWITCH_RATE * (end - start) * 1e-9
    agree = honesty.clocks_agree(row, calls)
    return {
        "launch": record.launch,
        "couple": record.couple,
        "slot": record.slot,
        "order": len(record.rows),
        "rung": rung.name,
        "clock": job.clock,
        "kind": kind,
        "side": side,
        "calls": calls,
        "lead": lead,
        "start_ns": start,
        "end_ns": end,
        "seconds": seconds,
        "host_seconds": host,
        "enqueue_seconds": enqueue,
        "clock_hz": clock_hz,
        "switches": switches,
        "faults": faults,
        "clocks_agree": agree,
        "valid": agree and not (burst or (faults and not job.cold)),  # a cold file is read by faults
        **({"ranks": row.ranks, "skew_ns": row.skew_ns} if isinstance(row, RankedRow) else {}),
    }


def _sample(row: dict[str, Any]) -> Sample:
    return Sample(row["side"], row["seconds"], row["start_ns"], row["end_ns"], row["calls"], row["valid"])


def _audit(job: Job, rung: Rung, workers: dict[str, Worker], record: ProcessRecord) -> Check:
    def ask(side: str, calls: int) -> float:
        clock = "call" if job.clock == "kernel" else job.clock  # the run's clock knows nothing of a device's records
        return ask_samples(job, workers[side], [[side, calls, 0, False]], renew=0.0, clock=clock)[0][2] * calls

    problem = honesty.audit(ask, {side: record.call_seconds[side] for side in (BASELINE, *job.variants)}, job.ranks)
    detail = "the run's own clock agrees with the worker's"
    return Check(name="clock audit", result="fail" if problem else "pass", detail=problem or detail)


def _one_stream(record: ProcessRecord) -> Check:
    """Device work that escapes the events is seen by the host's clock; on a CPU there is nothing to escape."""
    name = "one stream"
    if all(row["host_seconds"] is None for row in record.rows):
        return Check(name=name, result="pass", detail="no device clock: every sample is read by the host's")
    for side in dict.fromkeys(row["side"] for row in record.rows):
        own = [row["clocks_agree"] for row in record.rows if row["side"] == side]
        if problem := honesty.escaped(own.count(False), len(own), side):
            return Check(name=name, result="fail", detail=problem)
    return Check(name=name, result="pass", detail="device and host clocks agree")


def _busy(record: ProcessRecord) -> float:
    """From the first sample's start to the last one's end: samples and the renewal between them."""
    return (record.rows[-1]["end_ns"] - record.rows[0]["start_ns"]) * 1e-9 if record.rows else 0.0
