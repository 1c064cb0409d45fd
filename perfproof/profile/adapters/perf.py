"""The CPU, by samples: py-spy for Python programs and pairs, perf for everything else.

Neither can be told where a pair's steady calls begin, so those are kept by their stack: only samples under the
function `perfproof_steady` count, and what stands above it is cut off.
"""

import math
import re
from collections.abc import Sequence

from perfproof.core.child import ask
from perfproof.core.doctor import Finding
from perfproof.core.events import Events, Total
from perfproof.machine import tool_version
from perfproof.machine.probes import perf as perf_probe
from perfproof.machine.probes import ptrace
from perfproof.profile.plans import STEADY, Gathered, Plan, Ran, Work, find_tool
from perfproof.profile.presets import RECORDED
from perfproof.profile.python_program import is_python
from perfproof.profile.reading import read
from perfproof.profile.tool_help import Flags, accepted
from perfproof.profile.weighed_stacks import collapsed_file, speedscope_file, stacks_of

NAME = "perf"
SPY = "py-spy"
RATE = 100
EXPORT_SECONDS = 120.0
DECLARED = re.compile(r"^\s+(?:-\w,\s+)?(--[a-z][a-z-]+)", re.MULTILINE)
DENIED = re.compile(r"Permission Denied|Operation not permitted|No permission|perf_event_paranoid", re.IGNORECASE)


def works(work: Work) -> Finding:
    """py-spy where it can be used, perf otherwise; the version says which."""
    wants_spy = work.marked or is_python(work.command)
    spy = find_tool(SPY)
    if wants_spy and spy:
        found = ptrace.probe()
        if found.state == "works" or (found.state == "limited" and work.pid is None):  # what it starts is its own
            return Finding(name=NAME, state="works", why=SPY, version=f"{SPY} {tool_version.version_of(spy)}")
        return found.model_copy(update={"name": NAME})
    if work.marked:
        return Finding(name=NAME, state="absent", why=f"{SPY} is not installed", fix="pip install py-spy")
    found = perf_probe.probe()
    return found.model_copy(update={"name": NAME, "version": f"perf {found.version}" if found.version else ""})


def plan(work: Work, found: Finding) -> Plan:
    if found.version.startswith(SPY):
        program = find_tool(SPY) or SPY
        return spy_plan(work, program, read_names(ask([program, "record", "--help"]).text, SPY))
    program = find_tool(NAME) or NAME
    flags = read_names(ask([program, "record", "-h"]).text, NAME)
    return perf_plan(work, program, flags, hardware=found.state == "works")


def read_names(text: str, tool: str) -> Flags:
    names = frozenset(DECLARED.findall(text))
    if "--output" not in names:
        return Flags(tool, unknown=f"unknown: the help of `{tool} record` lists no --output")
    return Flags(tool, names)


def spy_plan(work: Work, program: str, flags: Flags) -> Plan:
    asked = [f"--output={work.file('.raw.txt')}"]
    asked += [] if work.marked or work.pid else ["--subprocesses"]
    asked += ["--native"] if RECORDED[work.preset].stacks else []
    return sampled(work, program, flags, asked, f"Python stacks, {RATE} a second")


def sampled(work: Work, program: str, flags: Flags, asked: Sequence[str], recorded: str) -> Plan:
    """The program under py-spy, or a process that runs already."""
    attached = [f"--pid={work.pid}", f"--duration={math.ceil(work.seconds)}"] if work.pid else []
    kept, dropped = accepted(["--format=raw", f"--rate={RATE}", *asked, *attached], flags)
    notes = (flags.unknown,) if flags.unknown else ()
    started = () if work.pid else ("--", *work.command)
    return Plan((program, "record", *kept, *started), {}, tuple(dropped), (recorded,), notes=notes)


def perf_plan(work: Work, program: str, flags: Flags, hardware: bool) -> Plan:
    event = "cycles" if hardware else "cpu-clock"
    asked = [f"--output={work.file('.data')}", f"--freq={RATE}", "--call-graph=fp", f"--event={event}"]
    kept, dropped = accepted(asked, flags)
    notes = (flags.unknown,) if flags.unknown else ()
    recorded = (f"native stacks, {RATE} a second, by {event}",)
    attached = (f"--pid={work.pid}", "--", "sleep", f"{work.seconds:g}")  # perf records as long as it runs
    started = attached if work.pid else ("--", *work.command)
    return Plan((program, "record", *kept, *started), {}, tuple(dropped), recorded, notes=notes)


def gather(work: Work, ran: Ran) -> Gathered:
    raw, data, script = work.file(".raw.txt"), work.file(".data"), work.file(".script.txt")
    if data.is_file():
        answer = ask([find_tool(NAME) or NAME, "script", "--input", str(data)], EXPORT_SECONDS)
        if not answer.ok:
            return Gathered(main_files=[data], failed=f"perf script failed: {answer.why or answer.last_line}")
        script.write_text(answer.out)
        if not answer.out.strip():
            return Gathered(main_files=[data], failed="there is no sample: the program hardly used the CPU")
    source = script if script.is_file() else raw
    if not source.is_file() or not source.stat().st_size:
        denied = ran.last_line if DENIED.search(ran.err) else ""
        return Gathered(denied=denied, fix=ptrace.FIX if denied else "", failed=f"no samples: {ran.last_line}")
    kept = _kept(work, read(source))
    if source is raw:
        kept.unknown["exit code"] = "py-spy does not pass it on"
    return kept


def _kept(work: Work, events: Events) -> Gathered:
    totals = steady(events.totals) if work.marked else events.totals
    if not totals:
        return Gathered(failed=f"no sample fell into the steady calls, of {len(events.totals)} stacks in all")
    stacks, scope = work.file(".stacks.txt"), work.file(".speedscope.json")
    events.totals = totals
    weighed = stacks_of(events)
    stacks.write_text(collapsed_file(weighed))
    scope.write_text(speedscope_file(weighed, work.name))
    events.totals = [Total(total.path, {**total.values, **_estimate(total)}) for total in totals]
    notes = [f"times are estimates: samples, {RATE} a second", *events.warnings]
    return Gathered(events, main_files=[scope], unknown=dict(events.unknown), notes=notes)


def _estimate(total: Total) -> dict[str, float]:
    return {"time_ns": total.values.get("samples", 0.0) * 1e9 / RATE}


def steady(totals: list[Total]) -> list[Total]:
    """Only what ran under the steady calls, from there inwards."""
    kept = []
    for total in totals:
        place = next((at for at, frame in enumerate(total.path) if STEADY in frame), None)
        if place is not None:
            kept.append(Total(total.path[place:], total.values))
    return kept
