"""Run a router on a socket until it is told to stop."""

import asyncio
import signal
import socket
import sys
from contextlib import suppress
from dataclasses import dataclass

from perfproof.core.errors import UsageError
from perfproof.load.http_client import Address
from perfproof.router.health import watch_workers
from perfproof.router.message import LONGEST_HEAD
from perfproof.router.policies import POLICIES
from perfproof.router.prefixes import KnownPrefixes
from perfproof.router.proxy import Limits, Proxy
from perfproof.router.router import Router
from perfproof.router.worker import DEFAULT_BLOCKS, Worker

LOOK, TOLD_AFTER = 0.05, 3.0  # seconds


@dataclass(frozen=True)
class RouteSettings:
    policy: str = "kv-aware"
    first_token_limit: float | None = None  # seconds
    blocks: int = DEFAULT_BLOCKS  # that a worker's cache can hold
    probe: float = 1.0  # seconds between two looks at a worker
    silence: float = 60.0  # seconds without a byte after which a worker counts as hung
    drain: float = 30.0  # seconds for answers under way when it is stopped
    key: str | None = None
    most_body: int = 4_000_000  # bytes


def check_policy(name: str) -> None:
    if name not in POLICIES:
        raise UsageError(f"--policy {name}: choose one of {', '.join(POLICIES)}")


def make_proxy(addresses: list[Address], settings: RouteSettings) -> Proxy:
    check_policy(settings.policy)
    workers = [Worker(address.text, KnownPrefixes(settings.blocks), is_up=False) for address in addresses]
    if len({worker.name for worker in workers}) < len(workers):
        raise UsageError("an address is given twice; every worker needs one of its own")
    router = Router(workers, POLICIES[settings.policy], settings.first_token_limit)
    limits = Limits(silence=settings.silence, most_body=settings.most_body)
    return Proxy(router, dict(zip(workers, addresses, strict=True)), settings.key, limits)


async def route(
    listening: socket.socket, proxy: Proxy, settings: RouteSettings, stop: asyncio.Event | None = None
) -> None:
    """Until `stop` is set, or a signal comes. Clients wait until the first worker answers."""
    stop = stop or asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        with suppress(ValueError, RuntimeError):  # not in the main thread
            loop.add_signal_handler(number, stop.set)
    watching = asyncio.create_task(watch_workers(proxy, settings.probe))
    await _until_one_answers(proxy, stop)
    server = await asyncio.start_server(proxy.serve_client, sock=listening, limit=LONGEST_HEAD)
    try:
        await stop.wait()
        server.close()
        await _until_idle(proxy, settings.drain)
    finally:
        server.close()
        watching.cancel()
        await asyncio.gather(watching, return_exceptions=True)


async def _until_one_answers(proxy: Proxy, stop: asyncio.Event) -> None:
    waited = 0.0
    while not stop.is_set() and not any(worker.is_up for worker in proxy.router.workers):
        await asyncio.sleep(LOOK)
        waited += LOOK
        if waited <= TOLD_AFTER < waited + LOOK:
            print("waiting for a worker to answer GET /health", file=sys.stderr, flush=True)


async def _until_idle(proxy: Proxy, seconds: float) -> None:
    end = asyncio.get_running_loop().time() + seconds
    while asyncio.get_running_loop().time() < end and any(worker.jobs for worker in proxy.router.workers):
        await asyncio.sleep(LOOK)
