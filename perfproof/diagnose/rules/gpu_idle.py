"""The GPU has nothing to do for a large part of the step; every gap is given its cause."""

from collections.abc import Sequence

from perfproof.core.diagnosis import Abstained, Finding, Proof
from perfproof.diagnose import gaps, host, sampled
from perfproof.diagnose.evidence import NO_DEVICE_TRACE, Evidence
from perfproof.diagnose.rules.input_bound import STARTS, loader_starts, python_in_model
from perfproof.diagnose.traces import HARDLY, Trace, unseen_in_graphs
from perfproof.diagnose.wording import confidence_of, percent, short, time
from perfproof.profile.intervals import intersection, total

IDLE, MUCH_IDLE = 0.10, 0.30  # of the step
LISTED = 3  # gaps shown with what the host did meanwhile
LISTED_NS = 30_000  # shorter ones lie between any two kernels

# Which rule speaks for the gaps of a cause; the others are this rule's own.
SPEAKS: dict[gaps.Cause, str] = {
    "input": "input_bound",
    "compile": "recompiles",
    "host": "host_work",
    "allocation": "allocator_churn",
    "sync": "host_sync",
    "copy call": "pageable_copies",
    "launch": "launch_bound",
    "between": "small_kernels",
}


def find(evidence: Evidence) -> Finding | Abstained | None:
    if not evidence.device_traces:
        return Abstained(rule="gpu_idle", missing=NO_DEVICE_TRACE)
    worst = max(
        (
            (trace, device, gaps.idle_gaps(trace, device))
            for trace in evidence.device_traces
            for device in trace.used_devices
        ),
        key=lambda one: one[0].share(sum(gap.length_ns for gap in one[2])),
    )
    return _judge(*worst, evidence) or unseen_in_graphs("gpu_idle", evidence.device_traces)


def _judge(trace: Trace, device: int, found: Sequence[gaps.IdleGap], evidence: Evidence) -> Finding | None:
    share = trace.share(sum(gap.length_ns for gap in found))
    if share <= IDLE:
        return None
    causes = gaps.by_cause(found)
    return Finding(
        rule="gpu_idle",
        title="the GPU is idle",
        confidence=confidence_of(share, IDLE, MUCH_IDLE),
        evidence=[_summary(trace, device, share, causes), *_longest(trace, found), *_hardly_used(trace)],
        share=share,
        parts=_parts(trace, found, evidence),
        advice="look at what the host does in the longest gaps; what it does there, move off the thread that launches",
        experiment="perfproof profile --tool perf -- COMMAND",
        refuted_by="without a profiler the step is shorter by the idle time: then the profiler made the gaps",
    )


def _parts(trace: Trace, found: Sequence[gaps.IdleGap], evidence: Evidence) -> dict[str, float]:
    """By the rules that speak for the gaps. Those in which a loader starts its processes are late input; work that has
    a name, and takes more time than the device works and these gaps last, explains some of the rest."""
    starts, in_model = loader_starts(trace), python_in_model(trace, evidence)
    lengths: dict[str, float] = {}
    for gap in found:
        rule = SPEAKS.get(gap.cause, "")
        span = [(gap.start_ns, gap.end_ns)]
        if rule == "input_bound" and in_model:
            rule = "host_work"
        if not rule and len(starts) >= STARTS and 2 * total(intersection(span, starts)) > gap.length_ns:
            rule = "input_bound"
        lengths[rule] = lengths.get(rule, 0.0) + trace.share(gap.length_ns)
    rest, work = lengths.pop("", 0.0), sampled.named_work(evidence)
    beside = 1 - rest  # the device works, or a gap has a cause
    if work and rest and (hidden := min(rest, work.share - beside)) > 0:
        lengths["python_code"] = hidden
    return lengths


def _summary(trace: Trace, device: int, share: float, causes: dict[gaps.Cause, int]) -> Proof:
    named = sorted(causes.items(), key=lambda item: -item[1])
    text = ", ".join(f"{cause} {percent(trace.share(length))}" for cause, length in named)
    return Proof(
        text=f"device {device} is idle for {percent(share)} of the step; by cause: {text}",
        place=trace.label,
        values={"idle_share": share} | {cause: length / 1e9 for cause, length in named},
    )


def _hardly_used(trace: Trace) -> list[Proof]:
    """A device that the program only touches has nothing to wait for: it is named, and no time is promised."""
    rest = [str(device) for device in trace.devices if device not in trace.used_devices]
    if not rest:
        return []
    text = f"not judged, with less than {percent(HARDLY)} of the busiest device's work: device {', '.join(rest)}"
    return [Proof(text=text, place=trace.label)]


def _longest(trace: Trace, found: Sequence[gaps.IdleGap]) -> list[Proof]:
    longest = sorted((gap for gap in found if gap.length_ns >= LISTED_NS), key=lambda gap: -gap.length_ns)
    return [
        Proof(
            text=f"{time(gap.length_ns)} without work ({gap.cause}); the host meanwhile: "
            f"{short(host.covering(trace, (gap.start_ns, gap.end_ns)))}",
            place=trace.moment(gap.start_ns),
            values={"seconds": gap.length_ns / 1e9},
        )
        for gap in longest[:LISTED]
    ]
