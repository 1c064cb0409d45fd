"""Pages of the dashboard: the report's templates and ours, with its escaping, its cuts and its hiding of secrets."""

from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from jinja2 import ChoiceLoader, Environment, FileSystemLoader
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from perfproof import __version__
from perfproof.core.dashboard import Settings
from perfproof.report.formats.html import TEMPLATES
from perfproof.report.formats.html import environment as report_environment
from perfproof.report.html.secrets import without_secrets

OWN = Path(__file__).parent / "templates"


def page(request: Request, template: str, title: str, status: int = 200, **values: Any) -> Response:
    text = (
        environment()
        .get_template(template)
        .render(
            title=title,
            tabs=request.app.state.tabs,
            here=request.url.path,
            version=__version__,
            run_address=run_address,
            trend_address=trend_address,
            **values,
        )
    )
    return HTMLResponse(without_secrets(text), status)


@lru_cache
def environment() -> Environment:
    return report_environment().overlay(loader=ChoiceLoader([FileSystemLoader(OWN), FileSystemLoader(TEMPLATES)]))


def settings_of(request: Request) -> Settings:
    return request.app.state.settings


def run_address(name: str) -> str:
    return f"/runs/{quote(name, safe='')}"


def trend_address(target: str, **more: str) -> str:
    return f"/history/trend?{urlencode({'target': target} | more)}"
