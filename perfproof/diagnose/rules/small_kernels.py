"""Many kernels, or operators of a program without a GPU, are so small that their fixed cost is the time."""

from collections import Counter
from itertools import pairwise

from perfproof.core.diagnosis import Abstained, Confidence, Finding, Proof
from perfproof.core.events import Kind
from perfproof.diagnose import host, sampled
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.gaps import by_cause, idle_gaps
from perfproof.diagnose.sums import NO_GAPS, TREE, Summed, summed_kernels
from perfproof.diagnose.tensors import largest
from perfproof.diagnose.traces import Trace
from perfproof.diagnose.wording import confidence_of, percent, short, time
from perfproof.profile.breakdown import is_communication
from perfproof.profile.intervals import total, union

SMALL_KERNEL_NS = 5_000
SMALL_OPERATOR_NS = 10_000  # on a CPU: dispatch alone takes a few microseconds
SMALL_TENSOR, LARGEST_SMALL_NS = 4_096, 100_000  # elements of the largest input, and the longest it may take
NEXT_NS = 20_000  # between two small operators, what the interpreter takes is part of their cost
MANY = 0.5  # of the launches or operators
MATTER, MATTER_MUCH = 0.15, 0.40  # of the device's busy time; without a GPU of the step
FEWEST = 20  # a step: fewer are no chain to fuse


def find(evidence: Evidence) -> Finding | Abstained | None:
    answers = [_on_devices(trace) if trace.devices else _on_host(trace) for trace in evidence.traces]
    looked = [answer for answer in answers if answer != "nothing to look at"]
    if not looked and (kernels := summed_kernels(evidence)):
        return _summed(kernels)
    if not looked:
        return Abstained(rule="small_kernels", missing="a trace with kernels, or with operators: `perfproof profile`")
    found = [answer for answer in looked if isinstance(answer, Finding)]
    if not found:
        return None
    largest, named = max(found, key=lambda finding: finding.share or 0.0), sampled.named_work(evidence)
    # Printing a tensor or copying a model calls many small operators: the cause is that work.
    return largest.model_copy(update={"parts": {"python_code": named.share}}) if named else largest


def _on_devices(trace: Trace) -> Finding | str | None:
    events = trace.events
    rows = [row for row in trace.rows(Kind.KERNEL) if not is_communication(events.name(row))]
    small = [row for row in rows if events.end_ns[row] - events.start_ns[row] < SMALL_KERNEL_NS]
    if not rows:
        return "nothing to look at"
    time_ns, all_ns = _length(trace, small), _length(trace, rows)
    if len(small) <= MANY * len(rows) or time_ns <= MATTER * all_ns or len(small) < FEWEST * len(trace.steps):
        return None
    busy = time_ns / all_ns
    text = (
        f"{percent(len(small) / len(rows))} of the kernels take less than {time(SMALL_KERNEL_NS)}, "
        f"together {percent(busy)} of the device's busy time; the share counts the pauses between kernels as well"
    )
    between = max(by_cause(idle_gaps(trace, device)).get("between", 0) for device in trace.used_devices)
    return _finding(trace, small, text, trace.share(total(trace.alone(small)) + between), busy, "kernel")


def _on_host(trace: Trace) -> Finding | str | None:
    """Operators that no other calls, with the interpreter's time between two of them."""
    events = trace.events
    rows = host.outermost_operators(trace)
    if not rows:
        return "nothing to look at"
    small = [row for row in rows if _is_small(trace, row)]
    spans = [(events.start_ns[row], events.end_ns[row]) for row in small]
    are_small = set(small)
    for one, following in pairwise(rows):
        between = events.start_ns[following] - events.end_ns[one]
        if one in are_small and following in are_small and 0 < between < NEXT_NS:
            spans.append((events.end_ns[one], events.start_ns[following]))
    share = max(trace.share(total(union(spans))), _typical_share(trace, rows, are_small))
    if len(small) <= MANY * len(rows) or share <= MATTER or len(small) < FEWEST * len(trace.steps):
        return None
    text = (
        f"{percent(len(small) / len(rows))} of the operators take less than {time(SMALL_OPERATOR_NS)}, or have no "
        f"tensor of more than {SMALL_TENSOR} elements; with what the "
        f"interpreter takes between them they are {percent(share)} of the step"
    )
    return _finding(trace, small, text, share, share, "operator")


def _typical_share(trace: Trace, rows: list[int], small: set[int]) -> float:
    """By the median times of each operator and of each pause: interruptions of a busy machine are not in them."""
    between, within, whole = host.typical_times(trace)
    if not host.is_interrupted(trace):
        return 0.0
    all_of = Counter(trace.events.name(row) for row in rows)
    small_of = Counter(trace.events.name(row) for row in rows if row in small)
    names = {name for name, count in small_of.items() if 2 * count > all_of[name]}
    pauses = host.typical_pauses(trace)
    chained = {pair for pair in between if set(pair) <= names and pauses[pair] < NEXT_NS}
    spent = sum(within.get(name, 0.0) for name in names) + sum(between[pair] for pair in chained)
    return min(MATTER_MUCH, spent / whole)  # an estimate: never more than medium


def _is_small(trace: Trace, row: int) -> bool:
    """By its time; or by its tensors, if shapes were recorded: a slow machine makes no operator large."""
    length = trace.events.end_ns[row] - trace.events.start_ns[row]
    if length < SMALL_OPERATOR_NS or length >= LARGEST_SMALL_NS:
        return length < SMALL_OPERATOR_NS
    size = largest(trace, row)
    return size is not None and size <= SMALL_TENSOR


def _summed(kernels: list[Summed]) -> Finding | None:
    """By the mean of each kernel's launches. How many a step has is not known, so it is never more than medium."""
    small = [one for one in kernels if one.mean_ns < SMALL_KERNEL_NS]
    launches, all_launches = (sum(one.launches for one in own) for own in (small, kernels))
    share = sum(one.time_ns for one in small) / sum(one.time_ns for one in kernels)
    if launches <= MANY * all_launches or share <= MATTER or launches < FEWEST:
        return None
    text = (
        f"{percent(launches / all_launches)} of the launches are of kernels that take less than "
        f"{time(SMALL_KERNEL_NS)} on average, together {percent(share)} of the kernels' time; {NO_GAPS}"
    )
    most = sorted(small, key=lambda one: -one.launches)[:3]
    listed = "; ".join(f"{one.launches:.0f} x {short(one.name)}, {time(one.mean_ns)} each" for one in most)
    proofs = [
        Proof(text=text, place=TREE, values={"share": share, "launches": launches}),
        Proof(text=f"the most frequent: {listed}"),
    ]
    return _told(proofs, share, "medium", "kernel").model_copy(update={"share_of": "profiled kernels"})


def _finding(trace: Trace, small: list[int], text: str, share: float, matters: float, what: str) -> Finding:
    steps = len(trace.steps)
    names = Counter(trace.events.name(row) for row in small).most_common(3)
    listed = "; ".join(f"{count / steps:.0f} x {short(name)}" for name, count in names)
    proofs = [
        Proof(text=text, place=trace.label, values={"share": share, "count_a_step": len(small) / steps}),
        Proof(text=f"the most frequent per step: {listed}", place=trace.place(small[0])),
    ]
    return _told(proofs, share, confidence_of(matters, MATTER, MATTER_MUCH), what)


def _told(proofs: list[Proof], share: float, confidence: Confidence, what: str) -> Finding:
    return Finding(
        rule="small_kernels",
        title=f"many small {what}s",
        confidence=confidence,
        evidence=proofs,
        share=share,
        advice="fuse them: torch.compile, one Triton kernel for a chain, foreach or fused optimizers, batched calls",
        experiment="perfproof run ch07:rmsnorm_fusion" if what == "kernel" else "perfproof run ch01:batched_gemm",
        refuted_by=f"after fusing, fewer {what}s run and the step takes as long",
    )


def _length(trace: Trace, rows: list[int]) -> int:
    return total(trace.covered(rows))
