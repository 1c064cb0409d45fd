"""What the device itself recorded of a worker's calls: busy time by the kernel clock, and the kernels that ran."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import Any, Protocol

from perfproof.worker.kernel_resources import kernel_resources
from perfproof.worker.measure import kernels as activity
from perfproof.worker.measure.kernels import Recording
from perfproof.worker.row import Row

MOST_KERNELS = 12


class Sampler(Protocol):
    pair: Any

    def aside(self, clock: str | None = None, primed: bool = False) -> contextlib.AbstractContextManager[None]: ...
    def sample(self, side: Any, calls: int, keep: bool = False, warm: bool = False) -> Row: ...


@contextlib.contextmanager
def recording(clock: Callable) -> Iterator[Recording | None]:
    """Record while the kernel clock is read; any other clock would be disturbed by it."""
    if clock is not activity.marked_calls:
        yield None
        return
    with Recording() as found:
        yield found


def with_busy_seconds(found: Recording | None, rows: list[Row], calls: list[int]) -> list[Row]:
    """The rows with what the device recorded where the host's time stands."""
    if found is None:
        return rows
    taken = zip(rows, calls, found.samples(len(rows)), strict=True)
    return [row._replace(seconds=activity.busy_seconds(records) / count) for row, count, records in taken]


def kernels(sampler: Sampler, calls: dict[str, int]) -> dict[str, Any]:
    """Busy seconds per call, the kernels and the streams of each side, and what its own kernels take of the device."""
    resources = {name: kernel_resources(sampler.pair.sides[name]) for name in calls}
    return {**_recorded(sampler, calls), "resources": resources}


def _recorded(sampler: Sampler, calls: dict[str, int]) -> dict[str, Any]:
    """By activity records; by graphs where nothing is recorded."""
    try:
        with sampler.aside("kernel"), Recording() as found:
            rows = [sampler.sample(sampler.pair.sides[name], count, warm=True) for name, count in calls.items()]
        samples = found.samples(len(calls))
    except (RuntimeError, ValueError) as error:  # denied, or another profiler holds the card
        return _by_graph(sampler, calls, str(error).splitlines()[0])
    sides = {}
    for (name, count), row, records in zip(calls.items(), rows, samples, strict=True):
        sides[name] = {
            "seconds": activity.busy_seconds(records) / count,
            "event_seconds": row.seconds,
            "audited_seconds": activity.busy_seconds(activity.paced_by_device(records)) / count,
            "streams": len({record.stream for record in records}),
            "kernels": [asdict(share) for share in activity.shares(records, count)[:MOST_KERNELS]],
        }
    return {"by": activity.CUPTI, "why": "", "sides": sides}


def _by_graph(sampler: Sampler, calls: dict[str, int], why: str) -> dict[str, Any]:
    """Without activity records: the time alone, where the calls can be captured."""
    sides: dict[str, dict[str, Any]] = {}
    for name, count in calls.items():
        if sampler.pair.contract.mutates:
            return {"by": "", "why": f"{why}; and a replayed graph would change arguments once more", "sides": {}}
        try:
            with sampler.aside("graph"):
                seconds = sampler.sample(sampler.pair.sides[name], max(2, count), warm=True).seconds
        except RuntimeError as error:
            return {"by": "", "why": f"{why}; {name} cannot be captured: {str(error).splitlines()[0]}", "sides": {}}
        sides[name] = {"seconds": seconds, "audited_seconds": seconds, "streams": None, "kernels": []}
    return {"by": activity.GRAPH, "why": why, "sides": sides}
