"""Triton: compiled on a GPU, through its interpreter elsewhere."""

import json

from perfproof.core.child import Answer
from perfproof.core.doctor import Finding
from perfproof.machine import facts, software
from perfproof.machine.asking import ask_child

GROUP = "compilers"
NAME = "Triton"
SECONDS = 40.0  # it imports torch too


def probe() -> Finding:
    version = software.version_of("triton")
    if version is None:
        return Finding(name=NAME, state="absent", why="triton is not installed", fix="pip install triton")
    compiled = bool(facts.usable_gpus()[0])
    answer = ask_child("triton_answer", SECONDS, {"TRITON_INTERPRET": "0" if compiled else "1"})
    return judge(answer, compiled).model_copy(update={"version": version})


def judge(answer: Answer, compiled: bool) -> Finding:
    if answer.why:
        return Finding(name=NAME, state="unknown", why=answer.why)
    try:
        right = answer.ok and json.loads(answer.out.strip().splitlines()[-1])["ok"] is True
    except (ValueError, KeyError, IndexError, TypeError):
        right = False
    if not right:
        return Finding(name=NAME, state="denied", why=f"a kernel does not run: {answer.last_line}")
    if compiled:
        return Finding(name=NAME, state="works", why="a kernel was compiled and run")
    return Finding(name=NAME, state="limited", why="no GPU: the interpreter verifies kernels (not in bfloat16)")
