"""NCCL between all GPUs of this machine: one rank per GPU, an all-reduce whose sum is checked."""

import json

from perfproof.core.doctor import Finding
from perfproof.machine import asking, facts

GROUP, FOR_GPUS = "communication", True
NAME = "NCCL, all GPUs"
SECONDS = 60.0  # torch from a cold disk, and one CUDA context per GPU
DEBUG = "NCCL_DEBUG=INFO perfproof doctor"
SLOW_FIX = "nvidia-smi topo -p2p r"  # says which pairs, and whether the chip set or the driver is the reason


def probe() -> Finding:
    usable, why_not = facts.usable_gpus()
    if len(usable) < 2:
        return Finding(name=NAME, state="absent", why=why_not or "one GPU: nothing to connect")
    child = [*asking.child("all_gpus"), "nccl", str(len(usable))]
    return judge(asking.ask(child, SECONDS))


def judge(answer: asking.Answer) -> Finding:
    if answer.why:
        return Finding(name=NAME, state="unknown", why=answer.why, fix=DEBUG)
    try:
        said = json.loads(answer.out.strip().splitlines()[-1])
        right, ranks, unreachable = said["ok"] is True, int(said["ranks"]), list(said["unreachable"])
    except (ValueError, KeyError, IndexError, TypeError):
        return Finding(name=NAME, state="unknown", why=f"no answer came: {answer.last_line}", fix=DEBUG)
    if not right:
        why = f"an all-reduce over {ranks} GPUs failed: {said.get('why') or 'no reason was given'}"
        return Finding(name=NAME, state="denied", why=why, fix=DEBUG)
    if unreachable:
        first, *others = unreachable[0]
        why = f"an all-reduce over {ranks} GPUs; GPU {first} can't reach the memory of {', '.join(map(str, others))}:"
        return Finding(name=NAME, state="limited", why=f"{why} copies go through the host", fix=SLOW_FIX)
    return Finding(name=NAME, state="works", why=f"an all-reduce over {ranks} GPUs; all reach each other's memory")
