"""Collectives move data slower than this machine's links can: held against the measured all-reduce."""

from perfproof.core.diagnosis import Abstained, Finding, Proof
from perfproof.diagnose.collectives import (
    Collective,
    collectives,
    communication_rows,
    exposed_waits,
    most_exposed,
    moving_in_the_open,
)
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.traces import unseen_in_graphs
from perfproof.diagnose.wording import percent
from perfproof.profile.intervals import intersection, total, union

SLOW = 0.70  # of the measured bandwidth
CEILING = "allreduce/bus"
ALIKE = 0.25  # of the ceiling's buffer: below, latency rules and the ceiling says nothing about it
SIGNIFICANT = 0.05  # of the step


def find(evidence: Evidence) -> Finding | Abstained | None:
    if evidence.traces and not any(communication_rows(trace) for trace in evidence.traces):
        return unseen_in_graphs("comm_slow", evidence.traces)
    ceiling = evidence.ceilings.get(CEILING) if evidence.ceilings else None
    if ceiling is None:
        return Abstained(rule="comm_slow", missing=f"the measured {CEILING}: a ceilings file of `perfproof peak`")
    met = collectives(evidence.traces)
    reduced = [one for one in met if _is_all_reduce(one.name) and one.bytes > 0]
    if not reduced:
        return Abstained(rule="comm_slow", missing="all-reduces with their sizes in traces of two or more ranks")
    size = ceiling.sizes.get("buffer_bytes")
    smallest = ALIKE * size if isinstance(size, int) else 0
    comparable = [one for one in reduced if one.bytes >= smallest and one.transfer_ns > 0]
    if not comparable:
        missing = f"all-reduces of at least {smallest / 2**20:.1f} MiB, comparable with the ceiling's own"
        return Abstained(rule="comm_slow", missing=missing)
    return _judged(evidence, comparable, _share_in_the_open(evidence, met, comparable), ceiling.value)


def _share_in_the_open(evidence: Evidence, met: list[Collective], reduced: list[Collective]) -> float:
    """Of the step, on the rank that `comm_exposed` speaks of: a transfer beside computation costs nothing."""
    waits = exposed_waits(evidence.traces, met)
    place = most_exposed(evidence.traces, waits)
    trace = evidence.traces[place]
    moving = union(one.transfer(place) for one in reduced)
    return trace.share(total(intersection(moving, moving_in_the_open(trace, waits[place]))))


def _judged(evidence: Evidence, reduced: list[Collective], in_the_open: float, ceiling: float) -> Finding | None:
    seconds = sum(one.transfer_ns for one in reduced) / 1e9
    rate = sum(map(_bus_bytes, reduced)) / seconds
    reached = rate / ceiling
    share = in_the_open * (1 - reached)
    if reached >= SLOW or share < SIGNIFICANT:
        return None
    text = (
        f"{len(reduced)} all-reduces reach {rate / 1e9:.3g} GB/s of bus bandwidth after the last rank has come: "
        f"{percent(reached)} of the {ceiling / 1e9:.3g} GB/s that were measured on this machine"
    )
    values = {"bus_bytes_per_second": rate, "ceiling_bytes_per_second": ceiling}
    return Finding(
        rule="comm_slow",
        title="all-reduces are slower than the links",
        confidence="medium",
        evidence=[Proof(text=text, place=f"{len(evidence.traces)} ranks", values=values)],
        share=share,
        advice="look at topology and transport (which links, which network interface, what else uses them); one large "
        "bucket in place of many",
        experiment="perfproof run ch04:bucketed_allreduce",
        refuted_by="`perfproof peak --only allreduce`, repeated on the same ranks now, is as slow",
    )


def _is_all_reduce(name: str) -> bool:
    return name.lower().replace("_", "").rpartition(":")[2].startswith("allreduce")


def _bus_bytes(one: Collective) -> float:
    ranks = len(one.spans)
    return one.bytes * 2 * (ranks - 1) / ranks
