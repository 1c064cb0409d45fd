"""What the makers' data sheets promise: the sanity bound beside what was measured, never a substitute for it.

Figures are dense: where a sheet prints them with sparsity, they are halved. `fp32` is that of the plain cores, every
other type that of the tensor cores where the GPU has them for it; `fp16` and `bf16` accumulate in fp32, `fp8` in
whatever is fastest (GeForce cards reach their figure with fp16 sums, half of it with fp32). A figure that no sheet
states plainly is left out, and `source` names the sheet of all others.

A sheet's tensor figures are at a clock that cards may exceed: an H100 SXM's 989 TFLOP/s are 132 multiprocessors x 4096
operations x 1.83 GHz, and its clock goes up to 1.98 GHz, the `boost_hz` here. What the hardware cannot pass is
therefore `bound`: operations a cycle and multiprocessor, times multiprocessors, times the highest clock of this very
card, or the sheet's own figure if that is higher.
"""

import re
from dataclasses import dataclass, field

from perfproof.core.units import MiB

TERA = 1e12
MAKER = r"^(NVIDIA |AMD )?(Tesla |GeForce |Instinct )?"  # older drivers and names leave out the first
SHARED_BYTES_PER_CLOCK = 128  # of each multiprocessor's shared memory, since Volta

# Operations of one multiprocessor in one clock cycle, multiply and add counted as two (architecture white papers).
VOLTA = {"fp64": 64, "fp32": 128, "fp16": 1024}
TURING = {"fp32": 128, "fp16": 1024, "int8": 2048}
AMPERE = {"fp64": 128, "fp32": 128, "tf32": 1024, "fp16": 2048, "bf16": 2048, "int8": 4096}  # A100, A30
AMPERE_RTX = {"fp32": 256, "tf32": 512, "fp16": 1024, "bf16": 1024, "int8": 2048}
AMPERE_GEFORCE = {"fp32": 256, "tf32": 256, "fp16": 512, "bf16": 512, "int8": 2048}
ADA = {"fp32": 256, "tf32": 512, "fp16": 1024, "bf16": 1024, "fp8": 2048, "int8": 2048}
ADA_GEFORCE = {"fp32": 256, "tf32": 256, "fp16": 512, "bf16": 512, "fp8": 2048, "int8": 2048}  # fp8 into fp16
HOPPER = {"fp64": 256, "fp32": 256, "tf32": 2048, "fp16": 4096, "bf16": 4096, "fp8": 8192, "int8": 8192}
BLACKWELL = {"fp32": 256, "tf32": 4096, "fp16": 8192, "bf16": 8192, "fp8": 16384, "int8": 16384, "fp4": 32768}
BLACKWELL_GEFORCE = {"fp32": 256, "tf32": 256, "fp16": 512, "bf16": 512, "fp8": 2048, "int8": 2048, "fp4": 4096}
# Of one compute unit of AMD.
CDNA_3 = {"fp64": 256, "fp32": 256, "tf32": 1024, "fp16": 2048, "bf16": 2048, "fp8": 4096, "int8": 4096}
CDNA_4 = {"fp64": 128, "fp32": 256, "fp16": 4096, "bf16": 4096, "fp8": 8192, "int8": 8192, "fp4": 16384}


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


def _tera(**figures: float) -> dict[str, float]:
    return {dtype: round(value * TERA) for dtype, value in figures.items()}


_A100 = _tera(fp64=19.5, fp32=19.5, tf32=156, fp16=312, bf16=312, int8=624)
_H100_SXM = _tera(fp64=66.9, fp32=66.9, tf32=494.7, fp16=989.4, bf16=989.4, fp8=1978.9, int8=1978.9)
_H100_PCIE = _tera(fp64=51.2, fp32=51.2, tf32=378, fp16=756, bf16=756, fp8=1513, int8=1513)
_NVL = _tera(fp64=60, fp32=60, tf32=417.7, fp16=835.5, bf16=835.5, fp8=1671, int8=1671)
_MI300 = _tera(fp64=163.4, fp32=163.4, tf32=653.7, fp16=1307.4, bf16=1307.4, fp8=2614.9, int8=2614.9)
_A100_PAPER = "NVIDIA A100 Tensor Core GPU data sheet, 2021"
_H100_PAPER = "NVIDIA H100 Tensor Core GPU architecture white paper, 2022; data sheet, 2023"
_GH200_PAPER = "NVIDIA GH200 Grace Hopper Superchip data sheet, 2024"

SHEETS = (
    Sheet("A100 SXM 80 GB", r"A100-SXM4?-80GB", 2039e9, _A100, 1.41e9, 108, 40 * MiB, 400, _A100_PAPER, AMPERE),
    Sheet("A100 SXM 40 GB", r"A100-SXM4?-40GB", 1555e9, _A100, 1.41e9, 108, 40 * MiB, 400, _A100_PAPER, AMPERE),
    Sheet("A100 PCIe 80 GB", r"A100 80GB PCIe", 1935e9, _A100, 1.41e9, 108, 40 * MiB, 300, _A100_PAPER, AMPERE),
    Sheet("A100 PCIe 40 GB", r"A100-PCIE-40GB", 1555e9, _A100, 1.41e9, 108, 40 * MiB, 250, _A100_PAPER, AMPERE),
    Sheet(
        "A30",
        r"A30",
        933e9,
        _tera(fp64=10.3, fp32=10.3, tf32=82, fp16=165, bf16=165, int8=330),
        1.44e9,
        56,
        None,
        165,
        "NVIDIA A30 Tensor Core GPU data sheet, 2021",
        AMPERE,
    ),
    Sheet(
        "GH200 144 GB HBM3e", r"GH200 144GB?( HBM3e)?", 4.9e12, _H100_SXM, 1.98e9, 132, None, None, _GH200_PAPER, HOPPER
    ),
    Sheet("GH200 96 GB HBM3", r"GH200 (480GB|96GB)", 4.0e12, _H100_SXM, 1.98e9, 132, None, None, _GH200_PAPER, HOPPER),
    Sheet("H200 NVL", r"H200 NVL", 4.8e12, _NVL, None, 132, None, 600, "NVIDIA H200 NVL data sheet, 2024", HOPPER),
    Sheet(
        "H200 SXM",
        r"H200( SXM)?",
        4.8e12,
        _H100_SXM,
        1.98e9,
        132,
        None,
        700,
        "NVIDIA H200 Tensor Core GPU data sheet, 2024",
        HOPPER,
    ),
    Sheet(
        "H100 NVL",
        r"H100 NVL",
        3.94e12,
        _NVL,
        None,
        132,
        50 * MiB,
        400,
        "NVIDIA H100 NVL product brief, 2023",
        HOPPER,
    ),
    Sheet("H100 PCIe", r"H100 PCIe", 2.04e12, _H100_PCIE, 1.755e9, 114, 50 * MiB, 350, _H100_PAPER, HOPPER),
    Sheet(
        "H100 SXM",
        r"H100 (80GB HBM3|SXM5?( 80GB)?)",
        3.35e12,
        _H100_SXM,
        1.98e9,
        132,
        50 * MiB,
        700,
        _H100_PAPER,
        HOPPER,
    ),
    Sheet(
        "GB200",
        r"GB200",
        8.0e12,
        _tera(fp64=40, fp32=80, tf32=1250, fp16=2500, bf16=2500, fp8=5000, int8=5000, fp4=10_000),
        None,
        None,
        None,
        1200,
        "NVIDIA GB200 NVL72 data sheet, 2024 (a 72nd of the rack)",
        BLACKWELL,
    ),
    Sheet(
        "B200",
        r"B200",
        8.0e12,
        _tera(tf32=1125, fp16=2250, bf16=2250, fp8=4500, int8=4500, fp4=9000),
        None,
        148,
        None,
        1000,
        "NVIDIA HGX B200 data sheet, 2024 (an eighth of the board)",
        BLACKWELL,
    ),
    Sheet(
        "GB300",
        r"GB300",
        8.0e12,
        _tera(tf32=1250, fp16=2500, bf16=2500, fp8=5000, fp4=15_000),
        None,
        None,
        None,
        1400,
        "NVIDIA GB300 NVL72 data sheet, 2025 (a 72nd of the rack); memory: NVIDIA, Inside Blackwell Ultra, 2025",
    ),
    Sheet(
        "B300",
        r"B300( SXM6?( AC)?)?",
        8.0e12,
        _tera(tf32=1125, fp16=2250, bf16=2250, fp8=4500, fp4=13_500),
        None,
        None,
        None,
        None,
        "NVIDIA HGX B300 data sheet, 2025 (an eighth of the board); memory: NVIDIA, Inside Blackwell Ultra, 2025",
    ),
    Sheet(
        "GB10",
        r"GB10",
        273e9,
        _tera(fp4=500),
        None,
        None,
        None,
        140,
        "NVIDIA DGX Spark data sheet, 2025; its memory is shared with the CPU",
    ),
    Sheet(
        "H20",
        r"H20",
        4.0e12,
        _tera(fp64=1, fp32=44, tf32=74, fp16=148, bf16=148, fp8=296, int8=296),
        None,
        78,
        None,
        400,
        "NVIDIA H20 data sheet, 2023",
    ),
    Sheet(
        "RTX 5090",
        r"RTX 5090",
        1792e9,
        _tera(fp32=104.8, tf32=104.8, fp16=209.5, bf16=209.5, fp8=838, int8=838, fp4=1676),
        2.407e9,
        170,
        96 * MiB,
        575,
        "NVIDIA RTX Blackwell GPU architecture white paper, 2025",
        BLACKWELL_GEFORCE,
    ),
    Sheet(
        "MI300X",
        r"MI300X( OAM)?",
        5.3e12,
        _MI300,
        2.1e9,
        304,
        None,
        750,
        "AMD Instinct MI300X data sheet, 2023",
        CDNA_3,
    ),
    Sheet(
        "MI325X",
        r"MI325X( OAM)?",
        6.0e12,
        _MI300,
        2.1e9,
        304,
        None,
        1000,
        "AMD Instinct MI325X data sheet, 2024",
        CDNA_3,
    ),
    Sheet(
        "MI355X",
        r"MI355X( OAM)?",
        8.0e12,
        _tera(fp64=78.6, fp32=157.3, fp16=2516.6, bf16=2516.6, fp8=5033.2, int8=5033.2, fp4=10_066.3),
        2.4e9,
        256,
        None,
        1400,
        "AMD Instinct MI355X data sheet, 2025",
        CDNA_4,
    ),
    Sheet(
        "L40S",
        r"L40S",
        864e9,
        _tera(fp32=91.6, tf32=183, fp16=362.05, bf16=362.05, fp8=733, int8=733),
        2.52e9,
        142,
        96 * MiB,
        350,
        "NVIDIA L40S data sheet, 2023",
        ADA,
    ),
    Sheet(
        "L4",
        r"L4",
        300e9,
        _tera(fp32=30.3, tf32=60, fp16=121, bf16=121, fp8=242.5, int8=242.5),
        2.04e9,
        58,
        48 * MiB,
        72,
        "NVIDIA L4 Tensor Core GPU data sheet, 2023",
        ADA,
    ),
    Sheet(
        "RTX 4090",
        r"RTX 4090",
        1008e9,
        _tera(fp32=82.6, tf32=82.6, fp16=165.2, bf16=165.2, fp8=660.6, int8=660.6),
        2.52e9,
        128,
        72 * MiB,
        450,
        "NVIDIA Ada GPU architecture white paper, 2022",
        ADA_GEFORCE,
    ),
    Sheet(
        "RTX 3090",
        r"RTX 3090",
        936e9,
        _tera(fp32=35.6, tf32=35.6, fp16=71, bf16=71, int8=284),
        1.695e9,
        82,
        6 * MiB,
        350,
        "NVIDIA Ampere GA102 GPU architecture white paper, 2020",
        AMPERE_GEFORCE,
    ),
    Sheet(
        "A10",
        r"A10",
        600e9,
        _tera(fp32=31.2, tf32=62.5, fp16=125, bf16=125, int8=250),
        1.695e9,
        72,
        6 * MiB,
        150,
        "NVIDIA A10 Tensor Core GPU data sheet, 2021",
        AMPERE_RTX,
    ),
    Sheet(
        "A10G",
        r"A10G",
        600e9,
        _tera(fp32=35, tf32=35, fp16=70, bf16=70),
        1.71e9,
        80,
        6 * MiB,
        300,
        "NVIDIA A10G data sheet, 2021",
        AMPERE_GEFORCE,
    ),
    Sheet(
        "A40",
        r"A40",
        696e9,
        _tera(fp32=37.4, tf32=74.8, fp16=149.7, bf16=149.7, int8=299.3),
        1.74e9,
        84,
        6 * MiB,
        300,
        "NVIDIA A40 data sheet, 2021",
        AMPERE_RTX,
    ),
    Sheet(
        "V100 SXM2",
        r"V100-SXM2(-16GB|-32GB)?",
        900e9,
        _tera(fp64=7.8, fp32=15.7, fp16=125),
        1.53e9,
        80,
        6 * MiB,
        300,
        "NVIDIA Tesla V100 GPU architecture white paper, 2017",
        VOLTA,
    ),
    Sheet(
        "V100 PCIe",
        r"V100-PCIE(-16GB|-32GB)?",
        900e9,
        _tera(fp64=7.0, fp32=14.0, fp16=112),
        1.38e9,
        80,
        6 * MiB,
        250,
        "NVIDIA Tesla V100 data sheet, 2018",
        VOLTA,
    ),
    Sheet(
        "T4",
        r"T4",
        320e9,
        _tera(fp32=8.1, fp16=65, int8=130),
        1.59e9,
        40,
        4 * MiB,
        70,
        "NVIDIA Turing GPU architecture white paper, 2018; T4 data sheet, 2019",
        TURING,
    ),
)
