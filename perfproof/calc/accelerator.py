"""The rates of one GPU that a formula is given, with where they come from. Nothing is read here."""

from dataclasses import dataclass, field

from perfproof.calc.number_formats import compute_type
from perfproof.core.errors import UsageError

# Decimal gigabytes as data sheets advertise them, by the sheet's name. A driver reports a few per cent more or less.
MEMORY_GB: dict[str, float] = {
    "A100 SXM 80 GB": 80,
    "A100 SXM 40 GB": 40,
    "A100 PCIe 80 GB": 80,
    "A100 PCIe 40 GB": 40,
    "A30": 24,
    "GH200 144 GB HBM3e": 144,
    "GH200 96 GB HBM3": 96,
    "H200 NVL": 141,
    "H200 SXM": 141,
    "H100 NVL": 94,
    "H100 PCIe": 80,
    "H100 SXM": 80,
    "B200": 180,
    "GB200": 186,
    "B300": 288,
    "GB300": 288,
    "GB10": 128,
    "H20": 96,
    "RTX 5090": 32,
    "MI300X": 192,
    "MI325X": 256,
    "MI355X": 288,
    "A10G": 24,
    "L40S": 48,
    "L4": 24,
    "RTX 4090": 24,
    "RTX 3090": 24,
    "A10": 24,
    "A40": 48,
    "T4": 16,
}
# Decimal gigabytes per second and direction over NVLink: data sheets print both directions together. A card that is not
# here has no NVLink to all its neighbours, or its sheet does not say it plainly.
LINK_GB_S: dict[str, float] = {
    "A100 SXM 80 GB": 300,
    "A100 SXM 40 GB": 300,
    "H20": 450,
    "H100 SXM": 450,
    "H200 SXM": 450,
    "B200": 900,
    "GB200": 900,
    "B300": 900,
    "GB300": 900,
}


@dataclass(frozen=True)
class Accelerator:
    name: str
    bandwidth: float | None = None  # bytes per second of its memory
    flops: dict[str, float] = field(default_factory=dict)  # operations per second by type
    memory: float | None = None  # bytes
    watts: float | None = None
    link: float | None = None  # bytes per second and direction to its neighbours
    link_latency: float = 0.0  # seconds of a message
    source: str = ""
    memory_from: str = ""  # where its size comes from, if from elsewhere than the rates

    @property
    def memory_source(self) -> str:
        return self.memory_from or self.source

    def rate(self, weight_format: str) -> tuple[float, str]:
        """Operations a second for weights of a format, and the type that they are of."""
        wanted = compute_type(weight_format)
        for dtype in (wanted, "fp8" if wanted == "fp4" else "", "bf16", "fp16", "fp32"):
            if self.flops.get(dtype):
                return self.flops[dtype], dtype
        raise UsageError(f"{self.name}: no arithmetic rate for {weight_format}; give --tflops")

    def needs_bandwidth(self) -> float:
        if not self.bandwidth:
            raise UsageError(f"{self.name}: its memory bandwidth is unknown; give --bandwidth-gb-s")
        return self.bandwidth

    def needs_memory(self) -> float:
        if not self.memory:
            raise UsageError(f"{self.name}: the size of its memory is unknown; give --gpu-mem-gb")
        return self.memory
