"""What the device itself recorded of a worker's calls: busy time by the kernel clock, and the kernels that ran."""

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from perfproof.measure import kernels as activity
from perfproof.measure.kernels import Recording

if TYPE_CHECKING:
    from perfproof.bench.worker import Target

MOST_KERNELS = 12
SECONDS = 2


@contextlib.contextmanager
def recording(clock: Callable) -> Iterator[Recording | None]:
    """Record while the kernel clock is read; any other clock would be disturbed by it."""
    if clock is not activity.marked_calls:
        yield None
        return
    with Recording() as found:
        yield found


def take_busy_seconds(found: Recording | None, rows: list[list], calls: list[int]) -> None:
    """Put what the device recorded where the host's time stands."""
    if found is None:
        return
    for row, count, records in zip(rows, calls, found.samples(len(rows)), strict=True):
        row[SECONDS] = activity.busy_seconds(records) / count


def kernels(target: "Target", calls: dict[str, int]) -> dict[str, Any]:
    """Busy seconds per call, the kernels and the streams of each side; by graphs where nothing is recorded."""
    try:
        with target.aside("kernel"), Recording() as found:
            for name, count in calls.items():
                target.sample(target.sides[name], count, warm=True)
        samples = found.samples(len(calls))
    except (RuntimeError, ValueError) as error:  # denied, or another profiler holds the card
        return _by_graph(target, calls, str(error).splitlines()[0])
    sides = {}
    for (name, count), records in zip(calls.items(), samples, strict=True):
        sides[name] = {
            "seconds": activity.busy_seconds(records) / count,
            "audited_seconds": activity.busy_seconds(activity.paced_by_device(records)) / count,
            "streams": len({record.stream for record in records}),
            "kernels": [asdict(share) for share in activity.shares(records, count)[:MOST_KERNELS]],
        }
    return {"by": activity.CUPTI, "why": "", "sides": sides}


def _by_graph(target: "Target", calls: dict[str, int], why: str) -> dict[str, Any]:
    """Without activity records: the time alone, where the calls can be captured."""
    sides = {}
    for name, count in calls.items():
        if target.contract.mutates:
            return {"by": "", "why": f"{why}; and a replayed graph would change arguments once more", "sides": {}}
        try:
            with target.aside("graph"):
                seconds = target.sample(target.sides[name], max(2, count), warm=True)[SECONDS]
        except RuntimeError as error:
            return {"by": "", "why": f"{why}; {name} cannot be captured: {str(error).splitlines()[0]}", "sides": {}}
        sides[name] = {"seconds": seconds, "audited_seconds": seconds, "streams": None, "kernels": []}
    return {"by": activity.GRAPH, "why": why, "sides": sides}
