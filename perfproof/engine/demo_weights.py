"""The weights of the demo model: trained by the first start, kept in the state folder, and read by later starts.

Training takes ten seconds on a quiet machine and more than a minute on a busy one. The name of the file has a hash of
all that the weights depend on, so a change of any of it trains anew. The file holds a SHA-256 and the numbers only.
"""

import fcntl
import hashlib
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import numpy
import torch

from perfproof.core.atomic import write_atomic
from perfproof.engine import demo, plain_decoder, weights
from perfproof.engine.architecture import Architecture
from perfproof.engine.weights import Weights, random_weights
from perfproof.machine.ceilings import state_folder

SOURCES = (demo, plain_decoder, weights)  # the code that draws and trains the weights
DIGEST = hashlib.sha256().digest_size
SAY_SECONDS = 5.0  # between two lines about the training

Say = Callable[[str], None]


def load_or_train_demo(say: Say, steps: int = demo.STEPS, seed: int = 0) -> tuple[Architecture, Weights]:
    model = demo.demo_architecture()
    try:
        path = file_of_demo(model, steps, seed)
    except (OSError, RuntimeError):  # no source file beside the compiled one, or a user without a home folder
        return model, _train(say, steps, seed)
    if (kept := read_demo(path, model)) is None:
        with _one_at_a_time(path.parent, say):
            if (kept := read_demo(path, model)) is None:
                trained = _train(say, steps, seed)
                _keep(path, trained, say)
                return model, trained
    say(f"using the demo model that an earlier start trained: {path}")
    return model, kept


def file_of_demo(model: Architecture, steps: int, seed: int) -> Path:
    parts = [demo.TEXT.read_bytes(), *(Path(str(one.__file__)).read_bytes() for one in SOURCES)]
    parts += [str(one).encode() for one in (model, steps, seed, torch.__version__)]
    named = hashlib.sha256(b"".join(hashlib.sha256(part).digest() for part in parts)).hexdigest()
    return state_folder() / "demo" / f"{named[:16]}.weights"


def read_demo(path: Path, model: Architecture) -> Weights | None:
    """None if the file is missing, cannot be read, is damaged, or belongs to another shape."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    made = random_weights(model, torch.float32)
    parts = demo.trained_parts(made)
    sizes = [part.numel() for part in parts]
    digest, stored = content[:DIGEST], content[DIGEST:]
    if hashlib.sha256(stored).digest() != digest or len(stored) != 4 * sum(sizes):
        return None
    numbers = torch.from_numpy(numpy.frombuffer(stored, "<f4").astype(numpy.float32))
    for part, own in zip(parts, numbers.split(sizes), strict=True):
        part.copy_(own.view_as(part))
    return made


def _keep(path: Path, trained: Weights, say: Say) -> None:
    numbers = torch.cat([part.flatten() for part in demo.trained_parts(trained)])
    stored = numbers.numpy().astype("<f4").tobytes()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, hashlib.sha256(stored).digest() + stored)
    except OSError as error:
        say(f"the next start trains the demo model again: {path} cannot be written ({error.strerror or error})")


@contextmanager
def _one_at_a_time(folder: Path, say: Say) -> Iterator[None]:
    """One start trains and others at the same time wait for it. If no lock can be had, each trains its own."""
    with ExitStack() as stack:
        with suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            lock = stack.enter_context((folder / "lock").open("a"))
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                say("another start is training the demo model; waiting for it")
                fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _train(say: Say, steps: int, seed: int) -> Weights:
    started = time.perf_counter()
    _, trained, loss = demo.train_demo(steps, seed, TrainingProgress(started, say))
    say(f"trained the demo model in {time.perf_counter() - started:.1f} s ({loss:.2f} nats per byte)")
    return trained


class TrainingProgress:
    """Says every few seconds how far the training is: nothing answers before it is done."""

    def __init__(self, started: float, say: Say) -> None:
        self.started = self.said = started
        self.say = say

    def __call__(self, done: int, of: int) -> None:
        now = time.perf_counter()
        if done == 1:  # the first step also loads what the others use
            self.started = now
        elif done < of and now - self.said >= SAY_SECONDS:
            left = (now - self.started) * (of - done) / (done - 1)
            self.say(f"training the demo model: step {done} of {of}, {left:.0f} s left")
            self.said = now
