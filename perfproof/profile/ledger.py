"""A ledger of memory: births and releases in the order in which they happened become allocations with a length."""

from typing import NamedTuple

from perfproof.core.events import ABSENT, Events, Kind


class Held(NamedTuple):
    """What is noted at a birth. `memory` is whose it is: cpu, gpu0, ..."""

    memory: str
    start_ns: int
    bytes: int
    thread: int = ABSENT
    stream: int = ABSENT
    stack: tuple[str, ...] = ()


class Ledger:
    """Writes a row into the table for each allocation that ended; `close` writes those that live."""

    def __init__(self, events: Events) -> None:
        self.events = events
        self._living: dict[tuple[str, int], Held] = {}
        self._latest = 0

    def born(self, address: int, held: Held) -> None:
        """An address is not given twice: where one is, the release is missing."""
        self._end(held.memory, address, held.start_ns, released=True)
        self._latest = max(self._latest, held.start_ns)
        self._living[held.memory, address] = held

    def released(self, memory: str, address: int, time_ns: int) -> int:
        """How many bytes it was; none of memory that was born before the recording began."""
        self._latest = max(self._latest, time_ns)
        return self._end(memory, address, time_ns, released=True)

    def passed(self, time_ns: int) -> None:
        """The recording has come so far: what lives at its end lived until then."""
        self._latest = max(self._latest, time_ns)

    def size(self, memory: str, address: int) -> int:
        """Of what lives there now."""
        held = self._living.get((memory, address))
        return held.bytes if held else 0

    def close(self) -> None:
        for memory, address in list(self._living):
            self._end(memory, address, self._latest, released=False)

    def _end(self, memory: str, address: int, time_ns: int, released: bool) -> int:
        held = self._living.pop((memory, address), None)
        if held is None:
            return 0
        args = {"memory": memory} | ({"stack": held.stack} if held.stack else {})
        self.events.add(
            Kind.ALLOCATION,
            "allocation",
            held.start_ns,
            max(held.start_ns, time_ns),
            device=int(memory[3:]) if memory[:3] == "gpu" and memory[3:].isdecimal() else ABSENT,
            thread=held.thread,
            stream=held.stream,
            bytes=held.bytes,
            args=args if released else args | {"released": False},
        )
        return held.bytes
