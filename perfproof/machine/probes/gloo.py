"""gloo: ranks on CPUs. A group of one is made: it needs a network device and a host name that resolves."""

from perfproof.core.doctor import Finding
from perfproof.machine.torch_said import torch_said

GROUP = "communication"
NAME = "gloo"


def probe() -> Finding:
    return judge(torch_said("gloo"))


def judge(said: dict) -> Finding:
    if said["ok"]:
        return Finding(name=NAME, state="works", why="an all-reduce of one rank")
    if said["ok"] is None:
        return Finding(name=NAME, state="unknown", why=said["why"])
    if said.get("absent"):
        return Finding(name=NAME, state="absent", why=said["why"], fix="pip install torch")
    return Finding(name=NAME, state="denied", why=said["why"], fix="export GLOO_SOCKET_IFNAME=lo")
