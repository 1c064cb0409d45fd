"""What changed in a series, when, by how much, and which fields of the environment changed with it."""

import json
import math
from dataclasses import dataclass, replace

from sqlalchemy import delete, insert, select

from perfproof.history.index import tables
from perfproof.history.index.series import Point, Series, moving_revisions
from perfproof.history.index.store import Store
from perfproof.stats.changepoints import Analysis, Change, find_changes

Field = tuple[str, str | None, str | None]  # name, before, after


@dataclass(frozen=True)
class Found:
    """A change of a series, as a share: 0.05 is 5 % up."""

    what: str  # step, drift or watch
    before: Point  # the last point before it
    after: Point  # the first after it; of a drift the last in it
    shift: float
    low: float
    high: float
    better: bool
    fields: list[Field]


@dataclass(frozen=True)
class Trend:
    series: Series
    analysis: Analysis
    changes: list[Found]


def analyse(store: Store, series: Series) -> Trend:
    """A series whose points are of different programs has no change-points: a change would be another branch."""
    series = replace(series, revisions=moving_revisions(store, series))
    if series.revisions:
        return Trend(series, Analysis(noise=0.0, changes=[], stretches=[]), [])
    analysis = find_changes([math.log(point.value) for point in series.points])
    return Trend(series, analysis, [_found(store, series, change) for change in analysis.changes])


def record(store: Store, trend: Trend) -> None:
    """Keep the changes of this series in the index, in the place of those that were found earlier."""
    key = trend.series.key
    rows = [
        {
            "series": key.name,
            "place": place,
            "target": key.target,
            "variant": key.variant,
            "quantity": f"{key.quantity} over {key.canary}" if key.canary else key.quantity,
            "what": one.what,
            "run": one.after.run,
            "started": one.after.started,
            "shift": one.shift,
            "low": one.low,
            "high": one.high,
            "fields": json.dumps(one.fields),
        }
        for place, one in enumerate(trend.changes)
    ]

    def replace(connection):  # type: ignore[no-untyped-def]
        connection.execute(delete(tables.changes).where(tables.changes.c.series == key.name))
        if rows:
            connection.execute(insert(tables.changes), rows)

    store.write(replace)


def changed_fields(store: Store, before: str, after: str) -> list[Field]:
    """Fields of the environment that differ between two runs; None where a run does not have it."""
    table = tables.environment
    statement = select(table.c.run, table.c.field, table.c.value).where(table.c.run.in_([before, after]))
    rows = store.rows(statement)
    sides = [{field: value for run, field, value in rows if run == name} for name in (before, after)]
    names = sorted(sides[0].keys() | sides[1].keys())
    pairs = [(name, sides[0].get(name), sides[1].get(name)) for name in names]
    return [pair for pair in pairs if pair[1] != pair[2]]


def _found(store: Store, series: Series, change: Change) -> Found:
    points = series.points
    if change.kind == "drift":
        before, after = points[change.at], points[change.end - 1]
    else:
        before, after = points[change.at - 1], points[change.at]
    return Found(
        what=change.kind,
        before=before,
        after=after,
        shift=math.expm1(change.shift),
        low=math.expm1(change.low),
        high=math.expm1(change.high),
        better=(change.shift > 0) == series.key.higher_is_better,
        fields=changed_fields(store, before.run, after.run),
    )
