"""One run: the report's own page, with a way back."""

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from perfproof.report.formats import html
from perfproof.web.pages import settings_of
from perfproof.web.saved import load


def show(request: Request) -> Response:
    """Its policy is the report's: nothing may be loaded, one style and one script by their hashes."""
    artifacts, name = settings_of(request).artifacts, request.path_params["name"]
    run = load(artifacts, name)
    links = [*request.app.state.tabs, ("Files of this run", f"/artifacts/{name}/")]
    text = html.render(run, artifacts / name, links, sources=False)
    policy = html.policy(html._asset("report.css"), html._asset("report.js"))
    return HTMLResponse(text, headers={"content-security-policy": f"{policy}; frame-ancestors 'none'"})


ROUTES = {"/runs/{name}": show}
