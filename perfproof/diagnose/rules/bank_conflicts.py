"""Threads of a warp meet in the same bank of shared memory and are served one after the other."""

from typing import Literal

from perfproof.core.diagnosis import Abstained, Finding
from perfproof.diagnose import counted
from perfproof.diagnose.counted import Counted, Hit
from perfproof.diagnose.evidence import Evidence
from perfproof.diagnose.speed_of_light import L1, speed_of_light
from perfproof.diagnose.wording import percent

CONFLICTS = 0.10  # of the wavefronts
L1_BUSY = 0.40  # of its peak: below, the extra wavefronts cost nothing
CONFLICT = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_{}.sum"
WAVEFRONT = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum"
NEEDS = (*(tuple(name.format(way) for way in ("ld", "st")) for name in (CONFLICT, WAVEFRONT)), L1)


def find(evidence: Evidence) -> Finding | Abstained | None:
    return counted.find(
        evidence, "bank_conflicts", "ch07", judge, NEEDS,
        title="bank conflicts in shared memory",
        advice="pad the rows of the tile by one element, or swizzle its columns",
        experiment="perfproof profile --metrics SMEM",
        refuted_by="without conflicts the kernel takes as long",
    )  # fmt: skip


def judge(kernel: Counted) -> Hit | Literal["missing"] | None:
    conflicts = kernel.sum(*(CONFLICT.format(way) for way in ("ld", "st")))
    wavefronts = kernel.sum(*(WAVEFRONT.format(way) for way in ("ld", "st")))
    busy = speed_of_light(kernel).l1
    if conflicts is None or wavefronts is None:
        return "missing"
    share = conflicts / wavefronts if wavefronts else 0.0
    if share <= CONFLICTS:
        return None
    if busy is None:
        return "missing"
    if busy < L1_BUSY:
        return None
    text = f"{percent(share)} of the wavefronts of shared memory are conflicts, L1 at {percent(busy)} of its peak"
    return Hit(kernel, share, text, {"conflicts": conflicts, "wavefronts": wavefronts, "l1_used": busy})
