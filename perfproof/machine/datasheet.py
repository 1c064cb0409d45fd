"""What the makers' data sheets promise: the sanity bound beside what was measured, never a substitute for it.

Figures are dense: where a sheet prints them with sparsity, they are halved. `fp32` is that of the plain cores, every
other type that of the tensor cores where the GPU has them for it; `fp16` and `bf16` accumulate in fp32, `fp8` in
whatever is fastest (GeForce cards reach their figure with fp16 sums, half of it with fp32). A figure that no sheet
states plainly is left out, and `source` names the sheet of all others. A row of datasheets.csv is one card: its
memory, TFLOP/s by type, its highest clock, multiprocessors, L2, power, NVLink, and its architecture below.

A sheet's tensor figures are at a clock that cards may exceed: an H100 SXM's 989 TFLOP/s are 132 multiprocessors x 4096
operations x 1.83 GHz, and its clock goes up to 1.98 GHz, the `boost_hz` here. What the hardware cannot pass is
therefore `bound`: operations a cycle and multiprocessor, times multiprocessors, times the highest clock of this very
card, or the sheet's own figure if that is higher.
"""

import csv
import re
from dataclasses import dataclass, field
from pathlib import Path

from perfproof.core.units import MiB

DTYPES = ("fp64", "fp32", "tf32", "fp16", "bf16", "fp8", "int8", "fp4")
MAKER = r"^(NVIDIA |AMD )?(Tesla |GeForce |Instinct )?"  # older drivers and names leave out the first
SHARED_BYTES_PER_CLOCK = 128  # of each multiprocessor's shared memory, since Volta

# Operations of one multiprocessor in one clock cycle, multiply and add counted as two (architecture white papers).
PER_CLOCK = {
    "VOLTA": {"fp64": 64, "fp32": 128, "fp16": 1024},
    "TURING": {"fp32": 128, "fp16": 1024, "int8": 2048},
    "AMPERE": {"fp64": 128, "fp32": 128, "tf32": 1024, "fp16": 2048, "bf16": 2048, "int8": 4096},  # A100, A30
    "AMPERE_RTX": {"fp32": 256, "tf32": 512, "fp16": 1024, "bf16": 1024, "int8": 2048},
    "AMPERE_GEFORCE": {"fp32": 256, "tf32": 256, "fp16": 512, "bf16": 512, "int8": 2048},
    "ADA": {"fp32": 256, "tf32": 512, "fp16": 1024, "bf16": 1024, "fp8": 2048, "int8": 2048},
    "ADA_GEFORCE": {"fp32": 256, "tf32": 256, "fp16": 512, "bf16": 512, "fp8": 2048, "int8": 2048},  # fp8 into fp16
    "HOPPER": {"fp64": 256, "fp32": 256, "tf32": 2048, "fp16": 4096, "bf16": 4096, "fp8": 8192, "int8": 8192},
    "BLACKWELL": {"fp32": 256, "tf32": 4096, "fp16": 8192, "bf16": 8192, "fp8": 16384, "int8": 16384, "fp4": 32768},
    "BLACKWELL_GEFORCE": {"fp32": 256, "tf32": 256, "fp16": 512, "bf16": 512, "fp8": 2048, "int8": 2048, "fp4": 4096},
    # The rates of AMD are those of one compute unit.
    "CDNA_3": {"fp64": 256, "fp32": 256, "tf32": 1024, "fp16": 2048, "bf16": 2048, "fp8": 4096, "int8": 4096},
    "CDNA_4": {"fp64": 128, "fp32": 256, "fp16": 4096, "bf16": 4096, "fp8": 8192, "int8": 8192, "fp4": 16384},
}


@dataclass(frozen=True)
class Sheet:
    name: str
    match: str = field(repr=False)  # a regular expression for the driver's whole name of the card, without its maker's
    memory_bytes_s: float
    flops: dict[str, float]  # dense operations a second by type
    boost_hz: float | None
    sms: int | None
    l2_bytes: int | None
    power_watts: float | None
    source: str
    per_clock: dict[str, int] = field(default_factory=dict)  # operations a cycle and multiprocessor
    memory_gb: int | None = None  # decimal, as advertised; a driver reports a few per cent more or less
    link_gb_s: int | None = None  # NVLink to all neighbours, one direction: sheets print both directions together

    def bound(self, dtype: str, highest_clock_hz: float | None = None) -> float | None:
        """Operations a second that this card cannot pass; None where neither sheet nor architecture tells."""
        stated = self.flops.get(dtype)
        if not (self.sms and highest_clock_hz and dtype in self.per_clock):
            return stated
        return max(stated or 0.0, self.sms * self.per_clock[dtype] * highest_clock_hz)

    def shared_bound(self, highest_clock_hz: float | None = None) -> float | None:
        """Bytes a second that the shared memories of all multiprocessors cannot pass."""
        clock = max(highest_clock_hz or 0.0, self.boost_hz or 0.0)
        return self.sms * SHARED_BYTES_PER_CLOCK * clock if self.sms and clock else None


def find(gpu_name: str) -> Sheet | None:
    """The sheet of a card by the name the driver gives it; None for an unknown card.

    The whole name must be known: what follows it tells a slice (H200 MIG 1g.18gb), a virtual GPU (A30-1-6C) or another
    product (H100 SXM5 64GB), whose figures are not these.
    """
    name = re.sub(MAKER, "", gpu_name.strip(), flags=re.IGNORECASE)
    return next((sheet for sheet in SHEETS if re.fullmatch(sheet.match, name, re.IGNORECASE)), None)


def named(name: str) -> Sheet | None:
    """The sheet by its own name, as people write it, or by the driver's."""
    return next((one for one in SHEETS if one.name.lower() == name.strip().lower()), None) or find(name)


def family(name: str) -> list[str]:
    """The sheets of a family that was named alone: for "H100" those of SXM, PCIe and NVL; empty for any other name."""
    wanted = re.sub(MAKER, "", name.strip(), flags=re.IGNORECASE).lower()
    return [one.name for one in SHEETS if wanted and one.name.lower().startswith(f"{wanted} ")]


def _read_sheet(row: dict[str, str]) -> Sheet:
    return Sheet(
        name=row["name"],
        match=row["match"],
        memory_bytes_s=float(row["GB/s"]) * 1e9,
        flops={dtype: round(float(row[dtype]) * 1e12) for dtype in DTYPES if row[dtype]},
        boost_hz=float(row["GHz"]) * 1e9 if row["GHz"] else None,
        sms=int(row["SMs"]) if row["SMs"] else None,
        l2_bytes=int(row["L2 MiB"]) * MiB if row["L2 MiB"] else None,
        power_watts=int(row["W"]) if row["W"] else None,
        source=row["source"],
        per_clock=PER_CLOCK.get(row["architecture"], {}),
        memory_gb=int(row["GB"]) if row["GB"] else None,
        link_gb_s=int(row["link GB/s"]) if row["link GB/s"] else None,
    )


with Path(__file__).with_name("datasheets.csv").open(encoding="utf-8", newline="") as file:
    SHEETS = tuple(map(_read_sheet, csv.DictReader(file)))
