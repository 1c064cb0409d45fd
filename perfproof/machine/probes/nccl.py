"""NCCL: ranks on GPUs. A communicator of one GPU is made."""

from perfproof.core.doctor import Finding
from perfproof.machine import facts
from perfproof.machine.torch_said import torch_said

GROUP, FOR_GPUS = "communication", True
NAME = "NCCL"


def probe() -> Finding:
    usable, why_not = facts.usable_gpus()
    if not usable:
        return Finding(name=NAME, state="absent", why=why_not)
    return judge(torch_said("nccl"))


def judge(said: dict) -> Finding:
    if said["ok"]:
        return Finding(name=NAME, state="works", why="an all-reduce of one rank", version=str(said.get("version", "")))
    if said["ok"] is None:
        return Finding(name=NAME, state="unknown", why=said["why"])
    if said.get("absent"):
        return Finding(name=NAME, state="absent", why=said["why"])
    return Finding(name=NAME, state="denied", why=said["why"], fix="NCCL_DEBUG=WARN perfproof doctor")
