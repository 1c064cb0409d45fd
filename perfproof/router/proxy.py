"""The HTTP front: take a request, send it to the worker that the router chooses, and pass the answer on as it comes.

If a worker fails before a byte of its answer was passed on, the request goes to another one. After that the client has
a part of an answer, so the stream ends with an error event: another worker never continues it.

    GET /health    200 if some worker answers
    GET /metrics   counters for Prometheus
    all others     go to a worker
"""

import asyncio
import json
import math
import re
import time
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, TypeVar

from perfproof.core.admission import refusal
from perfproof.engine.server.answers import error, error_event
from perfproof.engine.server.asked import Refused
from perfproof.load.http_client import Address
from perfproof.router.job import Job, job_of_body
from perfproof.router.message import BadMessage, BodyEnd, Head, read_head, read_request_body
from perfproof.router.metrics import metrics_text
from perfproof.router.router import NoWorker, Router, TooLate
from perfproof.router.worker import Worker

# The first event with text: of an answer, a completion or reasoning. Events with a role only carry no token.
FIRST_TEXT = re.compile(rb'"(?:content|text|reasoning|reasoning_content)":\s*"[^"]')
BUSY = (b"429", b"503")  # another worker may have room
READ = 65_536
GONE_SECONDS = 0.25  # how often it is looked whether the client is still there
Result = TypeVar("Result")


class WorkerFailed(Exception):
    """The worker did not answer, or not to the end."""


class ClientGone(Exception):
    """The client does not wait for its answer any more. The worker did nothing wrong."""


@dataclass(frozen=True)
class Limits:
    connect: float = 5.0  # seconds
    silence: float = 60.0  # seconds without a byte, after which a worker counts as hung
    most_body: int = 4_000_000
    discard: float = 5.0  # seconds for the rest of a body that was refused
    body: float = 30.0  # seconds for a client to send its request


@dataclass
class Proxy:
    router: Router
    addresses: dict[Worker, Address]
    key: str | None = None
    limits: Limits = Limits()
    open_links: dict[Worker, set[asyncio.StreamWriter]] = field(default_factory=dict)

    async def serve_client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """All requests of one connection."""
        try:
            while await self._one(reader, writer):
                pass
        except (OSError, asyncio.IncompleteReadError):
            pass  # the client has gone
        finally:
            writer.close()

    def drop(self, worker: Worker) -> None:
        """The worker is down: what waits for it fails at once and goes elsewhere."""
        worker.is_up = False
        worker.known.forget()
        for link in list(self.open_links.get(worker, ())):
            link.transport.abort()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """One request; False if the connection ends with it."""
        try:
            head = await read_head(reader)
            if head is None:
                return False
            if len(head.first) != 3:
                raise BadMessage("no HTTP/1.1 request")
            async with asyncio.timeout(self.limits.body):
                body = await read_request_body(reader, head, self.limits.most_body)
        except TimeoutError:
            await say(writer, 408, f"the body did not arrive within {self.limits.body:g} s", closes=True)
            return False
        except BadMessage as error:
            await say(writer, error.status, str(error), closes=True)
            if error.status == 413:
                await self._discard(reader)
            return False
        if head.first[1] == b"/health":  # needs no key, as on a server
            up = sum(worker.is_up for worker in self.router.workers)
            await say_text(writer, 200 if up else 503, f"{up} of {len(self.router.workers)} workers answer\n")
        elif refused := self._refusal(head):
            await say(writer, *refused)
        elif head.first[1] == b"/metrics":
            await say_text(writer, 200, metrics_text(self.router))
        else:
            return await self._route(head, body, reader, writer) and head.keeps_open
        return head.keeps_open

    async def _discard(self, reader: asyncio.StreamReader) -> None:
        """Closing with unread bytes resets the connection, and a client that still writes never sees the answer."""
        with suppress(TimeoutError, OSError):
            async with asyncio.timeout(self.limits.discard):
                while await reader.read(65_536):
                    pass

    def _refusal(self, head: Head) -> tuple[int, str] | None:
        names = (b"authorization", b"host", b"origin")
        authorization, host, origin = (None if one is None else one.decode("latin-1") for one in map(head.get, names))
        return refusal(self.key, authorization or "", host or "", origin, "router")

    async def _route(self, head: Head, body: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Try workers until one answers; False if the client's connection has to end."""
        job = job_of_body(body) if body else Job(1, 1)
        tried: list[Worker] = []
        while True:
            try:
                worker = self.router.place(job, time.monotonic(), tried)
            except TooLate as late:
                seconds = max(1, math.ceil(late.seconds))
                await say(writer, 429, f"{late}; nothing was computed", ("retry-after", str(seconds)))
                return True
            except NoWorker:
                what = "no worker answers" if not tried else f"{len(tried)} workers were tried and none answered"
                await say(writer, 503, f"{what}; GET /health says how many are up", ("retry-after", "1"))
                return True
            exchange = Exchange(self, worker, job, writer, is_last=self._is_last(worker, tried))
            try:
                return await while_there(reader, exchange.run(head, body))
            except ClientGone:
                self.router.counts["client_gone"] += 1
                return False
            except WorkerFailed as error:
                worker.failed += 1
                self.router.counts["failed"] += 1
                if exchange.has_passed:
                    await exchange.end_with_error(str(error))
                    return False
                tried.append(worker)
                self.router.counts["retried"] += 1
            finally:
                worker.end(job, time.monotonic())

    def _is_last(self, worker: Worker, tried: list[Worker]) -> bool:
        return not any(one.is_up and one is not worker and one not in tried for one in self.router.workers)


@dataclass
class Exchange:
    """One request at one worker."""

    proxy: Proxy
    worker: Worker
    job: Job
    client: asyncio.StreamWriter
    is_last: bool  # there is no other worker to try: what this one says is the answer
    has_passed: bool = False  # bytes of the answer are with the client
    is_stream: bool = False
    is_chunked: bool = False

    async def run(self, head: Head, body: bytes) -> bool:
        """True if the client's connection can carry another request. Raises WorkerFailed."""
        reader, writer = await self._connect()
        links = self.proxy.open_links.setdefault(self.worker, set())
        links.add(writer)
        try:
            writer.write(self._request(head, body))
            answer = await self._within(read_head(reader))
            if answer is None:
                raise WorkerFailed(f"worker {self.worker.name} closed the connection without an answer")
            if answer.first[1] in BUSY and not self.is_last:
                raise WorkerFailed(f"worker {self.worker.name} has no room")
            return await self._pass_on(answer, reader)
        except (OSError, BadMessage) as error:
            raise WorkerFailed(f"worker {self.worker.name} failed: {str(error) or type(error).__name__}") from None
        finally:
            links.discard(writer)
            writer.transport.abort()

    async def end_with_error(self, what: str) -> None:
        """Say in the stream that it ends here. Other answers are cut off, which a client sees by their length."""
        if self.is_stream and self.is_chunked:
            event = error_event(what)
            with suppress(OSError):
                self.client.write(b"%x\r\n%b\r\n0\r\n\r\n" % (len(event), event))
                await self.client.drain()

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        address = self.proxy.addresses[self.worker]
        try:
            async with asyncio.timeout(self.proxy.limits.connect):
                return await asyncio.open_connection(address.host, address.port, ssl=address.tls or None)
        except (OSError, TimeoutError) as error:
            self.proxy.drop(self.worker)
            why = "in time" if isinstance(error, TimeoutError) else f": {error.strerror or error}"
            raise WorkerFailed(f"worker {self.worker.name} takes no connection {why}") from None

    def _request(self, head: Head, body: bytes) -> bytes:
        address = self.proxy.addresses[self.worker]
        method, path, version = head.first
        forwarded = Head([method, address.path.encode() + path, version], head.headers)
        extra = [(b"host", f"{address.host}:{address.port}".encode()), (b"connection", b"close")]
        if body:
            extra.append((b"content-length", str(len(body)).encode()))
        without = frozenset((b"host", b"content-length", b"transfer-encoding", b"expect", b"origin"))
        return forwarded.encode(*extra, without=without) + body

    async def _pass_on(self, answer: Head, reader: asyncio.StreamReader) -> bool:
        end = BodyEnd(answer)
        self.is_stream = (answer.get(b"content-type") or b"").startswith(b"text/event-stream")
        self.is_chunked = end.is_chunked
        extra = [(b"connection", b"close")] if end.until_close else []
        head, seen = answer.encode(*extra), b""
        self.client.write(head)
        self.has_passed = True
        while not end.is_complete:
            data = await self._within(reader.read(READ))
            if not data:
                if end.until_close:
                    break
                raise WorkerFailed(f"worker {self.worker.name} ended inside its answer")
            data = end.take(data)
            if not self.job.has_started and self.is_stream:
                seen = seen[-64:] + data
                if FIRST_TEXT.search(seen):
                    self.worker.note_first_token(self.job, time.monotonic())
            self.client.write(data)
            await self._drain()
        self.worker.note_first_token(self.job, time.monotonic())
        return not end.until_close

    async def _drain(self) -> None:
        try:
            await self.client.drain()
        except OSError:
            raise ClientGone from None

    async def _within(self, work: Coroutine[Any, Any, Result]) -> Result:
        try:
            async with asyncio.timeout(self.proxy.limits.silence):
                return await work
        except TimeoutError:
            self.proxy.drop(self.worker)
            silence = self.proxy.limits.silence
            raise WorkerFailed(f"worker {self.worker.name} said nothing for {silence:g} s") from None


async def while_there(client: asyncio.StreamReader, work: Coroutine[Any, Any, Result]) -> Result:
    """What the work returns. Raises ClientGone if the client closes its connection before, and ends the work."""
    task = asyncio.create_task(work)
    try:
        while not task.done():
            await asyncio.wait((task,), timeout=GONE_SECONDS)
            if not task.done() and client.at_eof():
                raise ClientGone
        return task.result()
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def say(
    writer: asyncio.StreamWriter, status: int, what: str, header: tuple[str, str] | None = None, closes: bool = False
) -> None:
    """An error in the form that OpenAI's clients read."""
    await _write(writer, status, json.dumps(error(Refused(status, what))), "application/json", header, closes)


async def say_text(writer: asyncio.StreamWriter, status: int, text: str) -> None:
    await _write(writer, status, text, "text/plain; version=0.0.4; charset=utf-8", None, False)


async def _write(
    writer: asyncio.StreamWriter, status: int, text: str, kind: str, header: tuple[str, str] | None, closes: bool
) -> None:
    body = text.encode()
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}", f"content-type: {kind}", f"content-length: {len(body)}"]
    lines += [f"{header[0]}: {header[1]}"] if header else []
    lines += ["connection: close"] if closes else []
    writer.write(("\r\n".join(lines) + "\r\n\r\n").encode() + body)
    await writer.drain()
