"""All runs as a list that can be searched, and one run as the report's own page."""

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from perfproof.report.formats import html
from perfproof.web import choosing
from perfproof.web.catalogue import catalogue_of
from perfproof.web.pages import page, settings_of
from perfproof.web.saved import load
from perfproof.web.views.overview import run_line

TAB = (15, "Runs", "/runs")
SORTS = {"": "newest first", "oldest": "oldest first"}


def listing(request: Request) -> Response:
    found = catalogue_of(settings_of(request).artifacts).refresh()
    wishes = choosing.wishes_of(request)
    paged = choosing.page_of(choosing.chosen_runs(found, wishes), wishes.page)
    return page(
        request,
        "runs.html",
        "Runs",
        path="/runs",
        wishes=wishes,
        choices=choosing.choices_of(found),
        sorts=SORTS,
        paged=paged,
        runs=[run_line(run) for run in paged.items],
    )


def show(request: Request) -> Response:
    """Its policy is the report's: nothing may be loaded, one style and one script by their hashes."""
    artifacts, name = settings_of(request).artifacts, request.path_params["name"]
    run = load(artifacts, name)
    links = [*request.app.state.tabs, ("Files of this run", f"/artifacts/{name}/")]
    text = html.render(run, artifacts / name, links, sources=False)
    policy = html.policy(html.asset("report.css"), html.asset("report.js"))
    return HTMLResponse(text, headers={"content-security-policy": f"{policy}; frame-ancestors 'none'"})


ROUTES = {"/runs": listing, "/runs/{name}": show}
