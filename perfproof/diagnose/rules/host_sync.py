"""The host waits for the GPU inside the step, and the GPU then waits for the host."""

from collections import Counter

from perfproof.core.diagnosis import Abstained, Finding, Proof
from perfproof.core.events import Kind
from perfproof.diagnose import gaps, host, sampled
from perfproof.diagnose.evidence import NO_DEVICE_TRACE, Evidence
from perfproof.diagnose.traces import Trace
from perfproof.diagnose.wording import confidence_of, percent, time
from perfproof.profile.host_names import SYNC_OPERATORS

OFTEN = 1.0  # synchronising calls a step that a program may well have: it reads its loss
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
    waited = sum(trace.events.end_ns[row] - trace.events.start_ns[row] for row in calls)
    kinds = Counter(trace.events.name(row) for row in calls).most_common(3)
    names = ", ".join(f"{name} {count / len(trace.steps):.1f} per step" for name, count in kinds)
    return Finding(
        rule="host_sync",
        title="the host waits for the GPU in the step",
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
                "that follow such a wait",
                values={"lost_share": lost, "gaps": float(len(after[device]))},
            ),
            *_blamed(trace, calls),
            *([Proof(text=f"where the host is: {lines.listed()}", place=lines.lines[0][0])] if lines else []),
        ],
        share=lost,
        advice="read values of the device once every many steps, not in each: no .item(), print or `if tensor` in the "
        "step; x[mask] and nonzero wait to know how many there are: torch.where, scatter or index_add_ with all rows "
        'do not; torch.cuda.set_sync_debug_mode("warn") names the lines',
        experiment="perfproof run ch01:sync_free_step",
        refuted_by="without the calls the step takes as long",
    )


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
