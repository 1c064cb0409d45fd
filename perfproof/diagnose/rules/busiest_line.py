"""Without a GPU: where the time is, if nothing else is known. Never above low: it may be what the program is for."""

from perfproof.core.diagnosis import Abstained, Finding, Proof
from perfproof.diagnose import sampled
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.hints import hint_for
from perfproof.diagnose.rules.host_waits import HOW
from perfproof.diagnose.wording import COMPARE_CHANGE, percent

TAKES = 0.25  # of the time
ADVICE = "look at this line first: is it needed each time, with so much data, in this type?"


def find(evidence: Evidence) -> Finding | Abstained | None:
    lines = None if evidence.device_traces else sampled.busiest(evidence)
    if not sampled.working_samples(evidence):
        return Abstained(rule="busiest_line", missing=HOW)
    if lines is None or lines.lines[0][1] <= TAKES:
        return None
    share = lines.lines[0][1]
    return Finding(
        rule="busiest_line",
        title="most of the time is at few lines",
        confidence="low",
        evidence=[
            Proof(
                text=f"{percent(lines.share)} of the time is at lines of the program, most at {lines.listed()}",
                place=lines.lines[0][0],
                values={"share": share},
            )
        ],
        share=share,
        advice=hint_for(lines.texts) or ADVICE,
        experiment=COMPARE_CHANGE,
        refuted_by="without this line the program takes as long",
        basis="facts",
    )
