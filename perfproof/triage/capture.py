"""What a program prints, up to a size: read through a pipe with a name, so that no program can fill the disk.

Of a long output the beginning and the end are kept. The rest is read too and thrown away: a program whose reader stops
would wait for ever, and one that is ended for talking too much would be an odd thing to measure. The cut falls between
lines, because half a password has no form by which it would be redacted later.
"""

import os
import select
import threading
from contextlib import suppress
from pathlib import Path

CHUNK = 1 << 16
LONGEST_LINE = 1 << 16  # in a longer one the cut falls between two words
AWAY = 2  # lines that are left out behind the cut: a value may stand on the line below its name
MOST_LEFT = 1 << 20  # what a pipe can still hold after its writers have ended; Linux allows no larger one by default


class Capture:
    """Reads `path`, a pipe that it makes, until `close`."""

    def __init__(self, path: Path, limit: int) -> None:
        self.path, self.seen = path, 0
        self._head_room, self._tail_room = limit - limit // 2, limit // 2
        self._head, self._tail = bytearray(), bytearray()
        os.mkfifo(path, 0o600)
        self._pipe = os.open(path, os.O_RDWR | os.O_NONBLOCK)  # open at both ends: it never seems to be at its end
        self._ended, self._end = os.pipe()
        self._thread = threading.Thread(target=self._read_on, daemon=True)
        self._thread.start()

    @property
    def left_out(self) -> int:
        return self.seen - len(self._head) - len(self._tail)

    def close(self) -> bytes:
        """What is kept of everything that was written, with a line where something is missing."""
        os.write(self._end, b".")
        self._thread.join()
        for descriptor in (self._pipe, self._ended, self._end):
            os.close(descriptor)
        self.path.unlink(missing_ok=True)
        if self.seen > len(self._head) + len(self._tail):
            del self._head[_end_of_whole_lines(self._head) :]
            del self._tail[: _start_of_whole_lines(self._tail)]
        gap = f"\n[{self.left_out} bytes left out]\n".encode() if self.left_out else b""
        return bytes(self._head) + gap + bytes(self._tail)

    def _read_on(self) -> None:
        while True:
            ready, _, _ = select.select([self._pipe, self._ended], [], [])
            if self._ended in ready:
                break
            self._take_chunk()
        with suppress(BlockingIOError):
            for _ in range(MOST_LEFT // CHUNK + 1):
                self._take(os.read(self._pipe, CHUNK))

    def _take_chunk(self) -> None:
        with suppress(BlockingIOError):
            self._take(os.read(self._pipe, CHUNK))

    def _take(self, data: bytes) -> None:
        self.seen += len(data)
        room = self._head_room - len(self._head)
        self._head += data[:room] if room > 0 else b""
        self._tail += data[max(room, 0) :]
        if len(self._tail) > self._tail_room:
            del self._tail[: len(self._tail) - self._tail_room]


def _end_of_whole_lines(data: bytearray) -> int:
    """Where the last whole line ends, or the last whole word of a very long line."""
    end = data.rfind(b"\n", max(0, len(data) - LONGEST_LINE)) + 1
    if end or len(data) <= LONGEST_LINE:
        return end
    return max(data.rfind(b" ", max(0, len(data) - LONGEST_LINE)), 0)


def _start_of_whole_lines(data: bytearray) -> int:
    """Where the lines begin that stand far enough behind the cut."""
    at = 0
    for _ in range(1 + AWAY):
        found = data.find(b"\n", at, at + LONGEST_LINE)
        if found < 0:
            break
        at = found + 1
    if at or len(data) <= LONGEST_LINE:
        return at or len(data)
    found = data.find(b" ", 0, LONGEST_LINE)
    return found + 1 if found >= 0 else len(data)
