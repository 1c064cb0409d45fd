"""torch.profiler: operators and kernels of a Python program, or of a pair's steady calls."""

import json
from dataclasses import replace

from perfproof.core.child import ask
from perfproof.core.doctor import Finding
from perfproof.machine import facts, software
from perfproof.profile.plans import Gathered, Plan, Ran, Work
from perfproof.profile.presets import RECORDED
from perfproof.profile.python_program import recorded
from perfproof.profile.reading import read
from perfproof.profile.sampled_stacks import collapse

NAME = "torch"
FIND = "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)"
FIND_SECONDS = 60.0  # an interpreter on a cold or busy disk
KIND = "torch"
WINDOW, SAMPLES, STACKS = ".window.json", ".samples.json", ".stacks.txt"


def works(work: Work) -> Finding:
    """Is torch where the program runs? Asked without importing it."""
    if not work.marked:
        _, why = recorded(work.command)
        if why:
            return Finding(name=NAME, state="denied", why=why)
        answer = ask([work.command[0], "-c", FIND], FIND_SECONDS)
        if answer.why:
            return Finding(name=NAME, state="absent", why=answer.why)
        if not answer.ok:
            why = f"{work.command[0]} has no torch"
            return Finding(name=NAME, state="absent", why=why, fix=f"{work.command[0]} -m pip install torch")
    version = software.version_of("torch") or ""
    usable, why_not = facts.usable_gpus()
    if not usable:
        return Finding(name=NAME, state="limited", why=f"{why_not}: operators of the CPU only", version=version)
    return Finding(name=NAME, state="works", why="operators, calls and kernels", version=version)


def plan(work: Work, found: Finding) -> Plan:
    return in_window(work, recording_plan(work, KIND, {}))


def in_window(work: Work, planned: Plan) -> Plan:
    """The part of a program that was asked for, not all of it."""
    if work.marked or work.window is None or planned.refused:
        return planned
    said = {**json.loads(planned.environment["PERFPROOF_CAPTURE"]), "window": work.window}
    return replace(
        planned,
        environment={"PERFPROOF_CAPTURE": json.dumps(said)},
        notes=("the recording waits for the steady state; --steps 0 records the whole program",),
        complete=work.file(WINDOW),
    )


def recording_plan(work: Work, kind: str, more: dict[str, bool]) -> Plan:
    """Run the program with a recording inside: for every tool that works from within the process."""
    wanted = RECORDED[work.preset]
    wish = {"shapes": wanted.shapes, "stacks": wanted.stacks, "memory": wanted.memory, "flops": wanted.flops, **more}
    command, why = (work.command, "") if work.marked else recorded(work.command)
    said = json.dumps({"kind": kind, "output": str(work.file("")), "steady": work.marked, **wish})
    notes = () if work.marked else ("the whole program is recorded, its beginning included",)
    return Plan(command, {"PERFPROOF_CAPTURE": said}, recorded=tuple(wanted.in_words()), notes=notes, refused=why)


def gather(work: Work, ran: Ran) -> Gathered:
    trace = work.file(".trace.json.gz")
    if not trace.is_file():
        return Gathered(failed=f"no trace was written: {ran.last_line}")
    events = read(trace)
    notes = [*_recorded(work), *events.warnings]
    sampled = collapse(work.file(SAMPLES), events, work.file(STACKS))
    files = [trace, *([work.file(STACKS)] if sampled else [])]
    return Gathered(events, main_files=files, unknown=dict(events.unknown), notes=notes)


def _recorded(work: Work) -> list[str]:
    """Which part of the program, as the recording wrote it down."""
    try:
        told = json.loads(work.file(WINDOW).read_text())["recorded"]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    ended = " (it ended before it was steady)" if told == "the whole program" else ""
    return [f"recorded: {told}{ended}"]
