"""torch.profiler on the CPU: operators with their times."""

from perfproof.core.doctor import Finding
from perfproof.machine.torch_said import torch_said

GROUP = "profilers"
NAME = "torch.profiler, CPU"


def probe() -> Finding:
    return judge(torch_said("profiler_cpu"))


def judge(said: dict) -> Finding:
    if said["ok"]:
        return Finding(name=NAME, state="works", why=f"{said.get('events', 'some')} events of one matmul")
    state = "unknown" if said["ok"] is None else "limited"
    return Finding(
        name=NAME, state=state, why=said["why"], fix="" if said["ok"] is None else "pip install --upgrade torch"
    )
