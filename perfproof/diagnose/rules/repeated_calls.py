"""A function is called again and again with arguments that it has had before: its answer could be kept.

The stacks that `perfproof profile` samples mark such calls: see perfproof/profile/children/same_calls.py.
"""

from perfproof.core.diagnosis import Abstained, Finding, Proof
from perfproof.diagnose import sampled
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules.host_waits import HOW
from perfproof.diagnose.wording import COMPARE_CHANGE, confidence_of, percent

TAKES, TAKES_MUCH = 0.20, 0.50  # of the time
SPEAKS_AT = 0.05  # the mark is sure: less than TAKES is a suspicion, and up to this a note


def find(evidence: Evidence) -> Finding | Abstained | None:
    if not sampled.working_samples(evidence):
        return Abstained(rule="repeated_calls", missing=HOW)
    found = sampled.repeated_calls(evidence)
    if found is None:
        return None
    name, lines = found
    text = f"for {percent(lines.share)} of the time {name} computes with arguments that an earlier call had: "
    return Finding(
        rule="repeated_calls",
        title=f"{name} is called again with the same arguments",
        confidence=confidence_of(lines.share, TAKES, TAKES_MUCH),
        evidence=[Proof(text=text + lines.listed(), place=lines.lines[0][0], values={"share": lines.share})],
        share=lines.share,
        advice="call it once before the loop and keep the answer, or keep answers by their arguments (functools.cache)",
        experiment=COMPARE_CHANGE,
        refuted_by="the answer depends on more than the arguments, or something is meant to be done each time",
        basis="facts",
    )
