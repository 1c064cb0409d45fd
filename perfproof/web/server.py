"""The application: every view of the folder, behind the guard."""

import importlib
import pkgutil
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from perfproof.core.dashboard import Settings
from perfproof.core.errors import NothingMatched, PerfproofError
from perfproof.web import views
from perfproof.web.guard import Guard
from perfproof.web.pages import page


def application(settings: Settings) -> Guard:
    found = [importlib.import_module(f"{views.__name__}.{one.name}") for one in pkgutil.iter_modules(views.__path__)]
    app = Starlette(
        routes=[Route(path, answer) for view in found for path, answer in view.ROUTES.items()],
        exception_handlers={PerfproofError: _refused, HTTPException: _failed},
    )
    app.state.settings = settings
    app.state.tabs = [
        (words, address) for _, words, address in sorted(view.TAB for view in found if hasattr(view, "TAB"))
    ]
    app.state.streams = 0
    return Guard(app, settings)


def _refused(request: Request, error: Any) -> Response:
    status = 404 if isinstance(error, NothingMatched) else 400
    return page(request, "refused.html", "Not shown", status=status, why=str(error))


def _failed(request: Request, error: Any) -> Response:
    return page(request, "refused.html", "Not shown", status=error.status_code, why=str(error.detail))
