"""How much of each unit's peak a kernel used: what binds it, and how far the next limit is.

Time cannot shrink below what the other units need at their peak. A kernel that uses 80 % of DRAM and 10 % of the tensor
cores can at best become ten times faster by moving fewer bytes: `1 - 10 %` of its time is the most that could go.
"""

from dataclasses import dataclass

from perfproof.diagnose.counted import Counted
from perfproof.diagnose.counted_rates import arithmetic_share, dram_share
from perfproof.profile.roofline_counters import DRAM_BYTES, HOPPER, instructions

ROOF = 0.85  # of a peak: as much as programs reach
BINDS = 0.60
IDLE = 0.40  # nothing binds: all below
IDLE_ISSUE = 0.40  # instructions issued a cycle and scheduler

ELAPSED, ACTIVE = "avg.pct_of_peak_sustained_elapsed", "avg.pct_of_peak_sustained_active"
DRAM = (f"dram__throughput.{ELAPSED}",)
L2 = (f"lts__throughput.{ELAPSED}", f"lts__t_sectors.{ELAPSED}")
L1 = (
    *(f"l1tex__throughput.{span}" for span in (ACTIVE, ELAPSED)),
    f"l1tex__data_pipe_lsu_wavefronts.{ELAPSED}",
)
SM = (f"sm__throughput.{ELAPSED}",)
TENSOR = (f"sm__pipe_tensor_cycles_active.{ELAPSED}", f"sm__pipe_tc_cycles_active.{ELAPSED}")
FMA = (f"sm__pipe_fma_cycles_active.{ACTIVE}", f"sm__inst_executed_pipe_fma.{ACTIVE}")
ISSUE = ("smsp__issue_active.avg.per_cycle_active",)
PER_CYCLE = ("sm__inst_executed.avg.per_cycle_active",)
SCHEDULERS = 4  # of a multiprocessor, on every chip that the manifest knows
# What is named where a rule abstains: of each, any will do.
OPERATIONS = tuple(instructions(kind) for kind in HOPPER.vector["fp32"])
NEEDS_DRAM = (*DRAM, DRAM_BYTES)
NEEDS_ARITHMETIC = (*TENSOR, *FMA, *SM, *OPERATIONS)
NEEDS_ISSUE = (*ISSUE, *PER_CYCLE)
CHEAPEST = "minimal"  # the preset that has them all


@dataclass(frozen=True)
class SpeedOfLight:
    """Shares of peak; None where the counter was not collected."""

    dram: float | None
    l2: float | None
    l1: float | None
    arithmetic: float | None  # the busier of tensor and fma pipe; where neither was collected, all of the SM
    sm: float | None
    issue: float | None  # of one instruction a cycle and scheduler
    by_sheet: tuple[str, ...] = ()  # which of them were worked out with the card's data sheet

    @property
    def latency_bound(self) -> bool | None:
        """Nothing is used much. None where too little was collected to say so."""
        if self.highest >= IDLE or (self.issue or 0.0) >= IDLE_ISSUE:
            return False
        if self.dram is None or self.arithmetic is None or self.issue is None:
            return None
        return True

    @property
    def highest(self) -> float:
        return max(one or 0.0 for one in (self.dram, self.l2, self.l1, self.arithmetic, self.sm))

    @property
    def source(self) -> str:
        """What has to be said beside the figures."""
        return f"; {' and '.join(self.by_sheet)} by the card's data sheet" if self.by_sheet else ""


def speed_of_light(kernel: Counted) -> SpeedOfLight:
    sm = kernel.value(*SM)
    pipes = [value for names in (TENSOR, FMA) if (value := kernel.value(*names)) is not None]
    dram, busiest = kernel.value(*DRAM), max(pipes, default=sm)
    sheet = {"DRAM": dram_share(kernel) if dram is None else None}
    if sm is None and kernel.value(*FMA) is None:  # the tensor pipe alone says nothing of the other operations
        done = arithmetic_share(kernel)
        sheet["arithmetic"] = None if done is None or done < (busiest or 0.0) else done
    issue, per_cycle = kernel.value(*ISSUE), kernel.value(*PER_CYCLE)
    return SpeedOfLight(
        dram=dram if dram is not None else sheet["DRAM"],
        l2=kernel.value(*L2),
        l1=kernel.value(*L1),
        arithmetic=busiest if sheet.get("arithmetic") is None else sheet["arithmetic"],
        sm=sm,
        issue=issue if issue is not None or per_cycle is None else per_cycle / SCHEDULERS,
        by_sheet=tuple(name for name, share in sheet.items() if share is not None),
    )
