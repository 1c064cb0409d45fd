"""Who holds the interpreter's lock: py-spy, looking only at threads that hold it, each with its name."""

from perfproof.core.child import ask
from perfproof.core.doctor import Finding
from perfproof.profile.adapters import perf
from perfproof.profile.plans import Gathered, Plan, Ran, Work, find_tool
from perfproof.profile.python_program import is_python
from perfproof.profile.reading import read

NAME = "gil"
SUFFIX = ".gil.txt"  # by its name such a file is known: nothing in it says how it was recorded


def works(work: Work) -> Finding:
    if work.marked:
        why = "the lock is a matter of a program's threads, and a pair's calls have one: profile the program"
        return Finding(name=NAME, state="denied", why=why)
    if not is_python(work.command):
        return Finding(
            name=NAME, state="denied", why=f"{work.command[0]} is no Python interpreter: it has no such lock"
        )
    if find_tool(perf.SPY) is None:
        return Finding(name=NAME, state="absent", why=f"{perf.SPY} is not installed", fix=f"pip install {perf.SPY}")
    return perf.works(work).model_copy(update={"name": NAME})


def plan(work: Work, found: Finding) -> Plan:
    program = find_tool(perf.SPY) or perf.SPY
    flags = perf.read_names(ask([program, "record", "--help"]).text, perf.SPY)
    asked = [f"--output={work.file(SUFFIX)}", "--gil", "--threads"]
    return perf.sampled(work, program, flags, asked, f"stacks of threads that hold the lock, {perf.RATE} a second")


def gather(work: Work, ran: Ran) -> Gathered:
    path = work.file(SUFFIX)
    if not path.is_file() or not path.stat().st_size:
        denied = ran.last_line if perf.DENIED.search(ran.err) else ""
        return Gathered(denied=denied, fix=perf.ptrace.FIX if denied else "", failed=f"no samples: {ran.last_line}")
    events = read(path)
    unknown = {**events.unknown, "exit code": "py-spy does not pass it on"}
    notes = ["samples in which a thread held the lock, and no others", *events.warnings]
    return Gathered(events, main_files=[path], unknown=unknown, notes=notes)
