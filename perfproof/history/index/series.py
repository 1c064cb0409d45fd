"""One target over time: the points that may stand in one line.

ratio      baseline over variant, measured in one run: over all fingerprints of a kind of machine
time       of the variant, or of the baseline: within one fingerprint, because another machine is another series
canary     time of the target over that of a pinned canary in the same run: over all fingerprints of a kind again

Sizes, claim and clock are the same in all points. Where several series exist, the one measured last is meant.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from sqlalchemy import Select, and_, func, select

from perfproof.core.errors import NothingMatched, UsageError
from perfproof.history.index.store import Store
from perfproof.history.index.tables import results, runs

Quantity = Literal["ratio", "time", "baseline"]
QUANTITIES = get_args(Quantity)
VALUES = {"ratio": results.c.ratio, "time": results.c.variant_seconds, "baseline": results.c.baseline_seconds}
SAME = ("target", "variant", "kind", "sizes", "claim", "clock")


@dataclass(frozen=True)
class Key:
    """What is the same in all points of a series."""

    target: str
    variant: str
    kind: str
    sizes: str
    claim: str
    clock: str
    quantity: Quantity = "ratio"
    fingerprint: str = ""  # of times; a ratio may have many
    canary: str = ""

    @property
    def name(self) -> str:
        return "\n".join(str(value) for value in vars(self).values())

    @property
    def higher_is_better(self) -> bool:
        return self.quantity == "ratio" and not self.canary


@dataclass(frozen=True)
class Point:
    run: str
    started: str
    commit: str
    fingerprint: str
    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Series:
    key: Key
    points: list[Point]
    without_canary: int = 0  # runs left out, because the canary was not measured in them


@dataclass(frozen=True)
class Wanted:
    """What a person asks for; None is "the one measured last"."""

    target: str
    quantity: Quantity = "ratio"
    variant: str | None = None
    kind: str | None = None
    fingerprint: str | None = None
    canary: str | None = None
    since: str | None = None


def read_series(store: Store, wanted: Wanted) -> Series:
    """The series that is meant, oldest point first."""
    if wanted.canary and wanted.quantity == "ratio":
        raise UsageError("--canary is for times: add --of time; a ratio has its baseline from the same run already")
    key = _key(store, wanted)
    points = points_of(store, key, wanted.since)
    if not wanted.canary:
        return Series(key, points)
    times = _canary_times(store, wanted.canary, key.kind)
    found = [_against(point, times[point.run]) for point in points if point.run in times]
    if not found:
        raise NothingMatched(f"no run has both {key.target} and the canary {wanted.canary}; measure them together")
    return Series(key, found, len(points) - len(found))


def points_of(store: Store, key: Key, since: str | None = None) -> list[Point]:
    value = VALUES[key.quantity]
    interval = (results.c.low, results.c.high) if key.quantity == "ratio" else ()
    conditions = [getattr(results.c, name) == getattr(key, name) for name in SAME]
    conditions += [results.c.fingerprint == key.fingerprint] if key.fingerprint else []
    conditions += [results.c.started >= since] if since else []
    statement = (
        select(results.c.run, results.c.started, runs.c.commit_id, results.c.fingerprint, value, *interval)
        .join(runs, runs.c.run == results.c.run)
        .where(value > 0, results.c.status == "ok", *conditions)
        .order_by(results.c.started, results.c.run, results.c.place)
    )
    return [Point(row[0], row[1], row[2] or "", *row[3:]) for row in _rows(store, statement)]


def every_key(store: Store, least: int) -> list[Key]:
    """All series of ratios with at least so many points, and of times where there is no ratio."""
    found = []
    columns = [getattr(results.c, name) for name in SAME]
    for quantity, more in (("ratio", []), ("time", [results.c.fingerprint])):
        of_times = [results.c.ratio.is_(None)] if quantity == "time" else []
        statement = (
            select(*columns, *more)
            .where(VALUES[quantity] > 0, results.c.status == "ok", *of_times)
            .group_by(*columns, *more)
            .having(func.count() >= least)
            .order_by(*columns, *more)
        )
        for row in _rows(store, statement):
            shared = dict(zip(SAME, row, strict=False))
            fingerprint = row[len(SAME)] if more else ""
            found.append(Key(**shared, quantity=quantity, fingerprint=fingerprint))  # type: ignore[arg-type]
    return found


def _key(store: Store, wanted: Wanted) -> Key:
    value = VALUES[wanted.quantity]
    given = {name: getattr(wanted, name) for name in ("variant", "kind", "fingerprint")}
    conditions = [getattr(results.c, name) == value for name, value in given.items() if value is not None]
    statement = (
        select(*(getattr(results.c, name) for name in SAME), results.c.fingerprint)
        .where(results.c.target == wanted.target, results.c.status == "ok", value > 0, *conditions)
        .order_by(results.c.started.desc(), results.c.variant)
        .limit(1)
    )
    row = next(iter(_rows(store, statement)), None)
    if row is None:
        raise NothingMatched(_why_nothing(store, wanted, {k: v for k, v in given.items() if v is not None}))
    within = row[-1] if wanted.fingerprint or (wanted.quantity != "ratio" and not wanted.canary) else ""
    shared = dict(zip(SAME, row, strict=False))
    return Key(**shared, quantity=wanted.quantity, fingerprint=within, canary=wanted.canary or "")


def _why_nothing(store: Store, wanted: Wanted, given: dict[str, Any]) -> str:
    known = select(results.c.variant, results.c.kind).where(results.c.target == wanted.target).distinct().limit(20)
    rows = _rows(store, known)
    if not rows:
        return f"no result of {wanted.target!r} in the history; `perfproof history show` lists the runs"
    what = "".join(f", {name} {value}" for name, value in given.items())
    there = ", ".join(sorted({f"{variant or 'no variant'} on {kind}" for variant, kind in rows}))
    return f"no {wanted.quantity} of {wanted.target!r}{what} in the history; there are results of {there}"


def _canary_times(store: Store, canary: str, kind: str) -> dict[str, float]:
    """Seconds of the canary by run: of its baseline, which is the side that nobody improves."""
    time = func.coalesce(results.c.baseline_seconds, results.c.variant_seconds)
    statement = (
        select(results.c.run, time)
        .where(and_(results.c.target == canary, results.c.kind == kind, results.c.status == "ok", time > 0))
        .order_by(results.c.run, results.c.place.desc(), results.c.variant.desc())
    )
    return {row[0]: row[1] for row in _rows(store, statement)}


def _against(point: Point, seconds: float) -> Point:
    return Point(point.run, point.started, point.commit, point.fingerprint, point.value / seconds)


def _rows(store: Store, statement: Select[Any]) -> Sequence[Any]:
    return store.read(lambda connection: connection.execute(statement).all())
