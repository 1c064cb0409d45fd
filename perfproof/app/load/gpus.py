"""The GPUs of this host beside a load test of a server on it: what held them back, and the energy they used."""

import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from perfproof.core.load import Energy
from perfproof.load.record import Record
from perfproof.machine.energy import GpuEnergy
from perfproof.machine.gpus import read_gpus

HZ = 5
LEAST_SECONDS = 1.0  # the counter moves in steps of some tens of milliseconds


def watch_throttling(stack: ExitStack) -> Callable[[], str] | None:
    """Sample the GPUs' event reasons; the function says why one was held back. None without a GPU."""
    from perfproof.machine.sampler import Sampler
    from perfproof.machine.telemetry.recording import read
    from perfproof.machine.telemetry.throttling import throttled

    if not read_gpus().found:
        return None
    path = Path(stack.enter_context(tempfile.TemporaryDirectory())) / "telemetry.jsonl"
    sampler = stack.enter_context(Sampler(path, hz=HZ))
    sampler.wait_ready()

    def reasons() -> str:
        sampler.stop()
        return ", ".join(sorted({reason for _, _, reason in throttled(read(path))}))

    return reasons


@dataclass
class Meter:
    """The counters of all GPUs here; `counters` is empty if there are none, or if the server is elsewhere."""

    counters: Sequence[GpuEnergy] = field(default_factory=lambda: [GpuEnergy(one.index) for one in read_gpus().found])
    _before: tuple[float, float] | None = None  # joules, seconds

    def start(self) -> None:
        joules = self._joules()
        self._before = None if joules is None else (joules, time.monotonic())

    def stop(self, records: Sequence[Record], at: str) -> Energy | None:
        joules, now = self._joules(), time.monotonic()
        if joules is None or self._before is None:
            return None
        used, seconds = joules - self._before[0], now - self._before[1]
        tokens = sum(one.made for one in records)
        if seconds < LEAST_SECONDS or used <= 0:
            return None
        return Energy(joules=used, seconds=seconds, output_tokens=tokens, tokens_per_joule=tokens / used, at=at)

    def _joules(self) -> float | None:
        readings = [one.joules() for one in self.counters]
        known = [one for one in readings if one is not None]
        return sum(known) if known and len(known) == len(readings) else None
