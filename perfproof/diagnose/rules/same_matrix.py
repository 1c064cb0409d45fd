"""A matrix is factorised, inverted or solved with again and again, though it is the same one.

The stacks that `perfproof profile` samples mark such calls: see perfproof/profile/children/same_matrix.py.
"""

from perfproof.core.diagnosis import Abstained, Finding, Proof
from perfproof.diagnose import sampled
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules.host_waits import HOW
from perfproof.diagnose.wording import COMPARE_CHANGE, confidence_of, percent
from perfproof.profile.children.same_matrix import MARK

TAKES, TAKES_MUCH = 0.20, 0.50  # of the time


def find(evidence: Evidence) -> Finding | Abstained | None:
    if not sampled.working_samples(evidence):
        return Abstained(rule="same_matrix", missing=HOW)
    found = sampled.growing(evidence, MARK)
    if evidence.uses_gpu or found is None or found[1].share <= TAKES:
        return None
    name, lines = found
    text = f"for {percent(lines.share)} of the time {name} works on a matrix that an earlier call had: {lines.listed()}"
    return Finding(
        rule="same_matrix",
        title=f"{name} works on the same matrix again",
        confidence=confidence_of(lines.share, TAKES, TAKES_MUCH),
        evidence=[Proof(text=text, place=lines.lines[0][0], values={"share": lines.share})],
        share=lines.share,
        advice="factorise it once before the loop and keep that: scipy.sparse.linalg.splu or factorized, "
        "scipy.linalg.lu_factor or cho_factor; then only solve for each right-hand side",
        experiment=COMPARE_CHANGE,
        refuted_by="a few elements of the matrix change from call to call",
        parts={"repeated_calls": lines.share, "costly_operators": lines.share},
        basis="facts",
    )
