"""The style sheet and the two scripts of the dashboard's own pages."""

from starlette.requests import Request
from starlette.responses import Response

from perfproof.report.formats.html import TEMPLATES
from perfproof.web.pages import OWN


def style(request: Request) -> Response:
    """The report's, and what only the dashboard has: forms and progress."""
    text = (TEMPLATES / "report.css").read_text(encoding="utf-8") + (OWN / "dashboard.css").read_text(encoding="utf-8")
    return Response(text, media_type="text/css")


def script(request: Request) -> Response:
    return Response((OWN / "live.js").read_text(encoding="utf-8"), media_type="text/javascript")


def keys(request: Request) -> Response:
    return Response((OWN / "keys.js").read_text(encoding="utf-8"), media_type="text/javascript")


ROUTES = {"/assets/dashboard.css": style, "/assets/live.js": script, "/assets/keys.js": keys}
