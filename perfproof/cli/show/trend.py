"""A trend as people read it on a terminal, and as JSON; `page` writes it as HTML."""

from typing import TYPE_CHECKING, Any

from perfproof.core.units import count
from perfproof.report.trend.words import FEWEST, commit, day, fields, interval, noise, page, signed, value, what

if TYPE_CHECKING:
    from perfproof.history.index.series import Key
    from perfproof.history.index.trends import Found, Trend

__all__ = ["FEWEST", "as_json", "change_lines", "lines", "page", "what"]

SHOWN_POINTS = 12


def lines(trend: "Trend") -> list[str]:
    series, key = trend.series, trend.series.key
    first, last = series.points[0], series.points[-1]
    found = [
        f"{key.target}: {what(key)}, {count(len(series.points), 'point')} from {day(first)} to {day(last)}",
        f"now {value(key, last.value)}, {noise(trend)}",
    ]
    if series.without_canary:
        found.append(f"left out: {count(series.without_canary, 'run')} without the canary {key.canary}")
    if series.revisions:
        found.append("a series of one branch has changes: `perfproof run` on it, or --rev with hashes or version tags")
    elif len(series.points) < FEWEST:
        found.append(f"fewer than {FEWEST} points: no change can be found yet")
    elif not trend.changes:
        found.append("no change")
    found += [line for one in trend.changes for line in change_lines(key, one)]
    shown = series.points[-SHOWN_POINTS:]
    return [
        *found,
        "",
        *(
            f"{day(one)}  {value(key, one.value):>10}  {interval(key, one):<22} {one.run}"
            f"{f'  {commit(one, with_branch=True)}' if series.revisions else ''}"
            for one in shown
        ),
    ]


def change_lines(key: "Key", one: "Found") -> list[str]:
    word = "watch" if one.what == "watch" else f"{one.what}, {'better' if one.better else 'worse'}"
    where = f"at {day(one.after)}" if one.what != "drift" else f"from {day(one.before)} to {day(one.after)}"
    head = f"{word}: {signed(one.shift)} ({signed(one.low)} to {signed(one.high)}) {where}, {one.after.run}"
    commits = f"  {commit(one.before)} -> {commit(one.after)}" if one.before.commit != one.after.commit else ""
    return [head + commits, f"  changed with it: {fields(one)}"]


def as_json(trend: "Trend") -> dict[str, Any]:
    return {
        "series": vars(trend.series.key),
        "noise": trend.analysis.noise,
        "revisions": trend.series.revisions,
        "without_canary": trend.series.without_canary,
        "points": [vars(point) for point in trend.series.points],
        "changes": [
            vars(one) | {"before": one.before.run, "after": one.after.run, "started": one.after.started}
            for one in trend.changes
        ],
    }
