"""MIG: a slice of a GPU has its own memory and multiprocessors, and shares counters, clocks and power."""

from perfproof.core.doctor import Finding
from perfproof.machine import gpus

GROUP, FOR_GPUS = "machine", True
NAME = "whole GPUs (MIG)"


def probe() -> Finding:
    return judge(gpus.read_gpus())


def judge(seen: gpus.Gpus) -> Finding:
    if not seen.found:
        return Finding(name=NAME, state="absent", why=seen.why_none)
    sliced = [gpu.index for gpu in seen.found if gpu.details["mig"] is True]
    if sliced:
        why = f"GPU {', '.join(map(str, sliced))} is in slices: ceilings of the whole GPU do not apply, power is shared"
        return Finding(name=NAME, state="limited", why=why, fix=f"sudo nvidia-smi -i {sliced[0]} -mig 0")
    return Finding(name=NAME, state="works", why="no GPU is in slices")
