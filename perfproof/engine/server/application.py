"""The routes, and what stands before them: the key, the limits, the queue.

POST /v1/completions, /v1/chat/completions    answers, whole or as a stream of events
GET  /v1/models                               the one model that is served
GET  /health                                  200 if the engine runs, 503 if it has failed or is stopping
GET  /metrics                                 counters for Prometheus
"""

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, TypeVar

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from perfproof.core.admission import refusal
from perfproof.core.errors import PerfproofError, UsageError
from perfproof.engine.engine_thread import EngineThread, Stream
from perfproof.engine.metrics import CONTENT_TYPE
from perfproof.engine.server import answers, asked
from perfproof.engine.server.asked import Asked, Refused
from perfproof.engine.server.settings import ServeSettings
from perfproof.machine.gpus import read_gpus
from perfproof.machine.preflight import HELD_BACK

MOST_RETRY_SECONDS = 60
DISCARD_SECONDS = 5.0  # for a body that was refused
Result = TypeVar("Result")


class Server:
    """What all routes share."""

    def __init__(self, thread: EngineThread, settings: ServeSettings, model: str) -> None:
        self.thread, self.settings, self.model = thread, settings, model
        self.started = int(time.time())

    async def complete(self, request: Request) -> Response:
        fields = await self._fields(request)
        return await self._answer(request, asked.completion(fields, self.thread.tokenizer), is_chat=False)

    async def chat(self, request: Request) -> Response:
        fields = await self._fields(request)
        longest = self.thread.engine.longest
        return await self._answer(request, asked.chat(fields, self.thread.tokenizer, longest), is_chat=True)

    async def models(self, request: Request) -> Response:
        self._admit(request)
        return JSONResponse({"object": "list", "data": [self._entry()]})

    async def one_model(self, request: Request) -> Response:
        self._admit(request)
        asked.check_model(request.path_params["name"], self.model)
        return JSONResponse(self._entry())

    def _entry(self) -> dict[str, Any]:
        return {
            "id": self.model,
            "object": "model",
            "created": self.started,
            "owned_by": "perfproof",
            "max_model_len": self.thread.engine.longest,
        }

    def _held_back(self) -> dict[int, bool]:
        """By GPU: is it slowed by heat or by its hardware? Empty if the engine runs on a CPU."""
        if self.thread.engine.runner.device.type != "cuda":
            return {}
        reasons = {gpu.index: gpu.details["event_reasons"] for gpu in read_gpus().found}
        return {number: bool(HELD_BACK & set(why)) for number, why in reasons.items() if isinstance(why, list)}

    async def metrics(self, request: Request) -> Response:
        self._admit(request)
        text = self.thread.metrics.text(await asyncio.to_thread(self._held_back))
        return Response(text, headers={"content-type": CONTENT_TYPE})

    async def health(self, request: Request) -> Response:
        if self.thread.failure is not None:
            return PlainTextResponse(f"the engine has failed: {self.thread.failure}\n", 503)
        if self.thread.is_closing:
            return PlainTextResponse("stopping\n", 503)
        return PlainTextResponse(f"ok; {self.thread.trouble}\n" if self.thread.trouble else "ok\n")

    async def _fields(self, request: Request) -> dict[str, Any]:
        self._admit(request)
        return asked.read_body(await self._body(request), self.model)

    def _admit(self, request: Request) -> None:
        given = request.headers
        found = refusal(
            self.settings.key, given.get("authorization", ""), given.get("host", ""), given.get("origin"), "server"
        )
        if found is not None:
            raise Refused(*found)

    async def _body(self, request: Request) -> bytes:
        """At most `most_body` bytes, within `body_seconds`."""
        too_large = Refused(413, f"the body is larger than {self.settings.most_body:,} bytes")
        length = request.headers.get("content-length", "0")
        if length.isdigit() and int(length) > self.settings.most_body:
            raise too_large
        body = bytearray()
        try:
            async with asyncio.timeout(self.settings.body_seconds):
                async for part in request.stream():
                    body += part
                    if len(body) > self.settings.most_body:
                        raise too_large
        except TimeoutError:
            raise Refused(408, f"the body did not arrive within {self.settings.body_seconds:g} s") from None
        return bytes(body)

    async def _answer(self, request: Request, wanted: Asked, is_chat: bool) -> Response:
        stream = self._open(wanted)
        answer = answers.Answer(wanted.request, self.model, is_chat, wanted.with_usage)
        if wanted.is_stream:
            return EventStream(self, stream, answer, wanted)
        return await self._whole(request, stream, answer)

    def _open(self, wanted: Asked) -> Stream:
        if self.thread.is_closing:
            raise Refused(503, "the server is stopping; send the request to another one")
        if self.thread.failure is not None:
            raise Refused(503, f"the engine has failed ({self.thread.failure}); restart the server")
        self._check(wanted)
        if self.thread.is_full:
            raise Refused(429, f"{len(self.thread.streams)} requests are running or waiting; try again later")
        return self.thread.open_stream(wanted.request)

    def _check(self, wanted: Asked) -> None:
        try:
            self.thread.engine.check(wanted.request)
        except UsageError as problem:
            tokens = len(wanted.request.prompt) + wanted.request.sampling.max_tokens
            is_too_long = tokens > self.thread.engine.longest
            code = "context_length_exceeded" if is_too_long else None
            raise Refused(400, str(problem), wanted.field, code) from None

    async def _whole(self, request: Request, stream: Stream, answer: answers.Answer) -> Response:
        """The whole text; if the client goes away, nothing more is computed."""

        async def collect() -> Response:
            text, finish = "", None
            async for delta in stream.deltas():
                text, finish = text + delta.text, delta.finish
                answer.tokens += delta.tokens
            if finish not in ("stop", "length"):
                raise Refused(500, f"the engine has failed ({self.thread.failure}); restart the server")
            return JSONResponse(answer.whole(text, finish))

        try:
            found = await until_gone(collect, request.receive)
            return found if found is not None else Response(status_code=499)
        finally:
            self.thread.close_stream(stream)

    def retry_after(self) -> int:
        """Seconds until a place should be free: what an answer took so far, by the share of places in the queue."""
        seen = self.thread.metrics.whole
        count = sum(seen.counts)
        typical = seen.total / count if count else 1.0
        waves = max(1.0, len(self.thread.streams) / self.thread.engine.settings.most_running)
        return min(MOST_RETRY_SECONDS, max(1, round(typical * waves)))


class EventStream(Response):
    """Events as they come. A client that reads nothing for `write_seconds`, or goes away, is dropped."""

    def __init__(self, server: Server, stream: Stream, answer: answers.Answer, wanted: Asked) -> None:
        self.server, self.stream, self.answer, self.wanted = server, stream, answer, wanted
        self.status_code, self.background = 200, None
        self.init_headers({"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache"})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def write() -> bool:
            await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
            await self._events(send)
            await send({"type": "http.response.body", "body": b"", "more_body": False})
            return True

        try:
            await until_gone(write, receive)
        except TimeoutError:
            seconds = self.server.settings.write_seconds
            print(f"{self.stream.request.id}: the client read nothing for {seconds:g} s; dropped", file=sys.stderr)
        finally:
            self.server.thread.close_stream(self.stream)

    async def _events(self, send: Send) -> None:
        async def event(body: bytes | None) -> None:
            if body is not None:
                async with asyncio.timeout(self.server.settings.write_seconds):
                    await send({"type": "http.response.body", "body": body, "more_body": True})

        await event(self.answer.first())
        async for delta in self.stream.deltas():
            self.answer.tokens += delta.tokens
            if delta.finish == "error":
                await event(answers.error_event(f"the engine has failed: {self.server.thread.failure}"))
            elif delta.text or delta.finish or self.wanted.usage_everywhere:
                await event(self.answer.piece(delta.text, delta.finish, self.wanted.usage_everywhere))
        if self.wanted.with_usage and delta.finish != "error":
            await event(self.answer.last())
        await event(answers.END)


async def until_gone(work: Callable[[], Awaitable[Result]], receive: Receive) -> Result | None:
    """What the work gives, or None if the client goes away before."""

    async def gone() -> None:
        with suppress(ClientDisconnect):
            while (await receive())["type"] != "http.disconnect":
                pass

    working, watching = asyncio.ensure_future(work()), asyncio.ensure_future(gone())
    try:
        await asyncio.wait((working, watching), return_when=asyncio.FIRST_COMPLETED)
        return working.result() if working.done() else None
    finally:
        for task in (working, watching):
            task.cancel()
        await asyncio.gather(working, watching, return_exceptions=True)


class UnreadAnswer(JSONResponse):
    """An answer to a body that is not read. The rest is discarded for some seconds before the connection is closed.

    Closing with unread bytes resets the connection, and a client that is still writing then never sees the answer.
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        await send({"type": "http.response.body", "body": self.body, "more_body": True})
        with suppress(TimeoutError):
            async with asyncio.timeout(DISCARD_SECONDS):
                while (await receive()).get("more_body"):
                    pass
        await send({"type": "http.response.body", "body": b""})


def application(server: Server) -> Starlette:
    def refuse(request: Request, problem: Any) -> Response:
        server.thread.metrics.note_refusal(problem.status)
        headers = {"retry-after": str(server.retry_after())} if problem.status == 429 else {}
        if problem.status in (408, 413):
            headers["connection"] = "close"
            return UnreadAnswer(answers.error(problem), problem.status, headers)
        return JSONResponse(answers.error(problem), problem.status, headers)

    def refuse_usage(request: Request, problem: Any) -> Response:
        return refuse(request, Refused(400, str(problem)))

    def failed(request: Request, problem: Any) -> Response:
        detail = {404: "there is no such address here", 405: "this address has another method"}
        return refuse(request, Refused(problem.status_code, detail.get(problem.status_code, str(problem.detail))))

    routes = [
        Route("/v1/completions", server.complete, methods=["POST"]),
        Route("/v1/chat/completions", server.chat, methods=["POST"]),
        Route("/v1/models", server.models),
        Route("/v1/models/{name:path}", server.one_model),
        Route("/metrics", server.metrics),
        Route("/health", server.health),
    ]
    return Starlette(
        routes=routes, exception_handlers={Refused: refuse, PerfproofError: refuse_usage, HTTPException: failed}
    )
