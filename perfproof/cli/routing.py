"""Run the router in this process: in front of given servers, or of engine workers that it starts and ends."""

import asyncio
import re
import socket
from contextlib import suppress

from perfproof.core.errors import UsageError
from perfproof.engine.server.settings import ServeSettings
from perfproof.load.http_client import parse_address
from perfproof.router.fleet import Fleet
from perfproof.router.front import RouteSettings, make_proxy, route

UNITS = {"ms": 1e-3, "s": 1.0}


def first_token_seconds(text: str | None) -> float | None:
    if text is None:
        return None
    found = re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)(ms|s)", text.strip())
    if found is None or float(found[1]) <= 0:
        raise UsageError(f"--ttft-limit {text!r} is no time: write 500ms or 2s")
    return float(found[1]) * UNITS[found[2]]


def route_to_servers(texts: list[str], listening: socket.socket, settings: RouteSettings) -> int:
    proxy = make_proxy([parse_address(text) for text in texts], settings)
    asyncio.run(route(listening, proxy, settings))
    return 0


def route_to_workers(serving: ServeSettings, count: int, listening: socket.socket, settings: RouteSettings) -> int:
    fleet = Fleet(serving, count)
    fleet.start()
    try:
        asyncio.run(_route_alive(fleet, listening, settings))
    finally:
        fleet.stop(serving.drain_seconds)
    return 0


async def _route_alive(fleet: Fleet, listening: socket.socket, settings: RouteSettings) -> None:
    keeping = asyncio.create_task(fleet.keep_alive())
    try:
        await route(listening, make_proxy(fleet.addresses, settings), settings)
    finally:
        keeping.cancel()
        with suppress(asyncio.CancelledError):
            await keeping
