"""ncu (Nsight Compute): counters of one kernel. Tried with an empty kernel, because permissions show only then."""

import re

from perfproof.core.doctor import Finding
from perfproof.machine import asking, distribution, gpus, tool_version
from perfproof.machine.counter_permission import FIX as PERMISSION_FIX
from perfproof.machine.counter_permission import SCRIPT as PERMISSION_SCRIPT

GROUP, FOR_GPUS = "profilers", True
NAME = "ncu"
INSTALL = "conda install -c nvidia nsight-compute"
METRIC = "gpu__time_duration.sum"
HELD = "another tool holds the counters: ncu, nsys or DCGM"
RELEASE = "dcgmi profile --pause"


def probe() -> Finding:
    program = tool_version.find("ncu")
    if program is None:
        script = distribution.install_of_cuda("nsight-compute")
        return Finding(name=NAME, state="absent", why="ncu is not on the PATH", fix=INSTALL, script=script)
    version = tool_version.version_of(program)
    seen = gpus.read_gpus()
    if not seen.found:
        why = f"{seen.why_none}: it reads reports and lists metrics, and profiles nothing"
        return Finding(name=NAME, state="limited", why=why, version=version)
    kernel = asking.child("cuda_kernel")
    tried = asking.ask([program, "--metrics", METRIC, "--csv", "--page", "raw", *kernel], 15)
    return judge(tried).model_copy(update={"version": version})


def judge(answer: asking.Answer) -> Finding:
    """What one profiled kernel showed. A value is asked for: a tool that prints none has profiled nothing."""
    if answer.why:
        return Finding(name=NAME, state="unknown", why=answer.why)
    if "ERR_NVGPUCTRPERM" in answer.text:
        why = "the driver keeps its counters for administrators (ERR_NVGPUCTRPERM)"
        return Finding(name=NAME, state="denied", why=why, fix=PERMISSION_FIX, script=PERMISSION_SCRIPT)
    if re.search(r"^\s*==ERROR== .*(another|busy|resource)", answer.text, re.MULTILINE | re.IGNORECASE):
        return Finding(name=NAME, state="denied", why=HELD, fix=RELEASE)
    if METRIC in answer.text and re.search(r'perfproof_empty.*"[0-9][0-9.,]*"\s*$', answer.text, re.MULTILINE):
        return Finding(name=NAME, state="works", why="an empty kernel was profiled")
    return Finding(name=NAME, state="unknown", why=f"it printed no value: {answer.last_line}")
