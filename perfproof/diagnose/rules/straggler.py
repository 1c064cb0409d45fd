"""One rank comes late to the collectives, and all others wait for it."""

from collections import Counter
from collections.abc import Sequence
from statistics import median

from perfproof.core.diagnosis import Abstained, Finding, Proof
from perfproof.core.events import ABSENT
from perfproof.diagnose.collectives import (
    Collective,
    RankTime,
    collectives,
    communication_rows,
    exposed_waits,
    rank_times,
)
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.traces import Trace, unseen_in_graphs
from perfproof.diagnose.wording import percent, time

WAITED = 0.05  # of the step, by the median of the other ranks
CERTAIN = 0.20
MOSTLY = 2 / 3  # of all lateness: below, ranks take turns, and it is jitter or uneven data


def find(evidence: Evidence) -> Finding | Abstained | None:
    traces = evidence.traces
    if len(traces) < 2:
        if traces and not communication_rows(traces[0]) and _world(traces[0]) < 2:
            return unseen_in_graphs("straggler", traces)
        return Abstained(rule="straggler", missing="traces of two or more ranks, recorded over the same steps")
    met = collectives(traces)
    if not met:
        talking = any(communication_rows(trace) for trace in traces)
        missing = "collectives that all ranks have in their steady steps: record the same steps on every rank"
        return Abstained(rule="straggler", missing=missing) if talking else unseen_in_graphs("straggler", traces)
    late = _lateness(met)
    place, lateness = late.most_common(1)[0]
    times = rank_times(traces, exposed_waits(traces, met))
    share = median(one.waiting for other, one in enumerate(times) if other != place)
    if share <= WAITED:
        return None
    return _finding(traces, met, place, lateness / sum(late.values()), share, _table(traces, met, times))


def _lateness(met: Sequence[Collective]) -> Counter[int]:
    """Nanoseconds by which each rank was the last to come."""
    late: Counter[int] = Counter()
    for one in met:
        late[one.last_rank] += round(one.skew_ns)
    return late


def _world(trace: Trace) -> int:
    about = trace.events.about.get("distributedInfo")
    size = about.get("world_size", 1) if isinstance(about, dict) else 1
    return size if isinstance(size, int) else ABSENT


def _finding(
    traces: Sequence[Trace], met: Sequence[Collective], place: int, blame: float, share: float, table: list[Proof]
) -> Finding:
    own = [one for one in met if one.last_rank == place]
    skew = sum(one.skew_ns for one in own) / len(own)
    steady = blame >= MOSTLY
    who = traces[place].label
    return Finding(
        rule="straggler",
        title=f"the others wait for {who}" if steady else "ranks take turns in coming late",
        confidence=("high" if share >= CERTAIN else "medium") if steady else "low",
        evidence=[
            Proof(
                text=f"{who} comes last to {len(own)} of {len(met)} collectives, {time(skew)} after the median "
                f"of the others; {percent(blame)} of all lateness is its own",
                place=who,
                values={"skew_seconds": skew / 1e9, "last": len(own), "collectives": len(met), "blame": blame},
            ),
            *table,
        ],
        share=share,
        advice="find what only that rank does (more work, slower input, lower clocks, a busy neighbour); share work "
        "out by cost",
        experiment="perfproof run ch04:straggler",
        refuted_by="the skew stays when that rank's own work is taken away: then clocks or recording are at fault",
    )


def _table(traces: Sequence[Trace], met: Sequence[Collective], times: Sequence[RankTime]) -> list[Proof]:
    """A line a rank: what became of its time, and when it came, on the mean, after the first one."""
    lines = []
    for place, (trace, part) in enumerate(zip(traces, times, strict=True)):
        after = sum(one.spans[place][0] - min(start for start, _ in one.spans) for one in met) / len(met)
        text = (
            f"{trace.label} computes {percent(part.computing)} of the time, waits {percent(part.waiting)}, moves "
            f"data {percent(part.moving)}; it starts its collectives {time(after)} after the first rank"
        )
        lines.append(Proof(text=text, place=trace.label, values={"start_skew_seconds": after / 1e9}))
    return lines
