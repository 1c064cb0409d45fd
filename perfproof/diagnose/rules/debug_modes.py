"""A switch that finds mistakes was on while the program was recorded: it makes every operation slower."""

from perfproof.core.diagnosis import Abstained, Finding, Proof
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.wording import COMPARE_CHANGE, short

MISSING = "a trace of `perfproof profile -- python train.py`: it notes which debug modes are on"


def find(evidence: Evidence) -> Finding | Abstained | None:
    told = [events.about.get("perfproof_debug_modes") for _, events in evidence.tables]
    noted = [modes for modes in told if isinstance(modes, list)]
    if not noted:
        return Abstained(rule="debug_modes", missing=MISSING)
    names = sorted({short(str(name)) for modes in noted for name in modes})
    if not names:
        return None
    return Finding(
        rule="debug_modes",
        title="a debug mode is on",
        confidence="medium",
        evidence=[Proof(text=f"on while the program was recorded: {', '.join(names)}")],
        share=None,  # not known: what else is measured is slower by it too
        advice="turn it off, except while a mistake is looked for, and record again",
        experiment=COMPARE_CHANGE,
        refuted_by="without it the program takes as long",
        poisons="durations",
        basis="facts",
    )
