"""What runs now, and how far it is; the page follows it by server-sent events."""

import time
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse

from perfproof.core.errors import NothingMatched
from perfproof.history.folders import NAME, PROGRESS
from perfproof.web import following
from perfproof.web.catalogue import running_names
from perfproof.web.load_tests import running_loads
from perfproof.web.pages import page, settings_of
from perfproof.web.views.loads import live_section

TAB = (20, "Live", "/live")
MOST_STREAMS = 32
QUIET_SECONDS = 600.0


def show(request: Request) -> Response:
    artifacts = settings_of(request).artifacts
    running = [
        {
            "name": name,
            "events": f"/live/{quote(name, safe='')}/events",
            "news": following.last_news(artifacts, name),
            "quiet": _quiet_minutes(artifacts / name / PROGRESS),
        }
        for name in running_names(artifacts)
    ]
    loads = [live_section(artifacts, name) for name in running_loads(artifacts)]
    return page(request, "live.html", "Live", running=running, loads=loads)


async def events(request: Request) -> Response:
    artifacts, name = settings_of(request).artifacts, request.path_params["name"]
    if NAME.fullmatch(name) and name in running_names(artifacts):
        return _stream(request, following.news_of(artifacts, name))
    if name in running_loads(artifacts):
        return _stream(request, following.news_of_load(artifacts, name))
    raise NothingMatched(f"there is no run {name[:100]!r} in progress")


async def starts(request: Request) -> Response:
    return _stream(request, following.starts(settings_of(request).artifacts))


def _stream(request: Request, events: AsyncIterator[str]) -> Response:
    """Each open page keeps a connection; there is a limit to them."""
    state = request.app.state
    if state.streams >= MOST_STREAMS:
        return PlainTextResponse("perfproof: too many pages follow runs already; close some\n", 503)

    async def counted() -> AsyncIterator[str]:
        state.streams += 1
        try:
            async for event in events:
                yield event
        finally:
            state.streams -= 1

    return StreamingResponse(counted(), media_type="text/event-stream")


def _quiet_minutes(file: Path) -> int:
    """Minutes without news, where they are many: whoever wrote them may have been killed."""
    try:
        quiet = time.time() - file.stat().st_mtime
    except OSError:
        return 0
    return int(quiet // 60) if quiet > QUIET_SECONDS else 0


ROUTES = {"/live": show, "/live/starts": starts, "/live/{name}/events": events}
