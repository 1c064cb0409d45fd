"""The same calls by other rulers, in the first process of a comparison: for the reader, and as an audit of the timing.

On a GPU the events that judge are held against the synchronised host clock over a long unheld sample, and against the
device's own activity records: work on another stream, or before or after the events, shows in one of them.
"""

from dataclasses import dataclass
from statistics import median
from typing import Any

from perfproof.bench import honesty
from perfproof.bench.job import Job
from perfproof.bench.launches import Worker
from perfproof.bench.process_record import ProcessRecord
from perfproof.bench.sampling import ask_samples
from perfproof.core.documents import Check
from perfproof.core.units import seconds as shown
from perfproof.stats.quads import BASELINE

NAME = "timing audit"
AUDIT_SECONDS, AUDIT_SAMPLES = 0.03, 3
RECORDED_MOST_CALLS = 500


@dataclass(frozen=True)
class Rulers:
    """Seconds a call of one side by each."""

    judged: float  # by the samples that judge: behind a held queue where it is held
    events: float  # of the audit's own samples, from an idle device
    host: float
    busy: float | None  # by the device's records, without copies that the host paces
    clock_hz: float | None


def look_by_other_clocks(job: Job, workers: dict[str, Worker], record: ProcessRecord) -> None:
    """Latency of each side everywhere; on a GPU also kernels, hot caches, and the audit."""
    sides = (BASELINE, *job.variants)
    for side in sides:
        record.latency[side] = _glance(job, workers[side], side, clock="latency", calls=1)
    if not job.device.startswith("cuda"):
        return
    for side in sides:
        length = _calls(record.call_seconds[side], job.sample_seconds_usual)
        record.hot[side] = _glance(job, workers[side], side, clock="call", calls=length, hot=True)
    for worker in dict.fromkeys(workers[side] for side in sides):
        own = [side for side in sides if workers[side] is worker]
        # As many as between the events: calls that copy on another stream run into each other, one alone does not.
        calls = {side: _calls(record.call_seconds[side], AUDIT_SECONDS, RECORDED_MOST_CALLS) for side in own}
        reply = worker.ask("kernels", job.deadline, calls=calls)
        record.kernel_by, record.kernel_why = reply["by"], reply["why"]
        record.kernels.update(reply["sides"])
    rulers = {side: _rulers(job, workers[side], side, record) for side in sides}
    record.checks.append(timing_audit(rulers, record.kernel_by, record.kernel_why))


def timing_audit(rulers: dict[str, Rulers], by: str, why: str) -> Check:
    """One line: the rulers side by side, or the two that disagree."""
    for side, found in rulers.items():
        problem = honesty.ruler_problem(side, found.judged, found.events, found.host, found.busy, AUDIT_SECONDS)
        if problem:
            return Check(name=NAME, result="fail", detail=problem)
    parts = []
    for side, found in rulers.items():
        busy = f", busy {shown(found.busy)}" if found.busy is not None else ""
        clock = f" at {found.clock_hz / 1e9:.2f} GHz" if found.clock_hz else ""
        parts.append(f"{side}: events {shown(found.events)}, host {shown(found.host)}{busy}{clock}")
    source = f"busy by {by}" if by else f"busy time unknown: {why}"
    return Check(name=NAME, result="pass", detail=f"{'; '.join(parts)} ({source})")


def _rulers(job: Job, worker: Worker, side: str, record: ProcessRecord) -> Rulers:
    calls = _calls(record.call_seconds[side], AUDIT_SECONDS)
    rows = [
        ask_samples(job, worker, [[side, calls, 0, False]], renew=0.0, clock="call")[0] for _ in range(AUDIT_SAMPLES)
    ]
    least = min(rows, key=lambda row: row[3] - row[2] * calls)  # a host that was held up is no escaped work
    own: dict[str, Any] = record.kernels.get(side) or {}
    clocks = [row[7] for row in rows if row[7]]
    return Rulers(
        judged=record.call_seconds[side],
        events=least[2],
        host=least[3] / calls,
        busy=own.get("audited_seconds"),
        clock_hz=median(clocks) if clocks else None,
    )


def _glance(job: Job, worker: Worker, side: str, *, clock: str, calls: int, hot: bool = False) -> float:
    return worker.ask("glance", job.deadline, side=side, clock=clock, calls=calls, hot=hot)["seconds"]


def _calls(call_seconds: float, seconds: float, most: int = honesty.AUDIT_MOST_CALLS) -> int:
    return min(most, max(1, round(seconds / max(call_seconds, 1e-9))))
