"""py-spy: Python stacks of a running process, from outside."""

from perfproof.core.doctor import Finding
from perfproof.machine import tool_version
from perfproof.machine.probes import ptrace

GROUP = "profilers"
NAME = "py-spy"


def probe() -> Finding:
    program = tool_version.find(NAME)
    if program is None:
        return Finding(name=NAME, state="absent", why="py-spy is not on the PATH", fix="pip install py-spy")
    return judge(ptrace.probe()).model_copy(update={"version": tool_version.version_of(program)})


def judge(attaching: Finding) -> Finding:
    """It attaches as a debugger does."""
    if attaching.state == "works":
        return Finding(name=NAME, state="works", why="it may attach to processes of this user")
    return Finding(name=NAME, state=attaching.state, why=attaching.why, fix=attaching.fix)
