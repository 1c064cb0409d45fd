"""Operators run on fewer threads than there are CPUs, or on more.

`perfproof profile` writes down how many threads torch uses, how many CPUs the program may use, and how many of its
threads could run on average. On a busy machine more threads can run than are running, but not more than there are.
"""

from typing import NamedTuple

from perfproof.core.diagnosis import Abstained, Finding, Proof
from perfproof.core.events import Kind
from perfproof.diagnose.cpu_traces import PARALLEL
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.tensors import largest
from perfproof.diagnose.traces import Trace
from perfproof.diagnose.wording import COMPARE_CHANGE, confidence_of, percent
from perfproof.profile.finite import finite
from perfproof.profile.intervals import total

CROWDED = 1.5  # threads that can run, per CPU
CROWDED_BY_PROCESSES, SEVERAL = 3.0, 1.5  # threads of started processes that can run: per CPU, and per process
SAVES, SAVES_MUCH = 0.25, 0.50  # of the step
LARGE, LONG_NS = 2**15, 100_000  # elements and time of an operator that several threads can share
MISSING = "a trace of `perfproof profile -- python train.py` without a GPU: it counts the threads that can run"


class Threads(NamedTuple):
    torch: float
    cpus: float
    can_run: float
    worker_processes: float
    processes: float = 0.0
    processes_can_run: float = 0.0
    their_threads_can_run: float = 0.0
    managers_can_run: float = 0.0


COUNTED = Threads._fields[: -len(Threads._field_defaults)]


def find(evidence: Evidence) -> Finding | Abstained | None:
    threads = counted_threads(evidence)
    if threads is None:
        return Abstained(rule="thread_count", missing=MISSING)
    if len(evidence.traces) > 1:
        return None  # ranks share the CPUs
    return _judge_processes(threads) or (_judge(evidence.traces[0], threads) if evidence.traces else None)


def counted_threads(evidence: Evidence) -> Threads | None:
    """What `perfproof profile` counted without a GPU; a program without operators has a table, but no trace."""
    tables = [trace.events for trace in evidence.traces] or [events for _, events in evidence.tables]
    found = [threads for events in tables if (threads := _threads(events.about.get("perfproof_threads")))]
    return found[0] if found and not evidence.uses_gpu else None


def computing_threads(evidence: Evidence) -> float:
    """How many threads of the program could run, on average, beside the one that sampled; 0 if nobody counted."""
    tables = [trace.events for trace in evidence.traces] or [events for _, events in evidence.tables]
    counted = [threads for events in tables if (threads := _threads(events.about.get("perfproof_threads")))]
    return max(0.0, counted[0].can_run - 1) if len(counted) == 1 else 0.0


def _threads(told: object) -> Threads | None:
    values = {name: finite(told.get(name)) for name in Threads._fields} if isinstance(told, dict) else {}
    numbers = {name: value for name, value in values.items() if value is not None and value >= 0}
    return Threads(**numbers) if numbers.keys() >= set(COUNTED) and numbers["cpus"] > 0 else None


def _judge_processes(threads: Threads) -> Finding | None:
    theirs = threads.their_threads_can_run
    if theirs <= CROWDED_BY_PROCESSES * threads.cpus or theirs <= SEVERAL * threads.processes_can_run:
        return None  # a process per CPU or more may be meant; several threads in each of them are not
    text = f"{threads.processes:.0f} processes that the program started have {theirs:.1f} threads that can run"
    return _finding("more threads than CPUs", text, threads, 1 - threads.cpus / theirs)


def _judge(trace: Trace, threads: Threads) -> Finding | None:
    if threads.torch > threads.cpus and threads.can_run > CROWDED * threads.cpus:
        busy = trace.share(total(trace.covered(trace.rows(Kind.OPERATOR))))
        text = f"torch uses {threads.torch:.0f} threads; on average {threads.can_run:.1f} can run"
        return _finding("more threads than CPUs", text, threads, busy * (1 - threads.cpus / threads.can_run))
    if 2 * threads.torch <= threads.cpus and not threads.worker_processes and threads.can_run < threads.cpus:
        rows = [row for row in trace.rows(Kind.OPERATOR) if _can_be_shared(trace, row)]
        busy = trace.share(total(trace.covered(rows)))
        text = f"large products and convolutions take {percent(busy)} of the step, on {threads.torch:.0f} threads"
        return _finding("fewer threads than CPUs", text, threads, busy * (1 - threads.torch / threads.cpus))
    return None


def _can_be_shared(trace: Trace, row: int) -> bool:
    events = trace.events
    long = events.end_ns[row] - events.start_ns[row] >= LONG_NS
    return long and events.name(row) in PARALLEL and (largest(trace, row) or LARGE) >= LARGE


def _finding(title: str, text: str, threads: Threads, share: float) -> Finding | None:
    if share <= SAVES:
        return None
    return Finding(
        rule="thread_count",
        title=title,
        confidence=confidence_of(share, SAVES, SAVES_MUCH),
        evidence=[
            Proof(
                text=f"{text}; the program may use {threads.cpus:g} CPUs",
                values={"threads": threads.torch, "cpus": threads.cpus, "can_run": threads.can_run},
            )
        ],
        share=share,
        advice="as many threads as CPUs: remove torch.set_num_threads and OMP_NUM_THREADS, or set them to that number "
        "divided by the processes that compute",
        experiment=COMPARE_CHANGE,
        refuted_by="with a thread per CPU the step takes as long",
    )
