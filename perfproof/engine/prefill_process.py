"""A process that only prefills: prompts go in, first tokens and their keys and values come out.

The decode engine stays in the caller's process and takes requests over with `Engine.adopt`. Its steps then hold no
prompt, so a long prompt delays no other request. Keys and values travel through shared memory; those of a GPU are
copied to the host first. If the process dies, it is started again, and requests whose prompts it had are sent again:
nothing of their answers was shown so far.
"""

import queue
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import torch
import torch.multiprocessing as processes

from perfproof.core.errors import WorkerCrashed
from perfproof.core.parent_death import end_with_parent
from perfproof.engine.engine import Engine
from perfproof.engine.handover import Prefilled, taken
from perfproof.engine.request import Request

MOST_FAILURES = 3  # in a row, without a prompt between them
Ready = Callable[[Prefilled | None], None]


class PrefillProcess:
    def __init__(self, make: Callable[[], Engine], ready: Ready) -> None:
        """`make` is called in the new process. `ready` is called in a thread; None says that the process has ended."""
        self.make, self.ready = make, ready
        self.pending: dict[str, Request] = {}
        self.restarts = self.failures = 0
        self.reason = ""
        self._start()

    @property
    def is_alive(self) -> bool:
        return self.process.is_alive()

    def submit(self, request: Request) -> None:
        self.pending[request.id] = request
        self._send(request)

    def cancel(self, request: Request) -> None:
        if self.pending.pop(request.id, None) is not None:
            self.asked.put(request.id)

    def take(self, prefilled: Prefilled) -> Request | None:
        """The request that this belongs to; None if it was cancelled."""
        self.failures = 0
        return self.pending.pop(prefilled.id, None)

    def restart(self) -> str:
        """After its end; says why it ended. WorkerCrashed if it has failed too often."""
        self.process.join()
        why = f"the prefill process ended with code {self.process.exitcode}{self.reason}"
        self.failures += 1
        if self.failures > MOST_FAILURES:
            raise WorkerCrashed(f"{why}, {self.failures} times without a prompt between them")
        self.restarts += 1
        self.asked.cancel_join_thread()
        self._start()
        for request in self.pending.values():
            self._send(request)
        return why

    def close(self) -> None:
        self.ready = lambda _: None
        self.asked.cancel_join_thread()
        self.process.kill()
        self.process.join()

    def _send(self, request: Request) -> None:
        """A copy: it is sent a little later, and this process may cancel its own until then."""
        self.asked.put(Request(request.id, request.prompt, request.sampling, request.salt))

    def _start(self) -> None:
        context = processes.get_context("spawn")
        self.asked: Any = context.Queue()
        done, theirs = context.Pipe(duplex=False)
        arguments = (self.make, self.asked, theirs)
        self.process = context.Process(target=prefill_forever, args=arguments, daemon=True)
        self.process.start()
        theirs.close()  # the pipe then ends with the process
        self.reason = ""
        threading.Thread(target=self._read, args=(done,), name="prefilled", daemon=True).start()

    def _read(self, done: Any) -> None:
        try:
            while True:
                message = done.recv()
                if isinstance(message, str):
                    self.reason = f" ({message})"
                else:
                    self.ready(message)
        except Exception:  # its end, or a message that was cut off by it
            self.process.join()
            self.ready(None)


def prefill_forever(make: Callable[[], Engine], asked: Any, done: Any) -> None:
    end_with_parent()
    try:
        engine = make()
        torch.set_num_threads(1)
        while _take_requests(engine, asked):
            prefill_step(engine, done.send)
    except Exception as error:  # the decode process must learn why nothing comes
        with suppress(OSError):  # unless that is dead itself
            done.send(" ".join(traceback.format_exception_only(error)).strip())


def _take_requests(engine: Engine, asked: Any) -> bool:
    """Requests, and the ids of those that were cancelled; None is the end."""
    while True:
        try:
            request = asked.get_nowait() if engine.is_busy else asked.get()
        except queue.Empty:
            return True
        if request is None:
            return False
        if isinstance(request, Request):
            engine.add(request)
        for known in [*engine.scheduler.running, *engine.scheduler.waiting]:
            if known.id == request:
                engine.cancel(known)


def prefill_step(engine: Engine, send: Callable[[Prefilled], None]) -> None:
    """One step of an engine that ends each request after its first token, and sends its keys and values away."""

    def hand_over(request: Request, token: int) -> bool:
        prompt = taken(engine.runner.cache, request.blocks, len(request.prompt)).cpu()
        send(Prefilled(request.id, token, request.seed, prompt, request.cached))
        return True

    for progress in engine.step(hand_over):
        request, token = progress.request, progress.tokens[0]
        if token in _ends(engine, request):
            send(Prefilled(request.id, token, request.seed, None, request.cached))


def _ends(engine: Engine, request: Request) -> tuple[int, ...]:
    """Tokens at which the answer ends, known without a look at its text."""
    return (*(() if request.sampling.ignore_eos else engine.model.eos), *request.sampling.stop_ids)
