"""Copies that cross between host and device: how much of them no kernel hides, and how long they take at the least."""

import re
from collections.abc import Iterable

from perfproof.core.events import Kind
from perfproof.diagnose.traces import Trace
from perfproof.profile.intervals import difference, total

ACROSS = re.compile(r"HtoD|DtoH|Host-to-Device|Device-to-Host|Pageable|Pinned|HtoA|AtoH", re.IGNORECASE)
TO_HOST = re.compile(r"DtoH|Device-to-Host|AtoH", re.IGNORECASE)


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


def alone_ns(trace: Trace, rows: Iterable[int]) -> int:
    """What they take with everything else beside them: of one device those of one direction share its link."""
    ways: dict[tuple[int, bool], list[int]] = {}
    for row in rows:
        way = trace.events.device[row], TO_HOST.search(trace.events.name(row)) is not None
        ways.setdefault(way, []).append(row)
    return max((total(trace.covered(copies)) for copies in ways.values()), default=0)
