"""A trend as one HTML page that needs nothing else: the picture, the changes and what changed with them, the points."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from perfproof.report.formats import html
from perfproof.report.html_secrets import without_secrets
from perfproof.report.html_words import table, words

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
    style = html.asset("report.css")
    changes = table("Changes", CHANGES, view.changes) if view.changes else "<p>No change was found.</p>"
    points = table("Points, newest first", POINTS, view.points)
    body = f"""<main id="main"><header><p class="brand">perfproof history</p><h1>{words(view.title)}</h1>
<p class="under">{words(view.subtitle)}</p></header>
<section><figure class="wide" tabindex="0">{view.picture}</figure></section>
<section><h2>What changed</h2>{changes}</section>
<section><details class="bulk"><summary>All points</summary>{points}</details></section></main>"""
    policy = html.policy(style, "")
    head = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{words(view.title)}</title><style>{style}</style></head>"""
    return without_secrets(f"{head}\n<body>{body}</body></html>\n")
