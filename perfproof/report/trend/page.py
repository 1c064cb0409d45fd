"""A trend as one HTML page that needs nothing else: the picture, the changes and what changed with them, the points."""

from collections.abc import Sequence
from dataclasses import dataclass

from perfproof.report.formats.html import render_page

CHANGES = ("when (UTC)", "what", "by", "interval", "run", "commit", "changed with it")
POINTS = ("when (UTC)", "run", "commit", "value", "interval")


@dataclass(frozen=True)
class TrendView:
    """What a page says, in words; `picture` is SVG that has escaped its own."""

    title: str
    subtitle: str
    picture: str
    changes: Sequence[Sequence[str]]
    points: Sequence[Sequence[str]]


def render(view: TrendView) -> str:
    return render_page("trend_page.html", script=False, view=view, changes_head=CHANGES, points_head=POINTS)
