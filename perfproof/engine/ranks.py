"""One engine on several ranks: rank 0 serves and leads, each other rank is a process that does what rank 0 does.

The leader sends every request, cancellation and step to the others and does the same itself. All ranks then hold the
same requests, plan the same steps and meet in the sums of the layers (`tensor_parallel.py`). A stop string therefore
ends a request on every rank. If a rank dies, its share of the model is gone: the server answers its clients and ends,
to be started again as a whole.
"""

import os
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from typing import Any

import torch.distributed as dist
import torch.multiprocessing as processes

from perfproof.core.parent_death import end_with_parent
from perfproof.engine.engine import Engine, Progress, StopCheck
from perfproof.engine.request import Request
from perfproof.engine.text import Text
from perfproof.engine.tokenizer import Tokenizer


@dataclass
class Ranks:
    """The other ranks, as rank 0 sees them."""

    children: list[Any]
    links: list[Connection]
    died: Callable[[str], None]  # called with a sentence as soon as one of them has ended

    def tell(self, what: str, subject: Any = None) -> None:
        for link in self.links:
            link.send((what, subject))

    def watch(self) -> None:
        ended = wait([child.sentinel for child in self.children])
        rank, child = next(one for one in enumerate(self.children, 1) if one[1].sentinel in ended)
        child.join()
        self.died(f"rank {rank} of {len(self.children) + 1} ended with code {child.exitcode}")

    def close(self) -> None:
        self.died = lambda why: None
        for child in self.children:
            child.kill()
            child.join()


def start_ranks(count: int, backend: str, make: Callable[[int], tuple[Engine, Tokenizer]]) -> Ranks:
    """`make` gives the engine of a rank; it is called in that rank's process. This process becomes rank 0."""
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")  # all ranks are on this machine
    store = dist.TCPStore("127.0.0.1", 0, count, is_master=True, wait_for_workers=False)
    context = processes.get_context("spawn")
    ranks = Ranks([], [], end_at_once)
    for rank in range(1, count):
        theirs, ours = context.Pipe(duplex=False)
        place = (rank, count, store.port)
        child = context.Process(target=follow, args=(place, backend, make, theirs), daemon=True)
        child.start()
        theirs.close()
        ranks.children.append(child)
        ranks.links.append(ours)
    threading.Thread(target=ranks.watch, name="ranks", daemon=True).start()
    dist.init_process_group(backend, store=store, rank=0, world_size=count)
    return ranks


def end_at_once(why: str) -> None:
    """While the ranks start: this one may wait for the one that died, and nothing else would end that."""
    print(f"perfproof: {why} before the model was loaded", file=sys.stderr, flush=True)
    os._exit(1)


class LeadingEngine(Engine):
    """The engine of rank 0."""

    ranks: Ranks | None = None  # none while the engine is made

    def add(self, request: Request) -> None:
        super().add(request)
        assert self.ranks is not None
        seeded = replace(request.sampling, seed=request.seed)
        self.ranks.tell("add", Request(request.id, request.prompt, seeded, request.salt))

    def cancel(self, request: Request) -> None:
        assert self.ranks is not None
        self.ranks.tell("cancel", request.id)
        super().cancel(request)

    def step(self, stops: StopCheck | None = None) -> list[Progress]:
        assert self.ranks is not None
        self.ranks.tell("step")
        return super().step(stops)


def follow(place: tuple[int, int, int], backend: str, make: Callable[[int], Any], link: Connection) -> None:
    """The process of another rank, until rank 0 ends."""
    end_with_parent()
    rank, count, port = place
    store = dist.TCPStore("127.0.0.1", port, count, is_master=False)
    dist.init_process_group(backend, store=store, rank=rank, world_size=count)
    engine, tokenizer = make(rank)
    obey(engine, tokenizer, link)


def obey(engine: Engine, tokenizer: Tokenizer, link: Connection) -> None:
    requests: dict[str, tuple[Request, Text]] = {}

    def is_stopped(request: Request, token: int) -> bool:
        text = requests[request.id][1]
        text.take(request, token, engine.model.eos)
        return text.is_stopped

    while True:
        try:
            what, subject = link.recv()
        except EOFError:
            return
        if what == "add":
            requests[subject.id] = subject, Text(tokenizer.detokenizer(subject.prompt), subject.sampling.stop)
            engine.add(subject)
        elif what == "cancel" and subject in requests:
            engine.cancel(requests.pop(subject)[0])
        elif what == "step":
            engine.step(is_stopped)
            requests = {id: one for id, one in requests.items() if one[0].finish is None}
