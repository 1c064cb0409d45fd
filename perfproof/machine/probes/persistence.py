"""Persistence mode: without it the driver unloads when the last program ends, and the next one waits for seconds."""

from perfproof.core.doctor import Finding
from perfproof.machine import gpus

GROUP, FOR_GPUS = "machine", True
NAME = "GPU persistence"
FIX = "sudo nvidia-smi -pm 1"


def probe() -> Finding:
    return judge(gpus.read_gpus())


def judge(seen: gpus.Gpus) -> Finding:
    if not seen.found:
        return Finding(name=NAME, state="absent", why=seen.why_none)
    off = [str(gpu.index) for gpu in seen.found if gpu.details["persistence"] is False]
    unknown = [str(gpu.index) for gpu in seen.found if isinstance(gpu.details["persistence"], str)]
    if off:
        why = f"off on GPU {', '.join(off)}: the first CUDA call of a process waits for the driver"
        return Finding(name=NAME, state="limited", why=why, fix=FIX)
    if unknown:
        return Finding(name=NAME, state="unknown", why=f"GPU {', '.join(unknown)} does not tell")
    return Finding(name=NAME, state="works", why="on")
