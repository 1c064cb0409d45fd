"""The first page: what runs now, the newest verdict of every target, and the newest runs."""

from starlette.requests import Request
from starlette.responses import Response

from perfproof.core.errors import PerfproofError
from perfproof.report.overview import overview
from perfproof.web.pages import page, settings_of
from perfproof.web.saved import load, run_names, running_names

TAB = (10, "Overview", "/")
MOST_RUNS = 50


def show(request: Request) -> Response:
    artifacts = settings_of(request).artifacts
    names = run_names(artifacts)
    runs, unread = [], []
    for name in names[-MOST_RUNS:]:
        try:
            runs.append(load(artifacts, name))
        except PerfproofError as error:
            unread.append(str(error))
    return page(
        request,
        "front.html",
        "Overview",
        view=overview(runs),
        unread=unread,
        running=running_names(artifacts),
        earlier=max(0, len(names) - MOST_RUNS),
    )


ROUTES = {"/": show}
