"""Follow a run by the file that it writes its progress into, as server-sent events.

The file is looked at twice a second and opened anew each time, from inside the artifacts folder only. What a line says
is taken apart and put together again: nothing in it can end an event and begin another.
"""

import asyncio
import json
import math
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from perfproof.core import units
from perfproof.core.errors import NothingMatched
from perfproof.history.folders import PROGRESS
from perfproof.report.figures.svg import clean
from perfproof.report.html.secrets import without_secrets
from perfproof.web.catalogue import running_names
from perfproof.web.inside import open_inside
from perfproof.web.load_progress import progress_of
from perfproof.web.load_tests import running_loads

LOOK_SECONDS = 0.5
ALIVE_SECONDS = 15.0  # a comment, so that a connection that nobody reads is noticed
BACKLOG = 64 * 1024  # bytes of earlier news that a new page is shown
LONGEST = 2_000  # characters of a text

News = dict[str, Any]


async def news_of(artifacts: Path, name: str) -> AsyncIterator[str]:
    """Events `news` with what the run says, then one `end`."""
    place, said = None, time.monotonic()
    while True:
        try:
            lines, place = _lines_from(artifacts, name, place)
        except NothingMatched:
            yield "event: end\ndata: {}\n\n"
            return
        for news in lines:
            yield f"event: news\ndata: {json.dumps(news)}\n\n"
        if lines or time.monotonic() - said > ALIVE_SECONDS:
            said = time.monotonic()
            yield ": still here\n\n"
        await asyncio.sleep(LOOK_SECONDS)


async def news_of_load(artifacts: Path, name: str) -> AsyncIterator[str]:
    """The same of a load test: events `news` when there is more to say, then one `end`."""
    told, said = None, 0.0
    progress = progress_of(artifacts, name)
    while name in running_loads(artifacts):
        news = (await asyncio.to_thread(progress.refresh)).news
        if news != told:
            yield f"event: news\ndata: {json.dumps(news)}\n\n"
        if news != told or time.monotonic() - said > ALIVE_SECONDS:
            told, said = news, time.monotonic()
            yield ": still here\n\n"
        await asyncio.sleep(LOOK_SECONDS)
    yield "event: end\ndata: {}\n\n"


async def starts(artifacts: Path) -> AsyncIterator[str]:
    """One event `start` when a run or a load test begins that was not running."""
    before, said = _running(artifacts), time.monotonic()
    yield ": waiting\n\n"
    while not _running(artifacts) - before:
        if time.monotonic() - said > ALIVE_SECONDS:
            said = time.monotonic()
            yield ": still here\n\n"
        await asyncio.sleep(2 * LOOK_SECONDS)
    yield "event: start\ndata: {}\n\n"


def _running(artifacts: Path) -> set[str]:
    return {*running_names(artifacts), *running_loads(artifacts)}


def last_news(artifacts: Path, name: str) -> News | None:
    """What the run said last, for a page without script."""
    try:
        lines, _ = _lines_from(artifacts, name, None)
    except NothingMatched:
        return None
    return lines[-1] if lines else None


def _lines_from(artifacts: Path, name: str, place: int | None) -> tuple[list[News], int]:
    """Whole lines from `place` on, and where the next begins; None is a little before the end."""
    with open_inside(artifacts, [name, PROGRESS]) as file:
        if place is None:
            place = max(0, file.seek(0, 2) - BACKLOG)
            file.seek(place)
            place += len(file.readline()) if place else 0  # the first line is cut in two
        file.seek(place)
        content = file.read(BACKLOG)
    whole = content[: content.rfind(b"\n") + 1]
    if not whole and len(content) == BACKLOG:
        whole = content  # one endless line: it is passed over
    found = [news for line in whole.splitlines() if (news := _news(line))]
    return found, place + len(whole)


def _news(line: bytes) -> News | None:
    try:
        raw = json.loads(line)
        done, total = int(raw["done"]), int(raw["total"])
        share, left, ratio = (None if raw.get(key) is None else float(raw[key]) for key in ("share", "left", "ratio"))
    except (ValueError, KeyError, TypeError):
        return None
    texts = {key: _text(raw.get(key)) for key in ("target", "phase", "line")}
    is_done = raw.get("phase") == "done"
    overall = None  # not known: the bar stays where it is
    if is_done or share is not None:
        overall = max(0.0, min(1.0, (done + (0.0 if is_done else share or 0.0)) / max(total, 1)))
    so_far = units.ratio(ratio) if ratio is not None and 0 < ratio < math.inf else ""
    return {"done": done, "total": total, "overall": overall, "left": left, "ratio": so_far, **texts}


def _text(value: object) -> str:
    return without_secrets(clean(value[:LONGEST])) if isinstance(value, str) else ""
