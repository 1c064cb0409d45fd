"""The host does other work while nothing is computed: on a GPU's side of the step a gap, on a CPU no operator."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence

from perfproof.core.diagnosis import Abstained, Confidence, Finding, Proof
from perfproof.core.events import DEVICE_WORK, Kind
from perfproof.diagnose import gaps, host, sampled
from perfproof.diagnose.collectives import communicating
from perfproof.diagnose.copies import TO_HOST
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.launched import around_launches
from perfproof.diagnose.rules.host_waits import parts_beside_device
from perfproof.diagnose.rules.input_bound import python_in_model
from perfproof.diagnose.traces import Trace
from perfproof.diagnose.wording import confidence_of, percent, short, time
from perfproof.profile.host_names import SYNC_CALL
from perfproof.profile.idle_causes import named
from perfproof.profile.intervals import Interval, intersection, total
from perfproof.profile.sampled_stacks import THREAD

LOST, MUCH_LOST = 0.10, 0.30  # of the step
OPERATORS_A_STEP = 2  # with fewer the trace does not show what the program computes with
LISTED = 3
TITLE = "the host does other work between computations"
PLANS = re.compile(r"cudnn|aten::convolution_backward")
LONG_NS = 1_000_000  # a call whose plan is known takes microseconds
SHAPES = (
    "pad to few lengths or sizes, so that its plans come again; for attention "
    "torch.backends.cuda.enable_cudnn_sdp(False) takes another kernel, which needs no plan; else "
)
TRIES = 12  # kernels of one convolution: a plan that is known needs fewer
BENCHMARK = (
    "torch.backends.cudnn.benchmark = False: it tries every algorithm for each new shape, which pays if few shapes "
    "come again and again; or pad to few sizes; else "
)
COPIED_BYTES = 2**24  # in one copy to the host
REDUCES = re.compile(
    r"\b(arg)?(max|min|sort)\(|\b(sum|mean|median|percentile|quantile|nonzero|bincount|where|topk|any|all)\(|[<>]"
)
ON_DEVICE = (
    "compute it on the device, before the copy, and copy the answer (scores.argmax(1), a sum, the places found), "
    "which is far smaller; else "
)
IN_MODEL = (
    "what is the same each time, build once and keep on the device (in __init__, with register_buffer); else operators "
    "on whole tensors in place of a loop; if neither is possible, "
)
FRAMES = 3  # of sampled stacks
HOW = "`perfproof profile --tool perf -- COMMAND` samples the stacks and names the function"


def find(evidence: Evidence) -> Finding | Abstained | None:
    if not evidence.traces:
        return Abstained(rule="host_work", missing="a trace: `perfproof profile --tool torch -- python train.py`")
    found = [_judge(trace, evidence) for trace in evidence.traces]
    # What one rank does alone makes it late: that is the straggler's time, not work that all have.
    every = [finding for finding in found if finding is not None]
    return min(every, key=lambda finding: finding.share or 0.0) if len(every) == len(found) else None


def _judge(trace: Trace, evidence: Evidence) -> Finding | None:
    model: sampled.Lines | None = None
    if trace.devices:
        model = python_in_model(trace, evidence)
        lost = _on_device(trace, ("host", "input") if model else ("host",))
        share = trace.share(sum(end - start for start, end in lost))
    else:
        found = _on_host(trace)
        lost, share = [(gap.start_ns, gap.end_ns) for gap in found], host.recurring_share(trace, found)
        share = sampled.at_most(evidence, share)
    if share <= LOST:
        return None
    longest = sorted(lost, key=lambda span: span[0] - span[1])[:LISTED]
    doing = [host.covering(trace, span) for span in longest]
    lines = _sampled(evidence)
    meanwhile = "while the GPU has nothing to do" if trace.devices else "with no operator running"
    known = lines or doing[0] != host.UNNAMED
    prepares = _prepares(trace, lost) if trace.devices else ""
    title, instead = TITLE, ""
    if prepares:
        title, instead = f"{short(prepares)} prepares for new shapes in the step", SHAPES
        if _tries(trace):
            title, instead = "cuDNN tries its algorithms anew for each shape in the step", BENCHMARK
    elif trace.devices and _follows_copies(trace, lost) and _reduces(evidence):
        title, instead = "the host computes on what it has copied from the GPU", ON_DEVICE
    elif model:
        title, instead = "Python code in the model's forward, while the GPU waits", IN_MODEL
    return Finding(
        rule="host_work",
        title=title,
        confidence=_confidence(share, trace),
        evidence=[
            Proof(
                text=f"{percent(share)} of the step, {time(share * trace.step_ns)}, is work of the host {meanwhile}: "
                f"{len(lost) / len(trace.steps):.1f} times per step{_after_syncs(trace, lost)}",
                place=trace.label,
                values={"share": share, "times_per_step": len(lost) / len(trace.steps)},
            ),
            *(
                Proof(text=f"{time(span[1] - span[0])}: {short(name)}", place=trace.moment(span[0]))
                for span, name in zip(longest, doing, strict=True)
            ),
            *lines,
            *([] if known else [Proof(text=f"the trace does not say what it is: {HOW}")]),
        ],
        share=share,
        advice=instead
        + "do it in another thread or process, after the next step has been launched, or once for many steps",
        experiment="perfproof profile --tool perf -- COMMAND",
        refuted_by="without that work the step takes as long",
        parts=_known_parts(trace, evidence),
    )


def _prepares(trace: Trace, lost: Sequence[Interval]) -> str:
    """The operator of cuDNN that most of the lost time lies in: it builds a plan for each shape that is new."""
    rows = [row for row in trace.rows(Kind.OPERATOR) if PLANS.search(trace.events.name(row))]
    spent: Counter[str] = Counter()
    for row in rows:
        start, end = trace.events.start_ns[row], trace.events.end_ns[row]
        if end - start > LONG_NS:
            spent[trace.events.name(row)] += total(intersection([(start, end)], sorted(lost)))
    name, inside = next(iter(spent.most_common(1)), ("", 0))
    return name if 2 * inside > total(sorted(lost)) else ""


def _tries(trace: Trace) -> bool:
    """Whether most steps have convolutions that start as many kernels as a search for the fastest algorithm does."""
    started: Counter[int] = Counter()
    for around in around_launches(trace).values():
        started.update(row for row in around if PLANS.search(trace.events.name(row)))
    moments = [trace.events.start_ns[row] for row, count in started.items() if count >= TRIES]
    steps = sum(1 for begin, end in trace.steps if any(begin <= moment < end for moment in moments))
    return 2 * steps > len(trace.steps)


def _follows_copies(trace: Trace, lost: Sequence[Interval]) -> bool:
    """Whether the device's last work before most of the lost time is a large copy to the host."""
    events = trace.events
    rows = sorted(trace.rows(*DEVICE_WORK), key=events.end_ns.__getitem__)
    ends = [events.end_ns[row] for row in rows]
    found = 0
    for start, end in lost:
        place = bisect_right(ends, start) - 1
        if place >= 0 and TO_HOST.search(events.name(rows[place])) and events.bytes[rows[place]] >= COPIED_BYTES:
            found += end - start
    return 2 * found > sum(end - start for start, end in lost)


def _reduces(evidence: Evidence) -> bool:
    """Whether the line with most of that time looks like one whose answer is small."""
    lines = sampled.other_code(evidence)
    return lines is not None and any(REDUCES.search(text) for text in lines.texts[:1])


def _known_parts(trace: Trace, evidence: Evidence) -> dict[str, float]:
    """Waits, and work that has a name, are causes of their own."""
    waits, named = sampled.waits(evidence), sampled.named_work(evidence)
    found = {
        "host_waits": waits.share if waits and not trace.devices else 0.0,
        "python_code": named.share if named else 0.0,
    }
    beside = parts_beside_device(evidence) if trace.devices else {}
    return {rule: share for rule, share in found.items() if share > 0} | beside


def _on_device(trace: Trace, causes: Sequence[gaps.Cause]) -> list[Interval]:
    """The pauses of the device that loses most time to the host."""
    by_device = [
        [(gap.start_ns, gap.end_ns) for gap in gaps.idle_gaps(trace, device) if gap.cause in causes]
        for device in trace.used_devices
    ]
    return max(by_device, key=lambda spans: sum(end - start for start, end in spans), default=[])


def _on_host(trace: Trace) -> list[host.PythonGap]:
    if len(host.outermost_operators(trace)) < OPERATORS_A_STEP * len(trace.steps):
        return []
    waits = communicating(trace)  # a rank that waits for others does not work
    own = [gap for gap in host.python_gaps(trace) if not gap.feeds]
    return [
        gap for gap in own if 2 * total(intersection([(gap.start_ns, gap.end_ns)], waits)) < gap.end_ns - gap.start_ns
    ]


def _confidence(share: float, trace: Trace) -> Confidence:
    """Rows of Python functions slow the host itself: such a trace is believed less."""
    confidence = confidence_of(share, LOST, MUCH_LOST)
    return "medium" if confidence == "high" and trace.events.about.get("with_stack") else confidence


def _after_syncs(trace: Trace, lost: Sequence[Interval]) -> str:
    """Work after a synchronising call could be done beside the device if the call were not there."""
    if not trace.devices:
        return ""
    events = trace.events
    ends = sorted(events.end_ns[row] for row in named(events, SYNC_CALL, host.sync_calls(trace)))
    after = sum(1 for start, end in lost if any(start <= moment <= end for moment in ends))
    return (
        f"; {after} of {len(lost)} follow a wait for the GPU, without which it would run beside the GPU"
        if after
        else ""
    )


def _sampled(evidence: Evidence) -> list[Proof]:
    """The lines that take the time outside of operators; of other stacks, the functions that they end in most often."""
    if lines := sampled.other_code(evidence):
        return [Proof(text=f"lines that take time outside of operators: {lines.listed()}", place=lines.lines[0][0])]
    leaves: Counter[str] = Counter()
    for events in evidence.stacks:
        for stack in events.totals:
            if stack.path and not stack.path[0].startswith(THREAD):
                leaves[short(stack.path[-1])] += round(stack.values.get("samples", 0))
    count = leaves.total()
    if not count:
        return []
    text = ", ".join(f"{name} {percent(samples / count)}" for name, samples in leaves.most_common(FRAMES))
    return [Proof(text=f"of {count} sampled stacks, most end in: {text}", values={"samples": float(count)})]
