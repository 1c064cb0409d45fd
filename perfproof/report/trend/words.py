"""A trend in words and as a picture: what the terminal, its own page and the dashboard say of it."""

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from perfproof.core import units
from perfproof.core.durations import moment

if TYPE_CHECKING:
    from perfproof.history.index.series import Key, Point
    from perfproof.history.index.trends import Found, Trend
    from perfproof.report.trend.page import TrendView

MOST_FIELDS = 6
FEWEST = 8  # points of a series in which a change can be found


def page(trend: "Trend") -> str:
    """One HTML page that needs nothing else."""
    from perfproof.report.trend.page import render

    return render(view(trend))


def view(trend: "Trend", address: Callable[[str], str] | None = None) -> "TrendView":
    """With `address`, the page of a run by its name, every point of the picture leads to its run."""
    from perfproof.report.trend.page import TrendView

    series, key = trend.series, trend.series.key
    return TrendView(
        title=key.target,
        subtitle=f"{what(key)}; {units.count(len(series.points), 'point')}, {noise(trend)}",
        picture=picture(trend, address=address),
        changes=[_change_row(key, one) for one in trend.changes],
        points=[
            (day(one), one.run, commit(one, bool(series.revisions)), value(key, one.value), interval(key, one))
            for one in series.points[::-1]
        ],
    )


def picture(trend: "Trend", ident: str = "trend", address: Callable[[str], str] | None = None) -> str:
    from perfproof.report.figures import trend as figure

    key, points, analysis = trend.series.key, trend.series.points, trend.analysis
    factor, unit = scale_of(key, [point.value for point in points])
    levels = [
        figure.Level(
            one.start,
            one.end - 1,
            math.exp(one.level) / factor,
            math.exp(one.level + one.slope * (one.end - one.start - 1)) / factor,
        )
        for one in analysis.stretches
    ]
    marks = [
        figure.Mark(change.at, change.kind, signed(found.shift))
        for change, found in zip(analysis.changes, trend.changes, strict=True)
    ]
    drawn = [
        figure.TrendPoint(
            one.started[:10],
            one.value / factor,
            one.low / factor if one.low else None,
            one.high / factor if one.high else None,
            when=moment(one.started),
            address=address(one.run) if address else "",
            words=f"{day(one)}: {value(key, one.value)}, {one.run}",
        )
        for one in points
    ]
    return figure.trend(ident, f"{key.target}: {what(key)}", unit, drawn, levels, marks)


def scale_of(key: "Key", values: Sequence[float]) -> tuple[float, str]:
    """What the values of the axis are divided by, and the unit that they have then."""
    if key.quantity == "ratio" or key.canary:
        return 1.0, "x"
    largest = max(values, default=1.0)
    return next(((f, f" {u}") for f, u in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")) if largest >= f), (1e-9, " ns"))


def what(key: "Key") -> str:
    side = "the baseline" if key.quantity == "baseline" else key.variant or "it"
    where = f"on {key.kind}" + (f" {key.fingerprint[:8]}" if key.fingerprint else "")
    if key.quantity == "ratio":
        return f"baseline over {key.variant} {where}"
    return f"time of {side} over the canary {key.canary} {where}" if key.canary else f"time of {side} {where}"


def whole(key: "Key") -> str:
    """`what` with the sizes and the clock: it tells this series from every other one of its target."""
    return f"{what(key)}, {key.conditions}"


def value(key: "Key", number: float) -> str:
    return units.ratio(number) if key.quantity == "ratio" or key.canary else units.seconds(number)


def noise(trend: "Trend") -> str:
    if trend.series.revisions:
        return of_revisions(trend.series.revisions)
    if len(trend.series.points) < FEWEST:
        return "noise unknown: too few points"
    return f"noise {units.percent(math.expm1(trend.analysis.noise))} per point"


def interval(key: "Key", point: "Point") -> str:
    """In the unit of the value."""
    if point.low is None or point.high is None:
        return ""
    return f"{value(key, point.low)} to {value(key, point.high)}"


def fields(one: "Found") -> str:
    said = [f"{name} {before or 'nothing'} -> {after or 'nothing'}" for name, before, after in one.fields[:MOST_FIELDS]]
    more = len(one.fields) - len(said)
    return "; ".join([*said, *([f"{more} more"] if more else [])]) or "nothing that is recorded of the environment"


def of_revisions(revisions: str) -> str:
    return f"points of different revisions ({' against '.join(revisions.split())} moved): no change is searched"


def commit(point: "Point", with_branch: bool = False) -> str:
    branch = f" {point.branch or 'no branch'}" if with_branch else ""
    return f"{point.commit[:8] or 'no commit'}{branch}"


def day(point: "Point") -> str:
    return point.started[:16].replace("T", " ")


def signed(share: float) -> str:
    return f"{100 * share:+.2f} %" if abs(share) < 0.1 else f"{100 * share:+.1f} %"


def _change_row(key: "Key", one: "Found") -> tuple[str, ...]:
    word = one.what if one.what == "watch" else f"{one.what}, {'better' if one.better else 'worse'}"
    reach = f"{signed(one.low)} to {signed(one.high)}"
    return day(one.after), word, signed(one.shift), reach, one.after.run, commit(one.after), fields(one)
