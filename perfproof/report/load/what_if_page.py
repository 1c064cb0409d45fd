"""What a model says of other settings as one HTML page: the figures, and how many requests took how long."""

import shlex
from collections.abc import Mapping, Sequence

import numpy

from perfproof.core.what_if import WhatIf
from perfproof.load.measures import value_of
from perfproof.load.record import Record
from perfproof.report.figures.load import Line, curve
from perfproof.report.formats.html import render_page
from perfproof.report.html.headline import day_of
from perfproof.report.load.what_if_text import SHOWN, asked_for, figure_rows, model_lines

OWN_STYLE = "figure.wide { margin: 0 0 1rem; }\n"
SHARES = (1, 2, 5, *range(10, 91, 5), 95, 98, 99)  # percent of the requests
LEAST = 20  # requests: of fewer there is no curve


def render(said: WhatIf, sides: Mapping[str, Sequence[Record]]) -> str:
    head, *rows = figure_rows(said)
    return render_page(
        "what_if.html",
        OWN_STYLE,
        script=False,
        said=said,
        title=f"What if: {asked_for(said) or 'the same again'}",
        day=day_of(said.made),
        model=model_lines(said),
        head=head,
        rows=rows,
        pictures=_pictures(sides),
        command=shlex.join(said.command),
    )


def _pictures(sides: Mapping[str, Sequence[Record]]) -> list[tuple[str, str]]:
    found = []
    for metric in SHOWN:
        title = f"{metric} that so many per cent of the requests stay below"
        lines = [Line(name, points) for name, side in sides.items() if (points := _points(side, metric))]
        found.append((title, curve(f"below{metric}", title, "per cent of the requests", lines, None, True)))
    return [(title, picture) for title, picture in found if picture]


def _points(records: Sequence[Record], metric: str) -> list[tuple[float, float]]:
    values = [value for one in records if one.outcome == "ok" and (value := value_of(one, metric)) is not None]
    if len(values) < LEAST:
        return []
    return [(float(share), float(numpy.percentile(values, share))) for share in SHARES]
