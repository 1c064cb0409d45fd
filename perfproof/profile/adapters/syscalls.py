"""Calls of the operating system, by strace: how often each, how long, how many failed. strace slows each of them."""

from perfproof.core.doctor import Finding
from perfproof.machine import tool_version
from perfproof.machine.probes import ptrace
from perfproof.profile.plans import Gathered, Plan, Ran, Work, find_tool
from perfproof.profile.reading import read

NAME = "syscalls"
TOOL = "strace"
SUFFIX = ".syscalls.txt"
SLOWED = "strace stops the program at every call: counts are right, and times include strace's own"


def works(work: Work) -> Finding:
    if work.marked:
        why = "a pair's steady calls cannot be told from its start by strace: profile a program"
        return Finding(name=NAME, state="denied", why=why)
    program = find_tool(TOOL)
    if program is None:
        return Finding(name=NAME, state="absent", why=f"{TOOL} is not installed", fix=f"sudo apt install {TOOL}")
    found = ptrace.probe()
    if found.state == "works" or (found.state == "limited" and work.pid is None):
        return Finding(name=NAME, state="works", why=TOOL, version=f"{TOOL} {tool_version.version_of(program)}")
    return found.model_copy(update={"name": NAME})


def plan(work: Work, found: Finding) -> Plan:
    traced = (find_tool(TOOL) or TOOL, "-c", "-f", "-o", str(work.file(SUFFIX)))
    command: tuple[str, ...] = (*traced, "--", *work.command)
    if work.pid:  # strace looks until it is interrupted
        command = ("timeout", "--preserve-status", "-s", "INT", f"{work.seconds:g}", *traced, "-p", str(work.pid))
    return Plan(command, recorded=("calls of the operating system",), notes=(SLOWED,))


def gather(work: Work, ran: Ran) -> Gathered:
    path = work.file(SUFFIX)
    unknown = {"exit code": "the process was only looked at"} if work.pid else {}
    if path.is_file() and not path.stat().st_size and "not permitted" not in ran.err:
        return Gathered(failed="the process made no call of the system in that time", unknown=unknown)
    if not path.is_file() or not path.stat().st_size:
        denied = ran.last_line if "not permitted" in ran.err else ""
        return Gathered(denied=denied, fix=ptrace.FIX if denied else "", failed=f"no calls: {ran.last_line}")
    events = read(path)
    return Gathered(events, main_files=[path], unknown={**events.unknown, **unknown}, notes=list(events.warnings))
