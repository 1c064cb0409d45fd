"""What a clock says of one sample."""

from dataclasses import dataclass
from typing import Any


@dataclass
class Reading:
    start_ns: int  # of the system's monotonic clock, around all of the sample
    end_ns: int
    seconds: float  # of all calls of the sample, by the clock that judges
    output: Any  # of the last call
    host_seconds: float | None = None  # device samples: the same region by the host's clock, device synchronised
    enqueue_seconds: float | None = None  # device samples: what the host needed to queue the calls
    clock_hz: float | None = None  # device samples: clock of the multiprocessors just before the calls
