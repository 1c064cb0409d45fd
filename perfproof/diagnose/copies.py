"""Copies that cross between host and device, and how much of them no kernel hides."""

import re
from collections.abc import Iterable

from perfproof.core.events import Kind
from perfproof.diagnose.traces import Trace
from perfproof.profile.intervals import difference, total

ACROSS = re.compile(r"HtoD|DtoH|Host-to-Device|Device-to-Host|Pageable|Pinned|HtoA|AtoH", re.IGNORECASE)


def host_copies(trace: Trace) -> list[int]:
    """Rows of copies with the host on one side; those inside a device are work like any kernel."""
    return [row for row in trace.rows(Kind.COPY) if ACROSS.search(trace.events.name(row))]


def exposed_ns(trace: Trace, rows: Iterable[int]) -> int:
    """Of the device with the most: its copies while none of its kernels ran."""
    events = trace.events
    by_device: dict[int, list[int]] = {}
    for row in rows:
        by_device.setdefault(events.device[row], []).append(row)
    exposed = []
    for device, copies in by_device.items():
        kernels = [row for row in trace.rows(Kind.KERNEL) if events.device[row] == device]
        exposed.append(total(difference(trace.covered(copies), trace.covered(kernels))))
    return max(exposed, default=0)
