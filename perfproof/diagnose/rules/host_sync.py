"""The host waits for the GPU inside the step, and the GPU then waits for the host."""

from bisect import bisect_right
from collections import Counter
from itertools import pairwise

from perfproof.core.diagnosis import Abstained, Finding, Proof
from perfproof.core.events import Kind
from perfproof.diagnose import gaps, host, sampled
from perfproof.diagnose.evidence import NO_DEVICE_TRACE, Evidence
from perfproof.diagnose.traces import Trace
from perfproof.diagnose.wording import confidence_of, percent, time
from perfproof.profile.host_names import SYNC_OPERATORS
from perfproof.profile.intervals import Interval, intersection, total, union

TOGETHER = (
    "gather the values on the device and read them at once: torch.stack(values).tolist(), "
    "torch._foreach_norm(gradients), torch.nn.utils.get_total_norm; "
)
OFTEN = 1.0  # synchronising calls a step that a program may well have: it reads its loss
ONE_BY_ONE = 50  # values that a step reads, each by a call of its own
SOON_NS = 1_000_000  # from one such call to the next: what lies between computes the value
READS = ("aten::item", "aten::is_nonzero", "aten::_local_scalar_dense")
LOST, MUCH_LOST = 0.03, 0.10  # of the step, in gaps that follow a wait


def find(evidence: Evidence) -> Finding | Abstained | None:
    traces = [trace for trace in evidence.device_traces if trace.rows(Kind.RUNTIME)]
    if not traces:
        return Abstained(rule="host_sync", missing=NO_DEVICE_TRACE)
    lines = sampled.main_lines(evidence)
    found = [finding for trace in traces if (finding := _judge(trace, lines)) is not None]
    return max(found, key=lambda finding: finding.share or 0.0) if found else None


def _judge(trace: Trace, lines: sampled.Lines | None) -> Finding | None:
    calls = host.sync_calls(trace)
    often = len(calls) / len(trace.steps)
    after = {
        device: [gap for gap in gaps.idle_gaps(trace, device) if gap.cause == "sync"] for device in trace.used_devices
    }
    device = max(after, key=lambda each: sum(gap.length_ns for gap in after[each]))
    lost = trace.share(sum(gap.length_ns for gap in after[device]))
    if not calls or (often <= OFTEN and lost <= LOST):
        return None
    reading = reading_times(trace, calls)
    lost = max(lost, trace.share(total(intersection(reading, _idle(trace, device)))))
    waited = sum(trace.events.end_ns[row] - trace.events.start_ns[row] for row in calls)
    kinds = Counter(trace.events.name(row) for row in calls).most_common(3)
    names = ", ".join(f"{name} {count / len(trace.steps):.1f} per step" for name, count in kinds)
    return Finding(
        rule="host_sync",
        title="values are read from the GPU one by one" if reading else "the host waits for the GPU in the step",
        confidence=confidence_of(lost, LOST, MUCH_LOST),
        evidence=[
            Proof(
                text=f"{often:.1f} synchronising calls per step ({names}), "
                f"{time(waited / len(trace.steps))} of waiting",
                place=trace.place(calls[0]),
                values={"calls_a_step": often, "waited_s_a_step": waited / len(trace.steps) / 1e9},
            ),
            Proof(
                text=f"device {device} is idle for {percent(lost)} of the step in {len(after[device])} gaps "
                + ("between and after such waits" if reading else "that follow such a wait"),
                values={"lost_share": lost, "gaps": float(len(after[device]))},
            ),
            *_blamed(trace, calls),
            *([Proof(text=f"where the host is: {lines.listed()}", place=lines.lines[0][0])] if lines else []),
        ],
        share=lost,
        advice=(TOGETHER if reading else "")
        + "read values of the device once every many steps, not in each: no .item(), print or `if tensor` in the "
        "step; x[mask] and nonzero wait to know how many there are: torch.where, scatter or index_add_ with all rows "
        'do not; torch.cuda.set_sync_debug_mode("warn") names the lines',
        experiment="perfproof run ch01:sync_free_step",
        refuted_by="without the calls the step takes as long",
    )


def reading_times(trace: Trace, calls: list[int]) -> list[Interval]:
    """The times in which the step reads one value after the other; none if it reads few, or mostly waits for others.

    Each value has a few small kernels and a wait of its own, so that the host never runs ahead: all of it is lost.
    """
    events = trace.events
    reads = [row for row in trace.rows(Kind.OPERATOR) if events.name(row) in READS]
    inside = intersection(union((events.start_ns[row], events.end_ns[row]) for row in reads), trace.window)
    own = [row for row in calls if _lies_in(events.start_ns[row], inside)]
    if len(own) <= max(ONE_BY_ONE * len(trace.steps), len(calls) / 2):
        return []
    spans = [
        (events.start_ns[row], events.end_ns[following])
        for row, following in pairwise(own)
        if events.start_ns[following] - events.end_ns[row] < SOON_NS
    ]
    return intersection(union(spans), trace.window)


def _lies_in(moment: int, spans: list[Interval]) -> bool:
    place = bisect_right(spans, moment, key=lambda span: span[0]) - 1
    return place >= 0 and moment < spans[place][1]


def _idle(trace: Trace, device: int) -> list[Interval]:
    return union((gap.start_ns, gap.end_ns) for gap in gaps.idle_gaps(trace, device))


def _blamed(trace: Trace, calls: list[int]) -> list[Proof]:
    """The operators that a call lies in, where the trace has them."""
    events = trace.events
    operators = [row for row in trace.rows(Kind.OPERATOR) if events.name(row) in SYNC_OPERATORS]
    found: Counter[str] = Counter()
    place = 0
    for call in calls:
        while place < len(operators) and events.end_ns[operators[place]] < events.start_ns[call]:
            place += 1
        if place < len(operators) and events.start_ns[operators[place]] <= events.start_ns[call]:
            found[events.name(operators[place])] += 1
    if not found:
        return []
    steps = len(trace.steps)
    text = ", ".join(f"{count / steps:.1f} per step from {name}" for name, count in found.most_common(3))
    return [Proof(text=f"of these calls, {text}", values={name: count / steps for name, count in found.items()})]
