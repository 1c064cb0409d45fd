"""ptrace: may one process of a user look into another (py-spy, gdb)?"""

from perfproof.core.doctor import Finding
from perfproof.machine import kernel_files, privileges

GROUP = "machine"
NAME = "attaching (ptrace)"
SCOPE = "/proc/sys/kernel/yama/ptrace_scope"
FIX = "sudo sysctl kernel.yama.ptrace_scope=0"


def probe() -> Finding:
    return judge(kernel_files.read_text(SCOPE), privileges.has("CAP_SYS_PTRACE"))


def judge(scope: str | None, capable: bool | None) -> Finding:
    """The values are those of the kernel's Yama documentation."""
    if scope is None:
        return Finding(name=NAME, state="works", why="the kernel sets no limit beyond the user (no Yama)")
    if scope == "0":
        return Finding(name=NAME, state="works", why="ptrace_scope is 0")
    if scope == "3":
        why = "ptrace_scope is 3: nobody may attach until the next start"
        return Finding(name=NAME, state="denied", why=why)
    if scope in ("1", "2") and capable:
        return Finding(name=NAME, state="works", why=f"ptrace_scope is {scope}, and this process has CAP_SYS_PTRACE")
    if scope == "1":
        why = "ptrace_scope is 1: only processes that the tool itself starts (py-spy record -- python app.py)"
        return Finding(name=NAME, state="limited", why=why, fix=FIX)
    if scope == "2":
        return Finding(name=NAME, state="denied", why="ptrace_scope is 2: administrators only", fix=FIX)
    return Finding(name=NAME, state="unknown", why=f"{SCOPE} is {kernel_files.STRANGE}")
