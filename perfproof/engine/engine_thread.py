"""The engine in a thread of its own, and answers as streams for asyncio.

Only this thread touches the engine. Requests, cancellations and prompts from a prefill process come through a queue;
pieces of text go to the stream of their request. A stream holds at most the tokens of its answer, so a client that does
not read costs no more than that.
"""

import asyncio
import queue
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any

from perfproof.engine.engine import Engine, Progress
from perfproof.engine.handover import Prefilled
from perfproof.engine.metrics import Metrics
from perfproof.engine.prefill_process import PrefillProcess
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
        self.commands: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self.streams: dict[str, Stream] = {}  # of the event loop
        self.open: dict[str, Stream] = {}  # of this thread
        self.prefill: PrefillProcess | None = None
        self.failure: str | None = None
        self.trouble = ""  # what does not stop the engine; /health says it
        self.is_closing = False
        self.thread = threading.Thread(target=self._run, name="engine", daemon=True)

    def prefill_elsewhere(self, make: Callable[[], Engine]) -> None:
        """Prompts are computed by an engine in a process of its own."""
        self.prefill = PrefillProcess(make, lambda done: self.commands.put(("prefilled", done)))

    def start(self) -> None:
        self.thread.start()

    @property
    def is_full(self) -> bool:
        """Requests beyond those that could run at once wait; the queue has a limit."""
        return len(self.streams) >= self.engine.settings.most_running + self.longest_queue

    def open_stream(self, request: Request) -> Stream:
        """UsageError if the request can never be served. Called by the event loop."""
        self.engine.check(request)
        text = Text(self.tokenizer.detokenizer(request.prompt), request.sampling.stop)
        stream = Stream(request, text, asyncio.get_running_loop())
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
        if self.prefill is not None:
            self.prefill.close()
        self.log.close()

    def fail(self, why: str) -> None:
        """Nothing is computed any more; no client is left waiting."""
        self.failure = self.failure or why
        for stream in list(self.streams.values()):
            stream.put(Delta("", 0, "error"))

    def _run(self) -> None:
        try:
            while self._obey():
                if self.engine.is_busy:
                    self._step()
        except Exception as error:
            self.fail(f"{type(error).__name__}: {error}")
            while self._refuse_all():
                pass

    def _obey(self) -> bool:
        """Take all commands; sleep only if there is nothing to compute. False ends the thread."""
        is_waiting = not self.engine.is_busy
        while True:
            try:
                what, subject = self.commands.get(timeout=IDLE_SECONDS) if is_waiting else self.commands.get_nowait()
            except queue.Empty:
                return True
            is_waiting = False
            if what == "end":
                return False
            if what == "add":
                self._add(subject)
            elif what == "cancel":
                self._cancel(subject)
            else:
                self._adopt(subject)
            self._note_load()

    def _refuse_all(self) -> bool:
        what, subject = self.commands.get()
        if what == "add":
            subject.put(Delta("", 0, "error"))
        return what != "end"

    def _add(self, stream: Stream) -> None:
        self.open[stream.request.id] = stream
        if self.prefill is None:
            self.engine.add(stream.request)
        else:
            self.prefill.submit(stream.request)

    def _cancel(self, stream: Stream) -> None:
        self.open.pop(stream.request.id, None)
        if stream.request.finish is None:
            if self.prefill is not None:
                self.prefill.cancel(stream.request)
            self.engine.cancel(stream.request)
            self.metrics.note_end(stream.request, time.monotonic())

    def _adopt(self, prefilled: Prefilled | None) -> None:
        """Go on with a prompt that was computed, or start the prefill process again."""
        assert self.prefill is not None
        if prefilled is None:
            self.trouble = f"{self.prefill.restart()}; it was started again"
            self.metrics.counters["prefill_restarts"] = self.prefill.restarts
            print(self.trouble, file=sys.stderr)
        elif request := self.prefill.take(prefilled):
            self.trouble = ""
            request.cached = prefilled.cached
            texts = _Texts(self)
            self.engine.adopt(request, prefilled, texts.add)
            self._show(Progress(request, [prefilled.first]), texts.new.get(request.id, ""), None)

    def _step(self) -> None:
        last = {id: stream.request.last_token for id, stream in self.open.items()}
        texts = _Texts(self)
        for progress in self.engine.step(texts.add):
            self._show(progress, texts.new.get(progress.request.id, ""), last[progress.request.id])
        assert self.engine.last_step is not None
        self.metrics.note_step(self.engine.last_step)
        self.log.add(self.engine.last_step)
        self._note_load()

    def _show(self, progress: Progress, text: str, last: float | None) -> None:
        request, stream = progress.request, self.open[progress.request.id]
        assert request.last_token is not None
        if last is None:
            self.metrics.note_first(request)
        else:
            self.metrics.note_tokens(len(progress.tokens), request.last_token - last)
        if request.finish is not None:
            text += "" if stream.text.is_stopped else stream.text.end()
            del self.open[request.id]
            self.metrics.note_end(request, time.monotonic())
        stream.put(Delta(text, len(progress.tokens), request.finish))

    def _note_load(self) -> None:
        """Prompts that are computed elsewhere, and requests that came back and have no room yet, wait."""
        scheduler, away = self.engine.scheduler, len(self.prefill.pending) if self.prefill else 0
        self.metrics.running = len(scheduler.running)
        self.metrics.waiting = len(scheduler.waiting) + len(self.engine.arrived) + away
        self.metrics.used = self.engine.blocks.used


class _Texts:
    """New text by request, during one step."""

    def __init__(self, thread: EngineThread) -> None:
        self.thread = thread
        self.new: dict[str, str] = {}

    def add(self, request: Request, token: int) -> bool:
        """Has the text come to a stop string?"""
        text = self.thread.open[request.id].text
        self.new[request.id] = self.new.get(request.id, "") + text.take(request, token, self.thread.engine.model.eos)
        return text.is_stopped
