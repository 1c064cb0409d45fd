"""The clock audit: a worker's claims against clocks that its pair cannot reach. One check for all of them.

A pair runs in the worker's process and may reach its clock. The run's clock is out of its reach: every sample must lie
inside the time between question and answer, in order and without overlap, and a question for nothing but calls must
take about as long as those calls are said to have taken. On a GPU the events that judge are also held against the
synchronised host clock and the device's own records: work on another stream, or before or after the events, shows.
"""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from perfproof.core.documents import Check
from perfproof.core.errors import WorkerLied
from perfproof.core.units import seconds as shown
from perfproof.worker.row import Row

NAME = "clock audit"
SECONDS, SAMPLES = 0.030, 3  # of an audited sample; a GPU's are taken so often
TRIES = 8  # a lie is told every time; a machine that is busy elsewhere answers in time once
SLACK_SHARE, SLACK_SECONDS, SLACK_CALL_SECONDS = 0.25, 0.002, 1e-6  # handing over the arguments of a call takes 0.5 µs
STREAM_SHARE, STREAM_SECONDS = 0.05, 200e-6
SLOWER = 1.1  # calls that are recorded, at most
DEVICE_TRIES = (1, 2, 4)  # times as many calls; a device that others use too is slow in one try, and not in the next
BUSY_SECONDS = 1e-6  # records of very short kernels are a little longer than the kernels


@dataclass(frozen=True)
class Rulers:
    """Seconds per call of one side of a device, by each clock."""

    judged: float  # by the samples that judge: behind a held queue where it is held
    events: float  # of the audit's own samples, from an idle device
    host: float
    busy: float | None  # by the device's records, without copies that the host paces
    clock_hz: float | None
    recorded: float = 0.0  # by events around the calls that the device recorded
    sway: float = 1.0  # the slowest of the audit's own samples over the fastest
    held: bool = False  # was the queue held for the samples that judge?


def check_window(rows: Sequence[Row], calls: Sequence[int], asked_ns: int, answered_ns: int) -> None:
    """Do the samples lie inside the time of the question, and claim no more than passed?"""
    at = asked_ns
    for row, count in zip(rows, calls, strict=True):
        if not (at <= row.start_ns <= row.end_ns <= answered_ns):
            raise WorkerLied(
                "a sample lies outside the time in which it was asked for: the worker's clock is not the system's"
            )
        if row.seconds * count > (row.end_ns - row.start_ns) * 1e-9 * 1.02 + 5e-6:
            raise WorkerLied("a sample claims more time than passed: the worker's clock is not the system's")
        at = row.end_ns


def clocks_agree(row: Row, calls: int) -> bool:
    """Do device events and the synchronised host clock tell the same?

    If not, work went on after the stop event, or the host was held up for a moment: such a sample is left out, and too
    many of them leave no verdict.
    """
    seconds, host = row.seconds * calls, row.host_seconds
    return host is None or host <= (1 + STREAM_SHARE) * seconds + STREAM_SECONDS


class Late(Exception):
    """The machine is too busy to tell: even a question for nothing is answered late."""


def hidden_problem(side: str, lay_out: Callable[[int], Any], ask: Callable[[], float], calls: int) -> str:
    """Is time hidden from the worker's clock? `ask()` has so many calls made and returns the claimed seconds.

    `lay_out(calls)` has their arguments made before, so that the question is for nothing but the calls. Raises `Late`
    if it takes as long to be answered with nothing to do.
    """
    least = idle = math.inf
    for _ in range(TRIES):
        lay_out(calls)
        started = time.perf_counter()
        claimed = ask()
        elapsed = time.perf_counter() - started
        least = min(least, elapsed - claimed * (1 + SLACK_SHARE) - SLACK_SECONDS - calls * SLACK_CALL_SECONDS)
        if least <= 0:
            return ""
        started = time.perf_counter()
        lay_out(0)
        idle = min(idle, time.perf_counter() - started)
    if idle > SLACK_SECONDS:
        raise Late(f"a question for nothing took {shown(idle)} to be answered: the machine is busy with other work")
    return (
        f"{side}: a sample took {least * 1e3:.1f} ms longer by the run's clock than the worker claims: "
        "time is hidden from the worker's clock"
    )


def rulers_of(
    ask: Callable[[], Row],
    calls: int,
    judged: float,
    kernels: dict[str, Any],
    samples: int = SAMPLES,
    *,
    held: bool = False,
) -> Rulers:
    """`ask()` gives one row of an unheld sample; `held` says how those that judge were taken."""
    rows = [ask() for _ in range(samples)]
    hosts = [(row.host_seconds or 0.0, row) for row in rows]
    # A host that was held up is no escaped work: the least counts.
    host, least = min(hosts, key=lambda one: one[0] - one[1].seconds * calls)
    clocks = [row.clock_hz for row in rows if row.clock_hz]
    return Rulers(
        judged,
        least.seconds,
        host / calls,
        kernels.get("audited_seconds"),
        median(clocks) if clocks else None,
        kernels.get("event_seconds", 0.0),
        max(row.seconds for row in rows) / min(row.seconds for row in rows),
        held,
    )


def device_problem(side: str, found: Rulers, sample_seconds: float = SECONDS) -> str:
    """What the device's clocks disagree about.

    If a sample begins and ends with an idle device, the host's clock sees all its work. Such calls may be slower while
    they are recorded. If the queue is held, work on another stream can begin before the first event, and neither clock
    sees it. So calls behind a held queue have to take about as long as those that are recorded.
    """
    spare = STREAM_SECONDS / sample_seconds
    if found.host > (1 + STREAM_SHARE + spare) * found.events:
        return (
            f"{side}: {found.host * 1e6:.1f} µs per call by the host's clock, {found.events * 1e6:.1f} µs between the "
            "events: work goes on where they do not see it; join every stream before returning"
        )
    seen = min(found.judged, found.events)
    # The recorded calls may have run at a lower clock, or with the host's pauses between them.
    seen = max(seen, min(found.recorded, SLOWER * found.sway * seen) if found.held else found.recorded)
    if found.busy is not None and found.busy > (1 + STREAM_SHARE) * seen + BUSY_SECONDS:
        return (
            f"{side}: the device was busy for {found.busy * 1e6:.1f} µs per call, {seen * 1e6:.1f} µs between the "
            "events: work runs where they do not see it; make other streams wait for the current one, and it for them"
        )
    return ""


def conclude(problems: Sequence[str], rulers: dict[str, Rulers], by: str, why: str, late: str = "") -> Check:
    """The first problem, or the clocks side by side."""
    problem = next(filter(None, problems), "")
    if problem or late:
        return Check(name=NAME, result="fail" if problem else "not-run", detail=problem or late)
    parts = ["the run's own clock agrees with the worker's"]
    for side, found in rulers.items():
        busy = f", busy {shown(found.busy)}" if found.busy is not None else ""
        clock = f" at {found.clock_hz / 1e9:.2f} GHz" if found.clock_hz else ""
        parts.append(f"{side}: events {shown(found.events)}, host {shown(found.host)}{busy}{clock}")
    if rulers:
        parts.append(f"busy by {by}" if by else f"busy time unknown: {why}")
    return Check(name=NAME, result="pass", detail="; ".join(parts))
