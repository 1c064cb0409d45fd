"""Memory: the history of torch's GPU allocator, or on a CPU every allocation that its profiler sees."""

from dataclasses import replace

from perfproof.core.doctor import Finding
from perfproof.profile.adapters import torch
from perfproof.profile.plans import Gathered, Plan, Ran, Work
from perfproof.profile.reading import read

NAME = "memory"


def works(work: Work) -> Finding:
    found = torch.works(work)
    if found.state == "limited":
        return found.model_copy(update={"name": NAME, "why": f"{found.why}; allocations of the CPU"})
    return found.model_copy(update={"name": NAME})


def plan(work: Work, found: Finding) -> Plan:
    planned = torch.in_window(work, torch.recording_plan(work, "memory", {"memory": True, "shapes": True}))
    recorded = ("the allocator's last 100,000 steps",) if work.on_gpu else ("operators", "allocations")
    return replace(planned, recorded=recorded)


def gather(work: Work, ran: Ran) -> Gathered:
    snapshot = work.file(".pickle")
    if not snapshot.is_file():
        return torch.gather(work, ran)
    events = read(snapshot)
    return Gathered(events, main_files=[snapshot], unknown=dict(events.unknown), notes=list(events.warnings))
