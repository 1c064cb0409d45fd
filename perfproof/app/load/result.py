"""The document of a finished load test: its windows, its checks and its notes."""

import os
import socket
import sys
from collections.abc import Sequence
from datetime import UTC, datetime

from perfproof import __version__
from perfproof.app.load.asked import Asked
from perfproof.app.load.cost import cost_of, energy_at_best
from perfproof.app.load.headline import headline
from perfproof.app.load.plan import describe
from perfproof.app.load.watched import Watched
from perfproof.core.load import LoadResult, SloResult
from perfproof.load import checks, selftest
from perfproof.load.measures import steady_window, window_of
from perfproof.load.record import Record
from perfproof.load.session import Plan

SETTLED = ("poisson", "constant", "gamma")
MOST_TOGETHER = 0.25  # of the events: more is no chance of the network


def make_result(asked: Asked, plan: Plan, found: Watched, slo: SloResult | None, blocks: bool = False) -> LoadResult:
    """The document of a finished test; one in `blocks` has no steady window."""
    records = found.records
    last = max((one.intended for one in records), default=0.0)
    until = max([last, plan.seconds if not plan.trace else 0.0])
    settled = plan.users is not None or (plan.arrivals is not None and plan.arrivals.kind in SETTLED)
    settled = settled and not slo and not blocks
    steady = steady_window(records, last if plan.users is None else plan.seconds) if settled else ""
    window = steady if isinstance(steady, tuple) else None
    around = _around(plan, found, window, settled)
    checked = checks.check_all(records, around)
    whole_end = max((one.end or one.intended for one in records), default=until)
    result = LoadResult(
        perfproof_version=__version__,
        made=f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        command=["perfproof", *sys.argv[1:]],
        url=asked.url,
        model=plan.service.model,
        workload=plan.profile.name if not plan.trace else f"trace {asked.trace}",
        workload_sha256=plan.profile.sha256,
        arrivals=describe(asked, plan),
        mode="closed" if plan.users is not None else "trace" if plan.trace else "open",
        asked_rate=None if plan.users is not None or plan.trace or not plan.arrivals else plan.arrivals.rate,
        seed=plan.seed,
        salt=plan.salt,
        seconds=until,
        interrupted=found.measured.interrupted,
        headline="",
        checks=checked,
        whole=window_of(records, 0.0, whole_end + 1e-6),
        steady=window_of(records, *window) if window else None,
        no_steady=steady
        if isinstance(steady, str) and steady
        else ""
        if window
        else "both servers together"
        if blocks
        else "the rate changes during the test",
        slo=slo,
        notes=_notes(plan, records),
        machine={"host": socket.gethostname(), "cores": str(len(os.sched_getaffinity(0)))},
    )
    result.cost, result.energy = cost_of(asked, result), found.energy if slo is None else energy_at_best(slo)
    result.headline = headline(result)
    return result


def _around(plan: Plan, found: Watched, steady: tuple[float, float] | None, settled: bool) -> checks.Around:
    limits = selftest.load()
    rate = plan.arrivals.rate if plan.arrivals is not None and plan.users is None and settled else None
    return checks.Around(
        open_loop=plan.users is None,
        asked_rate=None if found.measured.interrupted else rate,
        cpu_share=found.measured.cpu_share,
        clean_rate=limits.requests_per_second if limits else None,
        clean_events=limits.events_per_second if limits else None,
        cache_counters=found.measured.cache,
        throttled=found.throttled,
        missed=found.missed,
        steady=steady,
        settled=settled,
    )


def _notes(plan: Plan, records: Sequence[Record]) -> list[str]:
    notes = [*plan.notes]
    if not plan.service.ignore_eos:
        notes.append("the server takes no ignore_eos: answers may be shorter than asked for")
    good = [one for one in records if one.outcome == "ok"]
    if good:
        asked = sum(one.asked_output for one in good)
        made = sum(one.made for one in good)
        notes.append(f"answers had {made / asked:.0%} of the tokens that were asked for")
        told = [one for one in good if one.prompt_tokens and one.turn == 0]
        if told:
            share = sum(one.prompt_tokens or 0 for one in told) / max(1, sum(one.asked_prompt for one in told))
            notes.append(f"prompts had {share:.0%} of the tokens that were asked for")
        later = sum(len(one.times) - 1 for one in good)
        together = later - sum(len(one.groups) - 1 for one in good)
        if together > MOST_TOGETHER * later:
            notes.append(f"{together / later:.0%} of the events came together with the one before: read as one event")
    return notes
