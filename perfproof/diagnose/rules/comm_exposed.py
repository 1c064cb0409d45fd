"""Communication with nothing to hide it: the step stands still while data is moved."""

from perfproof.core.diagnosis import Abstained, Finding, Proof
from perfproof.diagnose.collectives import (
    collectives,
    communicating,
    computing,
    exposed_waits,
    most_exposed,
    moving_in_the_open,
)
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.traces import Trace, unseen_in_graphs
from perfproof.diagnose.wording import percent, time
from perfproof.profile.intervals import difference, intersection, total

EXPOSED = 0.10  # of the step
CERTAIN = 0.30
HIDDEN_ENOUGH = 0.60  # of the communication beside computation


def find(evidence: Evidence) -> Finding | Abstained | None:
    if not evidence.traces:
        return Abstained(rule="comm_exposed", missing="a trace of each rank: torch.profiler or nsys, one file a rank")
    met = collectives(evidence.traces)
    waits = exposed_waits(evidence.traces, met)
    place = most_exposed(evidence.traces, waits)
    trace, waited = evidence.traces[place], waits[place]
    talking = difference(communicating(trace), waited)
    exposed = total(moving_in_the_open(trace, waited))
    hidden = total(intersection(talking, computing(trace)))
    if trace.share(exposed) <= EXPOSED or hidden >= HIDDEN_ENOUGH * total(talking):
        return unseen_in_graphs("comm_exposed", evidence.traces)
    return _finding(trace, exposed, hidden, total(waited), ranks=len(evidence.traces) if met else 1)


def _finding(trace: Trace, exposed: int, hidden: int, waited: int, ranks: int) -> Finding:
    steps, share = len(trace.steps), trace.share(exposed)
    moved = Proof(
        text=f"{time(exposed / steps)} of a step is communication with no computation beside it; "
        f"{percent(hidden / (exposed + hidden))} of it is hidden",
        place=trace.label,
        values={"exposed_seconds": exposed / steps / 1e9, "hidden_seconds": hidden / steps / 1e9},
    )
    alone = "only one rank's trace: its waits for later ranks are counted in; give the traces of all ranks"
    apart = f"waits for later ranks are left out: {time(waited / steps)} per step"
    return Finding(
        rule="comm_exposed",
        title="communication is not hidden behind computation",
        confidence="high" if share >= CERTAIN and ranks > 1 else "medium",
        evidence=[moved, Proof(text=alone if ranks == 1 else apart, place=trace.label)],
        share=share,
        parts={"comm_slow": share},  # of the same time, what faster links would save
        advice="start each collective as soon as its data is there and wait only before the result is used; fewer and "
        "larger buckets; prefetch the next layer's parameters",
        experiment="perfproof run ch04:ddp_overlap",
        refuted_by="the same step with its collectives replaced by nothing takes as long as before",
    )
