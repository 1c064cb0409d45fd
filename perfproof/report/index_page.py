"""Many runs as a folder of pages: an index with the newest verdicts, and the report of every run, linked together."""

from collections.abc import Sequence
from urllib.parse import quote

from perfproof.core.documents import Run
from perfproof.report.formats.html import render_page
from perfproof.report.overview import overview

INDEX = "index.html"
BACK = (("All runs", INDEX),)  # what a run's page in such a folder links to


def render(runs: Sequence[Run]) -> str:
    """The index of the runs, which are in the order of time, oldest first."""
    return render_page(
        "index.html",
        view=overview(runs),
        subtitle=_subtitle(runs),
        run_address=lambda name: quote(page_name(name)),
    )


def page_name(run: str) -> str:
    return f"{run}.html"


def _subtitle(runs: Sequence[Run]) -> str:
    kinds = sorted({str(run.machine.get("kind", "unknown")) for run in runs})
    return f"From {runs[0].started} to {runs[-1].started}, on {', '.join(kinds)}"
