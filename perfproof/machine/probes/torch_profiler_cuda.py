"""torch.profiler on the GPU: kernels through CUPTI, which one tool at a time may use."""

from perfproof.core.doctor import Finding
from perfproof.machine import facts
from perfproof.machine.torch_said import torch_said

GROUP, FOR_GPUS = "profilers", True
NAME = "torch.profiler, CUDA"


def probe() -> Finding:
    usable, why_not = facts.usable_gpus()
    return judge(torch_said("profiler_cuda"), why_not if not usable else "")


def judge(said: dict, why_no_gpu: str) -> Finding:
    if why_no_gpu:
        return Finding(name=NAME, state="absent", why=why_no_gpu)
    if said["ok"]:
        return Finding(name=NAME, state="works", why="CUPTI records the device's events")
    if said["ok"] is None:
        return Finding(name=NAME, state="unknown", why=said["why"])
    why = f"{said['why']}: another profiler holds CUPTI, or it may not be used"
    return Finding(name=NAME, state="denied", why=why, fix="dcgmi profile --pause")
