"""The rates of one GPU that a formula is given, with where they come from. Nothing is read here."""

from dataclasses import dataclass, field

from perfproof.calc.number_formats import compute_type
from perfproof.core.errors import UsageError


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
