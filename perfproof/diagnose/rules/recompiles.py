"""torch.compile compiles the same function again and again: something that it took as constant changes."""

from perfproof.core.diagnosis import Abstained, Confidence, Finding, Proof
from perfproof.diagnose.compiling import compile_events, missing_log, silence
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.wording import printable

SHOWN = 5
USUAL = 1  # of a function, while it warms up: sizes that changed once are taken as variable from then on


def find(evidence: Evidence) -> Finding | Abstained | None:
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
    return Finding(
        rule="recompiles",
        title="functions are compiled again and again",
        confidence=_confidence(count, late, functions),
        evidence=[summary, *reasons],
        share=None,
        advice="mark what changes as dynamic (torch._dynamo.mark_dynamic, dynamic=True), pass numbers as tensors, pad "
        "to a few sizes",
        experiment="perfproof profile --tool compile -- COMMAND",
        refuted_by="a longer run has no more of them: they all belong to warm-up",
        basis="facts",
    )


def _confidence(count: int, late: int | None, functions: int) -> Confidence:
    if late:
        return "high"
    return "low" if late == 0 or count <= USUAL * functions else "medium"
