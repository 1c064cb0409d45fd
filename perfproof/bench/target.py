"""Run one target: verify, measure, judge. What goes wrong in a target is that target's status; the others go on."""

import contextlib
import datetime
import math
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Any

from perfproof.bench import spent, starting
from perfproof.bench.checks.isolation import compare_ways, moved_little, not_apart, test_isolation
from perfproof.bench.comparison.comparison import Comparison
from perfproof.bench.comparison.couples import arrangement, can_repeat, measure
from perfproof.bench.comparison.progress import Notify
from perfproof.bench.comparison.verdict import verdict_of
from perfproof.bench.job import IN_TURN, Job
from perfproof.bench.launches import Launches
from perfproof.bench.preparation import open_worker
from perfproof.bench.ranks.times import describe_ranks, rank_times
from perfproof.bench.resources import (
    ENERGY_LAUNCHES,
    Energy,
    Peaks,
    energy_verdict,
    measure_energy,
    measure_memory,
    measure_startup,
    memory_verdict,
    startup_verdict,
)
from perfproof.bench.warnings import remarks
from perfproof.core.documents import (
    Check,
    Error,
    Kernel,
    KernelResources,
    RatioResult,
    TargetResult,
    VariantResult,
    Warning,
)
from perfproof.core.errors import WorkerCrashed, WorkerLied, WorkerTimeout
from perfproof.core.units import seconds
from perfproof.stats.isolation import Isolation
from perfproof.stats.quads import BASELINE
from perfproof.worker.libraries import COMPILES, compilers_in

VERIFY_REPEATS = 3
OTHERS_SECONDS = 20.0  # a variant may never return from values that `inputs` never draws
OTHERS_LONG_SECONDS = 0.3  # of a call of every side: two dozen of each are made
OTHERS_LONG_SETUP_SECONDS = 8.0
OTHERS_SMALL = "calls or preparations are long: values that `inputs` never draws were tried at the smoke sizes"
NO_OTHERS = "values that `inputs` never draws were not all tried: the process that tried them crashed or took too long"
LONG_LOAD_SECONDS, LONG_LOAD_CALLS = 0.02, 50  # CPU time, and calls of the fastest side
TAIL_LINES = 20
MOVED_LITTLE = 0.05  # more than layout does to a baseline: then it is measured apart, whatever the verdict
REJECTING = ("clock audit", "isolation", "nothing patched", "switches restored")
OTHER_SIDE = "matches the other side"
MATCHES = ("matches the reference at", OTHER_SIDE)
MAY_DIFFER = "--output-may-differ: answers change on purpose between the two sides"
ITSELF = "no `reference`, and answers may differ: each side was only held against itself"
REFUSING = (
    "tolerance can fail",
    "every argument matters",
    "distribution can be told",
    "plain arguments",
    "values change",
)


@dataclass
class Evidence:
    """Everything a target leaves behind while it runs; what there is when it stops is what is reported."""

    checks: dict[str, Check] = field(default_factory=dict)
    errors: dict[str, Error] = field(default_factory=dict)
    cost: dict[str, float] = field(default_factory=dict)
    measured: list[Comparison] = field(default_factory=list)
    peaks: Peaks = field(default_factory=Peaks)
    startup: dict[str, list[float]] = field(default_factory=dict)
    energy: Energy = field(default_factory=Energy)
    ratios: dict[str, RatioResult] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    never_drawn: list[Warning] = field(default_factory=list)  # of values that `inputs` never draws
    load_seconds: float = 0.0  # CPU time of the file itself, without its libraries
    call_seconds: dict[str, float] = field(default_factory=dict)  # of each side when it was verified
    setup_seconds: float = 0.0  # of all sides when they were verified
    room: float = 1.0  # for more processes like the one that verified
    oracle: str = ""  # what answers were compared with, of a pair without a reference

    def add_checks(self, checks: list[Check]) -> None:
        """A check that failed once has failed; one that did not run is only replaced by one that did."""
        rank = {"not-run": 0, "pass": 1, "fail": 2}
        for check in checks:
            old = self.checks.get(check.name)
            if old is None or rank[check.result] > rank[old.result]:
                self.checks[check.name] = check

    def add_errors(self, errors: dict[str, dict[str, float]], calls: dict[str, int]) -> None:
        for side, one in errors.items():
            shown = BASELINE if side == "twin" else side
            old = self.errors.get(shown)
            worst = {name: max(value, getattr(old, name)) if old else value for name, value in one.items()}
            self.errors[shown] = Error(**worst, calls_checked=calls.get(side, 0) + (old.calls_checked if old else 0))

    @property
    def failure(self) -> Check | None:
        return next((check for check in self.checks.values() if check.result == "fail"), None)


def run_target(job: Job, launches: Launches, notify: Notify, *, timed: bool) -> tuple[TargetResult, list[dict], str]:
    """The result, the raw samples and the log; without `timed` the target is only verified, at its smoke sizes."""
    began, started = datetime.datetime.now(datetime.UTC), time.monotonic()
    evidence, result = Evidence(), TargetResult(target=job.target, status="ok")
    launches.take_log()
    spent.take()
    starting.keep_off(job.cpus)
    try:
        _verify(job, launches, evidence, notify, timed)
        if timed and evidence.failure is None:
            _measure(job, launches, evidence, notify)
    except WorkerTimeout as error:
        result.status, result.reason = "timeout", f"{error}; --timeout gives it longer"
    except WorkerLied as error:
        result.status, result.reason = "rejected", str(error)
    except WorkerCrashed as error:
        result.status, result.reason = "crashed", _from_here(str(error))
    launches.forget_libraries()
    log = launches.take_log()
    _describe(result, job, evidence, timed)
    result.started, result.seconds = began.isoformat(timespec="seconds"), round(time.monotonic() - started, 3)
    result.spent = spent.take()
    if result.status != "ok":
        result.output_tail = "\n".join(log.splitlines()[-TAIL_LINES:])
    return result, [row for found in evidence.measured for record in found.records for row in record.rows], log


def _verify(job: Job, launches: Launches, evidence: Evidence, notify: Notify, timed: bool) -> None:
    """Ragged sizes, then the sizes that will be timed, each in a worker of its own."""
    notify("verifying", 0.0, None)
    if job.answers_may_differ:
        evidence.add_checks([Check(name=OTHER_SIDE, result="not-run", detail=MAY_DIFFER)])
    plan = {"smoke sizes": job.smoke} if job.smoke else {}
    if timed and job.sizes != job.smoke:
        plan["timed sizes"] = job.sizes
    compilers = compilers_in(job.spec["path"]) if timed else []
    if compilers:
        launches.import_libraries([*compilers, *([COMPILES] if len(compilers) > 1 else [])])
    if timed and not job.effort.new_interpreters:
        launches.begin(job.effort.launches)  # while the first one verifies
    for number, (where, sizes) in enumerate(plan.items()):
        last = number == len(plan) - 1
        reply = _verify_at(job, launches, evidence, where, sizes, last=last, first=not number, may_leave=number > 0)
        if evidence.failure is None and reply["proof_is_left"]:
            smaller, small = next(iter(plan.items()))
            _verify_at(job, launches, evidence, smaller, small, last=True, first=False)
        if evidence.failure:
            return
        evidence.call_seconds, evidence.room = reply["call_seconds"], reply["room"]
        evidence.setup_seconds = math.fsum(reply["setup_seconds"].values())
        launches.import_libraries(reply["libraries"])
        if timed and not job.effort.new_interpreters:
            launches.begin(job.effort.launches)  # with the libraries that it has found
    if timed:
        _try_others(job, launches, evidence)


def _verify_at(
    job: Job,
    launches: Launches,
    evidence: Evidence,
    where: str,
    sizes: dict[str, Any],
    *,
    last: bool,
    first: bool,
    may_leave: bool = False,
) -> dict[str, Any]:
    """At one size, in a worker of its own."""
    with contextlib.ExitStack() as stack:
        worker = open_worker(job, launches.get(0), [BASELINE, *job.variants], stack)
        if job.has_cost and first:
            evidence.cost = worker.ask("cost", job.deadline, sizes=job.sizes)["cost"]
        reply = worker.ask(
            "verify",
            job.deadline,
            where=where,
            sizes=sizes,
            seed=job.rng("verify", where).getrandbits(62),
            repeats=VERIFY_REPEATS,
            last=last,
            first=first,
            may_leave=may_leave,
            **_across(job, launches, where),
        )
    evidence.add_checks([Check(**check) for check in reply["checks"]])
    evidence.add_errors(reply["errors"], reply["calls"])
    evidence.notes += [note for note in reply["notes"] if note not in evidence.notes]
    evidence.oracle = ITSELF if reply["oracle"] and job.answers_may_differ else reply["oracle"]
    return reply


def _across(job: Job, launches: Launches, where: str) -> dict[str, str]:
    """Two settings without a reference: the file through which their answers are compared."""
    alone = job.has_reference or job.distribution or job.ranks > 1 or job.answers_may_differ
    return {} if alone or not launches.apart else {"answers": str(launches.scratch / f"answers at {where}")}


def _try_others(job: Job, launches: Launches, evidence: Evidence) -> None:
    """Values that `inputs` never draws, in a worker of its own: what they do to it is no fault of the pair's.

    Ranks would have to agree on every call, samples have no single answer, and on a GPU a place out of range ends more
    than the call.
    """
    if job.ranks > 1 or job.distribution or job.device != "cpu":
        return
    deadline = min(job.deadline, time.monotonic() + OTHERS_SECONDS)
    calls = math.fsum(evidence.call_seconds.values())
    is_long = calls > OTHERS_LONG_SECONDS or evidence.setup_seconds > OTHERS_LONG_SETUP_SECONDS
    sizes = job.smoke if is_long and job.smoke else job.sizes
    try:
        with contextlib.ExitStack() as stack:
            worker = open_worker(job, launches.get(0), [BASELINE, *job.variants], stack)
            seed = job.rng("others").getrandbits(62)
            found = worker.ask("try_others", deadline, sizes=sizes, seed=seed)
        evidence.never_drawn = [Warning(code="W147", text=text) for text in found["never_drawn"]]
        if sizes != job.sizes:
            evidence.never_drawn.append(Warning(code="W126", text=OTHERS_SMALL, kind="note"))
        evidence.notes += found["notes"]
        evidence.load_seconds = found["load_seconds"]
    except (WorkerTimeout, WorkerCrashed):
        evidence.never_drawn = [Warning(code="W126", text=NO_OTHERS, kind="note")]


def _measure(job: Job, launches: Launches, evidence: Evidence, notify: Notify) -> None:
    """Time always; memory always, in enough processes where it is the claim; start-up where it is the claim."""
    job = replace(job, verified_seconds=evidence.call_seconds, room=evidence.room)
    job = replace(job, budget_end=job.slow_end) if job.is_slow else job
    evidence.measured = [measure(job, arrangement(job, launches), launches, notify)]
    _take_in(evidence)
    if evidence.failure is None:
        _judge(job, launches, evidence, notify)


def _judge(job: Job, launches: Launches, evidence: Evidence, notify: Notify) -> None:
    if job.claim == "time":
        _isolate(job, launches, evidence, notify)
    evidence.ratios = {kind: verdict_of(evidence.measured[-1], kind) for kind in job.variants}
    notify("memory", None, None)
    with _kept_without(job, "memory"):
        evidence.peaks = measure_memory(job, launches, processes=3 if job.claim == "memory" else 1)
    if job.claim == "memory":
        _replace_verdicts(evidence, {kind: memory_verdict(job, evidence.peaks, kind) for kind in job.variants})
    if job.claim == "startup":
        notify("start-up", None, None)
        evidence.startup = measure_startup(job, launches)
        _replace_verdicts(evidence, {kind: startup_verdict(job, evidence.startup, kind) for kind in job.variants})
    beside = job.effort.name != "quick" and not launches.no_room  # it has a process for each side
    if job.device.startswith("cuda") and (job.claim == "energy" or beside):
        notify("energy", None, None)
        processes = min(ENERGY_LAUNCHES, job.effort.launches) if job.claim == "energy" else 1
        with _kept_without(job, "energy"):
            evidence.energy = measure_energy(job, launches, processes)
    if job.claim == "energy":
        _replace_verdicts(evidence, {kind: energy_verdict(job, evidence.energy, kind) for kind in job.variants})


def _isolate(job: Job, launches: Launches, evidence: Evidence, notify: Notify) -> None:
    """If the baseline is moved by the variant beside it, measure again with each side in a process of its own."""
    mixed = evidence.measured[-1]
    if mixed.rung.isolated:
        detail = "every side ran in a process of its own"
        evidence.add_checks([Check(name="isolation", result="pass", detail=detail)])
        return
    units = [record.isolation for record in mixed.records if record.isolation is not None]
    check, found = test_isolation(job, units, mixed.records[0].room)
    if found.alarm:
        check = moved_little(found) if _stands(mixed, found) else _measure_apart(job, launches, evidence, notify, found)
    evidence.add_checks([check])


def _stands(mixed: Comparison, found: Isolation) -> bool:
    """Widen the intervals by what the baseline is moved by: is every verdict the same as before?"""
    before = [verdict_of(mixed, kind).verdict for kind in mixed.job.variants]
    mixed.moved = found.bound or 0.0
    after = [verdict_of(mixed, kind).verdict for kind in mixed.job.variants]
    return mixed.moved <= MOVED_LITTLE and before == after and {*after} <= {"faster", "slower", "same"}


def _measure_apart(job: Job, launches: Launches, evidence: Evidence, notify: Notify, found: Isolation) -> Check:
    """Each side in a process of its own; without the time for it the widened intervals are all there is."""
    mixed = evidence.measured[-1]
    if not can_repeat(mixed):
        return not_apart(found)
    alone = measure(job, IN_TURN, launches, notify)
    evidence.measured.append(alone)
    _take_in(evidence)
    if not alone.complete:
        evidence.measured.reverse()  # the last one is judged
        return not_apart(found)
    mixed.moved = 0.0
    check = compare_ways(job, found, *({kind: one.interval(kind) for kind in job.variants} for one in (mixed, alone)))
    alone.why_apart = check.detail
    return check


@contextlib.contextmanager
def _kept_without(job: Job, what: str) -> Iterator[None]:
    """A verdict stands without what is only shown beside it; where that is the claim itself, time has run out."""
    try:
        yield
    except WorkerTimeout:
        if job.claim == what:
            raise


def _take_in(evidence: Evidence) -> None:
    """A check that failed in one arrangement has failed, whichever one is judged."""
    for record in (record for found in evidence.measured for record in found.records if record.checks):
        evidence.add_checks(record.checks)
        evidence.add_errors(record.errors, record.calls)
        record.checks = []


def _replace_verdicts(evidence: Evidence, verdicts: dict[str, RatioResult | None]) -> None:
    """A claim about something else than time; where it could not be read the claim did not run."""
    for kind, ratio in verdicts.items():
        if ratio is None:
            evidence.add_checks([Check(name="claim", result="not-run", detail="no counter for it on this machine")])
            evidence.ratios.pop(kind, None)
        else:
            evidence.ratios[kind] = ratio


def _describe(result: TargetResult, job: Job, evidence: Evidence, timed: bool) -> None:
    """Fill the document from the evidence; status and reason follow from the checks where nothing crashed."""
    result.device, result.sizes, result.cost = job.device, dict(job.sizes), evidence.cost
    result.checks = list(evidence.checks.values())
    result.ratios = evidence.ratios
    failure = evidence.failure
    if result.status == "ok" and failure is not None:
        result.status, result.reason = _status_of(failure), _reason(failure)
    elif result.status == "ok" and not timed:
        result.status = "skipped"
    elif result.status == "ok" and job.variants[0] in evidence.ratios:
        result.verdict = evidence.ratios[job.variants[0]].verdict
    result.ranks = describe_ranks(job, evidence.measured)
    if result.status not in ("ok", "skipped"):
        result.ratios = {}  # no number of a target that cannot be trusted
    _describe_variants(result, job, evidence)
    if result.status == "ok" and job.claim != "time" and evidence.measured and len(job.variants) == 1:
        result.also["time"] = verdict_of(evidence.measured[-1], job.variants[0])  # what the claim is paid with


def _reason(failure: Check) -> str:
    """A check is named for what is right; of a wrong answer the reader is told just that."""
    if failure.name.startswith(MATCHES):
        return _from_here(f"wrong answer: {failure.detail.replace(': is wrong: ', ': ')}")
    return _from_here(f"{failure.name}: {failure.detail}")


def _from_here(text: str) -> str:
    """A worker has another folder: it names files of the user's in full."""
    return text.replace(f"({os.getcwd()}{os.sep}", "(")


def _status_of(failure: Check) -> Any:
    unsupported = failure.name == "plain result" and failure.detail.startswith(BASELINE)
    if failure.name.startswith(REFUSING) or unsupported:
        return "refused"
    if failure.name in REJECTING:
        return "rejected"
    return "failed-verification"


def _describe_variants(result: TargetResult, job: Job, evidence: Evidence) -> None:
    measured = evidence.measured[-1] if evidence.measured and result.status == "ok" else None
    for side in (BASELINE, *job.variants):
        variant = VariantResult(error=evidence.errors.get(side), memory=evidence.peaks.of(side))
        if measured:
            variant.times = {job.clock: _judged_seconds(evidence.measured[-1], side, job)}
            first = measured.records[0]
            if side in first.kernels:
                variant.times.setdefault("kernel", first.kernels[side]["seconds"])
                variant.kernels = [Kernel(**kernel) for kernel in first.kernels[side]["kernels"]]
            if side in first.latency:
                variant.times.setdefault("latency", first.latency[side])
            if side in first.back_to_back:
                variant.times.setdefault("call", first.back_to_back[side])
            variant.hot_seconds, variant.energy_joules = first.hot.get(side), evidence.energy.of(side)
            variant.enqueue_seconds = first.enqueue_seconds.get(side)
            variant.clock_hz = measured.clock_hz(side)
            variant.setup_seconds = _median_over(measured, "setup_seconds", side)
            variant.first_call_seconds = _median_over(measured, "first_call_seconds", side)
            variant.cpu_share = _cpu_share(measured, side)
            variant.ranks = rank_times(measured, side)
            variant.startup_seconds = median(evidence.startup[side]) if side in evidence.startup else None
        result.variants[side] = variant
    if measured:
        result.floor_seconds = median(record.floor for record in measured.records)
        first = measured.records[0]
        result.pool = first.pool
        if job.device.startswith("cuda"):
            result.kernel_clock = first.kernel_by or f"unknown: {first.kernel_why}"
            result.primed = first.primed
            result.kernel_resources = [KernelResources(**one) for one in first.resources]
        oracle = [Warning(code="W114", text=evidence.oracle)] if evidence.oracle else []
        result.warnings = oracle + evidence.never_drawn + remarks(job, result, measured, evidence.notes)
        result.warnings += _on_import(evidence.load_seconds, result)


def _on_import(load_seconds: float, result: TargetResult) -> list[Warning]:
    """Both sides load one file, so what it works out for one of them is in no time and in no set-up."""
    fastest = min(next(iter(variant.times.values())) for variant in result.variants.values())
    if not load_seconds > max(LONG_LOAD_SECONDS, LONG_LOAD_CALLS * fastest):
        return []
    text = f"the file takes {seconds(load_seconds)} to load: what a side takes from there is not in its times"
    return [Warning(code="W129", text=text, kind="warning")]


def _judged_seconds(found: Comparison, side: str, job: Job) -> float:
    """Seconds per call as the ratio reads them; the baseline's are those of the first variant's comparison."""
    kind = job.variants[0] if side == BASELINE else side
    ratio = verdict_of(found, kind)
    seconds = ratio.baseline if side == BASELINE else ratio.variant
    return math.nan if seconds is None else seconds


def _median_over(found: Comparison, figure: str, side: str) -> float | None:
    known = [one for record in found.records if (one := getattr(record, figure).get(side)) is not None]
    return median(known) if known else None


def _cpu_share(found: Comparison, side: str) -> float | None:
    """CPU time of all threads over wall time; None if a device does the work."""
    rows = [row for record in found.records for row in record.rows if row["side"] == side and row["valid"]]
    wall = math.fsum(row["end_ns"] - row["start_ns"] for row in rows) * 1e-9
    if not wall or any(row["host_seconds"] is not None for row in rows):
        return None
    return math.fsum(row["cpu_seconds"] + row["foreign_seconds"] for row in rows) / wall
