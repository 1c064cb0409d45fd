"""Serve a model on a socket that `perfproof serve` has opened."""

import gc
import os
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path
from types import FrameType

import uvicorn

from perfproof.core.errors import PerfproofError
from perfproof.engine.engine_thread import EngineThread
from perfproof.engine.metrics import Metrics
from perfproof.engine.server.application import Server, application
from perfproof.engine.server.settings import VARIABLE, from_text
from perfproof.engine.serving import make_engine
from perfproof.engine.step_log import StepLog

JOIN_SECONDS = 10


def main() -> int:
    settings = from_text(os.environ.pop(VARIABLE))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))  # until the server is up
    try:
        made = make_engine(settings)
        log = StepLog(Path(settings.step_log) if settings.step_log else None)
    except PerfproofError as error:
        print(f"perfproof: {' '.join(str(error).split())}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        return 130
    engine, name = made.engine, made.name
    thread = EngineThread(engine, made.tokenizer, Metrics(name, engine.settings.blocks), log, settings.queue)
    if made.prefill is not None:
        thread.prefill_elsewhere(made.prefill)
    if made.ranks is not None:
        made.ranks.died = thread.fail
    config = uvicorn.Config(
        application(Server(thread, settings, name)),
        log_level="critical",
        access_log=False,
        server_header=False,
        lifespan="off",
        timeout_graceful_shutdown=max(1, round(settings.drain_seconds)),
    )
    gc.collect()
    gc.freeze()  # to look at all that torch has made stops answers for a tenth of a second
    thread.start()
    with socket.socket(fileno=settings.descriptor) as listening:
        cache = f"{engine.settings.blocks} blocks of {engine.settings.block_size} tokens"
        print(
            f"ready: {name} on port {listening.getsockname()[1]}, {cache}; Ctrl-C stops it", file=sys.stderr, flush=True
        )
        server = _Stopping(config, thread, settings.ends_on_failure)
        server.run(sockets=[listening])
    if thread.failure is not None:
        print(f"perfproof: the engine has failed: {thread.failure}", file=sys.stderr, flush=True)
        os._exit(1)  # its thread may wait for a rank that has gone
    thread.join(JOIN_SECONDS)
    if made.ranks is not None:
        made.ranks.close()
    return 0 if server.started else 1


class _Stopping(uvicorn.Server):
    """Answers under way are finished within the drain time; new requests get 503 from the first signal on."""

    def __init__(self, config: uvicorn.Config, thread: EngineThread, ends_on_failure: bool) -> None:
        super().__init__(config)
        self.thread, self.ends_on_failure = thread, ends_on_failure

    async def on_tick(self, counter: int) -> bool:
        """Called ten times per second: True ends the server, after the answers under way."""
        return await super().on_tick(counter) or (self.ends_on_failure and self.thread.failure is not None)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.thread.stop()
        super().handle_exit(sig, frame)

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        with suppress(KeyboardInterrupt, SystemExit):  # uvicorn raises the signal again when all is done
            super().run(sockets)


if __name__ == "__main__":
    sys.exit(main())
