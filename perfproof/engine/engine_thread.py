"""The engine in a thread of its own, and answers as streams for asyncio.

Only this thread touches the engine. Requests and cancellations come through a queue; pieces of text go to the stream of
their request. A stream holds at most the answer's own tokens, so a client that does not read costs no more than that.
"""

import asyncio
import queue
import threading
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from perfproof.engine.engine import Engine, Progress
from perfproof.engine.metrics import Metrics
from perfproof.engine.request import Request
from perfproof.engine.step_log import StepLog
from perfproof.engine.text import Text
from perfproof.engine.tokenizer import Tokenizer

IDLE_SECONDS = 0.5  # how long the thread sleeps at most before it looks again


@dataclass
class Delta:
    text: str
    tokens: int
    finish: str | None = None  # stop, length, cancelled or error


@dataclass(eq=False)
class Stream:
    request: Request
    text: Text
    loop: asyncio.AbstractEventLoop
    queue: "asyncio.Queue[Delta]" = field(default_factory=asyncio.Queue)

    def put(self, delta: Delta) -> None:
        self.loop.call_soon_threadsafe(self.queue.put_nowait, delta)

    async def deltas(self) -> AsyncIterator[Delta]:
        while True:
            delta = await self.queue.get()
            yield delta
            if delta.finish is not None:
                return


class EngineThread:
    def __init__(
        self, engine: Engine, tokenizer: Tokenizer, metrics: Metrics, log: StepLog, longest_queue: int
    ) -> None:
        self.engine, self.tokenizer, self.metrics, self.log = engine, tokenizer, metrics, log
        self.longest_queue = longest_queue
        self.commands: queue.SimpleQueue[tuple[str, Stream | None]] = queue.SimpleQueue()
        self.streams: dict[str, Stream] = {}
        self.failure: str | None = None
        self.is_closing = False
        self.thread = threading.Thread(target=self._run, name="engine", daemon=True)

    def start(self) -> None:
        self.thread.start()

    @property
    def is_full(self) -> bool:
        """Requests beyond those that could run at once wait; the queue has a limit."""
        return len(self.streams) >= self.engine.settings.most_running + self.longest_queue

    def open(self, request: Request) -> Stream:
        """UsageError if the request can never be served. Called by the event loop."""
        self.engine.check(request)
        stream = Stream(request, Text(self.tokenizer.detokenizer(), request.sampling.stop), asyncio.get_running_loop())
        self.streams[request.id] = stream
        self.commands.put(("add", stream))
        return stream

    def close_stream(self, stream: Stream) -> None:
        """The client has what it wanted, or has gone: nothing is computed for it any more."""
        if self.streams.pop(stream.request.id, None) is not None:
            self.commands.put(("cancel", stream))

    def stop(self) -> None:
        """No new requests; those that run go on until the caller cancels them."""
        self.is_closing = True

    def join(self, seconds: float) -> None:
        self.commands.put(("end", None))
        self.thread.join(seconds)
        self.log.close()

    def _run(self) -> None:
        open_streams: dict[str, Stream] = {}
        try:
            while self._obey(open_streams):
                if self.engine.is_busy:
                    self._step(open_streams)
        except Exception as error:  # an engine that fails must not leave clients waiting
            self.failure = f"{type(error).__name__}: {error}"
            for stream in open_streams.values():
                stream.put(Delta("", 0, "error"))
            while self._refuse_all():
                pass

    def _obey(self, open_streams: dict[str, Stream]) -> bool:
        """Take all commands; sleep only if there is nothing to compute. False ends the thread."""
        is_waiting = not self.engine.is_busy
        while True:
            try:
                what, stream = self.commands.get(timeout=IDLE_SECONDS) if is_waiting else self.commands.get_nowait()
            except queue.Empty:
                return True
            is_waiting = False
            if what == "end" or stream is None:
                return False
            if what == "add":
                self.engine.add(stream.request)
                open_streams[stream.request.id] = stream
            else:
                open_streams.pop(stream.request.id, None)
                if stream.request.finish is None:
                    self.engine.cancel(stream.request)
                    self.metrics.note_end(stream.request, time.monotonic())
            self._note_load()

    def _refuse_all(self) -> bool:
        what, stream = self.commands.get()
        if what == "add" and stream is not None:
            stream.put(Delta("", 0, "error"))
        return what != "end"

    def _step(self, open_streams: dict[str, Stream]) -> None:
        last = {id: stream.request.last_token for id, stream in open_streams.items()}
        texts: dict[str, str] = {}

        def add_text(request: Request, token: int) -> bool:
            stream = open_streams[request.id]
            is_end = token in self.engine.model.eos and not request.sampling.ignore_eos
            if not is_end and token not in request.sampling.stop_ids:
                texts[request.id] = texts.get(request.id, "") + stream.text.add(token)
            return stream.text.is_stopped

        for progress in self.engine.step(add_text):
            self._show(progress, open_streams, texts.get(progress.request.id, ""), last[progress.request.id])
        assert self.engine.last_step is not None
        self.metrics.note_step(self.engine.last_step)
        self.log.add(self.engine.last_step)

    def _show(self, progress: Progress, streams: dict[str, Stream], text: str, last: float | None) -> None:
        request, stream = progress.request, streams[progress.request.id]
        assert request.last_token is not None
        if last is None:
            self.metrics.note_first(request)
        else:
            self.metrics.note_tokens(len(progress.tokens), request.last_token - last)
        if request.finish is not None:
            text += "" if stream.text.is_stopped else stream.text.end()
            del streams[request.id]
            self.metrics.note_end(request, time.monotonic())
        stream.put(Delta(text, len(progress.tokens), request.finish))

    def _note_load(self) -> None:
        scheduler = self.engine.scheduler
        self.metrics.running, self.metrics.waiting = len(scheduler.running), len(scheduler.waiting)
        self.metrics.used = self.engine.blocks.used
