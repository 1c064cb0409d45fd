"""One process of a couple, from the moment it is ready: quads of samples, then what was timed is checked.

On the isolated rung every side has a process of its own and they are driven in turn; the schedule is the same.
"""

import itertools
import random
import time
from collections.abc import Callable, Sequence
from typing import Any

from perfproof.bench.checks import clock_audit
from perfproof.bench.checks.isolation import clean_against_mixed
from perfproof.bench.checks.remembered import look_for_memories
from perfproof.bench.checks.timing_audit import audit_clocks, look_by_other_clocks
from perfproof.bench.job import Job, Rung
from perfproof.bench.launches import Launch, Worker, see_off
from perfproof.bench.preparation import Prepared, begin, unique, wait
from perfproof.bench.ranks.replies import RankedRow
from perfproof.bench.record import ProcessRecord
from perfproof.bench.sampling import ask_samples, calls_in, choose_clock, choose_priming
from perfproof.core.documents import Check
from perfproof.stats.quads import BASELINE, TWIN, Quad, Sample, schedule
from perfproof.worker.row import Row

BATCH_QUADS = 40  # between two looks of the run's clock; sets of arguments for so many are drawn together
CHECK_SECONDS = 0.5  # for holding outputs against the reference in the first process; a fifth of it in the others
MOST_PROCESS_SECONDS = {"quick": 0.4, "standard": 0.6, "final": 6.0}  # samples and drawing; launches differ more
LEAST_QUADS = 5  # one of them A/A′
SLOW_QUAD_SECONDS, LONG_PROCESS_SECONDS = 0.5, 3.0  # a quad that takes long, and all quads then; one in any case
LONG_GPU_SECONDS = 1.5  # the same on a GPU, whose samples are quieter
CUT_SAMPLES = 2  # per side and batch, where it has as many quads as this or more
BATCH_WITH_CUT = 10
CALLS_OF_A_QUAD = 5  # of a side, in samples: two of them, a quarter longer at most, and two that are cut
ROOM = 0.8  # of the sets that can be held are for judged samples
LEAST_SAMPLE_SECONDS = 50e-6  # two readings of the clock are 0.2 % of it
SETTLING, MORE_CALLS = 2, 4  # times, and calls by which a sample of it is longer at random
SLOW_SETTLING_SECONDS = 0.02  # a sample that takes longer settles a side by itself
ALIKE = 1.25  # times: calls that a reading or two cannot tell apart
# A thread that waited longer than this in a sample, and was put aside by the system meanwhile, was disturbed.
IDLE_SHARE, IDLE_SECONDS = 0.05, 20e-6
ALONE_SHARE = 0.05  # CPU time of other threads of the process, of the sample: beyond it the sample has several threads
SWITCH_BURST, SWITCH_RATE = 3, 500.0  # several threads: involuntary switches that make a sample invalid, n + rate * s


def run_process(
    job: Job,
    launch: Launch,
    rung: Rung,
    number: int,
    couple: int,
    slot: int,
    *,
    before: ProcessRecord | None = None,
    isolation: bool = False,
    sampled: Callable[[], None] = lambda: None,
    prepared: Prepared | None = None,
) -> ProcessRecord:
    """Measure once; `slot` swaps the order of creation. Without one `before`, clock audit and other clocks are added.

    The first process of a comparison decides for all whether a device's queue is held, and whether calls are long.
    With `isolation` the baseline is also held against itself in a process without the variants. `sampled` is called
    when no more time is read. A process that was got ready before is `prepared`.
    """
    first, started = before is None, time.perf_counter()
    prepared = prepared or begin(job, launch, rung, number, couple, slot, before, isolation)
    with prepared.stack as stack:
        wait(job, prepared, before)
        record, rng, workers = prepared.record, prepared.rng, prepared.workers
        choose_priming(record, before.primed if before else None)
        choose_clock(job, workers, record)
        asked = time.perf_counter()
        record.sample_seconds = _sample_seconds(job, record)
        plan = schedule(job.variants, _affordable_quads(job, record), rng, twins=TWIN in workers and not record.is_long)
        timed = [side for side in (*job.variants, BASELINE, TWIN) if any(side in (kind, BASELINE) for kind, _ in plan)]
        timed = [side for side in timed if first or side != TWIN]  # the twin is another baseline
        checked = _checked_sides(job, record, before, timed)
        see_off()
        take_quads(job, rung, workers, plan, record, rng, checked)
        record.overhead = prepared.opened + (time.perf_counter() - asked) - _busy(record)
        if first:
            look_by_other_clocks(job, workers, record)
            record.checks.append(audit_clocks(job, workers, record))
        if prepared.clean is not None:
            record.isolation = clean_against_mixed(job, prepared.clean, workers[BASELINE], record, rng)
        if not first:
            sampled()
        seconds = CHECK_SECONDS if first else CHECK_SECONDS / 5
        if first:
            look_for_memories(job, launch, record, rng, stack, unique({BASELINE: workers[BASELINE], **workers}))
        for worker in unique({BASELINE: workers[BASELINE], **workers}):  # whose errors the others are held against
            own = [side for side in checked if workers[side] is worker]
            asked_for = dict(most_seconds=seconds, quiet=first, sides=own)
            if rung.isolated and not launch.apart:  # two settings may differ in it
                asked_for["of_baseline"] = record.of_baseline or (before.of_baseline if before else [])
            take_findings(worker.ask("check", job.deadline, **asked_for), record)
    record.seconds = time.perf_counter() - started
    return record


def _checked_sides(job: Job, record: ProcessRecord, before: ProcessRecord | None, timed: list[str]) -> list[str]:
    """Whose outputs are held against the reference: all sides'; if that takes long, those of each side in its turn.

    Where calls take seconds it is each side in the first process, and in one more that no side can know.
    """
    if before is not None and job.is_slow:
        later = range(1, max(job.effort.launches, len(timed) + 1))
        drawn = job.rng("checked").sample(later, len(timed))
        return [side for side, number in zip(timed, drawn, strict=True) if number == record.launch]
    if not record.is_tight and (before is None or not (record.is_long or before.has_slow_reference)):
        return timed
    turn = 2 * (record.launch * job.effort.couples + record.couple) + (record.slot < 0)  # of all processes
    return [timed[turn % len(timed)]]


def take_quads(
    job: Job,
    rung: Rung,
    workers: dict[str, Worker],
    plan: Sequence[tuple[str, str]],
    record: ProcessRecord,
    rng: random.Random,
    checked: Sequence[str],
) -> None:
    """Run the plan in batches, hold each against the run's own clock, and make quads of the readings.

    Outputs of the sides that are `checked` are kept; where memory is tight, one of each.
    """
    steps = [(kind, BASELINE if letter == "A" else kind) for kind, order in plan for letter in order]
    call_seconds = as_one(record.call_seconds)
    kept = _kept_steps([side for _, side in steps], rng, checked, few=record.is_tight)
    samples = []
    for index, (kind, side) in enumerate(steps):
        calls = _random_length(record.sample_seconds, call_seconds[side], rng, single=bool(job.cold))
        samples.append((kind, side, calls, index in kept))
    for kind, block in itertools.groupby(samples, key=lambda sample: sample[0]):
        for part in batches(list(block), int(ROOM * record.pool["most_sets"])):
            mixed = _with_cut_samples(part, rng, checked=[] if record.is_tight else checked)
            _plan_batch(job, workers, [step for step, _ in mixed])
            _settle(job, workers, kind, record, rng)
            rows = _run_batch(job, rung, workers, [step for step, _ in mixed], record)
            for (step, judged), row in zip(mixed, rows, strict=True):
                if judged:
                    record.rows.append(_row(job, rung, record, step, row))
    if job.mark:
        record.rows = job.mark(record.rows)
    for four in batched(record.rows, 4):
        record.quads.append(Quad(four[0]["kind"], tuple(_sample(row) for row in four)))  # type: ignore[arg-type]


def batches(samples: list[tuple], most_sets: int) -> list[list[tuple]]:
    """Whole quads, as many as have their values drawn together: inside a batch nothing is drawn, no memory is taken."""
    found: list[list[tuple]] = []
    for quad in batched(samples, 4):
        joined = [*found[-1], *quad] if found else []
        if not joined or len(joined) > 4 * BATCH_QUADS or max(_calls_of(joined).values()) > most_sets:
            found.append(quad)
        else:
            found[-1] = joined
    return found


def _calls_of(samples: Sequence[tuple]) -> dict[str, int]:
    found: dict[str, int] = {}
    for _, side, calls, _ in samples:
        found[side] = found.get(side, 0) + calls
    return found


def batched(items: list, size: int) -> list[list]:
    return [items[begin : begin + size] for begin in range(0, len(items), size)]


def _plan_batch(job: Job, workers: dict[str, Worker], part: Sequence[tuple]) -> None:
    """Have the values of a batch drawn before anything of it is timed."""
    for worker in unique({side: workers[side] for _, side, _, _ in part}):
        worker.ask("plan", job.deadline, calls=_calls_of([step for step in part if workers[step[1]] is worker]))


def _settle(job: Job, workers: dict[str, Worker], kind: str, record: ProcessRecord, rng: random.Random) -> None:
    """Both sides, untimed, before a batch: neither begins colder, or finds less free memory, than the other.

    By how many calls is drawn: what a side does in every second call of it falls on another sample each time.
    """
    if record.is_long:  # each call counts, and those of the warm-up were just before
        return
    for worker in unique({side: workers[side] for side in (BASELINE, kind)}):
        own = [side for side in (BASELINE, kind) if workers[side] is worker]
        usual = {side: calls_in(job.sample_seconds, record.call_seconds[side]) for side in own}
        more = {side: MORE_CALLS if usual[side] > 1 else 2 for side in own}
        longest = max(usual[side] * record.call_seconds[side] for side in own)
        times = 1 if longest > SLOW_SETTLING_SECONDS else SETTLING
        samples = [[side, usual[side] + rng.randrange(more[side]), False] for _ in range(times) for side in own]
        ask_samples(job, worker, samples, record.primed, record.clock, warm=True)


def take_findings(reply: dict[str, Any], record: ProcessRecord) -> None:
    record.checks += [Check(**check) for check in reply["checks"]]
    record.errors.update(reply["errors"])
    record.calls.update(reply["calls"])
    record.reference_seconds = max(record.reference_seconds, reply.get("reference_seconds", 0.0))
    record.of_baseline = reply.get("of_baseline") or record.of_baseline
    record.compiled += reply.get("compiled", 0)
    record.skipped_cuda_graphs = max(record.skipped_cuda_graphs, reply.get("skipped_cuda_graphs", 0))
    record.graph_breaks = sorted({*record.graph_breaks, *reply.get("graph_breaks", [])})
    record.room = min(record.room, reply.get("room", record.room))
    record.processes = max(record.processes, reply.get("processes", 0))


def _run_batch(
    job: Job, rung: Rung, workers: dict[str, Worker], part: Sequence[tuple], record: ProcessRecord
) -> list[Row]:
    asks = [[side, calls, keep] for _, side, calls, keep in part]
    if rung.isolated:
        rows = [ask_samples(job, workers[ask[0]], [ask], record.primed, record.clock)[0] for ask in asks]
    else:
        rows = ask_samples(job, workers[BASELINE], asks, record.primed, record.clock)
    record.repeated = max(worker.repeated for worker in unique(workers))
    record.pool["sets"] = max(worker.held_sets for worker in unique(workers))
    record.pool["bytes"] = record.pool["sets"] * record.pool["set_bytes"]
    return rows


def _sample_seconds(job: Job, record: ProcessRecord) -> float:
    """Shorter samples where drawing takes longer than calling: more of them are worth more than the timer's share.

    On a GPU they are shorter where the values of a quad would not fit into memory: nothing is drawn inside a quad.
    """
    if job.device.startswith("cuda") and job.ranks == 1:
        fits = record.pool["most_sets"] / CALLS_OF_A_QUAD * min(record.call_seconds.values())
        return min(job.sample_seconds, max(LEAST_SAMPLE_SECONDS, fits))
    if job.ranks > 1 or not record.draw_seconds:
        return job.sample_seconds
    share = min(record.call_seconds.values()) / record.draw_seconds
    return min(job.sample_seconds, max(LEAST_SAMPLE_SECONDS, share * job.sample_seconds))


def _affordable_quads(job: Job, record: ProcessRecord) -> int:
    """Many where samples are short, the effort's number where calls are long, never more than a process may take.

    The two sides share the sets that are drawn: a quad needs as many as its side with the shorter calls.
    """
    effort, variants = job.effort, len(job.variants)
    longest, shortest = max(record.call_seconds.values()), min(record.call_seconds.values())
    timed = 4 * max(longest, record.sample_seconds)
    drawing = 2 * max(1.0, record.sample_seconds / shortest) * record.draw_seconds
    if record.is_long or timed + drawing > SLOW_QUAD_SECONDS:
        long = LONG_GPU_SECONDS if job.device.startswith("cuda") else LONG_PROCESS_SECONDS
        return max(variants, min(LEAST_QUADS * variants, int(long / (timed + drawing))))
    wanted = min(effort.most_quads, max(job.least_quads, int(job.least_seconds / timed)))
    most = int(MOST_PROCESS_SECONDS[effort.name] / (timed + drawing))
    return max(LEAST_QUADS * variants, min(wanted * variants, most))


def as_one(call_seconds: dict[str, float]) -> dict[str, float]:
    """Sides that take about as long as the baseline get samples of as many calls, whatever one reading of each said.

    What a switch to a side costs is spread over the calls of a sample: with one call more it would look faster.
    """
    like = call_seconds[BASELINE]
    return {side: like if 1 / ALIKE < seconds / like < ALIKE else seconds for side, seconds in call_seconds.items()}


def usual_sample(record: ProcessRecord, side: str) -> float:
    """Seconds that a sample of this side takes."""
    return calls_in(record.sample_seconds, as_one(record.call_seconds)[side]) * record.call_seconds[side]


def _random_length(sample_seconds: float, call_seconds: float, rng: random.Random, single: bool) -> int:
    """Calls of a sample: about `sample_seconds` long."""
    calls = sample_seconds / max(call_seconds, 1e-9)
    return 1 if single or calls < 1.5 else max(1, round(calls * rng.uniform(0.75, 1.25)))


def _with_cut_samples(part: list[tuple], rng: random.Random, checked: Sequence[str]) -> list[tuple[tuple, bool]]:
    """(sample, is it judged?): a few samples of each side between the quads end after any call, and are checked.

    A side that leaves calls out because no sample ends with them is seen there. They are not judged: in a sample of few
    calls the clock's own share is too large.
    """
    groups: list[list[tuple[tuple, bool]]] = [[(step, True) for step in quad] for quad in batched(part, 4)]
    for side in dict.fromkeys(side for _, side, _, _ in part):
        longest = max(calls for _, name, calls, _ in part if name == side)
        if longest > 1 and side in checked:
            share = min(1.0, len(part) / 4 / BATCH_WITH_CUT)
            count = sum(rng.random() < share for _ in range(CUT_SAMPLES))
            cut = [((part[0][0], side, rng.randint(1, longest), True), False) for _ in range(count)]
            for one in cut:
                groups.insert(rng.randrange(len(groups) + 1), [one])
    return [step for group in groups for step in group]


def _kept_steps(sides: list[str], rng: random.Random, checked: Sequence[str], few: bool) -> set[int]:
    """Which samples' outputs are checked: of each side the first, the last and one at random; with `few` only that."""
    kept = set()
    for side in checked:
        own = [index for index, name in enumerate(sides) if name == side]
        kept |= {rng.choice(own)} if few else {own[0], own[-1], rng.choice(own)}
    return kept


def _row(job: Job, rung: Rung, record: ProcessRecord, step: tuple, row: Row) -> dict[str, Any]:
    kind, side, calls, _ = step
    disturbed = disturbance(job, row, calls)
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
        **row._asdict(),
        "disturbed": disturbed,
        "valid": not disturbed,
        **({"ranks": row.ranks, "skew_ns": row.skew_ns} if isinstance(row, RankedRow) else {}),
    }


def disturbance(job: Job, row: Row, calls: int) -> str:
    """What makes a sample invalid, by evidence that is not its value; empty if nothing does.

    A sample on one thread is preempted if the thread did not run for longer than 5 % and 20 µs of it, and had no wait
    of its own to explain that (no voluntary switch: it was put aside, or a host took time from a virtual machine). One
    that waits, for a file say, is preempted if it waited so long for a core. A GPU's samples are read by its events.
    """
    wall = (row.end_ns - row.start_ns) * 1e-9
    if not clock_audit.clocks_agree(row, calls):
        return "clocks disagree"
    if row.faults and not job.cold:  # a cold file is read by faults
        return "page faults"
    if row.host_seconds is not None or job.ranks > 1:  # a backend's own threads put the calling one of a rank aside
        return ""
    if row.foreign_seconds > ALONE_SHARE * wall:
        return "preempted" if row.switches > SWITCH_BURST + SWITCH_RATE * wall else ""
    idle, delayed, most = wall - row.cpu_seconds, row.delayed_seconds, max(IDLE_SHARE * wall, IDLE_SECONDS)
    put_aside = delayed > most if row.waits and delayed is not None else row.switches or not row.waits
    return "preempted" if idle > most and put_aside else ""


def _sample(row: dict[str, Any]) -> Sample:
    own = max(0.0, row["cpu_seconds"] + row["foreign_seconds"])  # a thread put aside between two readings: below zero
    cpu = None if row["host_seconds"] is not None else own / row["calls"]
    return Sample(row["side"], row["seconds"], row["start_ns"], row["end_ns"], row["calls"], row["valid"], cpu)


def _busy(record: ProcessRecord) -> float:
    """From the first sample's start to the last one's end: samples and the renewal between them."""
    return (record.rows[-1]["end_ns"] - record.rows[0]["start_ns"]) * 1e-9 if record.rows else 0.0
