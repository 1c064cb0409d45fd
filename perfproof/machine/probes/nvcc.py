"""nvcc: the CUDA compiler driver, for what NVRTC cannot build."""

from perfproof.core.doctor import Finding
from perfproof.machine import tool_version

GROUP = "compilers"
NAME = "nvcc"


def probe() -> Finding:
    program = tool_version.find(NAME)
    if program is None:
        fix = "conda install -c nvidia cuda-nvcc"
        return Finding(name=NAME, state="absent", why="nvcc is not on the PATH", fix=fix)
    return judge(tool_version.version_of(program))


def judge(version: str) -> Finding:
    if version.startswith("unknown: "):
        return Finding(name=NAME, state="unknown", why=version.removeprefix("unknown: "))
    return Finding(name=NAME, state="works", why="it answers with its version", version=version)
