"""The profiler slowed the program down: durations in its trace are longer than those of the program."""

from perfproof.core.diagnosis import Abstained, Confidence, Finding, Proof
from perfproof.core.events import Kind
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.traces import Trace
from perfproof.diagnose.wording import percent, time

SLOWED = 1.2  # profiled over unprofiled step
OWN = 0.10  # of the step in rows of the profiler itself
IDLE = 0.05  # of the step: a device that is idle for less is fed in time
SPAN = "PyTorch Profiler"  # a row around the whole recording, not work of the profiler


def find(evidence: Evidence) -> Finding | Abstained | None:
    marked = [trace for trace in evidence.traces if trace.found]
    if not marked:
        missing = "a trace whose steps are marked (profiler.step(), or a range called step)"
        return Abstained(rule="profiler_overhead", missing=missing)
    slowest = max(marked, key=lambda trace: trace.step_ns)
    if evidence.unprofiled_step_ns:
        ratio = slowest.step_ns / evidence.unprofiled_step_ns
        return _slowed(slowest, evidence.unprofiled_step_ns, ratio) if ratio > SLOWED else None
    busiest = max(marked, key=_own_ns)
    if busiest.share(_own_ns(busiest)) > OWN and not _hidden(busiest):
        return _own(busiest)
    return Abstained(rule="profiler_overhead", missing="the step without a profiler: --unprofiled-step MS")


def _own_ns(trace: Trace) -> int:
    events = trace.events
    rows = [row for row in events.where(Kind.OVERHEAD) if not events.name(row).startswith(SPAN)]
    return sum(end - start for start, end in trace.covered(rows))


def _hidden(trace: Trace) -> bool:
    """Whether a device works all the time: then the host is ahead of it, and what it loses costs nothing."""
    return any(trace.share(busy) > 1 - IDLE for busy in trace.busy_ns.values())


def _slowed(trace: Trace, unprofiled_ns: float, ratio: float) -> Finding:
    text = (
        f"a step takes {time(trace.step_ns)} under the profiler and {time(unprofiled_ns)} without: "
        f"{ratio:.2f} times as long"
    )
    stacks = bool(trace.events.where(Kind.PYTHON))
    return _finding(trace, text, {"ratio": ratio}, "high", "with_stack=True was on; " if stacks else "")


def _own(trace: Trace) -> Finding:
    share = trace.share(_own_ns(trace))
    text = f"{percent(share)} of the steady steps is work of the profiler itself, by its own rows"
    return _finding(trace, text, {"share": share}, "medium", "")


def _finding(trace: Trace, text: str, values: dict[str, float], confidence: Confidence, also: str) -> Finding:
    return Finding(
        rule="profiler_overhead",
        title="the profiler slowed the program",
        confidence=confidence,
        evidence=[Proof(text=text, place=trace.label, values=values)],
        share=None,  # nothing of it is in the program
        advice=f"{also}record less: no stacks, no shapes, no memory, fewer steps; believe counts and order in this "
        "trace, not durations",
        experiment="perfproof profile --tool torch --profile minimal -- COMMAND"
        if also
        else "perfproof profile --tool perf -- COMMAND",
        refuted_by="a recording without stacks, shapes and memory takes as long a step",
        basis="facts",
        poisons="durations",
    )
