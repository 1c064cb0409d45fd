"""Ask every worker whether it answers; take out those that do not, and take them back when they do."""

import asyncio

from perfproof.load.http_client import Address
from perfproof.router.message import BadMessage, read_head
from perfproof.router.proxy import Proxy
from perfproof.router.worker import Worker

MISSED = 2  # probes in a row that a worker may not miss


async def watch_workers(proxy: Proxy, seconds: float) -> None:
    """Until cancelled."""
    await asyncio.gather(*(_watch(proxy, worker, address, seconds) for worker, address in proxy.addresses.items()))


async def _watch(proxy: Proxy, worker: Worker, address: Address, seconds: float) -> None:
    missed = 0
    while True:
        if await answers(address, seconds):
            missed, worker.is_up = 0, True
        else:
            missed += 1
            if missed >= MISSED and worker.is_up:
                proxy.drop(worker)
        await asyncio.sleep(seconds)


async def answers(address: Address, seconds: float) -> bool:
    """GET /health within so many seconds. A server without such an address answers 404, which is an answer."""
    host = f"[{address.host}]" if ":" in address.host else address.host
    request = f"GET {address.path}/health HTTP/1.1\r\nhost: {host}:{address.port}\r\nconnection: close\r\n\r\n"
    try:
        async with asyncio.timeout(seconds):
            reader, writer = await asyncio.open_connection(address.host, address.port, ssl=address.tls or None)
            try:
                writer.write(request.encode())
                head = await read_head(reader)
            finally:
                writer.transport.abort()
    except (OSError, TimeoutError, BadMessage):
        return False
    return head is not None and head.first[1].isdigit() and int(head.first[1]) < 500
