"""Memory is asked from the system and given back in every step, where it could be kept."""

from bisect import bisect_left
from collections import Counter
from itertools import pairwise

from perfproof.core.diagnosis import Abstained, Finding, Proof
from perfproof.core.events import Events, Kind, Total
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.gaps import idle_gaps
from perfproof.diagnose.traces import Trace
from perfproof.diagnose.wording import percent, short, time
from perfproof.profile.host_names import ALLOCATING_CALL
from perfproof.profile.idle_causes import named
from perfproof.profile.intervals import intersection, total
from perfproof.profile.steps import find_steps

DEVICE_SHARE, DEVICE_CERTAIN = 0.01, 0.05  # of the step, idle while the host is in such calls
HOST_BLOCK = 32 * 2**20  # above it the C library keeps nothing: every block is mapped, cleared and unmapped
HOST_SHARE = 0.20  # of the step in operators that get such a block
FRAGMENTED = 0.30  # of the free memory in pieces other than the largest
RESERVED_FREE = 0.20  # of the reserved memory, below which pieces do not matter
NEARLY_ALL = 0.90  # of the card, reserved: the next large request may fail
STEADY = 0.5  # of a history without marked steps: what comes before may be the program's start


def find(evidence: Evidence) -> Finding | Abstained | None:
    found = [_device_calls(trace) for trace in evidence.device_traces]
    found += [_host_blocks(trace) for trace in evidence.traces if not trace.devices]
    found += [_fragmented(events, evidence) for events in evidence.memory]
    findings = [one for one in found if one]
    if findings:
        return max(findings, key=lambda one: one.share or 0.0)
    looked = evidence.memory or any(trace.devices or _allocated(trace) for trace in evidence.traces)
    missing = "a trace recorded with profile_memory=True, or a memory snapshot: perfproof profile --tool memory"
    return None if looked else Abstained(rule="allocator_churn", missing=missing)


def _device_calls(trace: Trace) -> Finding | None:
    """Such a call costs what the device has nothing to do meanwhile: one that frees waits for work to end as well."""
    events, steps = trace.events, len(trace.steps)
    calls = named(events, ALLOCATING_CALL, trace.rows(Kind.RUNTIME))
    inside = trace.covered(calls)
    idle = max(
        total(intersection(inside, [(gap.start_ns, gap.end_ns) for gap in idle_gaps(trace, device)]))
        for device in trace.used_devices
    )
    share = trace.share(idle)
    if share <= DEVICE_SHARE:
        return None
    kinds = Counter(events.name(row) for row in calls).most_common(3)
    names = ", ".join(f"{short(name)} {count / steps:.1f}" for name, count in kinds)
    text = f"{len(calls) / steps:.1f} calls per step get or release memory of the system ({names}): "
    text += (
        f"{time(total(inside) / steps)} per step; for {percent(share)} of the step the GPU has nothing to do meanwhile"
    )
    values = {"calls_a_step": len(calls) / steps, "seconds_a_step": total(inside) / steps / 1e9, "share": share}
    proof = Proof(text=text, place=trace.place(calls[0]), values=values)
    return _finding("GPU memory is allocated anew in steady steps", proof, share, share >= DEVICE_CERTAIN)


def _host_blocks(trace: Trace) -> Finding | None:
    """Operators during which a large block was born; the first touch of its pages is theirs as well."""
    births = [when for when, size in _allocated(trace) if size > HOST_BLOCK]
    births = [when for when in births if any(start <= when < end for start, end in trace.window)]
    every = all(any(start <= when < end for when in births) for start, end in trace.steps)
    owners = [row for row in trace.rows(Kind.OPERATOR) if _holds(births, trace.events, row)]
    share = trace.share(total(trace.covered(owners)))
    if not owners or not every or share <= HOST_SHARE:
        return None
    each = len(births) / len(trace.steps)
    text = f"{each:.1f} blocks of more than {HOST_BLOCK >> 20} MiB a step are mapped anew, {percent(share)} of the "
    text += f"step is in operators that get one, first {short(trace.events.name(owners[0]))}"
    proof = Proof(text=text, place=trace.place(owners[0]), values={"blocks_a_step": each, "share": share})
    return _finding("large temporaries are mapped and released in every step", proof, share, False)


def _allocated(trace: Trace) -> list[tuple[int, float]]:
    """(time, size) of each growth of the host's memory."""
    series = trace.events.series.get("cpu.allocated_bytes")
    if series is None:
        return []
    readings = sorted(zip(series.times_ns, series.values, strict=True), key=lambda one: one[0])
    return [(when, after - before) for (_, before), (when, after) in pairwise(readings) if after > before]


def _holds(times: list[int], events: Events, row: int) -> bool:
    place = bisect_left(times, events.start_ns[row])
    return place < len(times) and times[place] <= events.end_ns[row]


def _fragmented(events: Events, evidence: Evidence) -> Finding | None:
    """Every cache of blocks has free pieces, and later requests fill them. Alone they are a suspicion (low)."""
    for one in events.totals:
        free, reserved = one.values.get("free_bytes", 0.0), one.values.get("reserved_bytes", 0.0)
        fragmentation = one.values.get("fragmentation", 0.0)
        if fragmentation > FRAGMENTED and reserved and free / reserved > RESERVED_FREE:
            text = f"{free / 2**20:.0f} MiB of {reserved / 2**20:.0f} MiB reserved are free, and "
            text += f"{percent(fragmentation)} of that lies outside of the largest piece"
            values = {"fragmentation": fragmentation, "free_bytes": free, "reserved_bytes": reserved}
            proof = Proof(text=text, place=f"gpu{one.device}", values=values)
            failed, harm = _failed(events, one.device), _harm(events, one, evidence)
            proof.text += "".join(f"; {said}" for said in (failed, harm) if said)
            found = _finding("the GPU's memory is in pieces", proof, None, bool(failed))
            return found if failed or harm else found.model_copy(update={"confidence": "low"})
    return None


def _failed(events: Events, device: int) -> str:
    failed = [row for row in _marks(events, device) if events.name(row) == "oom"]
    return f"{len(failed)} requests failed for want of memory" if failed else ""


def _harm(events: Events, reserved: Total, evidence: Evidence) -> str:
    """What the pieces have led to: segments that go back and are asked for again, or a card that is nearly full."""
    begin, end = _steady_part(events)
    marks = [row for row in _marks(events, reserved.device) if begin <= events.start_ns[row] <= end]
    given_back = [events.start_ns[row] for row in marks if events.name(row) in ("segment_free", "segment_unmap")]
    asked = [row for row in marks if events.name(row) in ("segment_alloc", "segment_map")]
    again = [row for row in asked if given_back and events.start_ns[row] >= min(given_back)]
    if again:
        return f"in the steady part {len(again)} segments were asked of the driver after others had gone back to it"
    steady = [named(one.events, ALLOCATING_CALL, one.rows(Kind.RUNTIME)) for one in evidence.device_traces]
    if any(steady):
        return f"{sum(map(len, steady))} calls of the steady steps get or release memory of the system"
    card = _card_bytes(evidence, reserved.device)
    used = reserved.values["reserved_bytes"] / card if card else 0.0
    return f"{percent(used)} of the card's memory are reserved" if used >= NEARLY_ALL else ""


def _marks(events: Events, device: int) -> list[int]:
    return [row for row in events.where(Kind.MARK) if events.device[row] == device]


def _steady_part(events: Events) -> tuple[float, float]:
    steps = find_steps(events).steady
    if steps:
        return steps[0].start_ns, steps[-1].end_ns
    begin, end = min(events.start_ns, default=0), max(events.end_ns, default=0)
    return begin + STEADY * (end - begin), end


def _card_bytes(evidence: Evidence, device: int) -> float | None:
    """As a trace beside the snapshot tells it."""
    for trace in evidence.traces:
        listed = trace.events.about.get("deviceProperties")
        for one in listed if isinstance(listed, list) else []:
            size = one.get("totalGlobalMem") if isinstance(one, dict) and one.get("id") == device else None
            if type(size) is int and size > 0:
                return float(size)
    return None


def _finding(title: str, proof: Proof, share: float | None, certain: bool) -> Finding:
    return Finding(
        rule="allocator_churn",
        title=title,
        confidence="high" if certain else "medium",
        evidence=[proof],
        share=share,
        advice="allocate once and write into it (out=, static buffers); on a GPU: expandable segments, no empty_cache "
        "in the loop, a few sizes in place of many",
        experiment="perfproof run ch01:preallocated_buffers",
        refuted_by="with the same buffers kept over steps, the step takes as long",
        basis="durations" if share is not None else "facts",
    )
