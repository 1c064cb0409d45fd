"""Multiprocessors that could hold more warps run out of them: blocks differ in length."""

from typing import Literal

from perfproof.core.diagnosis import Abstained, Finding
from perfproof.diagnose import counted
from perfproof.diagnose.counted import Counted, Hit
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.speed_of_light import BINDS, speed_of_light
from perfproof.diagnose.wording import percent

# Active, of the warps that fit. Blocks begin and end one by one, and a new one needs a moment to start: even kernels of
# equal blocks keep about 85 % on an H200. Uneven blocks leave clearly less.
FEW = 0.70
WAVES = 1.0  # fewer are not balance but too little work: tail_effect
ACHIEVED = "sm__warps_active.avg.pct_of_peak_sustained_active"
THEORETICAL = "sm__maximum_warps_per_active_cycle_pct"
PER_SM = "launch__waves_per_multiprocessor"


def find(evidence: Evidence) -> Finding | Abstained | None:
    hits = counted.look(evidence, "imbalance", "minimal", judge, ((ACHIEVED,), (THEORETICAL,), (PER_SM,)))
    if not isinstance(hits, list):
        return hits
    return Finding(
        rule="imbalance",
        title="blocks of uneven length",
        confidence="low" if counted.confidence(hits) == "low" else "medium",  # late starts look the same
        evidence=counted.proofs(hits),
        share=counted.saved(hits),
        share_of=counted.share_of(evidence),
        advice="smaller tiles, the long ones first, or a persistent kernel that takes its next tile itself",
        experiment="perfproof profile --metrics LAUNCH",
        refuted_by="with twice the blocks of half the size the two occupancies are as far apart",
        basis="counters",
    )


def judge(kernel: Counted) -> Hit | Literal["missing"] | None:
    achieved, possible, waves = kernel.value(ACHIEVED), _theoretical(kernel), kernel.value(PER_SM)
    if achieved is None or possible is None or waves is None:
        return "missing"
    if waves < WAVES or possible <= 0 or achieved >= FEW * possible:
        return None
    light = speed_of_light(kernel)
    if max(light.highest, light.issue or 0.0) >= BINDS:  # a unit is busy: more warps would only queue for it
        return None
    text = f"{percent(possible)} of the warps fit, {percent(achieved)} were active, over {waves:.1f} waves"
    return Hit(kernel, 1 - achieved / possible, text, {"fits": possible, "active": achieved, "waves": waves})


def _theoretical(kernel: Counted) -> float | None:
    """ncu prints it in per cent, with or without the sign."""
    value = kernel.value(THEORETICAL)
    return value / 100 if value is not None and value > 1 else value
