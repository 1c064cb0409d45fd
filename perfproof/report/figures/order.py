"""Samples in the order in which they ran, one panel a side: a drift, a step or a slow stretch shows in both."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from perfproof.report.figures import svg
from perfproof.report.figures.scale import Scale, round_values
from perfproof.report.figures.spread import BOTTOM, HEAD, LEFT, PANEL, RIGHT, WIDTH, Limits, ground, percent

FEW = 40  # samples of a side: so many are drawn as large dots
Point = tuple[int, float]  # place in the order of all sides, share away from the side's median


@dataclass(frozen=True)
class Track:
    """The samples of one side."""

    head: str
    style: str  # base or variant
    points: Sequence[Point]  # some of them, where there are many
    trend: Sequence[Point]  # medians of stretches of all of them
    dropped: Sequence[Point] = field(default=())  # left out of the ratio as disturbed


def order(ident: str, title: str, tracks: Sequence[Track], total: int, starts: Sequence[int], limits: Limits) -> str:
    """`total` samples, a new launch at each of `starts`; what is beyond the limits is drawn at the edge."""
    x = Scale(0, max(1, total - 1), LEFT, WIDTH - RIGHT)
    parts: list[str] = []
    for at, track in enumerate(tracks):
        parts += _panel(track, x, starts, limits, at * (HEAD + PANEL))
    bottom = len(tracks) * (HEAD + PANEL)
    for tick in round_values(0, total, 6):
        anchor = "end" if x.at(tick) > WIDTH - RIGHT - 12 else "middle"  # a number at the edge stays inside
        parts.append(svg.words(f"{tick:,.0f}", x.at(tick), bottom + 11, "tick", anchor))
    parts.append(svg.words("samples in the order in which they ran", (LEFT + WIDTH) / 2, bottom + 28, "tick", "middle"))
    return svg.picture(ident, title, _description(tracks), (WIDTH, bottom + BOTTOM), parts)


def _panel(track: Track, x: Scale, starts: Sequence[int], limits: Limits, y: float) -> list[str]:
    top, bottom = y + HEAD, y + HEAD + PANEL - 4
    scale = Scale(*limits, bottom, top)
    few = " unit" if len(track.points) + len(track.dropped) <= FEW else ""

    def places(points: Sequence[Point]) -> list[svg.Place]:
        return [(round(x.at(place)), round(scale.at(share))) for place, share in points]  # whole pixels: fewer bytes

    return [
        *ground(track.head, scale, y),
        svg.lines([((x.at(start), top), (x.at(start), bottom)) for start in starts], "edge"),
        svg.dots(places(track.points), f"{track.style}{few}"),
        svg.dots(places(track.dropped), f"dropped{few}"),
        svg.polyline(places(track.trend), f"trend {track.style}"),
    ]


def _description(tracks: Sequence[Track]) -> str:
    said = []
    for track in tracks:
        if track.trend:
            shares = [share for _, share in track.trend]
            said.append(
                f"{track.head}: the running median begins at {percent(shares[0])}, ends at {percent(shares[-1])}, and "
                f"lies between {percent(min(shares))} and {percent(max(shares))}"
            )
    return ". ".join(said) + "."
