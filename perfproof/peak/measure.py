"""Measure the ceilings of this machine: every probe in its own process, every value held against the data sheet."""

import math
import shutil
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from typing import Any

from perfproof import __version__
from perfproof.core.ceilings import UNSTEADY, Ceiling, Ceilings
from perfproof.core.errors import NothingMatched
from perfproof.peak.plan import Plan, make_plan, matches, may_match
from perfproof.peak.probe_files import Probe, probes
from perfproof.peak.processes import Outcome, Started, run_probe, start_probe
from perfproof.peak.sheet_rules import Refused, judged, sheet_of

QUICK_SECONDS = 52.0  # for all probes; with the snapshot before and the end of the last one, under a minute
LEAST_SECONDS = 4.0  # kept for each probe that comes later
LOADING_SECONDS = 15.0  # for processes that load at the same time; one that needs longer has less time to measure
UNSTEADY_SPREAD = 0.5  # from the lowest repeat to the highest, of the median


@dataclass(frozen=True)
class Progress:
    number: int
    total: int
    probe: str
    purpose: str
    found: Ceiling | None = None


@dataclass(frozen=True)
class Peak:
    """The document, and what a caller has to know beyond it."""

    ceilings: Ceilings
    refused: tuple[str, ...]  # names whose value no hardware of this kind can reach
    broken: tuple[str, ...]  # probes that crashed or ran out of time


def measure(
    seen: dict[str, Any],
    quick: bool = False,
    only: tuple[str, ...] = (),
    command: tuple[str, ...] = (),
    folder: str = ".",
    notify: Callable[[Progress], None] = lambda _: None,
) -> Peak:
    """`seen` is a snapshot of the machine for the device that is to be measured."""
    chosen = chosen_probes(seen["device"], only)
    plan = make_plan(seen, quick, only, folder, shutil.disk_usage(folder).free)
    found = _empty(seen, plan, command)
    refused: list[str] = []
    broken: list[str] = []
    end = time.monotonic() + QUICK_SECONDS
    waiting: dict[str, Started] = {}
    try:
        for number, probe in enumerate(chosen, 1):
            notify(Progress(number, len(chosen), probe.name, probe.purpose))
            left = chosen[number - 1 :]
            if quick and probe.name not in waiting:
                waiting |= _loaded(left[: max(1, seen["cpu"]["cores_allowed"])])
            share = share_of(end - time.monotonic(), [one.timeout for one in left]) if quick else None
            tell = _telling(notify, number, len(chosen), probe)
            outcome = run_probe(probe, plan, tell, share, waiting.pop(probe.name, None))
            refused += add(found, outcome, probe, plan, seen)
            broken += [probe.name] if outcome.broken else []
    finally:
        for one in waiting.values():
            one.close()
    return Peak(found, tuple(refused), tuple(broken))


def _loaded(probes: Sequence[Probe]) -> dict[str, Started]:
    """Processes of probes that have loaded their libraries, all at the same time: on a GPU that takes seconds."""
    started = {probe.name: start_probe(probe) for probe in probes}
    end = time.monotonic() + LOADING_SECONDS
    for one in started.values():
        one.wait_until_ready(max(0.0, end - time.monotonic()))
    return started


def share_of(left: float, timeouts: Sequence[float]) -> float:
    """Seconds that the next probe may take: its part, by how long it may take otherwise.

    Most need less than their part, so later ones get more. The last one gets what is left.
    """
    own, *others = timeouts
    part = left * own / math.fsum(timeouts)
    return max(0.0, min(max(part, LEAST_SECONDS), left - LEAST_SECONDS * len(others)) if others else left)


def chosen_probes(device: str, only: tuple[str, ...]) -> list[Probe]:
    found = probes(device, only)
    for one in only:
        if not probes(device, (one,)):
            known = sorted({name for probe in probes(device) for name in probe.measures})
            raise NothingMatched(f"no ceiling of {device} is called {one!r}: choose from {', '.join(known)}")
    return found


def add(found: Ceilings, outcome: Outcome, probe: Probe, plan: Plan, seen: dict[str, Any]) -> list[str]:
    """Enter what a probe gave into the document; returns the names that the data sheet refuses."""
    sheet, clock_hz = sheet_of(seen)
    refused = []
    for one in outcome.ceilings:
        one.context |= {"measured": found.measured, "quick": plan.quick, "cpu_busy_before": seen["cpu"]["busy_share"]}
        try:
            found.ceilings.append(steady(judged(one, sheet, clock_hz)))
        except Refused as error:
            found.not_measured[one.name] = str(error)
            refused.append(one.name)
    found.not_measured |= {name: why for name, why in outcome.missing.items() if matches(name, plan.only)}
    came = [*(one.name for one in outcome.ceilings), *outcome.missing]
    for declared in probe.measures:
        asked = may_match(declared, plan.only)
        if asked and outcome.why_rest and not any(fnmatchcase(name, declared) for name in came):
            found.not_measured[declared] = outcome.why_rest
    return refused


def steady(ceiling: Ceiling) -> Ceiling:
    """Repeats that lie far apart are said to: something else used the machine, and a median hides half of it."""
    apart = (ceiling.high - ceiling.low) / ceiling.value
    if apart > UNSTEADY_SPREAD and not ceiling.finding:
        ceiling.finding = UNSTEADY
    return ceiling


def _empty(seen: dict[str, Any], plan: Plan, command: tuple[str, ...]) -> Ceilings:
    return Ceilings(
        perfproof_version=__version__,
        fingerprint=seen["fingerprint"],
        kind=seen["kind"],
        device=plan.device,
        measured=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        command=list(command),
        quick=plan.quick,
        software=seen["software"],
    )


def _telling(notify: Callable[[Progress], None], number: int, total: int, probe: Probe) -> Callable[[Ceiling], None]:
    return lambda found: notify(Progress(number, total, probe.name, probe.purpose, found))
