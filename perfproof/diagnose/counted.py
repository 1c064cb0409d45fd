"""Counters of ncu by kernel: launches of one kernel together, weighted by time, with their share of the step.

The share is of the step where a trace is there that holds the kernel; else of all kernels that were profiled.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from perfproof.core.diagnosis import Abstained, Confidence, Finding, Proof, ShareOf
from perfproof.core.events import Kind
from perfproof.core.units import count
from perfproof.diagnose.evidence import NO_COUNTERS, Evidence
from perfproof.diagnose.traces import Trace
from perfproof.diagnose.wording import confidence_of, percent, short
from perfproof.profile.kernel_identity import counterpart, identity
from perfproof.profile.ncu.csv import CountedKernel
from perfproof.profile.roofline_counters import TIME

MATTERS, MATTERS_MUCH = 0.05, 0.20  # recoverable share: medium, high
SHOWN = 4


@dataclass(frozen=True)
class Counted:
    """All launches of one kernel."""

    name: str
    launches: tuple[CountedKernel, ...]
    share: float  # of the step, or of the profiled kernels

    def value(self, *metrics: str) -> float | None:
        """The first of these that was collected: its mean over launches, weighted by time. Shares are of one."""
        for metric in metrics:
            read = [(self._weight(one), found.value) for one in self.launches if (found := one.readings.get(metric))]
            known = [(weight, value) for weight, value in read if value is not None]
            whole = sum(weight for weight, _ in known)
            if whole > 0:
                return sum(weight * value for weight, value in known) / whole
        return None

    def sum(self, *metrics: str) -> float | None:
        """Of those that were collected; None where none was."""
        found = [value for metric in metrics if (value := self.value(metric)) is not None]
        return sum(found) if found else None

    @staticmethod
    def _weight(launch: CountedKernel) -> float:
        seconds = launch.get(TIME, "time").value
        return 1.0 if seconds is None else seconds


@dataclass(frozen=True)
class Hit:
    """A kernel that a rule points at. `saves` is the share of the kernel's own time that could go, at most."""

    kernel: Counted
    saves: float
    text: str
    values: dict[str, float]
    at_roof: bool = False  # nothing more to gain by the same means

    @property
    def share(self) -> float:
        return self.kernel.share * min(1.0, max(0.0, self.saves))


Judge = Callable[[Counted], Hit | Literal["missing"] | None]


def find(
    evidence: Evidence, rule: str, group: str, judge: Judge, needs: Sequence[Sequence[str]], **said: str
) -> Finding | Abstained | None:
    """A finding about the kernels that `judge` points at; `said` is its title, advice, experiment and refutation."""
    hits = look(evidence, rule, group, judge, needs)
    if not isinstance(hits, list):
        return hits
    return Finding(
        rule=rule,
        confidence=confidence(hits),
        evidence=proofs(hits),
        share=saved(hits),
        share_of=share_of(evidence),
        basis="counters",
        **said,  # type: ignore[arg-type]
    )


def look(
    evidence: Evidence, rule: str, group: str, judge: Judge, needs: Sequence[Sequence[str]] = ()
) -> list[Hit] | Abstained | None:
    """The kernels that a rule points at, the most to save first; None: it points at none. It abstains if no kernel has
    the counters, and names those of `needs`, each a choice, that no kernel has."""
    kernels, _ = counted(evidence)
    if not kernels:
        return Abstained(rule=rule, missing=NO_COUNTERS)
    answers = [judge(kernel) for kernel in kernels]
    if all(answer == "missing" for answer in answers):
        lacking = [choice[0] for choice in needs if all(kernel.value(*choice) is None for kernel in kernels)]
        named = lacking or [choice[0] for choice in needs]  # there, and of no use: of a card without a data sheet
        what = f"{' and '.join(named)} of the kernels" if named else "these counters of the kernels"
        return Abstained(rule=rule, missing=f"{what}: `perfproof profile --tool ncu --metrics {group}`")
    hits = [answer for answer in answers if isinstance(answer, Hit)]
    return sorted(hits, key=lambda hit: -hit.share) or None


def counted(evidence: Evidence) -> tuple[list[Counted], ShareOf]:
    """Kernels with their shares, and of what they are."""
    if not evidence.counters:
        return [], "profiled kernels"
    launches: dict[str, list[CountedKernel]] = defaultdict(list)
    for launch in evidence.counters:
        launches[identity(launch.name)].append(launch)
    of_step = _shares_of_step(evidence)
    theirs = {name: counterpart(name, of_step) for name in launches}
    if any(theirs.values()):
        known = {name: of_step.get(other or "", 0.0) for name, other in theirs.items()}
        return [Counted(own[0].name, tuple(own), known[name]) for name, own in launches.items()], "step"
    times = {name: sum(Counted._weight(one) for one in own) for name, own in launches.items()}
    whole = sum(times.values()) or 1.0
    return [Counted(own[0].name, tuple(own), times[name] / whole) for name, own in launches.items()], "profiled kernels"


def _shares_of_step(evidence: Evidence) -> dict[str, float]:
    """Of the rank with the most device time."""
    return max(
        (_kernel_shares(trace) for trace in evidence.device_traces), key=lambda one: sum(one.values()), default={}
    )


@lru_cache(maxsize=64)  # every rule about counters asks
def _kernel_shares(trace: Trace) -> dict[str, float]:
    """The sum of each kernel's launches over the steady time."""
    sums: Counter[str] = Counter()
    events = trace.events
    for row in trace.rows(Kind.KERNEL):
        sums[events.name(row)] += events.end_ns[row] - events.start_ns[row]
    shares: dict[str, float] = defaultdict(float)
    for name, length in sums.items():
        shares[identity(name)] = min(1.0, shares[identity(name)] + trace.share(length))
    return dict(shares)


def proofs(hits: Sequence[Hit]) -> list[Proof]:
    return [
        Proof(
            text=f"{short(hit.kernel.name)} ({percent(hit.kernel.share)} of the time): {hit.text}",
            place=count(len(hit.kernel.launches), "profiled launch"),
            values=hit.values | {"share_of_time": hit.kernel.share, "saves_at_most": hit.share},
        )
        for hit in hits[:SHOWN]
    ]


def share_of(evidence: Evidence) -> ShareOf:
    return counted(evidence)[1]


def saved(hits: Sequence[Hit]) -> float:
    return min(1.0, sum(hit.share for hit in hits))


def confidence(hits: Sequence[Hit]) -> Confidence:
    """By what could be saved; of kernels at their roof, low: they are as good as their means allow."""
    return confidence_of(saved([hit for hit in hits if not hit.at_roof]), MATTERS, MATTERS_MUCH)
