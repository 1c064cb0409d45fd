"""A process that only prefills: prompts go in, first tokens and their keys and values come out.

The decode engine stays in the caller's process and takes requests over with `Engine.adopt`. Its steps then hold no
prompt, so a long prompt delays no other request. Keys and values travel through shared memory; those of a GPU are
copied to the host first.
"""

import queue
import traceback
from collections.abc import Callable
from typing import Any

import torch
import torch.multiprocessing as processes

from perfproof.core.errors import WorkerCrashed
from perfproof.engine.engine import Engine
from perfproof.engine.handover import Prefilled, taken
from perfproof.engine.request import Request

POLL_SECONDS = 0.2


class PrefillProcess:
    def __init__(self, make: Callable[[], Engine]) -> None:
        """`make` is called in the new process, so it must be importable there."""
        context = processes.get_context("spawn")
        self.asked: Any = context.Queue()
        self.done: Any = context.Queue()
        self.process = context.Process(target=prefill_forever, args=(make, self.asked, self.done), daemon=True)
        self.process.start()

    def submit(self, request: Request) -> None:
        self.asked.put(request)

    def collect(self, wait: bool = False) -> list[Prefilled]:
        """What is ready now; with `wait`, at least one. WorkerCrashed if the process has ended."""
        found: list[Prefilled] = []
        while True:
            try:
                ready = self.done.get(timeout=POLL_SECONDS) if wait and not found else self.done.get_nowait()
            except queue.Empty:
                if found or (not wait and self.process.is_alive()):
                    return found
                if not self.process.is_alive():
                    raise WorkerCrashed(
                        f"the prefill process ended with code {self.process.exitcode}; "
                        "its requests are lost: start it again and submit them"
                    ) from None
                continue
            if isinstance(ready, str):
                raise WorkerCrashed(f"the prefill process failed: {ready}")
            found.append(ready)

    def close(self) -> None:
        if self.process.is_alive():
            self.asked.put(None)
            self.process.join(10)
        if self.process.is_alive():
            self.process.terminate()
            self.process.join()


def prefill_forever(make: Callable[[], Engine], asked: Any, done: Any) -> None:
    try:
        engine = make()
        torch.set_num_threads(1)
        while _take_requests(engine, asked):
            prefill_step(engine, done.put)
    except Exception as error:  # the decode process must learn why nothing comes
        done.put(" ".join(traceback.format_exception_only(error)).strip())


def _take_requests(engine: Engine, asked: Any) -> bool:
    while True:
        try:
            request = asked.get_nowait() if engine.is_busy else asked.get()
        except queue.Empty:
            return True
        if request is None:
            return False
        engine.add(request)


def prefill_step(engine: Engine, send: Callable[[Prefilled], None]) -> None:
    """One step of an engine that ends each request after its first token, and sends its keys and values away."""

    def hand_over(request: Request, token: int) -> bool:
        prompt = taken(engine.runner.cache, request.blocks, len(request.prompt)).cpu()
        send(Prefilled(request.id, token, request.seed, prompt))
        return True

    for progress in engine.step(hand_over):
        if progress.tokens[0] in _ends(engine, progress.request):
            send(Prefilled(progress.request.id, progress.tokens[0], progress.request.seed, None))


def _ends(engine: Engine, request: Request) -> tuple[int, ...]:
    """Tokens at which the answer ends, known without a look at its text."""
    return (*(() if request.sampling.ignore_eos else engine.model.eos), *request.sampling.stop_ids)
