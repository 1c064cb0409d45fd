"""A trace of every rank of a job, whoever launches them: torchrun, mpirun, a script.

Each Python that starts with RANK in its environment records itself with torch's profiler, to its end. The launcher's
own process is left alone.
"""

import json
import os
import re
from pathlib import Path

from perfproof.core.doctor import Finding
from perfproof.core.events import joined
from perfproof.machine import facts, software
from perfproof.profile.plans import Gathered, Plan, Ran, Work
from perfproof.profile.presets import RECORDED
from perfproof.profile.reading import read

NAME = "trace-ranks"
STARTUP = Path(__file__).parents[1] / "children" / "startup"


def works(work: Work) -> Finding:
    if work.marked:
        return Finding(name=NAME, state="denied", why="a pair's variant runs in one process: use --tool torch")
    version = software.version_of("torch") or ""
    usable, why_not = facts.usable_gpus()
    if not usable:
        return Finding(name=NAME, state="limited", why=f"{why_not}: operators of the CPU only", version=version)
    return Finding(name=NAME, state="works", why="a trace of each rank", version=version)


def plan(work: Work, found: Finding) -> Plan:
    wanted = RECORDED[work.preset]
    output = str(work.folder / f"{work.name}-rank{{rank}}")
    wish = {"shapes": wanted.shapes, "stacks": wanted.stacks, "memory": wanted.memory, "flops": wanted.flops}
    path = os.pathsep.join(filter(None, (str(STARTUP), os.environ.get("PYTHONPATH", ""))))
    environment = {
        "PYTHONPATH": path,
        "PERFPROOF_CAPTURE": json.dumps({"kind": "torch", "output": output, **wish}),
    }
    return Plan(work.command, environment, recorded=tuple(wanted.in_words()))


def gather(work: Work, ran: Ran) -> Gathered:
    traces = sorted(work.folder.glob(f"{work.name}-rank*.trace.json.gz"), key=_rank)
    if not traces:
        why = f"no rank wrote a trace (no process had RANK set, or none came to its end): {ran.last_line}"
        return Gathered(failed=why)
    tables = [read(trace) for trace in traces]
    for trace, table in zip(traces, tables, strict=True):
        table.set_rank(_rank(trace))  # a job that made no process group does not say it in the trace
    events = joined(tables)
    notes = [f"{len(traces)} ranks: {', '.join(trace.name for trace in traces)}", *events.warnings]
    return Gathered(events, main_files=traces, unknown=dict(events.unknown), notes=notes)


def _rank(path: Path) -> int:
    found = re.search(r"-rank(\d+)\.trace\.json\.gz$", path.name)
    return int(found[1]) if found else -1
