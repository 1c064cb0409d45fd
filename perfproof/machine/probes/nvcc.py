"""nvcc: the CUDA compiler driver, for what NVRTC cannot build."""

from perfproof.core.doctor import Finding
from perfproof.machine import distribution, tool_version

GROUP, FOR_GPUS = "compilers", True
NAME = "nvcc"


def probe() -> Finding:
    program = tool_version.find(NAME)
    if program is None:
        fix, script = "conda install -c nvidia cuda-nvcc", distribution.install_of_cuda("toolkit")
        return Finding(name=NAME, state="absent", why="nvcc is not on the PATH", fix=fix, script=script)
    return judge(tool_version.version_of(program))


def judge(version: str) -> Finding:
    if version.startswith("unknown: "):
        return Finding(name=NAME, state="unknown", why=version.removeprefix("unknown: "))
    return Finding(name=NAME, state="works", why="it answers with its version", version=version)
