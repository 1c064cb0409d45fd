"""Kernels of which only sums are known: Proton's tree has launches and time of each, and neither steps nor gaps."""

from collections import defaultdict
from dataclasses import dataclass

from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.wording import printable
from perfproof.profile.breakdown import is_communication
from perfproof.profile.readers import proton

SOURCE = "proton"
TREE = "a tree of sums"
NO_GAPS = "a tree has no timeline: neither steps nor the gaps between kernels are in it"


@dataclass(frozen=True)
class Summed:
    """All launches of one kernel."""

    name: str
    launches: float
    time_ns: float

    @property
    def mean_ns(self) -> float:
        return self.time_ns / self.launches


def summed_kernels(evidence: Evidence) -> list[Summed]:
    """Of all trees, without communication, the longest first; by name, wherever in the tree they were launched."""
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for _, events in evidence.tables:
        for total in proton.launched(events) if events.source == SOURCE else ():
            entry = sums[printable(total.path[-1])]
            entry[0] += total.values["count"]
            entry[1] += total.values["time_ns"]
    found = [Summed(name, *own) for name, own in sums.items() if not is_communication(name)]
    return sorted(found, key=lambda one: -one.time_ns)
