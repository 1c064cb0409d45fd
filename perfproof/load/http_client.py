"""Send requests to one server over kept HTTP/1.1 connections: asyncio's protocols, no streams, no library.

An idle connection is used if there is one; else a new one is opened, and the time for that is part of the latency, as
it is for a user. If the server closed a kept connection just as it was used, the request is sent once more.
"""

import asyncio
import os
import select
import ssl
import time
from collections import deque
from dataclasses import dataclass
from urllib.parse import urlsplit

from perfproof.core.errors import UsageError
from perfproof.load.plain_sockets import PlainSockets
from perfproof.load.record import Record
from perfproof.load.reply import BrokenReply, Reply
from perfproof.load.tokens import Stream, read_body, tokens_per_event

GAVE_UP = ("abort", "error")  # finish reasons of answers that were not made to their end
LONGEST_ERROR = 200  # characters of what a server says


@dataclass(frozen=True)
class Address:
    host: str
    port: int
    path: str  # before /v1/...
    tls: bool

    @property
    def text(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.tls else 'http'}://{host}:{self.port}{self.path}"


def parse_address(text: str) -> Address:
    """host:8000, http://host:8000 or http://host/prefix/v1: the /v1 at the end is understood."""
    try:
        parts = urlsplit(text if "://" in text else f"http://{text}")
        port = parts.port
    except ValueError:
        raise UsageError(f"{text!r} is no address of a server: write host:8000 or http://host:8000") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(f"{text!r} is no address of a server: write host:8000 or http://host:8000")
    if parts.username or parts.password:
        raise UsageError("a password in an address is written into reports: use --api-key-env NAME")
    if parts.query:
        raise UsageError(
            f"the query ?{parts.query[:80]} is not sent: write an address without one (Azure: .../openai/v1)"
        )
    path = parts.path.rstrip("/").removesuffix("/chat/completions").removesuffix("/completions").removesuffix("/v1")
    tls = parts.scheme == "https"
    return Address(parts.hostname, port or (443 if tls else 80), path, tls)


def request_bytes(address: Address, path: str, body: bytes | None, key: str | None = None) -> bytes:
    default = address.port == (443 if address.tls else 80)
    host = f"[{address.host}]" if ":" in address.host else address.host
    lines = [
        f"{'GET' if body is None else 'POST'} {address.path}{path} HTTP/1.1",
        f"Host: {host}{'' if default else f':{address.port}'}",
        "Accept: text/event-stream, application/json",
        "Accept-Encoding: identity",
        "User-Agent: perfproof",
    ]
    if key:
        lines.append(f"Authorization: Bearer {key}")
    if body is not None:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + (body or b"")


def words_of(error: OSError) -> str:
    """Why there is no connection. asyncio writes the address into strerror; a failed lookup has no errno of its own."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"its certificate is not trusted ({error.verify_message}); SSL_CERT_FILE can name one that is"
    if isinstance(error, ssl.SSLError):
        return f"TLS failed ({error.strerror or error}); is it http://?"
    known = (error.errno or 0) > 0
    return (os.strerror(error.errno or 0) if known else error.strerror or str(error)).lower()


class Connection(asyncio.Protocol):
    def __init__(self, client: "HttpClient"):
        self.client = client
        self.transport: asyncio.Transport | None = None
        self.reply: Reply | None = None
        self.waiter: asyncio.Future[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport  # type: ignore[assignment]

    def data_received(self, data: bytes) -> None:
        reply = self.reply
        if reply is None:  # nothing was asked: not a connection to trust
            self.close()
            return
        try:
            if reply.take(time.monotonic(), data):
                self.finish(None)
        except BrokenReply as error:
            self.finish(error)
            self.close()

    def connection_lost(self, error: Exception | None) -> None:
        self.client.forget(self)
        if self.reply is None:
            return
        try:
            self.reply.end(time.monotonic())
            self.finish(None)
        except BrokenReply as broken:
            self.finish(BrokenReply(f"connection reset: {broken}") if error else broken)

    def finish(self, error: Exception | None) -> None:
        waiter, self.reply, self.waiter = self.waiter, None, None
        if waiter is not None and not waiter.done():
            waiter.set_result(None) if error is None else waiter.set_exception(error)

    def close(self) -> None:
        if self.transport is not None:
            self.transport.abort()


class HttpClient:
    """`send` carries one request and fills in its record; `ask` is for the few requests around the test."""

    def __init__(self, address: Address, start: float = 0.0):
        self.address = address
        self.start = start  # of the test: times in records count from here
        self.idle: deque[Connection] = deque()
        self.all: set[Connection] = set()
        self.sockets: PlainSockets | None = None
        self.tls = ssl.create_default_context() if address.tls else None

    async def send(self, request: bytes, record: Record, keep_text: bool = False) -> str:
        """The text of the answer if it is kept. Errors are written into the record; only a cancellation is raised."""
        reply = Reply(keep_text)
        record.sent = time.monotonic() - self.start  # before a connection is opened: that is the server's time
        try:
            await self._exchange(request, reply, record)
        except BrokenReply as error:
            record.error = str(error)
        except OSError as error:
            record.error = f"connection: {words_of(error)}"
        except asyncio.CancelledError:
            self._fill(record, reply, keep_text)
            raise
        stream = self._fill(record, reply, keep_text)
        record.end = time.monotonic() - self.start
        judge(record, stream)
        return stream.text

    async def ask(self, path: str, body: bytes | None = None, key: str | None = None, timeout: float = 10.0) -> Reply:
        """One request outside of the test; raises OSError, TimeoutError or BrokenReply."""
        reply, record = Reply(), Record(0, 0.0)
        async with asyncio.timeout(timeout):
            await self._exchange(request_bytes(self.address, path, body, key), reply, record)
        return reply

    async def _exchange(self, request: bytes, reply: Reply, record: Record) -> None:
        kept = self._idle_connection()
        if kept is not None:
            try:
                await self._on(kept, request, reply, record)
                return
            except BrokenReply:
                if reply.first_byte is not None:
                    raise
                record.resent = True
        record.new_connection = True
        await self._on(await self._open(), request, reply, record)

    async def _on(self, connection: Connection, request: bytes, reply: Reply, record: Record) -> None:
        waiter = asyncio.get_running_loop().create_future()
        connection.reply, connection.waiter = reply, waiter
        assert connection.transport is not None
        connection.transport.write(request)
        try:
            await waiter
        except asyncio.CancelledError:
            connection.reply = connection.waiter = None
            connection.close()
            raise
        if reply.reusable and not connection.transport.is_closing():
            self.idle.append(connection)
        else:
            connection.close()

    def _idle_connection(self) -> Connection | None:
        while self.idle:
            found = self.idle.pop()
            if found.transport is not None and not found.transport.is_closing():
                return found
        return None

    async def _open(self) -> Connection:
        connection, address = Connection(self), self.address
        if self.tls is None and hasattr(select, "epoll"):
            self.sockets = self.sockets or PlainSockets(address.host, address.port)
            await self.sockets.connect(connection)
        else:
            loop = asyncio.get_running_loop()
            await loop.create_connection(lambda: connection, address.host, address.port, ssl=self.tls)
        self.all.add(connection)
        return connection

    def forget(self, connection: Connection) -> None:
        self.all.discard(connection)

    def close(self) -> None:
        for connection in list(self.all):
            connection.reply = None
            connection.close()
        if self.sockets is not None:
            self.sockets.close()
            self.sockets = None

    def _fill(self, record: Record, reply: Reply, keep_text: bool) -> Stream:
        record.status = reply.status
        if reply.first_byte is not None:
            record.first_byte = reply.first_byte - self.start
        if reply.streaming:
            stream = reply.events.end()
        elif reply.status == 200 and reply.complete:
            stream = read_body(reply.last_byte, reply.body, keep_text)
        else:
            stream = Stream(error=said_by(reply) if reply.status else "")
        fill_tokens(record, stream, self.start)
        return stream


def fill_tokens(record: Record, stream: Stream, start: float) -> None:
    record.tokens, record.tokens_by = tokens_per_event(stream)
    record.times = [time - start for time in stream.times]
    record.prompt_tokens, record.cached_tokens = stream.prompt_tokens, stream.cached_tokens
    record.output_tokens, record.finish, record.garbage = stream.output_tokens, stream.finish, stream.garbage
    if record.times:
        record.first_token, record.last_token = record.times[0], record.times[-1]
        record.first_answer = None if stream.first_answer is None else stream.first_answer - start


def judge(record: Record, stream: Stream) -> None:
    """Decide whether a request that has ended was answered."""
    if record.error:
        record.outcome = "error"
    elif record.status != 200:
        record.outcome, record.error = "error", f"status {record.status}{f': {stream.error}' if stream.error else ''}"
    elif stream.error:
        record.outcome, record.error = "error", f"in the stream: {stream.error}"
    elif not record.times:
        what = "no JSON in it" if record.garbage else "no token in it"
        record.outcome, record.error = "error", f"a response with {what}"
    elif not (stream.done or stream.finish):
        record.outcome, record.error = "error", "the stream ended without a finish"
    elif stream.finish in GAVE_UP:
        record.outcome, record.error = "error", f"the server ended the answer with {stream.finish!r}"
    else:
        record.outcome = "ok"


def said_by(reply: Reply) -> str:
    """What a server says about an error: where it points to, the message in its JSON, or the beginning of its text."""
    if 300 <= reply.status < 400 and b"location" in reply.headers:
        where = reply.headers[b"location"][:LONGEST_ERROR].decode(errors="replace")
        return f"it points to {where}; test that address"
    stream = read_body(0.0, reply.body)
    return stream.error or " ".join(reply.body[:LONGEST_ERROR].decode(errors="replace").split())
