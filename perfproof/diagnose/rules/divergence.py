"""Threads of a warp take different ways, and the warp goes all of them.

It costs time only where instructions are what the kernel waits for: where the schedulers or the fma pipe are busy. A
busy tensor pipe says nothing: one elected thread starts its products, while the other lanes rest by design.
"""

from typing import Literal

from perfproof.core.diagnosis import Abstained, Finding
from perfproof.diagnose import counted
from perfproof.diagnose.counted import Counted, Hit
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.speed_of_light import BINDS, FMA, NEEDS_ISSUE, speed_of_light
from perfproof.diagnose.wording import percent

UNIFORM = 0.80  # of the branches
THREADS, WARP = 24, 32  # active threads an instruction, of those in a warp
BRANCHES = "smsp__sass_average_branch_targets_threads_uniform.pct"
PER_INSTRUCTION = (
    "smsp__average_thread_inst_executed_per_inst_executed.ratio",
    "smsp__thread_inst_executed_per_inst_executed.ratio",
)
NEEDS = ((BRANCHES, *PER_INSTRUCTION), (*NEEDS_ISSUE, *FMA))


def find(evidence: Evidence) -> Finding | Abstained | None:
    return counted.find(
        evidence, "divergence", "ch07", judge, NEEDS,
        title="warps that diverge",
        advice="sort or group the work so that the threads of a warp go the same way; predicates in place of branches",
        experiment="perfproof profile --metrics DIV",
        refuted_by="with the work sorted the kernel takes as long",
    )  # fmt: skip


def judge(kernel: Counted) -> Hit | Literal["missing"] | None:
    uniform, threads = kernel.value(BRANCHES), kernel.value(*PER_INSTRUCTION)
    busy = max((used for used in (speed_of_light(kernel).issue, kernel.value(*FMA)) if used is not None), default=None)
    if (uniform is None and threads is None) or busy is None:
        return "missing"
    diverges = (uniform is not None and uniform < UNIFORM) or (threads is not None and threads < THREADS)
    if not diverges or busy < BINDS:
        return None
    words = [f"{percent(uniform)} of the branches are uniform"] if uniform is not None else []
    words += [f"{threads:.1f} of {WARP} threads do each instruction"] if threads is not None else []
    saves = 1 - threads / WARP if threads is not None else 1 - (uniform or 0.0)
    values = {"uniform": uniform, "threads": threads}
    return Hit(kernel, saves, ", ".join(words), {name: value for name, value in values.items() if value is not None})
