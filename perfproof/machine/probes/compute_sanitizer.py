"""compute-sanitizer: races and wrong addresses in CUDA kernels, tried with an empty one."""

import re

from perfproof.core.doctor import Finding
from perfproof.machine import asking, distribution, gpus, tool_version

GROUP, FOR_GPUS = "profilers", True
NAME = "compute-sanitizer"
INSTALL = "conda install -c nvidia cuda-sanitizer-api"


def probe() -> Finding:
    program = tool_version.find(NAME)
    if program is None:
        script = distribution.install_of_cuda("sanitizer")
        return Finding(name=NAME, state="absent", why=f"{NAME} is not on the PATH", fix=INSTALL, script=script)
    version = tool_version.version_of(program)
    seen = gpus.read_gpus()
    if not seen.found:
        return Finding(name=NAME, state="limited", why=f"{seen.why_none}: nothing to check", version=version)
    kernel = asking.child("cuda_kernel")
    return judge(asking.ask([program, *kernel], 15)).model_copy(update={"version": version})


def judge(answer: asking.Answer) -> Finding:
    if answer.why:
        return Finding(name=NAME, state="unknown", why=answer.why)
    match = re.search(r"^=+ ERROR SUMMARY: ([0-9]{1,9}) errors?\s*$", answer.text, re.MULTILINE)
    if match and match[1] == "0" and answer.ok:
        return Finding(name=NAME, state="works", why="an empty kernel was checked")
    if re.search(r"permission|debugger|unsupported|not supported", answer.text, re.IGNORECASE):
        return Finding(name=NAME, state="denied", why=answer.last_line)
    return Finding(name=NAME, state="unknown", why=f"it gave no summary: {answer.last_line}")
