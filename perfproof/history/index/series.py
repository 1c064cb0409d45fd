"""One target over time: the points that may stand in one line.

ratio      baseline over variant, measured in one run: over all fingerprints of a kind of machine
time       of the variant, or of the baseline: within one fingerprint, because another machine is another series
canary     time of the target over that of a pinned canary in the same run: over all fingerprints of a kind again

Sizes, claim, clock and statistic are the same in all points. Where several series exist, the one measured last is
meant. Times of a machine that nobody knows are in no series: its points would be of many.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import func, select

from perfproof.core.errors import NothingMatched, UsageError
from perfproof.history.index import tables
from perfproof.history.index.choosing import Wanted, choose_key
from perfproof.history.index.keys import QUANTITIES, SAME, VALUES, Key, Quantity, sizes_in_words
from perfproof.history.index.rows import REVISIONS, UNKNOWN
from perfproof.history.index.store import Store
from perfproof.history.index.tables import results, runs

FIXED = re.compile(r"[0-9a-f]{7,40}|v?\d+(\.\d+)+.*")  # revisions that stay what they are: a hash, a version


@dataclass(frozen=True)
class Point:
    run: str
    started: str
    commit: str
    fingerprint: str
    value: float
    low: float | None = None
    high: float | None = None
    branch: str = ""


@dataclass(frozen=True)
class Series:
    key: Key
    points: list[Point]
    without_canary: int = 0  # runs left out, because the canary was not measured in them, or at other sizes
    canary_sizes: str = ""
    revisions: str = ""  # of an A/B of names that move: its points are of different programs

    @property
    def conditions(self) -> str:
        canary = f"; canary at {sizes_in_words(self.canary_sizes)}" if self.canary_sizes else ""
        return self.key.conditions + canary


def read_series(store: Store, wanted: Wanted) -> Series:
    """The series that is meant, oldest point first."""
    if wanted.canary and wanted.quantity == "ratio":
        raise UsageError("--canary is for times: add --of time; a ratio has its baseline from the same run already")
    key = choose_key(store, wanted)
    points = points_of(store, key, wanted.since)
    if not wanted.canary:
        return Series(key, points)
    times, sizes = _canary_times(store, wanted.canary, key.kind, {point.run for point in points})
    found = [_against(point, times[point.run]) for point in points if point.run in times]
    if not found:
        raise NothingMatched(f"no run has both {key.target} and the canary {wanted.canary}; measure them together")
    return Series(key, found, len(points) - len(found), sizes)


def points_of(store: Store, key: Key, since: str | None = None) -> list[Point]:
    value = VALUES[key.quantity]
    interval = (results.c.low, results.c.high) if key.quantity == "ratio" else ()
    conditions = [getattr(results.c, name) == getattr(key, name) for name in SAME]
    conditions += [results.c.fingerprint == key.fingerprint] if key.fingerprint else []
    conditions += [results.c.started >= since] if since else []
    statement = (
        select(
            results.c.run, results.c.started, runs.c.commit_id, results.c.fingerprint, runs.c.branch, value, *interval
        )
        .join(runs, runs.c.run == results.c.run)
        .where(value > 0, results.c.status == "ok", *conditions)
        .order_by(results.c.started, results.c.run, results.c.place)
    )
    return [
        Point(row[0], row[1], row[2] or "", row[3], *row[5:], branch=row[4] or "")  # type: ignore[misc]
        for row in store.rows(statement)
    ]


def moving_revisions(store: Store, series: Series) -> str:
    """`main HEAD` for an A/B of such names, if its points were taken at different commits; else nothing.

    A name such as HEAD is another program at each commit. Hashes and version tags stay what they are.
    """
    if len({(point.commit, point.branch) for point in series.points}) < 2:
        return ""
    table, names = tables.environment, [point.run for point in series.points]
    found = select(table.c.value).where(table.c.field == REVISIONS, table.c.run.in_(names)).distinct()
    values = {row[0] for row in store.rows(found)}
    moving = sorted(value for value in values if not all(FIXED.fullmatch(name) for name in value.split()))
    return moving[0] if moving else ""


def every_key(store: Store, least: int) -> list[Key]:
    """All series of ratios with at least so many points, and of times where there is no ratio but a machine."""
    found = []
    columns = [getattr(results.c, name) for name in SAME]
    for quantity, more in (("ratio", []), ("time", [results.c.fingerprint])):
        of_times = [results.c.ratio.is_(None), results.c.fingerprint != UNKNOWN] if quantity == "time" else []
        statement = (
            select(*columns, *more)
            .where(VALUES[quantity] > 0, results.c.status == "ok", *of_times)
            .group_by(*columns, *more)
            .having(func.count() >= least)
            .order_by(*columns, *more)
        )
        for row in store.rows(statement):
            shared = dict(zip(SAME, row, strict=False))
            fingerprint = row[len(SAME)] if more else ""
            found.append(Key(**shared, quantity=quantity, fingerprint=fingerprint))  # type: ignore[arg-type]
    return found


def targets_without_machine(store: Store) -> int:
    """How many targets have times that are in no series, because nothing says where they were measured."""
    statement = select(func.count(results.c.target.distinct())).where(
        results.c.ratio.is_(None),
        results.c.variant_seconds > 0,
        results.c.status == "ok",
        results.c.fingerprint == UNKNOWN,
    )
    return int(store.rows(statement)[0][0])


def quantities_of(store: Store, key: Key) -> list[Quantity]:
    """Those that were measured under the conditions of this series."""
    counts: list[Any] = [func.count(value) for value in VALUES.values()]
    statement = select(*counts).where(
        results.c.status == "ok", *(getattr(results.c, name) == getattr(key, name) for name in SAME)
    )
    return [name for name, count in zip(QUANTITIES, store.rows(statement)[0], strict=True) if count]


def _canary_times(store: Store, canary: str, kind: str, among: Collection[str]) -> tuple[dict[str, float], str]:
    """Seconds of a canary in those of the runs that have it, and its sizes: those of most runs, of as many the newest.

    One size, one clock and one statistic, so that only the host can move them. Its baseline is taken, which is the side
    that is not improved.
    """
    time = func.coalesce(results.c.baseline_seconds, results.c.variant_seconds)
    statement = (
        select(results.c.run, time, results.c.sizes, results.c.clock, results.c.statistic)
        .where(results.c.target == canary, results.c.kind == kind, results.c.status == "ok", time > 0)
        .order_by(results.c.started, results.c.run, results.c.place.desc(), results.c.variant.desc())
    )
    found: dict[tuple[str, ...], dict[str, float]] = {}
    for run, seconds, *conditions in store.rows(statement):
        if run in among:
            times = found.pop(tuple(conditions), {})
            times[run] = seconds
            found[tuple(conditions)] = times  # measured last stands last
    if not found:
        return {}, ""
    newest_first = list(found)[::-1]
    pinned = max(newest_first, key=lambda one: len(found[one]))
    return found[pinned], pinned[0]


def _against(point: Point, seconds: float) -> Point:
    return replace(point, value=point.value / seconds, low=None, high=None)
