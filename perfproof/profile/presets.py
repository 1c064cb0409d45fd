"""The presets of `--profile`, named by what they cost: what each profiler records under them."""

from dataclasses import dataclass

from perfproof.core.errors import UsageError

PRESETS = ("none", "minimal", "roofline", "deep")


@dataclass(frozen=True)
class Recorded:
    """What torch's profiler and nsys keep; ncu's counters are the manifest's preset of the same name."""

    shapes: bool = False
    stacks: bool = False
    memory: bool = False
    flops: bool = False
    host: bool = False  # nsys: system calls, libraries and CPU samples too
    gpu_metrics: bool = False

    def in_words(self) -> list[str]:
        """For torch's profiler."""
        named = {"shapes": self.shapes, "flops": self.flops, "stacks": self.stacks, "memory": self.memory}
        return ["operators", "kernels", *(name for name, wanted in named.items() if wanted)]


RECORDED = {
    "none": Recorded(),
    "minimal": Recorded(shapes=True),  # 8 % more to write; rules about types need them
    "roofline": Recorded(shapes=True, flops=True, gpu_metrics=True),
    "deep": Recorded(shapes=True, flops=True, stacks=True, memory=True, host=True, gpu_metrics=True),
}
MOST_LAUNCHES = {"minimal": 200, "roofline": 50, "deep": 20}  # that ncu replays of a command: it has no range of ours


def check_preset(name: str) -> str:
    if name not in PRESETS:
        raise UsageError(f"--profile {name!r} is unknown: choose {', '.join(PRESETS)}, by what they cost")
    return name
