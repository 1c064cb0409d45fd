"""The CUTLASS DSL (CuTe in Python): a host function is compiled and run. No kernel is tried."""

from perfproof.core.child import Answer
from perfproof.core.doctor import Finding
from perfproof.machine import software
from perfproof.machine.asking import ask_child

GROUP, FOR_GPUS = "compilers", True
NAME = "CUTLASS DSL"
PACKAGE = "nvidia-cutlass-dsl"
SECONDS = 30.0


def probe() -> Finding:
    version = software.version_of(PACKAGE)
    if version is None:
        return Finding(name=NAME, state="absent", why=f"{PACKAGE} is not installed", fix=f"pip install {PACKAGE}")
    return judge(ask_child("cutlass_answer", SECONDS)).model_copy(update={"version": version})


def judge(answer: Answer) -> Finding:
    if answer.why:
        return Finding(name=NAME, state="unknown", why=answer.why)
    if answer.ok and "perfproof sum 5" in answer.out:
        return Finding(name=NAME, state="works", why="a host function was compiled and run; no kernel was tried")
    fix = f"pip install --force-reinstall {PACKAGE}"
    return Finding(name=NAME, state="denied", why=f"it does not run: {answer.last_line}", fix=fix)
