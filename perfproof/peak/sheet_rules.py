"""Measured against the data sheet: more than the hardware can do is a counting error, much less is a finding.

A ceiling above its bound (by more than 2 %) is refused: bytes or operations were miscounted, or a cache was measured.
A device copy below 80 % of the sheet's bandwidth is kept, and says that something is wrong with the card.
"""

from dataclasses import dataclass
from typing import Any

from perfproof.core.ceilings import Ceiling
from perfproof.core.units import percent
from perfproof.machine.datasheet import Sheet, find
from perfproof.peak.table import quantity

ABOVE = 1.02
LEAST_COPY = 0.80


class Refused(Exception):
    """The measured value is beyond the hardware: the text has the arithmetic."""


@dataclass(frozen=True)
class Limit:
    sheet: float | None  # the sheet's own figure, for the percentage
    bound: float | None  # what this card cannot pass
    how: str  # the bound came about


def sheet_of(seen: dict[str, Any]) -> tuple[Sheet | None, float | None]:
    """The sheet of the snapshot's GPU and its highest clock; none for the CPU, an unknown card, or a slice of one."""
    if seen.get("gpu") is None:
        return None, None
    gpu = seen["gpus"][seen["gpu"]]
    clock = gpu["clock_sm_max_mhz"]
    sheet = None if gpu["mig"] is True else find(str(gpu["name"]))
    return sheet, clock * 1e6 if isinstance(clock, int | float) else None


def limit_of(name: str, sheet: Sheet, clock_hz: float | None) -> Limit | None:
    """What the sheet says about a ceiling of this name; None where it says nothing."""
    group, _, rest = name.partition("/")
    if group == "memory":
        return Limit(sheet.memory_bytes_s, sheet.memory_bytes_s, "the data sheet's bandwidth")
    if group == "gemm":
        dtype = rest.partition("/")[0]
        bound, stated = sheet.bound(dtype, clock_hz), sheet.flops.get(dtype)
        if bound is None:
            return None
        at_clock = f"{sheet.sms} SMs x {sheet.per_clock.get(dtype)} operations x {(clock_hz or 0) / 1e9:.3g} GHz"
        return Limit(stated, bound, at_clock if bound != stated else "the data sheet's figure")
    if name == "shared/read" and (bound := sheet.shared_bound(clock_hz)) is not None:
        return Limit(None, bound, f"{sheet.sms} SMs x 128 bytes a cycle at the highest clock")
    return None


def judged(ceiling: Ceiling, sheet: Sheet | None, clock_hz: float | None) -> Ceiling:
    """The ceiling with the sheet's figure and what is to be said about it; raises Refused if it cannot be."""
    limit = None if sheet is None else limit_of(ceiling.name, sheet, clock_hz)
    if sheet is None or limit is None:
        return ceiling
    if limit.bound is not None and ceiling.value > ABOVE * limit.bound:
        raise Refused(
            f"refused: {quantity(ceiling.value, ceiling.unit)} measured is {percent(ceiling.value / limit.bound)} of "
            f"the {quantity(limit.bound, ceiling.unit)} that a {sheet.name} can do at most ({limit.how}): "
            "a counting error"
        )
    ceiling = ceiling.model_copy(update={"sheet": limit.sheet})
    share = ceiling.value / limit.sheet if limit.sheet else None
    if ceiling.name == "memory/copy" and share is not None and share < LEAST_COPY:
        ceiling.finding = (
            f"{percent(share)} of the data sheet's {quantity(sheet.memory_bytes_s, 'bytes/s')}, a healthy card reaches "
            f"over 80 %: look at clocks, ECC errors, remapped rows and other programs on the GPU"
        )
    return ceiling
