"""An explicit solver for differential equations makes steps that are far shorter than its tolerance asks for.

The stacks that `perfproof profile` samples mark such steps: see perfproof/profile/children/short_steps.py.
"""

from perfproof.core.diagnosis import Abstained, Finding, Proof
from perfproof.diagnose import sampled
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.rules.host_waits import HOW
from perfproof.diagnose.wording import COMPARE_CHANGE, confidence_of, percent
from perfproof.profile.children.short_steps import EXPLICIT, SHORT

TAKES, TAKES_MUCH = 0.25, 0.60  # of the time
MOSTLY = 0.5  # of the solver's time


def find(evidence: Evidence) -> Finding | Abstained | None:
    if not sampled.working_samples(evidence):
        return Abstained(rule="short_steps", missing=HOW)
    solver, short = sampled.growing(evidence, EXPLICIT), sampled.growing(evidence, SHORT)
    if evidence.uses_gpu or solver is None or short is None:
        return None
    name, lines = solver
    if lines.share <= TAKES or short[1].share <= MOSTLY * lines.share:
        return None
    text = (
        f"{name} takes {percent(lines.share)} of the time, and in {percent(short[1].share / lines.share)} of it a step "
        "changes the solution by hardly more than the error that is allowed, or is as long as it can be without "
        f"becoming unstable: {lines.listed()}"
    )
    return Finding(
        rule="short_steps",
        title=f"the explicit solver {name} makes far shorter steps than its tolerance asks for",
        confidence=confidence_of(lines.share, TAKES, TAKES_MUCH),
        evidence=[Proof(text=text, place=lines.lines[0][0], values={"share": lines.share})],
        share=lines.share,
        advice="the equations are stiff, most likely: method='LSODA', 'Radau' or 'BDF' of solve_ivp, with jac or "
        "jac_sparsity if they are known; a larger max_step if one is given",
        experiment=COMPARE_CHANGE,
        refuted_by="an implicit method needs as many steps",
        basis="facts",
    )
