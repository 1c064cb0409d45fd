"""TCP over the loopback address: what two processes of this machine can exchange through sockets, and how soon."""

import contextlib
import os
import socket
import time
from collections.abc import Callable, Iterator

from perfproof.core.ceilings import Ceiling
from perfproof.core.units import MiB
from perfproof.peak.found import Found, attempt, duration, rate
from perfproof.peak.plan import Plan
from perfproof.peak.timing import calls_for

devices = ("cpu",)
measures = ("loopback/throughput", "loopback/round-trip")
timeout = 60

BLOCK = MiB
WAIT_SECONDS = 20.0


def probe(plan: Plan) -> Iterator[Found]:
    if plan.wants("loopback/throughput"):
        yield from attempt("loopback/throughput", _throughput, plan)
    if plan.wants("loopback/round-trip"):
        yield from attempt("loopback/round-trip", _round_trip, plan)


def _throughput(plan: Plan) -> Ceiling:
    payload = os.urandom(BLOCK)
    with connected(_swallow) as line:

        def batch(blocks: int) -> None:
            """Send, then wait for the one byte that says all of it has been read."""
            line.sendall(blocks.to_bytes(8, "big"))
            for _ in range(blocks):
                line.sendall(payload)
            line.recv(1)

        blocks = calls_for(lambda: batch(8), plan.sample_seconds) * 8
        seconds = []
        for _ in range(plan.repeats):
            start = time.perf_counter()
            batch(blocks)
            seconds.append(time.perf_counter() - start)
    counted = "bytes of the payload, sent once and read once, one connection"
    return rate("loopback/throughput", blocks * BLOCK, seconds, "bytes/s", counted, {"bytes": blocks * BLOCK})


def _round_trip(plan: Plan) -> Ceiling:
    with connected(_echo) as line:

        def ping() -> None:
            line.send(b"p")
            line.recv(1)

        trips = calls_for(ping, plan.sample_seconds)
        seconds = []
        for _ in range(plan.repeats):
            start = time.perf_counter()
            for _ in range(trips):
                ping()
            seconds.append((time.perf_counter() - start) / trips)
    counted = "one byte there and back between two processes, Nagle's algorithm off"
    return duration("loopback/round-trip", seconds, counted, {"bytes": 1, "trips": trips})


@contextlib.contextmanager
def connected(serve: Callable[[socket.socket], None]) -> Iterator[socket.socket]:
    """A connection to a forked process that serves it and ends with it."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        child = os.fork()
        if child == 0:
            with contextlib.suppress(BaseException):
                line = socket.create_connection(listener.getsockname(), WAIT_SECONDS)
                _configure(line)
                serve(line)
            os._exit(0)
        listener.settimeout(WAIT_SECONDS)
        try:
            line, _ = listener.accept()
            _configure(line)
            with line:
                yield line
        finally:
            os.waitpid(child, 0)


def _configure(line: socket.socket) -> None:
    line.settimeout(WAIT_SECONDS)
    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def _echo(line: socket.socket) -> None:
    while got := line.recv(1):
        line.send(got)


def _swallow(line: socket.socket) -> None:
    buffer = bytearray(BLOCK)
    while header := line.recv(8, socket.MSG_WAITALL):
        left = int.from_bytes(header, "big") * BLOCK
        while left:
            got = line.recv_into(buffer, min(left, BLOCK))
            if not got:
                return
            left -= got
        line.send(b"d")
