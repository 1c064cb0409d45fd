"""The kernel's log: GPU errors (Xid), memory errors and the out-of-memory killer show there."""

from perfproof.core.child import Answer, ask
from perfproof.core.doctor import Finding
from perfproof.machine import tool_version

GROUP = "machine"
NAME = "kernel log (dmesg)"
FIX = "sudo sysctl kernel.dmesg_restrict=0"


def probe() -> Finding:
    program = tool_version.find("dmesg")
    if program is None:
        fix = "sudo apt-get install util-linux"
        return Finding(name=NAME, state="absent", why="dmesg is not on the PATH", fix=fix)
    return judge(ask([program]))


def judge(answer: Answer) -> Finding:
    if answer.why:
        return Finding(name=NAME, state="unknown", why=answer.why)
    if answer.ok:
        return Finding(name=NAME, state="works", why="it can be read")
    return Finding(name=NAME, state="denied", why=answer.last_line, fix=FIX)
