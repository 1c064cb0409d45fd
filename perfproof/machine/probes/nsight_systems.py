"""nsys (Nsight Systems): timelines. `nsys status -e` says itself what it can sample here."""

import re

from perfproof.core.child import Answer, ask
from perfproof.core.doctor import Finding
from perfproof.machine import distribution, gpus, tool_version

GROUP, FOR_GPUS = "profilers", True
NAME = "nsys"
INSTALL = "sudo apt-get install nsight-systems-cli"
PARANOID_FIX = "sudo sysctl kernel.perf_event_paranoid=1"


def probe() -> Finding:
    program = tool_version.find("nsys")
    if program is None:
        script = distribution.install_of_nvidia("nsight-systems-cli")
        return Finding(name=NAME, state="absent", why="nsys is not on the PATH", fix=INSTALL, script=script)
    version = tool_version.version_of(program)
    seen = gpus.read_gpus()
    found = judge(ask([program, "status", "-e"]))
    if not seen.found and found.state == "works":
        found = Finding(name=NAME, state="limited", why=f"{seen.why_none}: CPU and NVTX timelines only")
    return found.model_copy(update={"version": version})


def judge(answer: Answer) -> Finding:
    """ "CPU Profiling Environment (process-tree): OK" and "Fail" stand for what may be sampled."""
    if answer.why:
        return Finding(name=NAME, state="unknown", why=answer.why)
    lines = re.findall(r"^CPU Profiling Environment \(([a-z-]+)\): (OK|Fail)\s*$", answer.text, re.MULTILINE)
    states = dict(lines)
    if states.get("process-tree") == "OK":
        return Finding(name=NAME, state="works", why="CPU samples of a process tree and traces")
    if states.get("process-tree") == "Fail":
        why = "it may not sample the CPU: traces only, with -s none --cpuctxsw=none"
        return Finding(name=NAME, state="limited", why=why, fix=PARANOID_FIX)
    return Finding(name=NAME, state="unknown", why="`nsys status -e` answers in a form that is not known")
