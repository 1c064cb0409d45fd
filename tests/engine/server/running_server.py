"""A server in a thread of the test, with a small random model that speaks bytes."""

import socket
import threading
import time
from contextlib import contextmanager

import torch
import uvicorn

from perfproof.engine.architecture import architecture_of
from perfproof.engine.engine import Engine, Settings
from perfproof.engine.engine_thread import EngineThread
from perfproof.engine.metrics import Metrics
from perfproof.engine.server.application import Server, application
from perfproof.engine.server.settings import ServeSettings
from perfproof.engine.step_log import StepLog
from perfproof.engine.tokenizer import ByteTokenizer
from perfproof.engine.weights import random_weights
from tests.engine.tiny_models import BASE

LONGEST = 400


def tiny_model():
    model = architecture_of(
        {"model_type": "llama", **BASE, "vocab_size": 257, "max_position_embeddings": LONGEST, "eos_token_id": 256}
    )
    return model, random_weights(model, torch.float64, seed=7)


class Running:
    def __init__(self, engine: Engine, settings: ServeSettings) -> None:
        self.engine = engine
        self.thread = EngineThread(
            engine, ByteTokenizer(), Metrics("tiny", engine.settings.blocks), StepLog(None), settings.queue
        )
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        config = uvicorn.Config(
            application(Server(self.thread, settings, "tiny")), log_level="critical", lifespan="off"
        )
        self.server = uvicorn.Server(config)
        self.loop = threading.Thread(target=self.server.run, kwargs={"sockets": [self.socket]}, daemon=True)

    def start(self) -> None:
        self.thread.start()
        self.loop.start()
        self.until(lambda: self.server.started)

    def stop(self) -> None:
        self.server.should_exit = self.server.force_exit = True
        self.loop.join(20)
        self.thread.join(20)
        assert not self.thread.thread.is_alive() and not self.loop.is_alive()

    @staticmethod
    def until(happens, seconds: float = 60) -> None:
        """Wait for something that another thread does; a test that waits too long fails here."""
        end = time.monotonic() + seconds
        while not happens():
            assert time.monotonic() < end, "it did not happen"
            time.sleep(0.005)


@contextmanager
def running(engine: dict | None = None, **settings):
    with serving(Engine(*tiny_model(), engine_settings(engine)), **settings) as made:
        yield made


@contextmanager
def serving(engine: Engine, prefill=None, **settings):
    """`prefill` makes the engine of a prefill process."""
    made = Running(engine, ServeSettings(**settings))
    if prefill is not None:
        made.thread.prefill_elsewhere(prefill)
    made.start()
    try:
        yield made
    finally:
        made.stop()


def engine_settings(changed: dict | None = None) -> Settings:
    return Settings(**{"blocks": 120, "block_size": 4, "seed": 1} | (changed or {}))
