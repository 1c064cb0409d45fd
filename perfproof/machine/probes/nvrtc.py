"""NVRTC through cuda.core: compiles the .cu files beside pairs; needs no GPU."""

import json

from perfproof.core.child import Answer
from perfproof.core.doctor import Finding
from perfproof.machine import software
from perfproof.machine.asking import ask_child

GROUP, FOR_GPUS = "compilers", True
NAME = "NVRTC (cuda.core)"
FIX = "pip install 'perfproof[cuda]'"


def probe() -> Finding:
    version = software.version_of("cuda-core")
    if version is None:
        return Finding(name=NAME, state="absent", why="cuda-core is not installed", fix=FIX)
    return judge(ask_child("nvrtc_answer", 20)).model_copy(update={"version": version})


def judge(answer: Answer) -> Finding:
    if answer.why:
        return Finding(name=NAME, state="unknown", why=answer.why)
    try:
        made = answer.ok and json.loads(answer.out.strip().splitlines()[-1])["ok"] is True
    except (ValueError, KeyError, IndexError, TypeError):
        made = False
    if made:
        return Finding(name=NAME, state="works", why="a kernel was compiled for sm_90")
    return Finding(name=NAME, state="denied", why=answer.last_line, fix=FIX)
