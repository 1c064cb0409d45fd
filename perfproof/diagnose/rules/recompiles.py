"""torch.compile compiles the same function again and again: something that it took as constant changes."""

from perfproof.core.diagnosis import Abstained, Confidence, Finding, Proof
from perfproof.core.events import Kind
from perfproof.diagnose.compiling import compile_events, missing_log, silence
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.traces import Trace
from perfproof.diagnose.wording import confidence_of, percent, printable, short
from perfproof.profile.idle_causes import compiling_rows
from perfproof.profile.intervals import total

SHOWN = 5
COSTS, COSTS_MUCH = 0.05, 0.20  # of the step, in ranges of the compiler
USUAL = 1  # of a function, while it warms up: sizes that changed once are taken as variable from then on


def find(evidence: Evidence) -> Finding | Abstained | None:
    found = [finding for trace in evidence.traces if (finding := _in_steps(trace)) is not None]
    if found:
        return max(found, key=lambda finding: finding.share or 0.0)
    if not evidence.compile_logs:
        return Abstained(rule="recompiles", missing=missing_log())
    again = compile_events(evidence, "recompile")
    if not again:
        why = silence(evidence, "recompiles")
        return Abstained(rule="recompiles", missing=why) if why else None
    count = sum(one.count for _, one in again)
    lates = [one.late for _, one in again]
    late = None if None in lates else sum(number or 0 for number in lates)
    said = "when warm-up ended is not told" if late is None else f"{late} of them after warm-up"
    functions = len({(one.function, one.where) for _, one in again})
    summary = Proof(
        text=f"recompilations: {count}, functions: {functions}; {said}",
        place=again[0][0],
        values={"recompiles": count} | ({} if late is None else {"late": late}),
    )
    reasons = [
        Proof(text=printable(f"{one.function}: {one.reason} (count {one.count})"), place=printable(one.where))
        for _, one in again[:SHOWN]
    ]
    return _finding([summary, *reasons], _confidence(count, late, functions), None)


def _in_steps(trace: Trace) -> Finding | None:
    """Ranges of the compiler in steady steps: whatever it compiles there, the step waits for it."""
    steady = {*trace.rows(Kind.RANGE, Kind.OPERATOR)}
    rows = [row for row in compiling_rows(trace.events, trace.rank) if row in steady]
    share = trace.share(total(trace.covered(rows)))
    if share <= COSTS:
        return None
    names = ", ".join(dict.fromkeys(short(trace.events.name(row)) for row in rows[:SHOWN]))
    proof = Proof(
        text=f"for {percent(share)} of the steady steps code is compiled or tuned: {names}",
        place=trace.place(rows[0]),
        values={"share": share},
    )
    return _finding([proof], confidence_of(share, COSTS, COSTS_MUCH), share)


def _finding(proofs: list[Proof], confidence: Confidence, share: float | None) -> Finding:
    return Finding(
        rule="recompiles",
        title="functions are compiled again and again",
        confidence=confidence,
        evidence=proofs,
        share=share,
        advice="mark what changes as dynamic (torch._dynamo.mark_dynamic, dynamic=True), pass numbers as tensors, pad "
        "to a few sizes",
        experiment="perfproof profile --tool compile -- COMMAND",
        refuted_by="a longer run has no more of them: they all belong to warm-up",
        basis="facts" if share is None else "durations",
    )


def _confidence(count: int, late: int | None, functions: int) -> Confidence:
    if late:
        return "high"
    return "low" if late == 0 or count <= USUAL * functions else "medium"
