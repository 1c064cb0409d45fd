"""What one process of a comparison leaves: samples as they were read, the quads made of them, what was checked."""

import math
from dataclasses import dataclass, field
from typing import Any

from perfproof.core.documents import Check
from perfproof.stats.quads import Quad

LONG_CALL_SECONDS = 0.1
SLOW_REFERENCE_SECONDS = 0.5


@dataclass
class ProcessRecord:
    launch: int
    couple: int
    slot: int
    quads: list[Quad] = field(default_factory=list)
    rows: list[dict[str, Any]] = field(default_factory=list)
    call_seconds: dict[str, float] = field(default_factory=dict)
    held_seconds: dict[str, float] = field(default_factory=dict)  # a call of a device that never waits for the host
    enqueue_seconds: dict[str, float] = field(default_factory=dict)  # what the host needs to queue a call
    waits: dict[str, bool] = field(default_factory=dict)  # does a call return only when the device has finished?
    clock: str = "call"  # what samples are read by; "graph" where the kernel clock has no records to read
    primed: bool = False  # was the queue held until a sample's calls were in it?
    latency: dict[str, float] = field(default_factory=dict)
    back_to_back: dict[str, float] = field(default_factory=dict)  # of a side that is judged by latency
    hot: dict[str, float] = field(default_factory=dict)  # seconds per call on one set over and over
    kernels: dict[str, dict[str, Any]] = field(default_factory=dict)  # by side: busy seconds per call, kernels, streams
    kernel_by: str = ""  # how the busy time was read; empty where it was not
    kernel_why: str = ""
    resources: list[dict[str, Any]] = field(default_factory=list)  # of the pair's own kernels, as documents have them
    setup_seconds: dict[str, float | None] = field(default_factory=dict)
    floor: float = 0.0
    pool: dict[str, Any] = field(default_factory=dict)
    first_call_seconds: dict[str, float] = field(default_factory=dict)  # what the first call took longer
    draw_seconds: float = 0.0  # to draw one set of arguments
    sample_seconds: float = 0.0  # that a sample takes about
    repeated: float = 0.0  # share of calls that saw values that had come before
    isolation: float | None = None  # log(t_clean / t_mixed) of the baseline; None if not measured in this process
    checks: list[Check] = field(default_factory=list)
    errors: dict[str, dict[str, float]] = field(default_factory=dict)
    of_baseline: list[list] = field(default_factory=list)  # its errors part by part, for sides in other processes
    calls: dict[str, int] = field(default_factory=dict)
    reference_seconds: float = 0.0  # of a call of the reference
    compiled: int = 0  # graphs that torch.compile made after the warm-up
    skipped_cuda_graphs: int = 0  # that torch.compile was to record and could not
    graph_breaks: list[str] = field(default_factory=list)  # why torch.compile cut a function into several graphs
    processes: int = 0  # that the sides had started, and that were there at the end
    overhead: float = 0.0  # seconds that were neither inputs, preparation, warm-up, samples nor checks
    room: float = math.inf  # how many more processes like this one there is memory for
    ready_seconds: float = 0.0  # until all sides were loaded, prepared and warm
    seconds: float = 0.0

    @property
    def is_long(self) -> bool:
        """Do calls take so long that each one counts? Then there are fewer of them, no twin, and fewer checks."""
        return max(self.call_seconds.values(), default=0.0) > LONG_CALL_SECONDS

    @property
    def is_tight(self) -> bool:
        """Is there little memory beside the arguments and results? Then few of them are kept to be checked."""
        return bool(self.pool.get("tight"))

    @property
    def has_slow_reference(self) -> bool:
        """Does holding outputs against it take longer than measuring? Then a process checks one side's."""
        return self.reference_seconds > SLOW_REFERENCE_SECONDS
