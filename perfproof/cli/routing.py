"""Run the router in this process: in front of given servers, or of engine workers that it starts and ends."""

import asyncio
import socket
from contextlib import suppress

from perfproof.engine.server.settings import ServeSettings
from perfproof.load.http_client import parse_address
from perfproof.router.fleet import Fleet
from perfproof.router.front import RouteSettings, make_proxy, route


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
