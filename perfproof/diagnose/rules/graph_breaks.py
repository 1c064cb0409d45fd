"""torch.compile cut a function into pieces: each cut is a return to Python, and nothing is fused over it."""

from perfproof.core.diagnosis import Abstained, Finding, Proof
from perfproof.diagnose.compiling import compile_events, missing_log, silence
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.wording import printable

SHOWN = 5


def find(evidence: Evidence) -> Finding | Abstained | None:
    if not evidence.compile_logs:
        return Abstained(rule="graph_breaks", missing=missing_log())
    breaks = compile_events(evidence, "graph break")
    if not breaks:
        why = silence(evidence, "graph breaks")
        return Abstained(rule="graph_breaks", missing=why) if why else None
    count = sum(one.count for _, one in breaks)
    proofs = [
        Proof(
            text=f"{printable(one.reason)} (count {one.count})", place=printable(one.where), values={"count": one.count}
        )
        for _, one in breaks[:SHOWN]
    ]
    summary = Proof(
        text=f"graph breaks: {count}, at {len(breaks)} places of the program",
        place=breaks[0][0],
        values={"graph_breaks": count},
    )
    return Finding(
        rule="graph_breaks",
        title="the compiled program is cut by graph breaks",
        confidence="medium",  # that they are there is certain; what they cost, a log does not say
        evidence=[summary, *proofs],
        share=None,
        advice="remove the first reason, look again: keep printing, .item() and Python objects out of compiled code;"
        " fullgraph=True makes a break an error",
        experiment="perfproof profile --tool compile -- COMMAND",
        refuted_by="the step takes as long with the breaks removed, or the places are outside of the step",
        basis="facts",
    )
