"""The style sheet and the scripts of the dashboard's own pages."""

from starlette.requests import Request
from starlette.responses import Response

from perfproof.report.formats.html import TEMPLATES
from perfproof.web.pages import OWN


def style(request: Request) -> Response:
    """The report's, and what only the dashboard has: forms and progress."""
    text = (TEMPLATES / "report.css").read_text(encoding="utf-8") + (OWN / "dashboard.css").read_text(encoding="utf-8")
    return Response(text, media_type="text/css")


def script(request: Request) -> Response:
    """The report's copies commands; the others follow runs and know the keys."""
    name = request.url.path.rpartition("/")[2]
    file = (TEMPLATES if name == "report.js" else OWN) / name
    return Response(file.read_text(encoding="utf-8"), media_type="text/javascript")


SCRIPTS = ("/assets/report.js", "/assets/live.js", "/assets/keys.js")
ROUTES = {"/assets/dashboard.css": style, **dict.fromkeys(SCRIPTS, script)}
