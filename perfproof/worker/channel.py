"""The private line between the run and a worker: one line of JSON a message, numbered and signed.

A pair runs in the worker's process, so it may find the socket. What it cannot do unnoticed is write on it: every line
carries its number and a keyed hash, and a line that does not fit ends the target as a lie, not as a result.
"""

import hashlib
import hmac
import json
import select
import socket
import time
from typing import Any

from perfproof.core.errors import WorkerLied, WorkerTimeout


class ChannelClosed(Exception):
    """The other end is gone."""


class Channel:
    def __init__(self, connection: socket.socket, key: bytes):
        self._connection = connection
        self._key = key
        self._buffer = b""
        self._sent = 0
        self._received = 0

    def fileno(self) -> int:
        return self._connection.fileno()

    def send(self, message: dict[str, Any]) -> None:
        body = json.dumps(message, separators=(",", ":")).encode()
        line = b"%d %s %s\n" % (self._sent, self._signature(self._sent, body), body)
        self._sent += 1
        try:
            self._connection.sendall(line)
        except OSError as error:
            raise ChannelClosed(str(error)) from None

    def receive(self, deadline: float | None = None) -> dict[str, Any]:
        """The next message; `deadline` is a reading of time.monotonic()."""
        while b"\n" not in self._buffer:
            self._wait(deadline)
            try:
                chunk = self._connection.recv(1 << 20)
            except OSError as error:
                raise ChannelClosed(str(error)) from None
            if not chunk:
                raise ChannelClosed("closed")
            self._buffer += chunk
        line, self._buffer = self._buffer.split(b"\n", 1)
        return self._open(line)

    def close(self) -> None:
        self._connection.close()

    def _wait(self, deadline: float | None) -> None:
        left = None if deadline is None else max(0.0, deadline - time.monotonic())
        if not select.select([self._connection], [], [], left)[0]:
            raise WorkerTimeout("ran out of time")

    def _open(self, line: bytes) -> dict[str, Any]:
        number, _, rest = line.partition(b" ")
        signature, _, body = rest.partition(b" ")
        expected = self._signature(self._received, body)
        if number != b"%d" % self._received or not hmac.compare_digest(signature, expected):
            raise WorkerLied("a forged message came over the worker's line: the pair writes where only the harness may")
        self._received += 1
        return json.loads(body)

    def _signature(self, number: int, body: bytes) -> bytes:
        return hashlib.blake2b(b"%d " % number + body, key=self._key, digest_size=16).hexdigest().encode()
