"""Kernels need more registers than they have and keep values in local memory."""

from typing import Literal

from perfproof.core.diagnosis import Abstained, Finding
from perfproof.diagnose import counted
from perfproof.diagnose.counted import Counted, Hit
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.wording import percent

SPILLED = 0.01  # of the instructions
LOADS, STORES = "smsp__inst_executed_op_local_ld.sum", "smsp__inst_executed_op_local_st.sum"
BOTH = "smsp__sass_inst_executed_op_local.sum"
ALL = "smsp__inst_executed.sum"
REGISTERS = "launch__registers_per_thread"


def find(evidence: Evidence) -> Finding | Abstained | None:
    return counted.find(
        evidence, "spills", "SPILL", judge, ((BOTH, LOADS, STORES), (ALL,)),
        title="registers spilled to local memory",
        advice="fewer live values: smaller tiles, __launch_bounds__ with fewer blocks, less unrolling",
        experiment="perfproof profile --metrics SPILL",
        refuted_by="without local accesses the kernel takes as long",
    )  # fmt: skip


def judge(kernel: Counted) -> Hit | Literal["missing"] | None:
    local, executed = kernel.sum(LOADS, STORES), kernel.value(ALL)
    local = kernel.value(BOTH) if local is None else local
    if local is None or executed is None:
        return "missing"
    share = local / executed if executed else 0.0
    if share <= SPILLED:
        return None
    registers = kernel.value(REGISTERS)
    text = (
        f"{percent(share)} of the instructions access local memory (the saving is an estimate: that share of the time)"
    )
    text += f"; {registers:.0f} registers a thread" if registers is not None else ""
    return Hit(kernel, share, text, {"local_instructions": local, "instructions": executed})
