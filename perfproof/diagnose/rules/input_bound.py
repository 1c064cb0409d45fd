"""The step waits for its input.

A DataLoader marks its waits, and so may a program. Without marks: the host works while the GPU has nothing to do, and
then copies data to it; or, without a GPU, no operator runs, and then Python's data becomes a tensor.
"""

from perfproof.core.diagnosis import Abstained, Confidence, Finding, Proof
from perfproof.core.events import Kind
from perfproof.diagnose import gaps, host, sampled
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.hints import hint_for
from perfproof.diagnose.kinds_of_work import STARTING
from perfproof.diagnose.traces import Trace
from perfproof.diagnose.wording import COMPARE_CHANGE, confidence_of, percent, short, time
from perfproof.profile.children.running_text import GROWS
from perfproof.profile.intervals import Interval, difference, intersection, total

WAITS, WAITS_MUCH = 0.05, 0.20  # of the step
INFERRED, INFERRED_MUCH = 0.10, 0.30  # of the step, without marks
NO_MARK = (
    "ranges that mark where the program takes its next batch: a torch DataLoader makes them, "
    'otherwise `with record_function("next_batch"):`'
)


def find(evidence: Evidence) -> Finding | Abstained | None:
    if not evidence.traces:
        return Abstained(rule="input_bound", missing="a trace: `perfproof profile --tool torch -- python train.py`")
    marked = [trace for trace in evidence.traces if host.input_waits(trace)]
    inferred = [finding for trace in evidence.traces if (finding := _infer(trace, evidence)) is not None]
    if not marked and inferred:
        return max(inferred, key=lambda finding: finding.share or 0.0)
    if not marked:
        busy = [trace for trace in evidence.device_traces if _idle_share(trace) <= WAITS]
        if busy and len(busy) == len(evidence.traces):
            return None  # no device waits for anything
        return Abstained(rule="input_bound", missing=NO_MARK)
    found = [finding for trace in marked if (finding := _judge(trace, evidence)) is not None] or inferred
    if not found:
        return None
    largest, named = max(found, key=lambda finding: finding.share or 0.0), sampled.named_work(evidence)
    # A loader that starts its workers again is late because of that, not because of what they do.
    if named and named.kind == STARTING:
        return largest.model_copy(update={"parts": {"python_code": named.share}})
    if named and named.kind and 2 * named.share > (largest.share or 0.0):
        return largest.model_copy(update={"advice": f"{named.kind.advice}; or prepare ahead: loader workers, prefetch"})
    return largest


def _judge(trace: Trace, evidence: Evidence) -> Finding | None:
    rows = host.input_waits(trace)
    waits = trace.covered(rows)
    lost = intersection(waits, _idle(trace)) if trace.devices else waits
    share = trace.share(total(lost))
    if share <= WAITS:
        return None
    meanwhile = "while the GPU has nothing to do" if trace.devices else "on the thread that computes"
    least = WAITS if trace.devices else INFERRED  # without a GPU the loader's work is part of what there is to do
    name = trace.events.name(max(rows, key=lambda row: trace.events.end_ns[row] - trace.events.start_ns[row]))
    proof = Proof(
        text=f"{percent(share)} of the step goes by in {short(name)} {meanwhile}: "
        f"{time(total(lost) / len(trace.steps))} per step, {len(rows) / len(trace.steps):.1f} waits",
        place=trace.place(max(rows, key=lambda row: trace.events.end_ns[row] - trace.events.start_ns[row])),
        values={"share": share, "seconds_a_step": total(lost) / len(trace.steps) / 1e9},
    )
    code = sampled.loading(evidence)
    found = _finding([proof, *_named(code)], share, confidence_of(share, least, WAITS_MUCH))
    hint = hint_for(code.texts) if code else ""
    return found.model_copy(update={"advice": f"{hint}; or prepare ahead: loader workers, prefetch"} if hint else {})


def _infer(trace: Trace, evidence: Evidence) -> Finding | None:
    """From what follows the host's work: a batch that is copied to the GPU, or a tensor made of Python's data."""
    if trace.devices:
        spans = _before_copies(trace)
        share = trace.share(sum(end - start for start, end in spans))
    else:
        feeding = [gap for gap in host.python_gaps(trace) if gap.feeds]
        spans, share = [(gap.start_ns, gap.end_ns) for gap in feeding], host.recurring_share(trace, feeding)
        share = sampled.at_most(evidence, share)
    if share <= INFERRED:
        return None
    longest = max(spans, key=lambda span: span[1] - span[0])
    doing, steps = host.covering(trace, longest), len(trace.steps)
    then = "while the GPU has nothing to do, and then copies data to it" if trace.devices else "and then makes a tensor"
    proofs = [
        Proof(
            text=f"for {percent(share)} of the step the host works ({short(doing)}) {then}: "
            f"{time(share * trace.step_ns)} per step, {len(spans) / steps:.1f} times; no range marks it as input",
            place=trace.moment(longest[0]),
            values={"share": share, "seconds_a_step": share * trace.step_ns / 1e9},
        )
    ]
    code = sampled.other_code(evidence)
    if lines := _named(code):
        proofs += lines
    elif doing == host.UNNAMED:
        proofs.append(
            Proof(text="the function that does it: `perfproof profile --tool perf -- COMMAND` samples stacks")
        )
    # Without a GPU a wait, or a container that is gone through, is the cause, not that a tensor comes next.
    waits, grows = sampled.waits(evidence), sampled.growing(evidence, GROWS)
    parts = {"host_waits": waits.share if waits else 0.0, "growing_work": grows[1].share if grows else 0.0}
    parts = {} if trace.devices else {rule: part for rule, part in parts.items() if part > 0}
    advice = {"advice": hint} if code and (hint := hint_for(code.texts)) else {}
    found = _finding(proofs, share, confidence_of(share, INFERRED, INFERRED_MUCH))
    return found.model_copy(update={"parts": parts, **advice})


def _named(lines: sampled.Lines | None) -> list[Proof]:
    if lines is None:
        return []
    return [Proof(text=f"lines that take the time: {lines.listed()}", place=lines.lines[0][0])]


def _before_copies(trace: Trace) -> list[Interval]:
    by_device = [
        [(gap.start_ns, gap.end_ns) for gap in gaps.idle_gaps(trace, device) if gap.cause == "input"]
        for device in trace.used_devices
    ]
    return max(by_device, key=lambda spans: sum(end - start for start, end in spans), default=[])


def _finding(proofs: list[Proof], share: float, confidence: Confidence) -> Finding:
    return Finding(
        rule="input_bound",
        title="the step waits for its input",
        confidence=confidence,
        evidence=proofs,
        share=share,
        advice="do less per item (whole tensors, no loop in Python), or prepare ahead: loader workers, prefetch",
        experiment=COMPARE_CHANGE,
        refuted_by="with one batch that is kept and used again the step takes as long",
    )


def _idle(trace: Trace) -> list[Interval]:
    """Where no device of the rank has work."""
    return difference(trace.window, trace.covered(trace.rows(Kind.KERNEL, Kind.COPY, Kind.FILL)))


def _idle_share(trace: Trace) -> float:
    return trace.share(total(_idle(trace)))
