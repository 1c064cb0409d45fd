"""What a pair's `needs` are held against: the few facts about this machine that decide whether a target can run."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Facts:
    device: str  # "cpu" or "cuda:0": where tensors go
    cuda: float | None  # compute capability of that device, 9.0; None without a GPU
    gpus: int  # GPUs that torch can use
    numa: int  # NUMA nodes
    has_package: Callable[[str], bool]  # is this import name installed? (found, not imported)
    why_no_gpu: str = ""  # "no NVIDIA driver", "torch is a CPU build": said when a GPU is asked for
