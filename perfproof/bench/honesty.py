"""What the run's own clock says about a worker's claims.

A pair runs in the worker's process and may reach its clock. The run's clock is out of its reach: every sample must lie
inside the time between question and answer, in order and without overlap, and a question for nothing but calls must
take about as long as those calls are said to have taken.
"""

import time
from collections.abc import Sequence

from perfproof.core.errors import WorkerLied

AUDIT_SECONDS = 0.030
AUDIT_TRIES = 8  # a lie is told every time; a machine that is busy elsewhere answers in time once
AUDIT_MOST_CALLS = 10_000
SLACK_SHARE, SLACK_SECONDS, SLACK_CALL_SECONDS = 0.25, 0.002, 1e-6  # handing over the arguments of a call takes 0.5 µs
STREAM_SHARE, STREAM_SECONDS = 0.05, 200e-6
MOST_ESCAPED = 0.2
BUSY_SECONDS = 1e-6  # records of very short kernels are a little longer than the kernels


def check_window(rows: Sequence[Sequence], calls: Sequence[int], asked_ns: int, answered_ns: int) -> None:
    """Each row is [start ns, end ns, seconds a call, host seconds, ...]."""
    at = asked_ns
    for row, count in zip(rows, calls, strict=True):
        start, end, seconds = row[0], row[1], row[2]
        if not (at <= start <= end <= answered_ns):
            raise WorkerLied(
                "a sample lies outside the time in which it was asked for: the worker's clock is not the system's"
            )
        if seconds * count > (end - start) * 1e-9 * 1.02 + 5e-6:
            raise WorkerLied("a sample claims more time than passed: the worker's clock is not the system's")
        at = end


def clocks_agree(row: Sequence, calls: int) -> bool:
    """Do device events and the synchronised host clock tell the same? If not, work went on after the stop event.

    A host that was held up for a moment looks the same, so one such sample is left out; many of them are a finding.
    """
    seconds, host = row[2] * calls, row[3]
    return host is None or host <= (1 + STREAM_SHARE) * seconds + STREAM_SECONDS


def escaped(disagreeing: int, samples: int, side: str) -> str:
    if disagreeing <= MOST_ESCAPED * samples:
        return ""
    return f"{side}: device work went on after the stop event in {disagreeing} of {samples} samples: join side streams"


def ruler_problem(
    side: str, judged: float, events: float, host: float, busy: float | None, sample_seconds: float
) -> str:
    """Seconds a call by events, by the synchronised host and by the device's records; of samples so long."""
    spare = STREAM_SECONDS / sample_seconds
    if host > (1 + STREAM_SHARE + spare) * events:
        return (
            f"{side}: {host * 1e6:.1f} µs a call by the host's clock, {events * 1e6:.1f} µs between the events: "
            "work goes on where they do not see it; join every stream before returning"
        )
    seen = min(judged, events)
    if busy is not None and busy > (1 + STREAM_SHARE) * seen + BUSY_SECONDS:
        return (
            f"{side}: the device was busy for {busy * 1e6:.1f} µs a call, {seen * 1e6:.1f} µs between the events: work "
            "runs where they do not see it; make other streams wait for the current one, and it for them"
        )
    return ""


def audit(ask, call_seconds: dict[str, float], ranks: int = 1) -> str:
    """Ask for a long sample of each side and nothing else; `ask(side, calls)` returns claimed seconds.

    Several ranks have to be woken and to meet first: their samples are longer, so that it weighs as little.
    """
    seconds = AUDIT_SECONDS if ranks == 1 else 2 * ranks * AUDIT_SECONDS
    for side, claimed_call in call_seconds.items():
        calls = min(AUDIT_MOST_CALLS, max(1, round(seconds / max(claimed_call, 1e-9))))
        least = float("inf")
        for _ in range(AUDIT_TRIES):
            least = min(least, _excess(ask, side, calls))
            if least <= 0:
                break
        else:
            return (
                f"{side}: a sample took {least * 1e3:.1f} ms longer by the run's clock than the worker claims; "
                "time is hidden from the worker's clock"
            )
    return ""


def _excess(ask, side: str, calls: int) -> float:
    """Seconds beyond what claim, noise, handing over the arguments and the way there and back explain."""
    started = time.perf_counter()
    claimed = ask(side, calls)
    elapsed = time.perf_counter() - started
    return elapsed - claimed * (1 + SLACK_SHARE) - SLACK_SECONDS - calls * SLACK_CALL_SECONDS
