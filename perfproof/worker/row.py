"""One sample, as it travels from a worker to the run."""

from typing import NamedTuple


class Row(NamedTuple):
    start_ns: int  # by the system's monotonic clock
    end_ns: int
    seconds: float  # per call, by the clock that was asked for
    host_seconds: float | None = None  # of the sample, by the host around a device's events
    switches: int = 0  # involuntary: the thread was put aside
    faults: int = 0  # major page faults
    enqueue_seconds: float | None = None  # that the host needed to queue a call
    clock_hz: float | None = None  # the device's clock
    cpu_seconds: float = 0.0  # of the thread that calls
    foreign_seconds: float = 0.0  # CPU time of all other threads
    waits: int = 0  # voluntary switches
    delayed_seconds: float | None = None  # that the thread waited for a core
